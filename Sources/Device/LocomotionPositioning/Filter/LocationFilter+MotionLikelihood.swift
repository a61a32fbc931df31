internal import CLocomotionMath

// The evidence of a fix for the hypotheses "moving" and "at rest", how often they change, and which
// one is chosen.
extension LocationFilter {
  /// Seconds over which the velocities of fixes are averaged, to tell their direction.
  private static let meanVelocityMemory = 4.0

  /// Updates the posterior of motion by all evidence of a fix, and decides how to predict.
  @inline(__always)
  mutating func chooseHypothesis(
    _ track: inout Track, _ input: Input, _ update: inout Update, _ settings: Settings
  ) {
    let elapsed = update.elapsed
    let wasAtRest = track.isAtRest
    if input.hasMotionObservation { track.lastMotionObservation = input.fix.timestamp }
    update.hasMotionObservation = settings.isRecent(
      track.lastMotionObservation, at: input.fix.timestamp)
    if input.fix.hasDopplerSpeed { track.lastSpeed = input.fix.timestamp }
    update.hasSpeeds = settings.isRecent(track.lastSpeed, at: input.fix.timestamp)
    update.logLikelihoodRatio = settings.logLikelihoodRatio(
      of: input.fix, input.acceleration, seconds: update.hasMotionObservation ? elapsed : 0,
      meanVelocity: track.meanVelocity, accelerationWeight: min(elapsed, 1))
    // Asked first: unwrapping copies two fixes, and there seldom are any.
    if relocationCandidate != nil, let relocationCandidate {
      update.logLikelihoodRatio += settings.logLikelihoodRatio(
        of: input.fix, after: relocationCandidate.first)
    } else if !update.hasMotionObservation || !track.isAtRest || elapsed >= 120 {
      // A single far fix after a rest, beside speeds or accelerations, says nothing.
      update.logLikelihoodRatio += settings.logLikelihoodRatio(
        of: update.measurement, for: track.state, seconds: elapsed, decay: update.decay,
        hasSpeeds: update.hasSpeeds, randomWalkDensity: input.fix.randomWalkDensity)
    }
    if !update.hasSpeeds {
      update.logLikelihoodRatio += fixHistory.logLikelihoodRatio(
        of: input.fix, at: update.position, elapsed: elapsed, settings)
    }
    if !input.fix.hasDopplerSpeed { fixHistory.append(input.fix, at: update.position) }

    if let probability = input.movingProbability {
      track.posterior.probability = probability
    } else {
      track.posterior.predict(
        seconds: elapsed, rates: settings.rates(at: input.fix.speed, after: track.meanVelocity))
      track.posterior.update(logLikelihoodRatio: update.logLikelihoodRatio)
    }
    let isCoarse = settings.isCoarse(input.fix)
    let threshold = isCoarse ? Hypothesis.coarseThreshold : 0.5
    track.posterior.decide(threshold: threshold)
    if isCoarse, track.posterior.state == .stationary,
      track.posterior.probability > 1 - threshold
    {
      track.posterior.setUncertain()
    }
    let velocity = input.fix.localVelocity?.value ?? .zero
    let share = 1 - exp(-elapsed / Self.meanVelocityMemory)
    track.meanVelocity += (velocity - track.meanVelocity) * share

    update.isAtRest = track.isAtRest
    if update.isAtRest, !update.hasMotionObservation || !wasAtRest {
      // Where positions alone say "at rest", one that contradicts it counts at once; and who has
      // come to rest since the last fix need not have been there then.
      var resting = track.state
      resting.predict(settings.restTransition(seconds: elapsed, decay: update.decay))
      update.isAtRest = resting.innovation(update.measurement).squared < Settings.Gating.restGate
    }
  }
}

extension LocationFilter.Settings {
  /// Whether an instant, nil for never, lies within ``Hypothesis/memory``.
  @inline(__always)
  func isRecent(_ observation: Timestamp?, at timestamp: Timestamp) -> Bool {
    observation.map { timestamp.seconds(since: $0) <= Hypothesis.memory } ?? false
  }

  /// Whether a fix is too coarse to have a speed.
  func isCoarse(_ fix: FixMeasurement) -> Bool {
    fix.speed == nil
      && fix.reportedVariance > Hypothesis.coarseDeviation * Hypothesis.coarseDeviation
  }

  /// The acceleration level, m/s², up to which a phone with coarse fixes is at rest: a smooth train
  /// shakes a phone no more than a table with people about it.
  private static let coarseStillness = 0.02

