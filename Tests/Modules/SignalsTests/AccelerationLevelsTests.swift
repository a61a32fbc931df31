import Foundation
import LocomotionSignals
import TestSupport
import Testing

@Suite struct AccelerationLevelsTests {
  static let gravity: Float = 9.80665

  static func levels(
    _ samples: [SIMD3<Float>], newest: Int? = nil, norm: Float = 0
  ) -> AccelerationLevels? {
    let window = samples.map { SIMD4($0, norm) }
    return AccelerationLevels(window: window.slice.span, newest: newest ?? max(1, samples.count))
  }

  /// 512 samples of gravity along `up` and 16 periods of `amplitude` sin along `direction`.
  static func shaken(
    up: SIMD3<Float>, along direction: SIMD3<Float>, amplitude: Float, phase: Double = 0
  ) -> [SIMD3<Float>] {
    (0..<512).map { index in
      let angle = 2 * Double.pi * 16 * Double(index) / 512 + phase
      return gravity * up + amplitude * Float(sin(angle)) * direction
    }
  }

  /// The formulas of the documentation in Double.
  static func oracle(_ samples: [SIMD3<Float>], newest: Int) -> (Double, Double) {
    let values = samples.map(SIMD3<Double>.init)
    let mean = values.reduce(.zero, +) / Double(values.count)
    let up = mean / (mean * mean).sum().squareRoot()
    var (vertical, whole) = (0.0, 0.0)
    for value in values.suffix(newest) {
      let deviation = value - mean
      vertical += pow((deviation * up).sum(), 2)
      whole += (deviation * deviation).sum()
    }
    let count = Double(min(newest, values.count))
    return ((vertical / count).squareRoot(), (max(0, whole - vertical) / count).squareRoot())
  }

  @Test func anEmptyWindowHasNoLevels() {
    #expect(Self.levels([]) == nil)
  }

  @Test func aPhoneThatReadsAConstantHasLevelsOfZero() throws {
    var generator = SplitMix64(seed: 31)
    for count in [1, 2, 3, 100, 512, 1_000] {
      let value = SIMD3<Float>.random(in: -20...20, using: &generator)
      let levels = try #require(Self.levels(Array(repeating: value, count: count)))
      #expect(levels.vertical == 0)
      #expect(levels.horizontal == 0)
      #expect(levels.total == 0)
    }
  }

  @Test func verticalShakingOfATiltedPhoneHasNoHorizontalLevel() throws {
    var generator = SplitMix64(seed: 32)
    for _ in 0..<100 {
      let up = Rotation(using: &generator)(SIMD3<Float>(0, 0, 1))
      let levels = try #require(Self.levels(Self.shaken(up: up, along: up, amplitude: 3)))
      #expect(abs(levels.vertical - 3 / Float(2).squareRoot()) <= 1e-5)
      // Each sample, below 13, is rounded to Float once: at most 4 ε of it in any direction.
      #expect(levels.horizontal <= 4 * Float.ulpOfOne * 13)
    }
  }

  @Test func theLevelsAgreeWithTheFormulasInDouble() throws {
    var generator = SplitMix64(seed: 33)
    for round in 0..<200 {
      let count = Int.random(in: 2...600, using: &generator)
      // More than there are stands for all.
      let newest = Int.random(in: 1...count + 50, using: &generator)
      let rotation = Rotation(using: &generator)
      let samples = (0..<count).map { _ in
        rotation([0, 0, Self.gravity] + SIMD3<Float>.random(in: -4...4, using: &generator))
      }
      let levels = try #require(Self.levels(samples, newest: newest))
      let (vertical, horizontal) = Self.oracle(samples, newest: newest)
      // A sum of n positive terms errs by at most n ε/4 of itself, its root by half of that. The
      // mean is a sum of both signs: its roundings of at most 8 k ε/2 at step k are a random walk
      // and reach 4 ε √n after division by n. Values below 17 are rotated and multiplied: 2 ε of
      // them.
      func tolerance(_ level: Double) -> Double {
        let mean = 4 * Double(count).squareRoot()
        return Double(Float.ulpOfOne) * (Double(min(newest, count)) / 8 * level + mean + 2 * 17)
      }
      #expect(abs(Double(levels.vertical) - vertical) <= tolerance(vertical), "round \(round)")
      #expect(
        abs(Double(levels.horizontal) - horizontal) <= tolerance(horizontal), "round \(round)")
    }
  }

  @Test func theFourthLaneIsIgnored() throws {
    let samples = (0..<100).map { walk(Double($0) * 0.01) }
    let expected = Self.levels(samples)
    #expect(Self.levels(samples, norm: 12) == expected)
    #expect(Self.levels(samples, norm: -1e10) == expected)
  }

  @Test func inFreeFallEverythingIsHorizontal() throws {
    let samples = (0..<100).map { SIMD3<Float>(0, $0 % 2 == 0 ? 2 : -2, 0) }
    let levels = try #require(Self.levels(samples))
    #expect(levels.vertical == 0)
    #expect(levels.horizontal == 2)
  }

  @Test func largeComponentsGiveFiniteLevels() throws {
    let samples = (0..<512).map { SIMD3<Float>(repeating: $0 % 2 == 0 ? 1e15 : -1e15) }
    let levels = try #require(Self.levels(samples))
    #expect(levels.vertical.isFinite)
    #expect(levels.horizontal.isFinite)
    #expect(levels.total.isFinite)
  }
}
