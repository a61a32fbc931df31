// One fix on its way through the filter: validate, choose the hypothesis, predict, gate, update,
// record.
//
// What each fix passes through is inlined: a call copies the large values that it is given, which
// takes longer than what it does.
extension LocationFilter {
  /// A fix as a measurement, with what goes with it.
  struct Input {
    let fix: FixMeasurement
    let acceleration: AccelerationEvidence?
    /// Replaces the filter's own posterior, in a pass with hindsight.
    let movingProbability: Double?
    let record: Recorder?

    /// Whether a Doppler speed or the accelerometer observes motion or rest.
    var hasMotionObservation: Bool {
      fix.hasDopplerSpeed || acceleration?.validLevel != nil
    }
  }

  /// What the steps of one update hand on to the next.
  struct Update {
    /// Seconds since the track's time.
    let elapsed: Double
    /// Where the fix lies in the plane of the track, metres.
    let position: SIMD2<Double>
    /// The fix's position and velocity as measurements of the state.
    let measurement: KinematicState.Measurement
    let velocity: KinematicState.Measurement?
    /// What ``Settings/errorDecay(seconds:)`` is for `elapsed`.
    let decay: Double

    /// Whether anything but positions has observed motion lately.
    var hasMotionObservation = false
    /// Whether the receiver gave a speed lately.
    var hasSpeeds = false
    /// The evidence for motion, nats.
    var logLikelihoodRatio = 0.0
    /// The hypothesis by which the state is predicted.
    var isAtRest = false
    /// Whether the velocity was used on the way, at its own time.
    var hasUsedVelocity = false
    /// What ``Settings/errorDecay(seconds:)`` is from then on.
    var latencyDecay = 1.0
  }

  mutating func process(
    _ raw: LocationFix, _ acceleration: AccelerationEvidence?, _ moving: Double?,
    _ record: Recorder?
  ) -> FixStatus {
    guard raw.timestamp.isPlausible else { return .rejected(.implausibleTime) }
    do {
      let point =
        track?.plane.earthCentred(latitude: raw.latitude, longitude: raw.longitude)
        ?? WGS84.earthCentred(latitude: raw.latitude, longitude: raw.longitude)
      var fix = try settings.validate(raw, at: point, scale: scale)
      if fix.hasAccuracy || fix.hasCourse || raw.speedAccuracy != nil { hasDopplerSpeeds = true }
      if hasDopplerSpeeds {
        fix.hasDopplerSpeed = fix.speed != nil
      } else {
        fix.localVelocity = nil
      }
      speeds.add(
        EarthCentredPoint(position: point, accuracy: raw.horizontalAccuracy), speed: fix.speed,
        at: fix.timestamp)
      if fix.speed != nil, !speeds.isConsistent {
        fix.ignoreSpeed()
        counts.ignoredSpeeds += 1
      }
      return process(
        Input(
          fix: fix, acceleration: settings.usable(acceleration, with: fix),
          movingProbability: moving, record: record))
    } catch {
      return .rejected(error)
    }
  }

  @inline(__always)
  private mutating func process(_ input: Input) -> FixStatus {
    // One copy here, or the compiler makes one for every call.
    let settings = settings
    guard var track else {
      start(from: input)
      return .used
    }
    let elapsed = input.fix.timestamp.seconds(since: track.timestamp)
    if elapsed <= 0 || elapsed > Self.suspiciousGap {
      return processOnAnotherClock(input, elapsed)
    }
    if clockCandidate != nil { clockCandidate = nil }  // Seldom: asking is cheaper than writing.
    if elapsed > Settings.Gating.restartGap {
      start(from: input)
      return .used
    }
    if track.recentre() { fixHistory = FixHistory() }
    guard let position = track.plane.nearbyPosition(of: input.fix) else {
      // Beyond the plane's use: an outlier without a prediction.
      guard confirmsRelocation(input.fix) else { return .rejected(.outlier) }
      start(from: input)
      return .relocated
    }
    var update = Update(
      elapsed: elapsed, position: position, measurement: input.fix.positionMeasurement(position),
      velocity: input.fix.velocity(in: track.plane), decay: settings.errorDecay(seconds: elapsed))
    // Asked first: unwrapping copies a track, and there seldom is one.
    let alternatePrediction = alternate == nil ? nil : predictAlternate(to: input.fix)

    scale.append(input.fix)
    if !input.fix.hasAccuracy { scale.appendWithoutAccuracy(input.fix) }
    chooseHypothesis(&track, input, &update, settings)
    updateAtVelocityTime(&track, input, &update, settings)
    let prediction = predict(&track, input.fix, update, settings)
    let innovation = track.state.innovation(update.measurement)
    guard innovation.squared <= settings.gating.outlierGate else {
      return processOutlier(input, update, track, prediction, alternatePrediction)
    }
    if relocationCandidate != nil { relocationCandidate = nil }
    updateState(&track, input.fix, update)
    guard track.state.isUsable else {
      start(from: input)
      return .used
    }
    self.track = track
    if let record = input.record {
      record(step(track, update, prediction, alternatePrediction))
    }
    return .used
  }

  // MARK: Predict

