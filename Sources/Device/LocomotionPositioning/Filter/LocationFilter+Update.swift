internal import CLocomotionMath
internal import LocomotionSensing

// One fix on its way through the filter: validate, choose the hypothesis, predict, gate, update,
// record.
extension LocationFilter {
  /// A fix as a measurement, with what goes with it.
  struct Input {
    let fix: FixMeasurement
    let acceleration: AccelerationEvidence?
    /// Replaces the filter's own posterior, in a pass with hindsight.
    let movingProbability: Double?
    let record: Recorder?

    /// Whether a speed or the accelerometer observes motion or rest.
    var hasMotionObservation: Bool { fix.speed != nil || acceleration?.validLevel != nil }
  }

  /// What the steps of one update hand on to the next.
  struct Update {
    let input: Input
    /// Seconds since the track's time.
    let elapsed: Double
    /// Where the fix lies in the plane of the track, metres.
    let position: SIMD2<Double>
    /// The fix's position and velocity as measurements of the state.
    let measurement: KinematicState.Measurement
    let velocity: KinematicState.Measurement?
    /// What ``Settings/errorDecay(seconds:)`` is for `elapsed`.
    let decay: Double
    /// How the alternate hypothesis came to the time of the fix.
    let alternatePrediction: AlternatePrediction?

    /// Whether anything but positions has observed motion lately.
    var hasMotionObservation = false
    /// The evidence for motion, nats.
    var logLikelihoodRatio = 0.0
    /// The hypothesis by which the state is predicted.
    var isAtRest = false
    /// Whether the velocity was used on the way, at its own time.
    var hasUsedVelocity = false

    var fix: FixMeasurement { input.fix }
  }

  mutating func process(
    _ raw: LocationFix, _ acceleration: AccelerationEvidence?, _ moving: Double?,
    _ record: Recorder?
  ) -> FixStatus {
    guard raw.timestamp.isPlausible else { return .rejected(.implausibleTime) }
    do {
      let fix = try settings.validate(raw, scale: scale)
      return process(
        Input(
          fix: fix, acceleration: settings.usable(acceleration, with: fix),
          movingProbability: moving, record: record))
    } catch {
      return .rejected(error)
    }
  }

  private mutating func process(_ input: Input) -> FixStatus {
    // One copy here, or the compiler makes one for every call.
    let settings = settings
    let fix = input.fix
    guard var track else {
      start(from: input)
      return .used
    }
    let elapsed = fix.timestamp.seconds(since: track.timestamp)
    if elapsed <= 0 || elapsed > settings.gating.suspiciousGap {
      return processOnAnotherClock(input, elapsed)
    }
    if clockCandidate != nil { clockCandidate = nil }  // Seldom: asking is cheaper than writing.
    if elapsed > settings.gating.restartGap {
      start(from: input)
      return .used
    }
    if track.recentre(settings) { fixHistory = FixHistory() }
    guard let position = track.plane.nearbyPosition(of: fix) else {
      // Beyond the plane's use: an outlier without a prediction.
      guard confirmsRelocation(fix) else { return .rejected(.outlier) }
      start(from: input)
      return .relocated
    }
    var update = Update(
      input: input, elapsed: elapsed, position: position,
      measurement: fix.positionMeasurement(position), velocity: fix.velocity(in: track.plane),
      decay: settings.errorDecay(seconds: elapsed),
      // Asked first: unwrapping copies a track, and there seldom is one.
      alternatePrediction: alternate == nil ? nil : predictAlternate(to: fix))

    if !fix.hasAccuracy { scale.appendWithoutAccuracy(fix, settings) }
    chooseHypothesis(&track, &update, settings)
    learnAccuracy(from: fix, track, settings)
    updateAtVelocityTime(&track, &update, settings)
    let prediction = predict(&track, update, settings)
    let innovation = track.state.innovation(update.measurement)
    guard passesGates(track.state, innovation, settings) else {
      return processOutlier(update, track, prediction)
    }
    if relocationCandidate != nil { relocationCandidate = nil }
    updateState(&track, update, innovation, settings)
    guard track.state.isUsable else {
      start(from: input)
      return .used
    }
    track.hold(settings)
    self.track = track
    input.record?(step(track, update, prediction))
    return .used
  }

  // MARK: Choose the hypothesis

