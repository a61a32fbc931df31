internal import CLocomotionMath
internal import LocomotionSensing

// How the state moves on, how measurements are weighted, and what is reported.
extension LocationFilter.Settings {
  /// The transition of a moving phone over `seconds`; may be negative down to −``coasting``.
  ///
  /// White acceleration of spectral density q (Bar-Shalom et al. 2001, equation 6.2.2-12). Beyond
  /// ``coasting`` the velocity reverts to 0 ± ``unknownSpeed`` with the time constant
  /// τ = 2·unknownSpeed²/q, for which the integrated Ornstein–Uhlenbeck process begins like the
  /// white acceleration (the same book, section 8.2, with position and velocity only).
  package func movingTransition(seconds: Double) -> KinematicState.Transition {
    movingTransition(seconds: seconds, decay: errorDecay(seconds: seconds), wander: wander)
  }

  /// The same with another ``wander``, and with what ``errorDecay(seconds:)`` is.
  func movingTransition(
    seconds: Double, decay: Double, wander: Double
  ) -> KinematicState.Transition {
    let q = accelerationDensity
    if seconds <= coasting {
      let t = abs(seconds)
      return .init(
        drift: seconds, velocityKept: 1, fixErrorKept: decay,
        noise: AxisCovariance(
          pp: q * t * t * t / 3 + wander * t, pv: q * t * seconds / 2,
          pu: 0, vv: q * t, vu: 0,
          uu: 1 - decay * decay))
    }
    let variance = unknownSpeed * unknownSpeed
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
  /// Where only positions speak for rest, a slow journey may look the same: there the phone is
  /// `isWitnessed` by nothing and given more room.
  package func restTransition(seconds: Double, isWitnessed: Bool) -> KinematicState.Transition {
    restTransition(
      seconds: seconds, decay: errorDecay(seconds: seconds), isWitnessed: isWitnessed)
  }

  /// The same with what ``errorDecay(seconds:)`` is.
  func restTransition(
    seconds: Double, decay: Double, isWitnessed: Bool
  ) -> KinematicState.Transition {
    .init(
      drift: 0, velocityKept: 0, fixErrorKept: decay,
      noise: AxisCovariance(
        pp: (isWitnessed ? restDrift : unwitnessedDrift) * seconds, pv: 0, pu: 0,
        vv: restSpeed * restSpeed, vu: 0,
        uu: 1 - decay * decay))
  }

  /// The share of a correlated error that is left after so many seconds, or was so long ago.
  func errorDecay(seconds: Double) -> Double {
    seconds == 0 ? 1 : exp(-abs(seconds) / errorMemory)
  }

  /// The measurement with the variance that Student's t gives a difference of this size.
  ///
  /// One step of the expectation-maximisation weight (ν + d²)/(ν + 2) for a bivariate t with ν
  /// degrees of freedom, applied to the innovation's variance; it never makes a fix count more.
  func robust(
    _ measurement: KinematicState.Measurement, _ innovation: KinematicState.Innovation
  ) -> KinematicState.Measurement {
    let squared = min(innovation.squared, 1e6)
    let weight = (tailDegreesOfFreedom + squared) / (tailDegreesOfFreedom + 2)
    guard weight > 1 else { return measurement }
    // A prediction that is vaguer than the fix by far gives no reason to doubt the fix.
    let own = measurement.variance + measurement.h.z * measurement.h.z
    var result = measurement
    result.variance += min(innovation.variance, tailReach * own) * (weight - 1)
    return result
  }

  /// The measured velocity, believed the less the more the estimate contradicts the fixes.
  ///
  /// A receiver whose speed is wrong for minutes leads the estimate away from its own fixes; what
  /// shows then is a correlated fix error many times larger than fixes have.
  func tempered(
    _ velocity: KinematicState.Measurement, for state: KinematicState
  ) -> KinematicState.Measurement {
    let excess = (state.fixError * state.fixError).sum() - velocityTrust
    guard excess > 0 else { return velocity }
    var result = velocity
    result.variance *= 1 + velocityDistrust * excess
    return result
  }

  /// The evidence for motion in a fix's speed and in the accelerometer, `seconds` after the last.
  func ratio(
    of fix: AdmittedFix, _ acceleration: AccelerationEvidence?, seconds: Double,
    heading: SIMD2<Double> = .zero
  ) -> Double {
    var ratio =
      acceleration?.validLevel.map { level in
        let ratio = MotionEvidence.ratio(level: level)
        return
          (ratio > 0 ? (fix.speed == nil ? handlingWeight : accelerationWeight) : stillnessWeight)
          * ratio
      } ?? 0
    if let speed = fix.speed {
      ratio += MotionEvidence.ratio(
        speed: speed, deviation: speedDeviationAtRest * fix.speedNoise, walkWeight: walkWeight,
        tail: speedTail * (fix.speedNoise - 1))
      if fix.hasCourse, let velocity = fix.localVelocity?.value {
        ratio += MotionEvidence.ratio(
          velocity: velocity, mean: heading, deviation: speedDeviationAtRest * fix.speedNoise,
          limit: headingConcentration)
      }
    } else {
      // Fixes a second apart miss their speeds for one and the same reason.
      ratio += MotionEvidence.missingSpeed * min(seconds / 10, 1)
    }
    return ratio
  }

  /// The evidence for motion in where a fix lies, `seconds` after the state.
  func ratio(
    of measurement: KinematicState.Measurement, for state: KinematicState, seconds: Double,
    decay: Double, isWitnessed: Bool, isFirst: Bool
  ) -> Double {
    func fit(_ transition: KinematicState.Transition) -> (squared: Double, variance: Double) {
      let innovation = state.innovation(measurement, after: transition)
      return (innovation.squared, innovation.variance)
    }
    // The longer the gap, the more this fix is the only witness of what happened in it.
    return MotionEvidence.ratio(
      moving: fit(movingTransition(seconds: seconds, decay: decay, wander: wander)),
      rest: fit(restTransition(seconds: seconds, decay: decay, isWitnessed: isWitnessed)),
      limit: isFirst ? firstJumpLimit : min(3 + seconds / 60, 12))
  }

  /// The evidence for motion in an outlier that follows another one.
  ///
  /// That it contradicts the estimate was the first one's news. This one's is whether it has gone
  /// on from there, as on a journey, or stays, as with a network that has moved house.
  func ratio(of fix: AdmittedFix, after first: AdmittedFix) -> Double {
    let seconds = fix.timestamp.seconds(since: first.timestamp)
    let plane = LocalTangentPlane(latitude: first.latitude, longitude: first.longitude)
    let distance = plane.distance(latitude: fix.latitude, longitude: fix.longitude)
    let stays = fix.variance + first.variance
    let square = distance * distance
    func ratio(speed: Double) -> Double {
      let reach = speed * min(max(seconds, 0), 60)
      let goes = stays + reach * reach
      return MotionEvidence.ratio(
        moving: (square / goes, goes), rest: (square / stays, stays), limit: 3)
    }
    return max(ratio(speed: pedestrianSpeed), ratio(speed: unknownSpeed))
  }

  /// How often motion begins and ends.
  var rates: MovingBelief.Rates {
    .init(starting: max(startingRate, 1e-9), stopping: max(stoppingRate, 1e-9))
  }

  /// The same at a speed, after velocities with the given mean.
  func rates(at speed: Double?, after mean: SIMD2<Double>) -> MovingBelief.Rates {
    var rates = rates
    if let speed, (mean * mean).sum().squareRoot() > brakingRatio * speed + brakingSpeed {
      rates.stopping = max(rates.stopping, brakingRate)
    }
    return rates
  }

  /// What a state means to the outside.
  func estimate(
    at timestamp: Timestamp, _ state: KinematicState, in plane: LocalTangentPlane,
    fixVariance: Double, atRest: Bool
  ) -> LocationEstimate? {
    let place = plane.geodetic(state.position)
    let share = atRest ? persistentShareAtRest : persistentShare
    let variance = state.covariance.pp + share * fixVariance
    let radius = radius68PerDeviation * variance.squareRoot()
    guard place.latitude.isFinite, place.longitude.isFinite, radius.isFinite else { return nil }
    var result = LocationEstimate(
      timestamp: timestamp, latitude: place.latitude, longitude: place.longitude,
      radius68: min(radius, 2e7), speed: nil, speedDeviation: nil, course: nil)
    let deviation = state.covariance.vv.squareRoot()
    guard deviation < 4 else { return result }
    let speed = (state.velocity * state.velocity).sum().squareRoot()
    result.speed = atRest ? 0 : speed
    result.speedDeviation = deviation
    if !atRest, speed > max(0.3, 2 * deviation) {
      let velocity = plane.localVector(
        state.velocity, atLatitude: place.latitude, longitude: place.longitude)
      let degrees = atan2(velocity.x, velocity.y) / LocalTangentPlane.radiansPerDegree
      let course = degrees < 0 ? degrees + 360 : degrees
      result.course = course < 360 ? course : 0
    }
    return result
  }
}
