internal import LocomotionSensing

extension LocationFilter.Settings {
  /// Whether anything but positions could have told a journey from rest lately.
  func isWitnessed(_ witnessed: Timestamp?, at timestamp: Timestamp) -> Bool {
    witnessed.map { timestamp.seconds(since: $0) <= witnessMemory } ?? false
  }
}

extension LocationFilter {
  /// Fixes on a clock that is not the filter's: it was set back, or one fix is from the future.
  struct PendingClock: Sendable, Codable {
    var newest: AdmittedFix
    var count: Int
  }

  /// Outliers that agree with one another.
  struct Contradiction: Sendable, Codable {
    var first: AdmittedFix
    var newest: AdmittedFix
    var count: Int
    /// The worst of their speed noises, which are 1 under open sky.
    var worstNoise: Double
  }

  /// Takes a fix that is not later than the newest one, or very much later.
  ///
  /// One such fix is a fault; several in a row that agree with one another are a new clock.
  mutating func onAnotherClock(
    _ fix: AdmittedFix, _ elapsed: Double, _ acceleration: AccelerationEvidence?,
    _ moving: Double?, _ record: Recorder?
  ) -> FixStatus {
    if elapsed == 0 { return .rejected(.duplicate) }
    let needed = elapsed < 0 ? settings.clockRecoveryCount : 2
    var count = 1
    if let clock {
      if fix.timestamp == clock.newest.timestamp { return .rejected(.duplicate) }
      if follows(fix, clock.newest) { count = clock.count + 1 }
    }
    if count >= needed {
      start(from: fix, acceleration, moving, record)
      return .relocated
    }
    clock = PendingClock(newest: fix, count: count)
    return .rejected(elapsed < 0 ? .outOfOrder : .implausibleTime)
  }

  /// Adds an outlier to those before it and tells whether they are to be believed.
  mutating func confirms(_ fix: AdmittedFix) -> Bool {
    if let last = contradiction, follows(fix, last.newest) {
      contradiction = Contradiction(
        first: last.first, newest: fix, count: last.count + 1,
        worstNoise: max(last.worstNoise, fix.speedNoise))
    } else {
      contradiction = Contradiction(
        first: fix, newest: fix, count: 1, worstNoise: fix.speedNoise)
    }
    guard let contradiction else { return false }
    // What lies still has not gone anywhere: there, fixes that wander off together are common
    // (a wireless network that has moved house), and journeys begin with fixes that have a speed.
    let isPinned =
      track.map {
        $0.belief.state == .stationary && settings.isWitnessed($0.witnessed, at: fix.timestamp)
      } ?? false
    let span =
      isPinned
      ? settings.relocationSpanAtRest
      : contradiction.worstNoise > 1
        ? settings.relocationSpan : settings.relocationSpanInOpenSky
    return contradiction.count >= settings.relocationCount
      && fix.timestamp.seconds(since: contradiction.first.timestamp) >= span
  }

  /// Whether a phone may have come from one fix to the other.
  private func follows(_ fix: AdmittedFix, _ earlier: AdmittedFix) -> Bool {
    let elapsed = fix.timestamp.seconds(since: earlier.timestamp)
    guard elapsed > 0, elapsed <= settings.suspiciousGap else { return false }
    let plane = LocalTangentPlane(latitude: earlier.latitude, longitude: earlier.longitude)
    let radius = 3 * (fix.variance.squareRoot() + earlier.variance.squareRoot())
    let reach = radius + elapsed * max(40, 1.5 * max(fix.speed ?? 0, earlier.speed ?? 0))
    return plane.distance(latitude: fix.latitude, longitude: fix.longitude) <= reach
  }
}
