internal import CLocomotionMath

// How the state moves on, and how measurements are weighted.
extension LocationFilter.Settings {
  /// The transition of a moving phone over `seconds`; may be negative down to −``Motion/coasting``.
  ///
  /// White acceleration of spectral density q (Bar-Shalom et al. 2001, equation 6.2.2-12). Beyond
  /// ``Motion/coasting`` the velocity reverts to 0 ± σ with the time constant τ = 2·σ²/q, for which
  /// the integrated Ornstein–Uhlenbeck process begins like the white acceleration (the same book,
  /// section 8.2, with position and velocity only). σ is ``Motion/unknownSpeed``, or the speed of
  /// the `state` where that is more: what flies does not stop on the way.
  @inline(__always)
  package func movingTransition(
    of state: KinematicState, seconds: Double, hasSpeeds: Bool
  ) -> KinematicState.Transition {
    movingTransition(
      of: state, seconds: seconds, decay: errorDecay(seconds: seconds), hasSpeeds: hasSpeeds,
      randomWalkDensity: 0)
  }

  /// The same with what ``errorDecay(seconds:)`` is, and with velocity errors whose integral
  /// spreads by so many m²/s.
  ///
  /// A velocity error that lasts for seconds leads the position away as a random walk does.
  @inline(__always)
  func movingTransition(
    of state: KinematicState, seconds: Double, decay: Double, hasSpeeds: Bool,
    randomWalkDensity: Double
  ) -> KinematicState.Transition {
    let squaredSpeed = (state.velocity * state.velocity).sum()
    let q =
      motion.accelerationDensity
      + (hasSpeeds ? 0 : Motion.accelerationPerSpeed * squaredSpeed.squareRoot())
    if seconds <= Motion.coasting {
      let t = abs(seconds)
      return .init(
        drift: seconds, velocityKept: 1, fixErrorKept: decay,
        noise: AxisCovariance(
          pp: q * t * t * t / 3 + randomWalkDensity * t, pv: q * t * seconds / 2,
          pu: 0, vv: q * t, vu: 0,
          uu: 1 - decay * decay))
    }
    let variance = max(Motion.unknownSpeed * Motion.unknownSpeed, squaredSpeed)
    // No phone brakes and turns all the time: q counts in full for as long as a velocity lasts.
    let memory = min(max(2 * variance / q, seconds), 2 * variance / motion.accelerationDensity)
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
  @inline(__always)
  package func restTransition(seconds: Double) -> KinematicState.Transition {
    restTransition(seconds: seconds, decay: errorDecay(seconds: seconds))
  }

  /// The same with what ``errorDecay(seconds:)`` is.
  @inline(__always)
  func restTransition(seconds: Double, decay: Double) -> KinematicState.Transition {
    .init(
      drift: 0, velocityKept: 0, fixErrorKept: decay,
      noise: AxisCovariance(
        pp: motion.restDrift * seconds, pv: 0, pu: 0,
        vv: Motion.speedAtRest * Motion.speedAtRest, vu: 0, uu: 1 - decay * decay))
  }

  /// The fraction of a correlated error that is left after so many seconds, or was so long ago.
  @inline(__always)
  func errorDecay(seconds: Double) -> Double {
    seconds == 0 ? 1 : exp(-abs(seconds) / measurement.errorMemory)
  }
}
