import Foundation
import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct RotationFeatureTests {
  private let schema = RotationFeatureExtractor.schema

  @Test func featuresMatchNumPy() throws {
    var extractor = RotationFeatureExtractor()
    try expectGolden(
      "rotation_features.csv", windows: SyntheticRotation.golden.count, scale: 4096, schema
    ) { index in
      let (rates, accelerations) = SyntheticRotation.window(index)
      return (rates, rotationFeatures(of: rates, accelerations, with: &extractor))
    }
  }

  @Test func theSchemaHasStableUniqueNames() {
    #expect(schema.count == 22)
    #expect(Set(schema.features.map(\.id)).count == 22)
    #expect(schema.features.allSatisfy { !$0.definition.isEmpty && $0.version == 1 })
    #expect(schema.features[1].id == "rotation.logPower0.5To1Hz")
    #expect(schema.index(of: "turning.logPower11To20Hz") == 17)
    #expect(schema.index(of: "rotation.logRatio") == 20)
    let own = Set(FeatureExtractor.schema.features.map(\.id))
    #expect(schema.features.allSatisfy { !own.contains($0.id) })
  }

  /// Rounding to Float32 changes a rate by 10⁻⁷ of its size, and the direction of gravity by as
  /// much: relative to the floor of 0.1 rad/s, less than 10⁻⁴ for people's movements.
  @Test func rotationOfThePhoneKeepsTheFeatures() {
    var random = SplitMix64(seed: 7)
    for index in SyntheticRotation.golden.indices {
      let (rates, accelerations) = SyntheticRotation.window(index)
      let upright = rotationFeatures(of: rates, accelerations)
      for _ in 0..<10 {
        let rotation = Rotation(using: &random)
        let turned = rotationFeatures(
          of: rotated(rates, by: rotation), rotated(accelerations, by: rotation))
        // In free fall the direction of the mean acceleration is noise, but the same noise.
        for (feature, (a, b)) in zip(schema.features, zip(upright, turned)) {
          #expect(abs(a - b) <= 2e-4 * max(1, abs(a)), "window \(index) \(feature.id): \(a), \(b)")
        }
      }
    }
  }

  /// Far above the floors a gain of 2 shifts the logarithms of powers by ln 4, and no fraction.
  @Test func gainShiftsLogarithmsFarAboveTheFloors() {
    var (rates, accelerations) = SyntheticRotation.window(2)
    rates = rates.map { $0 * 64 }
    let once = rotationFeatures(of: rates, accelerations)
    let twice = rotationFeatures(of: rates.map { $0 * 2 }, accelerations)
    for (feature, (a, b)) in zip(schema.features, zip(once, twice)) {
      let shift: Float = feature.id == "rotation.periodicity" ? 0 : 2 * log(Float(2))
      // A band of a ten-thousandth of the power still has ten times the floor's.
      #expect(abs(b - a - shift) <= 0.02, "\(feature.id): \(a), \(b)")
    }
  }

  /// Noise of 4 mrad/s, ten times a good sensor's, changes no feature by a tenth of the effect of
  /// people's movements.
  @Test func noiseBelowTheFloorsHardlyChangesFeatures() {
    let accelerations = SyntheticWindow.golden[0].samples(seed: 1)
    let still = rotationFeatures(of: SyntheticRotation().samples(seed: 1), accelerations)
    let noisy = rotationFeatures(
      of: SyntheticRotation(noise: 0.004).samples(seed: 2), accelerations)
    for (feature, (a, b)) in zip(schema.features, zip(still, noisy)) {
      #expect(abs(a - b) <= 0.1, "\(feature.id): \(a), \(b)")
    }
    #expect(still[0] == log(Float(0.001)))
  }

  @Test func featuresAreFiniteForAnyInput() {
    let values: [Float] = [.nan, .infinity, -.infinity, 3e38, -3e38, 1.2e-38, 0, 1e6, 9.81, -0.02]
    var random = SplitMix64(seed: 9)
    var extractor = RotationFeatureExtractor()
    func window() -> [SIMD4<Float>] {
      let wild = random.nextUniform() < 0.5
      return (0..<512).map { _ in
        func value() -> Float {
          wild
            ? values[Int(random.next() % UInt64(values.count))] : Float(3 * random.nextNormal())
        }
        return SIMD4(value(), value(), value(), value())
      }
    }
    for round in 0..<200 {
      let found = rotationFeatures(of: window(), window(), with: &extractor)
      if !found.allSatisfy(\.isFinite) { Issue.record("round \(round): \(found)") }
    }
    // Earlier windows have no effect.
    let (rates, accelerations) = SyntheticRotation.window(1)
    #expect(
      rotationFeatures(of: rates, accelerations, with: &extractor)
        == rotationFeatures(of: rates, accelerations))
  }

  @Test func invalidRatesAreDetected() {
    let (rates, _) = SyntheticRotation.window(0)
    var broken = rates
    broken[200].y = .nan
    let results = [rates, broken, [SIMD4<Float>](repeating: .zero, count: 512), []].map {
      RotationFeatureExtractor.isSound($0.slice.span)
    }
    #expect(results == [true, false, false, false])
  }
}
