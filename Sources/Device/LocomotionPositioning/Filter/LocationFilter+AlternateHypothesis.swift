// The hypothesis that the last relocation was a mistake.
extension LocationFilter {
  /// Carries the track that the last relocation left on to the time of a fix, by its speed alone.
  mutating func predictAlternate(to fix: FixMeasurement) -> Prediction? {
    guard var alternate else { return nil }
    let elapsed = fix.timestamp.seconds(since: alternate.timestamp)
    let age = fix.timestamp.seconds(since: alternate.lastUsed)
    guard elapsed >= 0, age <= Hypothesis.memory else {
      self.alternate = nil
      return nil
    }
    let atRest = alternate.isAtRest
    if atRest, track?.posterior.state == .moving,
      fix.speed ?? 0 > Settings.Measurement.slowWithoutCourse
    {
      // It has set out from the new place: the old one is history.
      self.alternate = nil
      return nil
    }
    let transition =
      atRest
      ? settings.restTransition(seconds: elapsed)
      : settings.movingTransition(
        of: alternate.state, seconds: elapsed,
        hasSpeeds: settings.isRecent(alternate.lastSpeed, at: fix.timestamp))
    alternate.state.predict(transition)
    let predicted = alternate.state
    if !atRest, let velocity = fix.velocity(in: alternate.plane) {
      alternate.state.update(velocity)
    }
    alternate.timestamp = fix.timestamp
    guard alternate.state.isUsable else {
      self.alternate = nil
      return nil
    }
    self.alternate = alternate
    return Prediction(transition: transition, state: predicted)
  }

  func measurement(of fix: FixMeasurement, in track: Track) -> KinematicState.Measurement? {
    track.plane.nearbyPosition(of: fix).map { fix.positionMeasurement($0) }
  }

  /// Whether a fix lies where the alternate track is, and not merely because that might be
  /// anywhere.
  func favoursAlternate(_ fix: FixMeasurement, in alternate: Track, notAt track: Track) -> Bool {
    guard let measurement = measurement(of: fix, in: alternate) else { return false }
    let innovation = alternate.state.innovation(measurement)
    let other = track.state.converted(from: track.plane, to: alternate.plane)
    let apart = other.position - alternate.state.position
    return innovation.squared < settings.gating.outlierGate
      && (apart * apart).sum() > settings.gating.outlierGate * innovation.variance
  }

  /// Continues the alternate track.
  mutating func switchToAlternate(
    _ alternate: Track, from fix: FixMeasurement, through move: Prediction?,
    _ record: Recorder?
  ) {
    guard let measurement = measurement(of: fix, in: alternate) else { return }
    var resumed = alternate
    let predicted = move?.state ?? alternate.state
    resumed.state.update(measurement)
    resumed.lastUsed = fix.timestamp
    if let track {
      resumed.posterior = track.posterior
      resumed.lastMotionObservation = track.lastMotionObservation
      resumed.meanVelocity = track.meanVelocity
    }
    track = resumed
    self.alternate = nil
    relocationCandidate = nil
    record?(
      Step(
        resumed, through: move?.transition, predicted: predicted, logLikelihoodRatio: 0,
        kind: .return))
  }
}