  /// Predicts a moving phone to the time of the fix's Doppler velocity, a little before the fix,
  /// and updates it there by the velocity.
  @inline(__always)
  private func updateAtVelocityTime(
    _ track: inout Track, _ input: Input, _ update: inout Update, _ settings: Settings
  ) {
    let (elapsed, latency) = (update.elapsed, settings.measurement.velocityLatency)
    guard !update.isAtRest, let velocity = update.velocity, elapsed > 1.5 * latency,
      elapsed < Settings.Motion.coasting, latency > 0
    else { return }
    // The rest of the decay is that of the latency.
    update.latencyDecay = settings.errorDecay(seconds: latency)
    let transition = settings.movingTransition(
      of: track.state, seconds: elapsed - latency, decay: update.decay / update.latencyDecay,
      hasSpeeds: true, randomWalkDensity: input.fix.randomWalkDensity)
    track.state.predict(transition)
    let predicted = track.state
    track.state.update(velocity)
    track.timestamp = input.fix.timestamp.advanced(byNanoseconds: -Int64(latency * 1e9))
    update.hasUsedVelocity = true
    if let record = input.record {
      record(
        Step(
          track, through: transition, predicted: predicted, logLikelihoodRatio: 0, kind: .velocity))
    }
  }

  /// Predicts the track to the time of the fix, by the chosen hypothesis.
  @inline(__always)
  private func predict(
    _ track: inout Track, _ fix: FixMeasurement, _ update: Update, _ settings: Settings
  ) -> Prediction {
    let latency = settings.measurement.velocityLatency
    let transition =
      update.isAtRest
      ? settings.restTransition(seconds: update.elapsed, decay: update.decay)
      : settings.movingTransition(
        of: track.state, seconds: update.hasUsedVelocity ? latency : update.elapsed,
        decay: update.hasUsedVelocity ? update.latencyDecay : update.decay,
        hasSpeeds: update.hasSpeeds, randomWalkDensity: fix.randomWalkDensity)
    track.state.predict(transition)
    track.timestamp = fix.timestamp
    return Prediction(transition: transition, state: track.state)
  }

  // MARK: Gate

  /// Rejects a fix beyond the gates, or relocates to it when it is confirmed.
  private mutating func processOutlier(
    _ input: Input, _ update: Update, _ track: Track, _ prediction: Prediction,
    _ alternatePrediction: Prediction?
  ) -> FixStatus {
    let fix = input.fix
    let record = input.record
    self.track?.posterior = track.posterior
    if let alternate, favoursAlternate(fix, in: alternate, notAt: track) {
      // Back where it was before: it never went away.
      switchToAlternate(alternate, from: fix, through: alternatePrediction, record)
      return .relocated
    }
    // A step is large: made only for those who keep it.
    let missed = record.map { _ in step(track, update, prediction, alternatePrediction) }
    if confirmsRelocation(fix) {
      // What was thought to lie still did not come from there: nothing to smooth across.
      start(
        from: input, after: update.isAtRest ? nil : missed,
        velocity: relocationCandidate?.velocity)
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
  @inline(__always)
  private func updateState(
    _ track: inout Track, _ fix: FixMeasurement, _ update: Update
  ) {
    track.state.update(update.measurement)
    if update.isAtRest {
      track.state.updateZeroVelocity(deviation: Settings.Motion.speedAtRest)
    } else if let velocity = update.velocity, !update.hasUsedVelocity {
      track.state.update(velocity)
    }
    track.lastUsed = fix.timestamp
    track.offsetVariance +=
      (fix.offsetVariance < track.offsetVariance ? 0.5 : 0.1)
      * (fix.offsetVariance - track.offsetVariance)
  }

  // MARK: Record

  /// The step by which the track came to where it is now.
  private func step(
    _ track: Track, _ update: Update, _ prediction: Prediction, _ alternatePrediction: Prediction?
  ) -> Step {
    Step(
      track, through: prediction.transition, predicted: prediction.state,
      logLikelihoodRatio: update.logLikelihoodRatio,
      alternate: alternatePrediction.flatMap { step(of: $0) })
  }

  // MARK: Start

  /// Starts from a fix as if nothing had come before.
  ///
  /// `velocity` is what the fixes before it show where it has none itself.
  mutating func start(
    from input: Input, after last: Step? = nil, velocity: KinematicState.Measurement? = nil
  ) {
    let fix = input.fix
    var posterior = MotionPosterior()
    let logLikelihoodRatio = settings.logLikelihoodRatio(of: fix, input.acceleration, seconds: 0)
    if let probability = input.movingProbability {
      posterior.probability = probability
    } else {
      posterior.update(logLikelihoodRatio: logLikelihoodRatio)
    }
    posterior.decide()
    let plane = LocalTangentPlane(latitude: fix.latitude, longitude: fix.longitude)
    let state = settings.initialState(from: fix, velocity: fix.localVelocity ?? velocity)
    track = Track(
      timestamp: fix.timestamp, lastUsed: fix.timestamp, plane: plane, state: state,
      posterior: posterior, offsetVariance: fix.offsetVariance,
      lastMotionObservation: input.hasMotionObservation
        ? fix.timestamp : track?.lastMotionObservation,
      lastSpeed: fix.hasDopplerSpeed ? fix.timestamp : track?.lastSpeed,
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
        offsetVariance: fix.offsetVariance,
        alternate: last.flatMap { last in
          last.transition.map {
            AlternateStep(
              plane: last.plane, transition: $0, predicted: last.predicted,
              filtered: last.predicted)
          }
        }, kind: last == nil ? .fix : .relocation))
  }
}