  /// Updates the posterior of motion by all evidence of a fix, and decides how to predict.
  private mutating func chooseHypothesis(
    _ track: inout Track, _ update: inout Update, _ settings: Settings
  ) {
    let fix = update.fix
    let elapsed = update.elapsed
    if update.input.hasMotionObservation { track.lastMotionObservation = fix.timestamp }
    update.hasMotionObservation = settings.isRecent(
      track.lastMotionObservation, at: fix.timestamp)
    update.logLikelihoodRatio = logLikelihoodRatio(of: update, track, settings)
    if fix.speed != nil { track.lastSpeed = fix.timestamp }
    if !settings.isRecent(track.lastSpeed, at: fix.timestamp) {
      update.logLikelihoodRatio += fixHistory.logLikelihoodRatio(
        of: fix, at: update.position, elapsed: elapsed, settings)
    }
    if fix.speed == nil { fixHistory.append(fix, at: update.position, settings) }

    if let probability = update.input.movingProbability {
      track.posterior.probability = probability
    } else {
      track.posterior.predict(
        seconds: elapsed, rates: settings.rates(at: fix.speed, after: track.meanVelocity))
      track.posterior.update(
        logLikelihoodRatio: update.logLikelihoodRatio,
        probabilityFloor: settings.hypothesis.probabilityFloor)
    }
    let isCoarse = settings.isCoarse(fix)
    let threshold =
      isCoarse ? settings.hypothesis.coarseThreshold : 0.5 + settings.hypothesis.hysteresis
    track.posterior.decide(threshold: threshold)
    if isCoarse, track.posterior.state == .stationary,
      track.posterior.probability > 1 - threshold
    {
      track.posterior.setUncertain()
    }
    track.meanVelocity +=
      ((fix.localVelocity?.value ?? .zero) - track.meanVelocity)
      * (1 - exp(-elapsed / settings.hypothesis.meanVelocityMemory))

    update.isAtRest = track.isAtRest
    if update.isAtRest, !update.hasMotionObservation {
      // Where positions alone say "at rest", one that contradicts it counts at once.
      var resting = track.state
      resting.predict(
        settings.restTransition(
          seconds: elapsed, decay: update.decay, hasMotionObservation: false))
      update.isAtRest = resting.innovation(update.measurement).squared < settings.gating.restGate
    }
  }

  /// The evidence for motion in the speed, the accelerometer and the position of a fix, nats.
  private func logLikelihoodRatio(
    of update: Update, _ track: Track, _ settings: Settings
  ) -> Double {
    let (fix, elapsed) = (update.fix, update.elapsed)
    let isObserved = update.hasMotionObservation
    let observed = settings.logLikelihoodRatio(
      of: fix, update.input.acceleration, seconds: isObserved ? elapsed : 0,
      meanVelocity: track.meanVelocity, accelerationWeight: min(elapsed, 1))
    // Asked first: unwrapping copies two fixes, and there seldom are any.
    if relocationCandidate != nil, let relocationCandidate {
      return observed + settings.logLikelihoodRatio(of: fix, after: relocationCandidate.first)
    }
    return observed
      + settings.logLikelihoodRatio(
        of: update.measurement, for: track.state, seconds: elapsed, decay: update.decay,
        hasMotionObservation: isObserved,
        isFirst: isObserved && track.isAtRest && elapsed < 120)
  }

  /// Compares the fixes of a moving phone with its Doppler velocities.
  private mutating func learnAccuracy(
    from fix: FixMeasurement, _ track: Track, _ settings: Settings
  ) {
    if track.posterior.state == .moving, let velocity = fix.localVelocity, fix.hasCourse {
      scale.append(
        fix, velocity: velocity.value, reported: fix.reportedVariance, settings: settings)
    } else {
      scale.interrupt()
    }
  }

  // MARK: Predict

  /// Predicts a moving phone to the time of the fix's Doppler velocity, a little before the fix,
  /// and updates it there by the velocity.
  private func updateAtVelocityTime(
    _ track: inout Track, _ update: inout Update, _ settings: Settings
  ) {
    let (elapsed, latency) = (update.elapsed, settings.measurement.velocityLatency)
    guard !update.isAtRest, let velocity = update.velocity, elapsed > 1.5 * latency,
      elapsed < settings.motion.coasting, latency > 0
    else { return }
    let transition = settings.movingTransition(
      seconds: elapsed - latency, decay: settings.errorDecay(seconds: elapsed - latency),
      randomWalkDensity: update.fix.randomWalkDensity)
    track.state.predict(transition)
    let predicted = track.state
    track.state.update(velocity: velocity, settings)
    track.timestamp = update.fix.timestamp.advanced(byNanoseconds: -Int64(latency * 1e9))
    update.hasUsedVelocity = true
    if let record = update.input.record {
      record(
        Step(
          track, through: transition, predicted: predicted, logLikelihoodRatio: 0,
          hasMotionObservation: update.hasMotionObservation, kind: .velocity))
    }
  }

