import Foundation
import TestSupport

/// A walking or running phone in closed form, at 100 Hz.
struct SyntheticGait {
  /// Both feet, steps per minute.
  var stepsPerMinute: Double
  /// Amplitude of the vertical fundamental in m/s²; by default typical of that rate.
  var amplitude: Double
  /// Amplitude of the horizontal stride line (half the step frequency) over `amplitude`.
  var stride = 0.4
  /// Amplitude of the stride line along the vertical over `amplitude`, as on one thigh.
  var verticalStride = 0.0
  /// Standard deviation of white noise per axis in m/s².
  var noise = 0.1

  init(stepsPerMinute: Double, amplitude: Double? = nil) {
    self.stepsPerMinute = stepsPerMinute
    // A constant rise of the trunk, about 2.5 cm, needs an amplitude proportional to the square of
    // the rate.
    let frequency = stepsPerMinute / 60
    self.amplitude =
      amplitude ?? 0.025 * (2 * .pi * frequency) * (2 * .pi * frequency)
  }

  /// `seconds` of the gait, rotated by `rotation`; with motion only where `moving` is true.
  func samples(
    seconds: Double, seed: UInt64, rotation: Rotation = .identity,
    moving: (Double) -> Bool = { _ in true }
  ) -> [SIMD4<Float>] {
    var random = SplitMix64(seed: seed)
    let phases = (0..<6).map { _ in 2 * Double.pi * random.nextUniform() }
    let angular = 2 * Double.pi * stepsPerMinute / 60
    return (0..<Int(seconds * 100)).map { index in
      let t = Double(index) / 100
      var force = SIMD3(
        noise * random.nextNormal(), noise * random.nextNormal(),
        9.81 + noise * random.nextNormal())
      if moving(t) {
        let gain = amplitude
        force.z +=
          gain
          * (sin(angular * t + phases[0]) + 0.45 * sin(2 * angular * t + phases[1])
            + 0.25 * sin(3 * angular * t + phases[2])
            + verticalStride * sin(0.5 * angular * t + phases[3]))
        force.x += gain * 0.5 * sin(angular * t + phases[4])
        force.y +=
          gain * stride
          * (sin(0.5 * angular * t + phases[5]) + 0.4 * sin(1.5 * angular * t + phases[3]))
      }
      return SIMD4<Float>(SIMD4(rotation(force), (force * force).sum().squareRoot()))
    }
  }

  /// A phone at rest.
  static func rest(seconds: Double, noise: Double = 0.03, seed: UInt64) -> [SIMD4<Float>] {
    var still = SyntheticGait(stepsPerMinute: 100, amplitude: 0)
    still.noise = noise
    return still.samples(seconds: seconds, seed: seed)
  }
}
