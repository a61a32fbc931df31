internal import LocomotionSensing

// Where the phone would be if the last relocation was a mistake.
extension LocationFilter {
  /// Carries the track that the last relocation left on to the time of a fix, by its speed alone.
  mutating func advanceShadow(to fix: AdmittedFix) {
    guard var shadow else { return }
    let elapsed = fix.timestamp.seconds(since: shadow.timestamp)
    guard elapsed >= 0, fix.timestamp.seconds(since: shadow.lastUsed) <= settings.shadowMemory
    else {
      self.shadow = nil
      return
    }
    let atRest = shadow.belief.state == .stationary
    shadow.state.predict(
      atRest
        ? settings.restTransition(seconds: elapsed, isWitnessed: true)
        : settings.movingTransition(seconds: elapsed))
    if !atRest, let velocity = fix.velocity(in: shadow.plane) {
      shadow.state.update(velocity)
    }
    shadow.timestamp = fix.timestamp
    self.shadow = shadow.state.isUsable ? shadow : nil
  }

  func measurement(of fix: AdmittedFix, in track: Track) -> KinematicState.Measurement? {
    track.plane.nearbyPosition(of: fix).map { fix.positionMeasurement($0) }
  }

  func agrees(_ measurement: KinematicState.Measurement?, _ track: Track) -> Bool {
    guard let measurement else { return false }
    return track.state.normalizedInnovationSquared(measurement) < settings.shadowGate
  }

  /// Goes on from the shadow.
  mutating func resume(_ shadow: Track, from fix: AdmittedFix, _ record: (Step) -> Void) {
    guard let measurement = measurement(of: fix, in: shadow) else { return }
    var resumed = shadow
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
    record(
      Step(
        timestamp: fix.timestamp, plane: resumed.plane, transition: nil,
        predicted: resumed.state, filtered: resumed.state, ratio: 0, belief: resumed.belief,
        fixVariance: resumed.fixVariance, isWitnessed: true))
  }
}