  /// How a track came to the time of a fix.
  private struct Prediction {
    var transition: KinematicState.Transition
    var state: KinematicState
  }

  /// Predicts the track to the time of the fix, by the chosen hypothesis.
  private func predict(
    _ track: inout Track, _ update: Update, _ settings: Settings
  ) -> Prediction {
    let latency = settings.measurement.velocityLatency
    if let onFoot = pedestrianTransition(track, update, settings) {
      track.state.predict(onFoot)
      track.timestamp = update.fix.timestamp
      return Prediction(transition: onFoot, state: track.state)
    }
    let transition =
      update.isAtRest
      ? settings.restTransition(
        seconds: update.elapsed, decay: update.decay,
        hasMotionObservation: update.hasMotionObservation)
      : settings.movingTransition(
        seconds: update.hasUsedVelocity ? latency : update.elapsed,
        decay: update.hasUsedVelocity ? settings.errorDecay(seconds: latency) : update.decay,
        randomWalkDensity: update.fix.randomWalkDensity)
    track.state.predict(transition)
    track.timestamp = update.fix.timestamp
    return Prediction(transition: transition, state: track.state)
  }

  /// The transition of a pedestrian, where no speed says how the phone moves; nil where it may be a
  /// ride.
  private func pedestrianTransition(
    _ track: Track, _ update: Update, _ settings: Settings
  ) -> KinematicState.Transition? {
    guard !update.isAtRest, update.fix.speed == nil,
      !settings.isRecent(track.lastSpeed, at: update.fix.timestamp)
    else { return nil }
    let motion = settings.motion
    let velocity = track.state.velocity
    guard update.fix.variance < motion.pedestrianDeviation * motion.pedestrianDeviation,
      (velocity * velocity).sum() < motion.fastestPedestrian * motion.fastestPedestrian
    else { return nil }
    let transition = settings.movingTransition(
      seconds: update.elapsed, decay: update.decay,
      randomWalkDensity: motion.pedestrianRandomWalkDensity, onFoot: true)
    let innovation = track.state.innovation(update.measurement, after: transition)
    return innovation.squared < motion.pedestrianGate ? transition : nil
  }

  // MARK: Gate

  /// Whether a fix is none of the outliers: by its own innovation, and by the correlated error that
  /// the state holds the fixes to have.
  private func passesGates(
    _ state: KinematicState, _ innovation: KinematicState.Innovation, _ settings: Settings
  ) -> Bool {
    innovation.squared <= settings.gating.outlierGate
      && (state.fixError * state.fixError).sum() <= settings.gating.lostGate
  }

  /// Rejects a fix beyond the gates, or relocates to it when it is confirmed.
  private mutating func processOutlier(
    _ update: Update, _ track: Track, _ prediction: Prediction
  ) -> FixStatus {
    let fix = update.fix
    let record = update.input.record
    self.track?.posterior = track.posterior
    if let alternate, favoursAlternate(fix, in: alternate, notAt: track) {
      // Back where it was before: it never went away.
      switchToAlternate(alternate, from: fix, through: update.alternatePrediction, record)
      return .relocated
    }
    // A step is large: made only for those who keep it.
    let missed = record.map { _ in step(track, update, prediction) }
    if confirmsRelocation(fix) {
      // What was thought to lie still did not come from there: nothing to smooth across.
      start(from: update.input, after: update.isAtRest ? nil : missed)
      alternate = track
      alternate?.lastUsed = fix.timestamp
      return .relocated
    }
    if let missed { record?(missed) }
    self.track = track.state.isUsable ? track : nil
    return .rejected(.outlier)
  }

  // MARK: Update

