import Foundation
import LocomotionSignals
import TestSupport
import Testing

/// Gaps of up to a few seconds are filled from the signal before them.
@Suite struct GapBridgingTests {
  /// A signal at 100 Hz with the samples of `gap` (in samples) missing.
  private static func resampled(
    _ signal: (Int) -> SIMD3<Float>, count: Int, without gap: Range<Int>,
    settings: UniformResampler.Settings = .init()
  ) -> Resampling {
    Resampling(
      (0..<count).filter { !gap.contains($0) }.map {
        TimedSample(Int64($0) * 10_000_000, signal($0))
      },
      settings: settings)
  }

  /// The largest distance of the cells of a gap from those of the whole signal.
  private static func error(
    _ signal: (Int) -> SIMD3<Float>, without gap: Range<Int>
  ) throws -> Float {
    let count = gap.upperBound + 200
    let whole = try #require(resampled(signal, count: count, without: 0..<0).stretches.first)
    let torn = resampled(signal, count: count, without: gap)
    try #require(torn.stretches.count == 1)
    let filled = torn.stretches[0]
    try #require(filled.cells.count == whole.cells.count)
    return gap.reduce(0) { worst, cell in
      let difference = filled.cells[cell] - whole.cells[cell]
      return max(worst, (difference * difference).sum().squareRoot())
    }
  }

  /// A stride of 1.1 s with four harmonics on gravity.
  private static func stride(_ index: Int) -> SIMD3<Float> {
    let phase = 2 * Double.pi * Double(index) / 110
    return SIMD3(
      Float(0.8 * sin(phase) + 0.3 * cos(4 * phase)), Float(1.5 * cos(2 * phase + 0.4)),
      9.81 + Float(2 * sin(2 * phase) + 0.7 * sin(4 * phase + 1)))
  }

  @Test(arguments: [30, 60, 100, 300])
  func aPeriodicSignalContinuesInPhase(length: Int) throws {
    // Up to half a cell times its largest slope, 48 m/s³.
    #expect(try Self.error(Self.stride, without: 1_000..<1_000 + length) < 0.25)
  }

  @Test func aConstantSignalStaysConstant() throws {
    #expect(try Self.error({ _ in SIMD3(1, -2, 9.5) }, without: 1_000..<1_250) < 1e-5)
  }

  @Test func noiseKeepsItsLevelAndGetsNoRhythm() throws {
    var random = SplitMix64(seed: 5)
    let noise = (0..<2_000).map { _ in
      SIMD3<Float>(
        Float.random(in: -1...1, using: &random), Float.random(in: -1...1, using: &random),
        9.81 + Float.random(in: -1...1, using: &random))
    }
    let gap = 1_000..<1_300
    let torn = Self.resampled({ noise[$0] }, count: 2_000, without: gap)
    let cells = torn.stretches[0].cells[gap.lowerBound + 50..<gap.upperBound - 50].map(\.x)
    let level = (cells.reduce(0) { $0 + $1 * $1 } / Float(cells.count)).squareRoot()
    // A cell is the mean of a line between two samples: √(2/3) of the noise's deviation of 1/√3.
    #expect(abs(level - 0.47) < 0.08)
    for lag in 40...100 {
      let product = zip(cells, cells.dropFirst(lag)).reduce(0) { $0 + $1.0 * $1.1 }
      let correlation = product / (level * level * Float(cells.count - lag))
      #expect(abs(correlation) < 0.4, "lag \(lag)")
    }
  }

  @Test func withoutHistoryTheGapIsAStraightLine() throws {
    let line = { (index: Int) in SIMD3<Float>(0.01 * Float(index), 0, 9.81) }
    #expect(try Self.error(line, without: 50..<120) < 0.02)
  }

  @Test func aGapIsCountedAndALongerOneBeginsAStretch() {
    let short = Self.resampled(Self.stride, count: 2_000, without: 500..<840)
    #expect(short.counts.bridgedGaps == 1 && short.counts.gaps == 0)
    #expect(short.stretches.count == 1 && short.verdicts.count { $0 == .resumes } == 1)
    let long = Self.resampled(Self.stride, count: 2_000, without: 500..<860)
    #expect(long.counts.bridgedGaps == 0 && long.counts.gaps == 1)
    #expect(long.stretches.count == 2)
    let off = Self.resampled(
      Self.stride, count: 2_000, without: 500..<540, settings: .withoutBridges)
    #expect(off.counts.bridgedGaps == 0 && off.counts.gaps == 1)
  }

  @Test func oneDamagedTimestampBridgesNothing() {
    var samples = (0..<1_000).map { TimedSample(Int64($0) * 10_000_000, Self.stride($0)) }
    let whole = Resampling(samples, settings: .init())
    samples[500].nanoseconds += 1_000_000_000
    let damaged = Resampling(samples, settings: .init())
    #expect(damaged.counts.dropped(for: .isolated) == 1 && damaged.counts.bridgedGaps == 0)
    #expect(damaged.stretches.count == 1)
    #expect(damaged.stretches[0].cells.count == whole.stretches[0].cells.count)
  }

  @Test func filledCellsAreCountedAndForgotten() {
    var bridged = BridgedCells()
    bridged.append(100..<130)
    bridged.append(200..<250)
    #expect(bridged.count(in: 0..<1_000) == 80)
    #expect(bridged.count(in: 120..<210) == 20)
    #expect(bridged.contains(249) && !bridged.contains(250))
    for start in 0..<60 as Range<Int64> { bridged.append(1_000 + 30 * start..<1_010 + 30 * start) }
    // The newest 48 are known: more than a window can have.
    #expect(bridged.count(in: 0..<10_000) == 480)
    bridged.removeAll()
    #expect(bridged.count(in: 0..<10_000) == 0)
  }
}
