import Foundation
import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct GoldenFeatureTests {
  @Test func featuresMatchNumPyAndSciPy() throws {
    var extractor = FeatureExtractor()
    try expectGolden(
      "activity_features.csv", windows: SyntheticWindow.golden.count, scale: 1024,
      FeatureExtractor.schema
    ) { index in
      let window = SyntheticWindow.golden[index].samples(seed: UInt64(index + 1))
      return (window, features(of: window, with: &extractor))
    }
  }

  @Test func theSchemaHasStableUniqueNames() {
    let schema = FeatureExtractor.schema
    #expect(schema.count == 87)
    #expect(Set(schema.features.map(\.id)).count == 87)
    #expect(schema.features.allSatisfy { !$0.definition.isEmpty && $0.version >= 1 })
    #expect(schema.features[7].id == "norm.logPower2.4To3.6Hz")
    #expect(schema.index(of: "window.logDrift") == 84)
    #expect(schema.index(of: "nothing") == nil)
  }

  /// Zip's CRC-32 of the names, from Python's `zlib.crc32`: shipped models depend on it.
  @Test func theDigestOfTheSchemaIsThatOfTheTrainedModels() {
    #expect(FeatureExtractor.schema.digest == 1_860_047_910)
  }
}

/// Expects the features of a file of the reference's, whose rows are the number of a window, the
/// sums of its three axes times `scale`, and the features.
///
/// 10⁻⁵ relative (absolute below 1): about 100 roundings of Float32, as in sums of 512 values and a
/// transform of 9 stages.
func expectGolden(
  _ file: String, windows: Int, scale: Double, _ schema: FeatureSchema,
  _ features: (_ window: Int) -> (samples: [SIMD4<Float>], features: [Float])
) throws {
  let rows = try TestFiles.golden(file)
  #expect(rows.count == windows)
  for row in rows {
    let index = Int(row[0])
    let (samples, found) = features(index)
    for axis in 0..<3 {
      let sum = samples.reduce(0) { $0 + Double($1[axis]) * scale }
      #expect(sum == row[1 + axis], "window \(index) isn't the script's")
    }
    let expected = row.dropFirst(4)
    #expect(expected.count == schema.count && found.count == schema.count)
    for ((value, golden), feature) in zip(zip(found, expected), schema.features) {
      let error = abs(Double(value) - golden) / max(1, abs(golden))
      #expect(error <= 1e-5, "window \(index) \(feature.id): \(value), expected \(golden)")
    }
  }
}

@Suite struct FeatureInvarianceTests {
  /// Rounding the rotated samples to Float32 is an error of 2⁻²⁴ of their size, up to 10⁻⁶ m/s² for
  /// a person; it changes a feature by about that, divided by the signal where it is small
  /// (deviation 0.02 m/s²: 10⁻⁴ in the worst logarithm, that of the range, which depends on two
  /// samples).
  @Test func rotationAndMirroringChangeNothing() {
    var random = SplitMix64(seed: 7)
    for (index, description) in SyntheticWindow.golden.enumerated() {
      let window = description.samples(seed: UInt64(index + 1))
      let upright = features(of: window)
      for round in 0..<10 {
        // Every other one as by axes of the other hand.
        let side: Float = round % 2 == 0 ? 1 : -1
        let window = window.map { SIMD4($0.x, $0.y, side * $0.z, $0.w) }
        let turned = features(of: rotated(window, by: Rotation(using: &random)))
        for (feature, (a, b)) in zip(FeatureExtractor.schema.features, zip(upright, turned)) {
          #expect(abs(a - b) <= 2e-4 * max(1, abs(a)), "window \(index) \(feature.id): \(a), \(b)")
        }
      }
    }
  }

  /// The filter leaves 0.1 % of an amplitude at 32 Hz.
  @Test func vibrationAboveTheBandIsFilteredOut() {
    let walk = SyntheticWindow.golden[1]
    let plain = walk.samples(seed: 2)
    let rattling = plain.enumerated().map { n, value in
      sample(SIMD3(value.x, value.y, value.z + 0.5 * sin(2 * Float.pi * 0.32 * Float(n))))
    }
    let (a, b) = (features(of: plain), features(of: rattling))
    for (feature, (a, b)) in zip(FeatureExtractor.schema.features, zip(a, b))
    where feature.id.contains("log") {
      #expect(abs(a - b) < 0.01, "\(feature.id): \(a), \(b)")
    }
  }
}

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

  @Test(
    arguments: [[3, -4, 8], [0, 0, 9.81], [0, 0, 0], [0, 0, -1], [-5, 5, 5]] as [SIMD3<Float>])
  func aConstantWindowGivesTheFloors(value: SIMD3<Float>) {
    let found = features(of: constant(value.x, value.y, value.z))
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

  @Test func theNormLaneIsNotRead() {
    let window = SyntheticWindow.golden[1].samples(seed: 2)
    let without = window.map { SIMD4($0.x, $0.y, $0.z, .nan) }
    #expect(features(of: window) == features(of: without))
  }
}
