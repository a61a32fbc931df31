internal import CLocomotionMath
internal import LocomotionSensing

// How the state moves on, and how measurements are weighted.
extension LocationFilter.Settings {
  /// The transition of a moving phone over `seconds`; may be negative down to −``Motion/coasting``.
  ///
  /// White acceleration of spectral density q (Bar-Shalom et al. 2001, equation 6.2.2-12). Beyond
  /// ``Motion/coasting`` the velocity reverts to 0 ± ``Motion/unknownSpeed`` with the time constant
  /// τ = 2·unknownSpeed²/q, for which the integrated Ornstein–Uhlenbeck process begins like the
  /// white acceleration (the same book, section 8.2, with position and velocity only).
  package func movingTransition(seconds: Double) -> KinematicState.Transition {
    movingTransition(
      seconds: seconds, decay: errorDecay(seconds: seconds),
      randomWalkDensity: motion.randomWalkDensity)
  }

  /// The same with another ``Motion/randomWalkDensity``, and with what ``errorDecay(seconds:)`` is;
  /// on request of a pedestrian.
  func movingTransition(
    seconds: Double, decay: Double, randomWalkDensity: Double, onFoot: Bool = false
  ) -> KinematicState.Transition {
    let q = onFoot ? motion.pedestrianAccelerationDensity : motion.accelerationDensity
    if seconds <= motion.coasting {
      let t = abs(seconds)
      return .init(
        drift: seconds, velocityKept: 1, fixErrorKept: decay,
        noise: AxisCovariance(
          pp: q * t * t * t / 3 + randomWalkDensity * t, pv: q * t * seconds / 2,
          pu: 0, vv: q * t, vu: 0,
          uu: 1 - decay * decay))
    }
    let unknown = onFoot ? motion.pedestrianSpeed : motion.unknownSpeed
    let variance = unknown * unknown
    let memory = 2 * variance / q
    let x = seconds / memory
    let kept = exp(-x)
    let drift = memory * (1 - kept)
    return .init(
      drift: drift, velocityKept: kept, fixErrorKept: decay,
      noise: AxisCovariance(
        pp: variance * memory * memory * (2 * x - 3 + 4 * kept - kept * kept),
        pv: variance * drift * (1 - kept), pu: 0, vv: variance * (1 - kept * kept), vu: 0,
        uu: 1 - decay * decay))
  }

  /// The transition of a phone at rest over `seconds` ≥ 0: it stays, and has no velocity.
  ///
  /// Where positions alone tell rest from motion, a slow journey may look the same: there the
  /// density is ``Motion/unobservedRestDrift``.
  package func restTransition(
    seconds: Double, hasMotionObservation: Bool
  ) -> KinematicState.Transition {
    restTransition(
      seconds: seconds, decay: errorDecay(seconds: seconds),
      hasMotionObservation: hasMotionObservation)
  }

  /// The same with what ``errorDecay(seconds:)`` is.
  func restTransition(
    seconds: Double, decay: Double, hasMotionObservation: Bool
  ) -> KinematicState.Transition {
    let density = hasMotionObservation ? motion.restDrift : motion.unobservedRestDrift
    return .init(
      drift: 0, velocityKept: 0, fixErrorKept: decay,
      noise: AxisCovariance(
        pp: density * seconds, pv: 0, pu: 0,
        vv: motion.restSpeed * motion.restSpeed, vu: 0,
        uu: 1 - decay * decay))
  }

  /// The fraction of a correlated error that is left after so many seconds, or was so long ago.
  func errorDecay(seconds: Double) -> Double {
    seconds == 0 ? 1 : exp(-abs(seconds) / measurement.errorMemory)
  }

  /// The measurement with the variance that Student's t gives a difference of this size.
  ///
  /// One step of the expectation-maximisation weight (ν + d²)/(ν + 2) for a bivariate t with ν
  /// degrees of freedom, applied to the innovation's variance; it never makes a fix count more.
  func robust(
    _ measurement: KinematicState.Measurement, _ innovation: KinematicState.Innovation
  ) -> KinematicState.Measurement {
    let squared = min(innovation.squared, 1e6)
    let freedom = self.measurement.tailDegreesOfFreedom
    let weight = (freedom + squared) / (freedom + 2)
    guard weight > 1 else { return measurement }
    // A prediction far less certain than the fix is no reason to give the fix less weight.
    let own = measurement.variance + measurement.h.z * measurement.h.z
    var result = measurement
    result.variance += min(innovation.variance, self.measurement.tailReach * own) * (weight - 1)
    return result
  }

  /// The measured velocity with a variance that grows as the estimate contradicts the fixes.
  ///
  /// A receiver whose speed is wrong for minutes leads the estimate away from its own fixes; what
  /// shows then is a correlated fix error many times larger than fixes have.
  func inflated(
    _ velocity: KinematicState.Measurement, for state: KinematicState
  ) -> KinematicState.Measurement {
    let excess = (state.fixError * state.fixError).sum() - measurement.velocityInflationGate
    guard excess > 0 else { return velocity }
    var result = velocity
    result.variance *= 1 + measurement.velocityInflationRate * excess
    return result
  }
}
