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