  /// The acceleration that tells motion from rest beside a fix.
  ///
  /// Beside a coarse one only perfect stillness does: the fixes are too far off to contradict what
  /// a smooth ride and a table have in common.
  func usable(
    _ acceleration: AccelerationEvidence?, with fix: FixMeasurement
  ) -> AccelerationEvidence? {
    guard isCoarse(fix), let level = acceleration?.validLevel, level > Self.coarseStillness
    else { return acceleration }
    return nil
  }

  /// The evidence for motion in a fix's speed and in the accelerometer, `seconds` after the last
  /// fix; nats, as all that follows.
  func logLikelihoodRatio(
    of fix: FixMeasurement, _ acceleration: AccelerationEvidence?, seconds: Double,
    meanVelocity: SIMD2<Double> = .zero, accelerationWeight: Double = 1
  ) -> Double {
    var sum = 0.0
    if let level = acceleration?.validLevel {
      let ratio = MotionLikelihood.logLikelihoodRatio(level: level)
      let motionWeight =
        fix.speed == nil ? Hypothesis.handlingWeight : Hypothesis.accelerationWeight
      sum = (ratio > 0 ? motionWeight : 1) * ratio * accelerationWeight
    }
    guard let speed = fix.speed else {
      if isCoarse(fix) { return sum }
      // Fixes a second apart miss their speeds for one and the same reason.
      return sum + MotionLikelihood.missingSpeed * min(seconds / 10, 1)
    }
    let deviation = measurement.velocityDeviation * fix.speedNoiseScale
    // Between buildings a reflection may pass for a few m/s.
    let weight = fix.hasDopplerSpeed ? 1 : Hypothesis.derivedSpeedWeight
    sum +=
      weight
      * MotionLikelihood.logLikelihoodRatio(
        speed: speed, deviation: deviation, tail: 0.1 * (fix.speedNoiseScale - 1))
    if fix.hasCourse, let velocity = fix.localVelocity?.value {
      sum += MotionLikelihood.logLikelihoodRatio(
        velocity: velocity, mean: meanVelocity, deviation: deviation,
        limit: Hypothesis.directionConcentration)
    }
    return sum
  }

  /// The evidence for motion in where a fix lies, `seconds` after the state.
  func logLikelihoodRatio(
    of measurement: KinematicState.Measurement, for state: KinematicState, seconds: Double,
    decay: Double, hasSpeeds: Bool, randomWalkDensity: Double
  ) -> Double {
    func fit(_ transition: KinematicState.Transition) -> (squared: Double, variance: Double) {
      let innovation = state.innovation(measurement, after: transition)
      return (innovation.squared, innovation.variance)
    }
    // The longer the gap, the more this fix is the only observation of what happened in it.
    return MotionLikelihood.logLikelihoodRatio(
      moving: fit(
        movingTransition(
          of: state, seconds: seconds, decay: decay, hasSpeeds: hasSpeeds,
          randomWalkDensity: randomWalkDensity)),
      rest: fit(restTransition(seconds: seconds, decay: decay)),
      limit: min(3 + seconds / 60, 12))
  }

  /// The evidence for motion in an outlier that follows another one.
  ///
  /// That it contradicts the estimate was the evidence of the first one. This one adds whether it
  /// has gone on from there, as on a journey, or stays, as with a network that has moved house.
  func logLikelihoodRatio(of fix: FixMeasurement, after first: FixMeasurement) -> Double {
    let seconds = fix.timestamp.seconds(since: first.timestamp)
    let plane = LocalTangentPlane(latitude: first.latitude, longitude: first.longitude)
    let distance = plane.distance(latitude: fix.latitude, longitude: fix.longitude)
    let stays = fix.variance + first.variance
    let square = distance * distance
    func ratio(speed: Double) -> Double {
      let reach = speed * min(max(seconds, 0), 60)
      let goes = stays + reach * reach
      return MotionLikelihood.logLikelihoodRatio(
        moving: (square / goes, goes), rest: (square / stays, stays), limit: 3)
    }
    return max(ratio(speed: Motion.pedestrianSpeed), ratio(speed: Motion.unknownSpeed))
  }

  /// How often motion begins and ends.
  var rates: MotionPosterior.Rates {
    .init(starting: Hypothesis.switchingRate, stopping: Hypothesis.switchingRate)
  }

  /// The same at a speed, after velocities with the given mean.
  func rates(at speed: Double?, after mean: SIMD2<Double>) -> MotionPosterior.Rates {
    var rates = rates
    if let speed, (mean * mean).sum().squareRoot() > speed + Hypothesis.brakingSpeed {
      rates.stopping = max(rates.stopping, Hypothesis.brakingRate)
    }
    return rates
  }
}
