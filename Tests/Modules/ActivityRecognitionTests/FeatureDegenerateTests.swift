import Foundation
import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct FeatureDegenerateTests {
  private func constant(_ x: Float, _ y: Float, _ z: Float) -> [SIMD4<Float>] {
    Array(repeating: sample([x, y, z]), count: 512)
  }

  @Test func featuresAreFiniteForAnyInput() {
    var windows = [
      constant(0, 0, 0), constant(0, 0, 9.81), constant(1e6, -1e6, 1e6), constant(1e-30, 0, 0),
      constant(.infinity, 0, 0), constant(.nan, .nan, .nan), constant(3e38, -3e38, 3e38),
      constant(.leastNonzeroMagnitude, 0, 0),
    ]
    windows.append((0..<512).map { sample($0 % 2 == 0 ? [1e6, 1e6, 1e6] : [-1e6, -1e6, -1e6]) })
    windows.append((0..<512).map { sample($0 < 256 ? [1e6, 0, 0] : [-1e6, 0, 0]) })
    windows.append((0..<512).map { sample($0 == 0 ? [0, 0, 1e6] : [0, 0, 9.81]) })
    windows.append((0..<512).map { sample($0 == 511 ? [0, -1e6, 0] : [0, 0, 0]) })
    windows.append((0..<512).map { sample([0, 0, Float($0) * 1e-38]) })
    var extractor = FeatureExtractor()
    for (index, window) in windows.enumerated() {
      let found = features(of: window, with: &extractor)
      #expect(found.allSatisfy { $0.isFinite }, "window \(index): \(found)")
    }
  }

  @Test func featuresAreFiniteForRandomBits() {
    var random = SplitMix64(seed: 1)
    var extractor = FeatureExtractor()
    for _ in 0..<300 {
      let window = (0..<512).map { _ in
        SIMD4(
          Float(bitPattern: UInt32(truncatingIfNeeded: random.next())),
          Float(bitPattern: UInt32(truncatingIfNeeded: random.next())),
          Float(bitPattern: UInt32(truncatingIfNeeded: random.next())), 0)
      }
      #expect(features(of: window, with: &extractor).allSatisfy { $0.isFinite })
    }
  }

  @Test func aConstantWindowGivesTheFloors() {
    let found = features(of: constant(3, -4, 8))
    for (feature, value) in zip(FeatureExtractor.schema.features, found) {
      let quantity = feature.id.split(separator: ".", maxSplits: 1)[1]
      let expected: Float =
        switch quantity {
        case "logJerk", "logMeanJerk": log(Float(1e-2))
        case "logPeak", "logFirst": log(Float(1e-6))
        case "logUnsteadiness": 0
        case _ where quantity.hasPrefix("logShare"): 0
        case _ where quantity.hasPrefix("logPower"): log(Float(1e-6))
        case _ where quantity.hasPrefix("log"): log(Float(1e-3))
        default: 0
        }
      #expect(abs(value - expected) <= 2e-6, "\(feature.id): \(value), expected \(expected)")
    }
  }

  @Test func allConstantWindowsHaveTheSameFeatures() {
    let one = features(of: constant(0, 0, 9.81))
    for other in [constant(0, 0, 0), constant(0, 0, -1), constant(-5, 5, 5)] {
      for (a, b) in zip(one, features(of: other)) { #expect(abs(a - b) <= 2e-6) }
    }
  }

  @Test func aSpikeKeepsTheQuartiles() throws {
    let index = try #require(FeatureExtractor.schema.index(of: "vertical.logQuartileRange"))
    let quiet = SyntheticWindow(gravity: [0, 0, 9.81], noise: 0.05)
    var knocked = quiet
    knocked.spike = 60
    let a = features(of: quiet.samples(seed: 7))[index]
    let b = features(of: knocked.samples(seed: 7))[index]
    // Its ringing extends over 20 of 512 samples and slightly rotates gravity's direction.
    #expect(abs(a - b) < 0.1)
  }

  @Test func featuresAreIndependentOfTheWindowBefore() {
    var used = FeatureExtractor()
    for (index, window) in SyntheticWindow.golden.enumerated() {
      let samples = window.samples(seed: UInt64(index))
      #expect(features(of: samples, with: &used) == features(of: samples))
    }
  }

  @Test func theNormLaneIsNotRead() {
    let window = SyntheticWindow.golden[1].samples(seed: 2)
    let without = window.map { SIMD4($0.x, $0.y, $0.z, .nan) }
    #expect(features(of: window) == features(of: without))
  }
}
