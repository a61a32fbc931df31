internal import LocomotionSensing

// Where the phone would be if the last relocation was a mistake.
extension LocationFilter {
  /// Carries the track that the last relocation left on to the time of a fix, by its speed alone.
  mutating func advanceShadow(to fix: AdmittedFix) -> ShadowMove? {
    guard var shadow else { return nil }
    let elapsed = fix.timestamp.seconds(since: shadow.timestamp)
    guard elapsed >= 0, fix.timestamp.seconds(since: shadow.lastUsed) <= settings.shadowMemory
    else {
      self.shadow = nil
      return nil
    }
    let atRest = shadow.belief.state == .stationary
    if atRest, track?.belief.state == .moving, fix.speed ?? 0 > settings.slowWithoutCourse {
      // It has set out from the new place: the old one is history.
      self.shadow = nil
      return nil
    }
    let transition =
      atRest
      ? settings.restTransition(seconds: elapsed, isWitnessed: true)
      : settings.movingTransition(seconds: elapsed)
    shadow.state.predict(transition)
    let predicted = shadow.state
    if !atRest, let velocity = fix.velocity(in: shadow.plane) {
      shadow.state.update(velocity)
    }
    shadow.timestamp = fix.timestamp
    guard shadow.state.isUsable else {
      self.shadow = nil
      return nil
    }
    self.shadow = shadow
    return ShadowMove(transition: transition, predicted: predicted)
  }

  func measurement(of fix: AdmittedFix, in track: Track) -> KinematicState.Measurement? {
    track.plane.nearbyPosition(of: fix).map { fix.positionMeasurement($0) }
  }

  /// Whether a fix lies where the shadow is, and not merely because that might be anywhere.
  func isBack(_ fix: AdmittedFix, in shadow: Track, notAt track: Track) -> Bool {
    guard let measurement = measurement(of: fix, in: shadow) else { return false }
    let innovation = shadow.state.innovation(measurement)
    let other = track.state.converted(from: track.plane, to: shadow.plane)
    let apart = other.position - shadow.state.position
    return innovation.squared < settings.shadowGate
      && (apart * apart).sum() > settings.shadowSeparation * innovation.variance
  }

  /// Goes on from the shadow.
  mutating func resume(
    _ shadow: Track, from fix: AdmittedFix, through move: ShadowMove?, _ record: Recorder?
  ) {
    guard let measurement = measurement(of: fix, in: shadow) else { return }
    var resumed = shadow
    let predicted = move?.predicted ?? shadow.state
    resumed.state.update(measurement)
    resumed.lastUsed = fix.timestamp
    if let track {
      resumed.belief = track.belief
      resumed.witnessed = track.witnessed
      resumed.heading = track.heading
      resumed.trail = track.trail
    }
    track = resumed
    self.shadow = nil
    contradiction = nil
    record?(
      Step(
        timestamp: fix.timestamp, plane: resumed.plane, transition: move?.transition,
        predicted: predicted, filtered: resumed.state, ratio: 0, belief: resumed.belief,
        fixVariance: resumed.fixVariance, isWitnessed: true, kind: .return))
  }
}
