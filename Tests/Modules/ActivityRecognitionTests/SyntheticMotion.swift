import Foundation
import LocomotionActivityRecognition
import TestSupport

/// Windows from formulas: the same as those of `Tests/Support/Golden/activity_golden.py`.
struct SyntheticWindow {
  var gravity: SIMD3<Double>
  var amplitude = 0.0
  var frequency = 1.0
  var tilt = 0.0
  var noise = 0.0
  var spike = 0.0

  static let golden: [SyntheticWindow] = [
    .init(gravity: [0, 0, 9.81], noise: 0.02),
    .init(gravity: [1, 9.5, 2.1], amplitude: 2.5, frequency: 1.9, tilt: 0.02, noise: 0.6),
    .init(gravity: [-8, 3, 4.5], amplitude: 9, frequency: 2.8, tilt: 0.05, noise: 2.5),
    .init(gravity: [6, -6, 4.9], amplitude: 1.5, frequency: 1.1, tilt: 0.1, noise: 1.2),
    .init(gravity: [0.5, 3.3, -9.2], amplitude: 0.2, frequency: 12.3, tilt: 0.03, noise: 0.15),
    .init(gravity: [0, 9.81, 0], amplitude: 0.3, frequency: 0.6, tilt: 0.6, noise: 0.1),
    .init(gravity: [0, 0, 9.81], noise: 0.05, spike: 60),
    .init(gravity: [0, 0, 0], noise: 3),
    .init(gravity: [3, 3, 8.9], amplitude: 40, frequency: 3.1, tilt: 0.3, noise: 30),
    .init(gravity: [2, -2, 9.4], amplitude: 0.05, frequency: 0.4, tilt: 0.01, noise: 0.004),
  ]

  /// The samples in units of 1/1024 m/s², which Float32 holds exactly.
  func samples(seed: UInt64) -> [SIMD4<Float>] {
    var random = SplitMix64(seed: seed)
    return (0..<FeatureExtractor.windowLength).map { n in
      let t = Double(n) / 100
      let swing = amplitude * sin(2 * Double.pi * frequency * t)
      let second = 0.4 * amplitude * sin(4 * Double.pi * frequency * t + 1)
      let angle = tilt * t
      let y = gravity.y * cos(angle) - gravity.z * sin(angle)
      let z = gravity.y * sin(angle) + gravity.z * cos(angle)
      var values = SIMD3(gravity.x + 0.5 * swing, y + 0.3 * second, z + swing + second)
      for axis in 0..<3 {
        values[axis] += noise * (2 * random.nextUniform() - 1)
        if n == 300 && axis == 1 { values[axis] += spike }
        values[axis] = (values[axis] * 1024 + 0.5).rounded(.down) / 1024
      }
      return sample(SIMD3<Float>(values))
    }
  }
}

/// A vector with its norm in the fourth lane.
func sample(_ v: SIMD3<Float>) -> SIMD4<Float> {
  SIMD4(v, (v * v).sum().squareRoot())
}

/// The features of `window` from a fresh extractor.
func features(of window: some Sequence<SIMD4<Float>>) -> [Float] {
  let window = Array(window)
  var extractor = FeatureExtractor()
  return features(of: window, with: &extractor)
}

/// The features of `window` from `extractor`.
func features(of window: [SIMD4<Float>], with extractor: inout FeatureExtractor) -> [Float] {
  var values = ContiguousArray<Float>(repeating: .nan, count: FeatureExtractor.schema.count)
  var span = values.mutableSpan
  extractor.extract(from: window.slice.span, into: &span)
  return Array(values)
}

/// `window` as a phone in another orientation would measure it.
func rotated(_ window: [SIMD4<Float>], by rotation: Rotation) -> [SIMD4<Float>] {
  window.map { sample(rotation(SIMD3($0.x, $0.y, $0.z))) }
}

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
