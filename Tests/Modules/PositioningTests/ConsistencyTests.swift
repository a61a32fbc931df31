import Foundation
import LocomotionPositioning
import LocomotionSensing
import TestSupport
import Testing

/// Whether the filter knows how wrong it is, where the world is as it assumes.
struct ConsistencyTests {
  /// A state of one axis that moves by the filter's own model.
  private struct Truth {
    var position, velocity, fixError: Double

    /// Follows a transition, with noise of its covariance.
    mutating func move(_ transition: KinematicState.Transition, _ random: inout SplitMix64) {
      let noise = transition.noise
      let l = noise.pp.squareRoot()
      let m = l > 0 ? noise.pv / l : 0
      let (a, b, c) = (random.nextNormal(), random.nextNormal(), random.nextNormal())
      position += transition.drift * velocity + l * a
      velocity =
        transition.velocityKept * velocity + m * a + max(noise.vv - m * m, 0).squareRoot() * b
      fixError = transition.fixErrorKept * fixError + noise.uu.squareRoot() * c
    }
  }

  /// Normalised estimation error squared of one axis, after Bar-Shalom (2001), equation 5.4.2-1.
  private func squared(_ error: SIMD3<Double>, _ p: AxisCovariance) -> Double {
    // By the adjugate: the tested code inverts by Cholesky.
    let (a, b, c, d, e, f) = (p.pp, p.pv, p.pu, p.vv, p.vu, p.uu)
    let determinant = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)
    let x = SIMD3(
      (d * f - e * e) * error.x + (c * e - b * f) * error.y + (b * e - c * d) * error.z,
      (c * e - b * f) * error.x + (a * f - c * c) * error.y + (b * c - a * e) * error.z,
      (b * e - c * d) * error.x + (b * c - a * e) * error.y + (a * d - b * b) * error.z)
    return (x * error).sum() / determinant
  }

  @Test func errorsAreAsLargeAsTheCovarianceSays() {
    let settings = LocationFilter.Settings()
    var random = SplitMix64(seed: 41)
    let runs = 2_000
    var sum = 0.0
    for _ in 0..<runs {
      let start = AxisCovariance(pp: 100, pv: 0, pu: -6, vv: 4, vu: 0, uu: 1)
      var truths: [Truth] = []
      for _ in 0..<2 {
        let u = random.nextNormal()
        // Given u, the position's mean is −6·u and its variance 100 − 36.
        truths.append(
          Truth(
            position: -6 * u + 8 * random.nextNormal(), velocity: 2 * random.nextNormal(),
            fixError: u))
      }
      var state = KinematicState(
        position: .zero, velocity: .zero, fixError: .zero, covariance: start)
      for _ in 0..<50 {
        let seconds = exp(-3 + 6 * random.nextUniform())
        let transition =
          random.nextUniform() < 0.2
          ? settings.restTransition(seconds: seconds)
          : settings.movingTransition(of: state, seconds: seconds, hasSpeeds: true)
        for axis in 0..<2 { truths[axis].move(transition, &random) }
        state.predict(transition)
        let (correlated, white) = (2 + 8 * random.nextUniform(), 1 + 5 * random.nextUniform())
        func reading(_ deviation: Double, _ value: (Truth) -> Double) -> SIMD2<Double> {
          let values = truths.map { value($0) + deviation * random.nextNormal() }
          return SIMD2(values[0], values[1])
        }
        state.update(
          .position(
            reading(white) { $0.position + correlated * $0.fixError },
            correlatedDeviation: correlated, variance: white * white))
        if random.nextUniform() < 0.7 {
          state.update(.velocity(reading(0.3) { $0.velocity }, variance: 0.3 * 0.3))
        }
      }
      for axis in 0..<2 {
        let error = SIMD3(
          truths[axis].position - state.position[axis],
          truths[axis].velocity - state.velocity[axis],
          truths[axis].fixError - state.fixError[axis])
        sum += squared(error, state.covariance)
      }
    }
    // χ² with three degrees of freedom: mean 3, variance 6; four deviations of the mean.
    let count = Double(2 * runs)
    #expect(abs(sum / count - 3) < 4 * (6 / count).squareRoot(), "\(sum / count)")
  }

  @Test func covarianceStaysPositiveOverAMillionSteps() {
    let settings = LocationFilter.Settings()
    var random = SplitMix64(seed: 42)
    var state = KinematicState(
      position: .zero, velocity: .zero, fixError: .zero,
      covariance: AxisCovariance(pp: 1e6, pv: 0, pu: 0, vv: 1e4, vu: 0, uu: 1))
    var broken = 0
    for _ in 0..<1_000_000 {
      // From a millisecond to a day, from millimetres to hundreds of kilometres.
      let seconds = exp(-7 + 18 * random.nextUniform())
      state.predict(
        random.nextUniform() < 0.3
          ? settings.restTransition(seconds: seconds)
          : settings.movingTransition(of: state, seconds: seconds, hasSpeeds: true))
      let deviation = exp(-6 + 18 * random.nextUniform())
      let fraction = random.nextUniform()
      state.update(
        .position(
          SIMD2(random.nextNormal(), random.nextNormal()) * deviation,
          correlatedDeviation: deviation * fraction.squareRoot(),
          variance: deviation * deviation * (1 - fraction)))
      if random.nextUniform() < 0.5 {
        state.update(
          .velocity(
            SIMD2(random.nextNormal(), random.nextNormal()),
            variance: exp(-8 + 8 * random.nextUniform())))
      }
      if !state.isUsable { broken += 1 }
    }
    #expect(broken == 0)
  }
}
