import Foundation
import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct FeatureInvarianceTests {
  /// Rounding the rotated samples to Float32 is an error of 2⁻²⁴ of their size, up to 10⁻⁶ m/s² for
  /// a person; it changes a feature by about that, divided by the signal where it is small
  /// (deviation 0.02 m/s²: 10⁻⁴ in the worst logarithm, that of the range, which depends on two
  /// samples).
  @Test func rotationChangesNothing() {
    var random = SplitMix64(seed: 7)
    for (index, description) in SyntheticWindow.golden.enumerated() {
      let window = description.samples(seed: UInt64(index + 1))
      let upright = features(of: window)
      for _ in 0..<10 {
        let turned = features(of: rotated(window, by: randomRotation(&random)))
        for (feature, (a, b)) in zip(FeatureExtractor.schema.features, zip(upright, turned)) {
          #expect(abs(a - b) <= 2e-4 * max(1, abs(a)), "window \(index) \(feature.id): \(a), \(b)")
        }
      }
    }
  }

  @Test func permutedAndMirroredAxesChangeNothing() {
    let window = SyntheticWindow.golden[1].samples(seed: 2)
    let upright = features(of: window)
    let turned = features(of: window.map { SIMD4(-$0.y, $0.x, $0.z, $0.w) })
    let mirrored = features(of: window.map { SIMD4($0.x, $0.y, -$0.z, $0.w) })
    for (a, (b, c)) in zip(upright, zip(turned, mirrored)) {
      #expect(abs(a - b) <= 1e-5 * max(1, abs(a)))
      #expect(abs(a - c) <= 1e-5 * max(1, abs(a)))
    }
  }

  /// A gain of 2 is exact in binary, so features shift exactly as their unit implies.
  @Test func gainShiftsLogarithmsAndKeepsRatios() {
    let window = SyntheticWindow.golden[2].samples(seed: 3)
    let once = features(of: window)
    let twice = features(of: window.map { $0 * 2 })
    for (feature, (a, b)) in zip(FeatureExtractor.schema.features, zip(once, twice)) {
      let quantity = feature.id.split(separator: ".", maxSplits: 1)[1]
      let shift: Float =
        switch quantity {
        case "excess": a
        case "logTurn", "logDrift", "logUnsteadiness": 0
        case "logFirst", "logPeak": 2 * log(Float(2))
        case _ where quantity.hasPrefix("logShare"): 0
        case _ where quantity.hasPrefix("logPower"): 2 * log(Float(2))
        case _ where quantity.hasPrefix("log"): log(Float(2))
        // The dead band of the crossings is in m/s².
        case "crossingRate": b - a
        default: 0
        }
      #expect(abs(b - a - shift) <= 1e-5 * max(1, abs(b)), "\(feature.id): \(a), \(b)")
      if quantity == "crossingRate" { #expect(abs(b - a) < 0.4) }
    }
  }

  /// A constant offset along gravity changes only g, not the vertical signal.
  @Test func anOffsetAlongGravityKeepsTheVerticalSignal() {
    let window = SyntheticWindow(gravity: [0, 0, 9.5], amplitude: 2, frequency: 2, noise: 0.5)
      .samples(seed: 4)
    let once = features(of: window)
    let mean = window.reduce(SIMD4<Float>.zero, +) / 512
    let up =
      SIMD3(mean.x, mean.y, mean.z)
      / (mean.x * mean.x + mean.y * mean.y + mean.z * mean.z)
      .squareRoot()
    let moved = features(of: window.map { sample(SIMD3($0.x, $0.y, $0.z) + 0.25 * up) })
    for (feature, (a, b)) in zip(FeatureExtractor.schema.features, zip(once, moved))
    where feature.id.hasPrefix("vertical") || feature.id.hasPrefix("horizontal") {
      #expect(abs(a - b) <= 1e-4 * max(1, abs(a)), "\(feature.id): \(a), \(b)")
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

  @Test func aToneHasItsPowerInItsBand() throws {
    let schema = FeatureExtractor.schema
    // Bin 41 of 512: 8.0078 Hz, in the band of 6 to 10 Hz; power A²/2.
    let window = (0..<512).map { n in
      sample([0, 0, 9.81 + 0.8 * sin(2 * Float.pi * 41 * Float(n) / 512)])
    }
    let found = features(of: window)
    let band = found[try #require(schema.index(of: "vertical.logPower6To10Hz"))]
    // The low-pass passes 8.0 Hz with 1.0028 in amplitude (`scipy.signal.freqz`).
    #expect(abs(band - log(0.32 * 1.0028 * 1.0028)) < 1e-3)
    let centroid = found[try #require(schema.index(of: "vertical.centroid"))]
    #expect(abs(centroid - 41 * 100 / 512) < 0.02)
    let deviation = found[try #require(schema.index(of: "vertical.logDeviation"))]
    #expect(abs(deviation - log(0.8 * 1.0028 / Float(2).squareRoot())) < 1e-3)
    // 12.49 samples per cycle: the multiple above 0.26 s that is nearest to a lag.
    let period = found[try #require(schema.index(of: "vertical.period"))]
    let cycles = period * 41 * 100 / 512
    #expect(abs(cycles - cycles.rounded()) < 0.04)
  }

  @Test func aStrideGivesHighPeriodicity() throws {
    let schema = FeatureExtractor.schema
    let window = (0..<512).map { n in
      sample([0, 0, 9.81 + sin(2 * Float.pi * Float(n) / 80)])
    }
    let found = features(of: window)
    let periods = found[try #require(schema.index(of: "vertical.period"))] / 0.8
    // A pure tone is equally correlated after two periods.
    #expect(abs(periods - periods.rounded()) < 0.026 && periods.rounded() >= 1)
    #expect(found[try #require(schema.index(of: "vertical.periodicity"))] > 0.97)
  }
}