  /// Updates the predicted track by the fix's position, and by its velocity or by rest.
  private func updateState(
    _ track: inout Track, _ update: Update, _ innovation: KinematicState.Innovation,
    _ settings: Settings
  ) {
    let fix = update.fix
    track.state.update(settings.robust(update.measurement, innovation))
    if update.isAtRest {
      track.state.updateZeroVelocity(deviation: settings.motion.restSpeed)
    } else if let velocity = update.velocity, !update.hasUsedVelocity {
      track.state.update(velocity: velocity, settings)
    }
    track.lastUsed = fix.timestamp
    track.offsetVariance +=
      (fix.offsetVariance < track.offsetVariance ? 0.5 : 0.1)
      * (fix.offsetVariance - track.offsetVariance)
  }

  // MARK: Record

  /// The step by which the track came to where it is now.
  private func step(_ track: Track, _ update: Update, _ prediction: Prediction) -> Step {
    Step(
      track, through: prediction.transition, predicted: prediction.state,
      logLikelihoodRatio: update.logLikelihoodRatio,
      hasMotionObservation: update.hasMotionObservation,
      alternate: update.alternatePrediction.flatMap { step(of: $0) })
  }

  // MARK: Start

  /// Starts from a fix as if nothing had come before.
  mutating func start(from input: Input, after last: Step? = nil) {
    let fix = input.fix
    var posterior = MotionPosterior()
    let logLikelihoodRatio = settings.logLikelihoodRatio(of: fix, input.acceleration, seconds: 0)
    if let probability = input.movingProbability {
      posterior.probability = probability
    } else {
      posterior.update(
        logLikelihoodRatio: logLikelihoodRatio,
        probabilityFloor: settings.hypothesis.probabilityFloor)
    }
    posterior.decide()
    let plane = LocalTangentPlane(latitude: fix.latitude, longitude: fix.longitude)
    let state = settings.initialState(from: fix)
    track = Track(
      timestamp: fix.timestamp, lastUsed: fix.timestamp, plane: plane, state: state,
      posterior: posterior, offsetVariance: fix.offsetVariance,
      lastMotionObservation: input.hasMotionObservation
        ? fix.timestamp : track?.lastMotionObservation,
      lastSpeed: fix.speed != nil ? fix.timestamp : track?.lastSpeed,
      meanVelocity: fix.localVelocity?.value ?? .zero)
    fixHistory = FixHistory()
    clockCandidate = nil
    relocationCandidate = nil
    alternate = nil
    input.record?(
      Step(
        timestamp: fix.timestamp, plane: plane, transition: last?.transition,
        predicted: last.map { $0.predicted.converted(from: $0.plane, to: plane) } ?? state,
        filtered: state, logLikelihoodRatio: logLikelihoodRatio, posterior: posterior,
        offsetVariance: fix.offsetVariance, hasMotionObservation: true,
        alternate: last.flatMap { last in
          last.transition.map {
            AlternateStep(
              plane: last.plane, transition: $0, predicted: last.predicted,
              filtered: last.predicted)
          }
        }, kind: last == nil ? .fix : .relocation))
  }
}

extension LocationFilter.Track {
  /// Moves the plane along when the state is far from its origin; whether it did.
  fileprivate mutating func recentre(_ settings: LocationFilter.Settings) -> Bool {
    let radius = settings.gating.planeRadius
    guard (state.position * state.position).sum() > radius * radius else { return false }
    let place = plane.geodetic(state.position)
    let next = LocalTangentPlane(latitude: place.latitude, longitude: place.longitude)
    state = state.converted(from: plane, to: next)
    plane = next
    held = nil
    return true
  }

  /// Keeps reporting the position of a phone at rest until it is known better.
  ///
  /// The mean of a phone at rest trembles as it settles. Those steps are no distance travelled.
  fileprivate mutating func hold(_ settings: LocationFilter.Settings) {
    guard isAtRest else {
      held = nil
      return
    }
    let deviations = settings.motion.holdingDeviations
    let reach =
      deviations * deviations * state.covariance.pp
    let away = state.position - (held ?? state.position)
    if held == nil || (away * away).sum() > reach { held = state.position }
  }
}

extension KinematicState {
  /// Updates by a Doppler velocity, weighted by how well it fits.
  fileprivate mutating func update(
    velocity: Measurement, _ settings: LocationFilter.Settings
  ) {
    let inflated = settings.inflated(velocity, for: self)
    update(settings.robust(inflated, innovation(inflated)))
  }
}
