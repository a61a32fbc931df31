import Foundation
import LocomotionActivityRecognition
import TestSupport

/// Rotation rates from formulas: the same as those of `Tests/Support/Golden/rotation_golden.py`.
struct SyntheticRotation {
  var bias = SIMD3<Double>.zero
  var amplitude = 0.0
  var frequency = 1.0
  var noise = 0.0

  static let golden: [SyntheticRotation] = [
    .init(bias: [0.01, -0.02, 0.005], noise: 0.004),
    .init(bias: [0, 0.03, 0], amplitude: 1.5, frequency: 0.95, noise: 0.4),
    .init(bias: [0.1, 0, -0.1], amplitude: 4, frequency: 1.4, noise: 1.5),
    .init(amplitude: 1, frequency: 1.1, noise: 0.2),
    .init(bias: [0.02, 0.02, 0.02], amplitude: 0.05, frequency: 0.3, noise: 0.05),
    .init(bias: [0.6, 0, 0], amplitude: 0.8, frequency: 0.2, noise: 0.05),
    .init(),
    .init(bias: [2, -3, 1], amplitude: 9, frequency: 0.7, noise: 4),
  ]

  /// The samples in units of 1/4096 rad/s, which Float32 holds exactly.
  func samples(seed: UInt64) -> [SIMD4<Float>] {
    var random = SplitMix64(seed: seed)
    return (0..<FeatureExtractor.windowLength).map { n in
      let phase = 2 * Double.pi * frequency * Double(n) / 100
      var values =
        bias + amplitude * SIMD3(sin(phase), 0.5 * sin(2 * phase + 1), 0.3 * sin(phase + 2))
      for axis in 0..<3 {
        values[axis] += noise * (2 * random.nextUniform() - 1)
        values[axis] = (values[axis] * 4096 + 0.5).rounded(.down) / 4096
      }
      return SIMD4(SIMD3<Float>(values), 0)
    }
  }

  /// The rates and accelerations of a golden window.
  static func window(
    _ index: Int
  ) -> (rates: [SIMD4<Float>], accelerations: [SIMD4<Float>]) {
    (
      golden[index].samples(seed: UInt64(index + 101)),
      SyntheticWindow.golden[index].samples(seed: UInt64(index + 1))
    )
  }
}

/// The rotation features of a window from `extractor`.
func rotationFeatures(
  of rates: [SIMD4<Float>], _ accelerations: [SIMD4<Float>],
  with extractor: inout RotationFeatureExtractor
) -> [Float] {
  var values = ContiguousArray<Float>(repeating: .nan, count: RotationFeatureExtractor.schema.count)
  var span = values.mutableSpan
  extractor.extract(from: rates.slice.span, accelerations: accelerations.slice.span, into: &span)
  return Array(values)
}

/// The rotation features of a window from a fresh extractor.
func rotationFeatures(
  of rates: [SIMD4<Float>], _ accelerations: [SIMD4<Float>]
) -> [Float] {
  var extractor = RotationFeatureExtractor()
  return rotationFeatures(of: rates, accelerations, with: &extractor)
}
