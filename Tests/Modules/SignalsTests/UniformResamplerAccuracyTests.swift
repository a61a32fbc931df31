import Foundation
import LocomotionSignals
import TestSupport
import Testing

@Suite struct UniformResamplerAccuracyTests {
  static let rates = [20, 25, 50, 62.5, 100, 104, 200, 400, 500]
  static let period: Int64 = 10_000_000

  /// Checks cells against the naive integral, and returns the largest error.
  @discardableResult
  static func compare(
    _ samples: [TimedSample], period: Int64 = period, _ comment: Comment,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Double {
    var settings = UniformResampler.Settings()
    settings.period = period
    let result = Resampling(samples, settings: settings)
    let (firstCell, expected) = naiveCells(samples, period: period)
    #expect(result.stretches.count == 1, comment, sourceLocation: sourceLocation)
    let stretch = try #require(result.stretches.first, comment, sourceLocation: sourceLocation)
    #expect(stretch.firstCell == firstCell, comment, sourceLocation: sourceLocation)
    try #require(stretch.cells.count == expected.count, comment, sourceLocation: sourceLocation)
    #expect(result.resampler.nextCell == firstCell + Int64(expected.count))
    let magnitude = samples.reduce(Float.zero) {
      max($0, abs($1.value.x), abs($1.value.y), abs($1.value.z))
    }
    let pieces = piecesPerCell(samples, period: period)
    let tolerance = resamplingTolerance(pieces: pieces, magnitude: magnitude)
    var largest = 0.0
    for (cell, value) in zip(stretch.cells, expected) {
      for axis in 0..<3 { largest = max(largest, abs(Double(cell[axis]) - value[axis])) }
      let norm = (value * value).sum().squareRoot()
      // A norm's error is at most the length of its vector's error, plus its own few roundings.
      #expect(
        abs(Double(cell.w) - norm) <= 2 * tolerance, comment, sourceLocation: sourceLocation)
    }
    #expect(largest <= tolerance, comment, sourceLocation: sourceLocation)
    return largest
  }

  /// The largest number of line segments in one cell.
  static func piecesPerCell(_ samples: [TimedSample], period: Int64) -> Int {
    let cells = Dictionary(grouping: samples) { sample in
      Int64((Double(sample.nanoseconds) / Double(period)).rounded(.down))
    }
    return (cells.values.map(\.count).max() ?? 0) + 1
  }

  @Test(arguments: rates) func everyRateGivesTheNaiveIntegral(hertz: Double) throws {
    for start in [0, 1, -1, 3_333_333, 9_999_999, -1_000_000_000, 86_399_123_456_789] as [Int64] {
      try Self.compare(walk(hertz: hertz, from: start, seconds: 2), "start \(start) ns")
    }
  }

  @Test(arguments: [1_000_000, 7_000_001, 10_000_000, 20_000_000, 33_333_333, 250_000_000])
  func everyGridGivesTheNaiveIntegral(period: Int64) throws {
    for hertz in Self.rates {
      let samples = walk(hertz: hertz, from: -700_000_000, seconds: 2)
      try Self.compare(samples, period: period, "\(hertz) Hz")
    }
  }

  @Test func randomStepsAndValuesGiveTheNaiveIntegral() throws {
    var generator = SplitMix64(seed: 12)
    for round in 0..<50 {
      var time = Int64.random(in: -1_000_000_000...1_000_000_000, using: &generator)
      let samples = (0..<100).map { _ in
        // Steps of 1 ns to 250 ms, evenly on a logarithmic scale.
        time += Int64(pow(2.5e8, Double.random(in: 0...1, using: &generator)))
        return TimedSample(
          time, SIMD3<Float>.random(in: -200...200, using: &generator))
      }
      try Self.compare(samples, "round \(round)")
    }
  }

  @Test func precisionDoesNotDependOnTheClocksZero() throws {
    // Shifted by whole periods, the cells are the same bit for bit.
    let samples = walk(hertz: 104, from: 1_234_567, seconds: 3)
    let here = try #require(Resampling(samples).stretches.first)
    for shift in [-461_168_601_000, 1, 176_359_680_000] as [Int64] {
      let moved = samples.map { TimedSample($0.nanoseconds + shift * Self.period, $0.value) }
      let there = try #require(Resampling(moved).stretches.first)
      #expect(there.firstCell == here.firstCell + shift)
      #expect(there.cells == here.cells)
    }
  }
}
