// Fixes that contradict the estimate: another clock, or another place.
extension LocationFilter {
  /// Fixes on a clock that is not the filter's: it was set back, or one fix is from the future.
  struct ClockCandidate: Sendable {
    var newest: FixMeasurement
    var count: Int
  }

  /// Outliers that agree with one another.
  struct RelocationCandidate: Sendable {
    var first: FixMeasurement
    var newest: FixMeasurement
    var count: Int
    /// The largest of their scales, which are 1 under open sky.
    var speedNoiseScale: Double
    /// How the phone came to the newest from the one before; nil for the first.
    var velocity: KinematicState.Measurement?
    /// Whether every one lies where its velocity and that of the one before lead.
    var followsVelocities: Bool
  }

  /// So many fixes that agree are no accident: a new clock, or a new place.
  private static let confirmations = 3
  /// Seconds that those outliers must span, and of a phone whose decision is "at rest".
  private static let (span, spanAtRest) = (8.0, 180.0)
  /// The distance, metres, that two fixes may lie off where their velocities lead, at once and per
  /// second between them.
  private static let velocityAgreement = 1.0
  /// A fix further ahead than this, seconds, waits for a second one.
  static let suspiciousGap = 86_400.0

  /// Takes a fix that is not later than the newest one, or very much later.
  ///
  /// One such fix is a fault; several in a row that agree with one another are a new clock.
  mutating func processOnAnotherClock(_ input: Input, _ elapsed: Double) -> FixStatus {
    let fix = input.fix
    if elapsed == 0 { return .rejected(.duplicate) }
    let needed = elapsed < 0 ? Self.confirmations : 2
    var count = 1
    if let clockCandidate {
      if fix.timestamp == clockCandidate.newest.timestamp { return .rejected(.duplicate) }
      if follows(fix, clockCandidate.newest) { count = clockCandidate.count + 1 }
    }
    if count >= needed {
      start(from: input)
      return .relocated
    }
    clockCandidate = ClockCandidate(newest: fix, count: count)
    return .rejected(elapsed < 0 ? .outOfOrder : .implausibleTime)
  }

  /// Adds an outlier to those before it, and tells whether they confirm one another.
  mutating func confirmsRelocation(_ fix: FixMeasurement) -> Bool {
    let move = relocationCandidate.flatMap { self.move(to: fix, after: $0) }
    if let last = relocationCandidate, let move {
      relocationCandidate = RelocationCandidate(
        first: move.goesOn ? last.first : last.newest, newest: fix,
        count: move.goesOn ? last.count + 1 : 2,
        speedNoiseScale: max(last.speedNoiseScale, fix.speedNoiseScale), velocity: move.velocity,
        followsVelocities: last.followsVelocities && followsVelocity(fix, last.newest))
    } else {
      relocationCandidate = RelocationCandidate(
        first: fix, newest: fix, count: 1, speedNoiseScale: fix.speedNoiseScale, velocity: nil,
        followsVelocities: true)
    }
    guard let relocationCandidate else { return false }
    // What lies still has not gone anywhere: there, outliers that agree are common (a wireless
    // network that has moved house), and journeys begin with fixes that have a speed.
    let isPinned =
      track.map {
        $0.isAtRest && settings.isRecent($0.lastMotionObservation, at: fix.timestamp)
      } ?? false
    let span = isPinned ? Self.spanAtRest : Self.span
    if relocationCandidate.count > 1, !isPinned,
      relocationCandidate.speedNoiseScale == 1, relocationCandidate.followsVelocities
    {
      return true
    }
    return relocationCandidate.count >= Self.confirmations
      && fix.timestamp.seconds(since: relocationCandidate.first.timestamp) >= span
  }

  /// How far east and north a fix lies of an earlier one, metres, and how many seconds later; nil
  /// where it isn't later, or by more than ``suspiciousGap``.
  private func displacement(
    to fix: FixMeasurement, from earlier: FixMeasurement
  ) -> (metres: SIMD2<Double>, seconds: Double)? {
    let seconds = fix.timestamp.seconds(since: earlier.timestamp)
    guard seconds > 0, seconds <= Self.suspiciousGap else { return nil }
    let plane = LocalTangentPlane(latitude: earlier.latitude, longitude: earlier.longitude)
    return (plane.position(latitude: fix.latitude, longitude: fix.longitude), seconds)
  }

  /// Whether the velocities of two fixes lead from one to the other.
  private func followsVelocity(_ fix: FixMeasurement, _ earlier: FixMeasurement) -> Bool {
    guard fix.hasCourse, earlier.hasCourse, let after = fix.localVelocity,
      let before = earlier.localVelocity
    else { return false }
    guard let (moved, elapsed) = displacement(to: fix, from: earlier) else { return false }
    let difference = moved - (before.value + after.value) * (0.5 * elapsed)
    let reach = Self.velocityAgreement * (1 + elapsed)
    return (difference * difference).sum() < reach * reach
  }

  /// Whether a phone may have come from one fix to the other by road or rail.
  private func follows(_ fix: FixMeasurement, _ earlier: FixMeasurement) -> Bool {
    let elapsed = fix.timestamp.seconds(since: earlier.timestamp)
    guard elapsed > 0, elapsed <= Self.suspiciousGap else { return false }
    let plane = LocalTangentPlane(latitude: earlier.latitude, longitude: earlier.longitude)
    return plane.distance(latitude: fix.latitude, longitude: fix.longitude)
      <= elapsed * reachableSpeed(fix, earlier, seconds: elapsed)
  }

  /// The speed, m/s, that two fixes may show where nothing flies.
  private func reachableSpeed(
    _ fix: FixMeasurement, _ earlier: FixMeasurement, seconds: Double
  ) -> Double {
    let radius = 3 * (fix.variance.squareRoot() + earlier.variance.squareRoot())
    return radius / seconds + max(40, 1.5 * max(fix.speed ?? 0, earlier.speed ?? 0))
  }

  /// How a phone may have come to a fix from the newest of a candidate, and whether it went on as
  /// before; nil where nothing moves so fast.
  ///
  /// What is faster than road and rail must go straight on. The velocity is that of two points
  /// (Bar-Shalom et al. 2001, section 5.5.3).
  private func move(
    to fix: FixMeasurement, after candidate: RelocationCandidate
  ) -> (velocity: KinematicState.Measurement, goesOn: Bool)? {
    let earlier = candidate.newest
    guard let (moved, elapsed) = displacement(to: fix, from: earlier) else { return nil }
    let velocity = moved / elapsed
    let variance =
      (fix.variance + earlier.variance) / (elapsed * elapsed)
      + settings.motion.accelerationDensity * elapsed / 3
    let measurement = KinematicState.Measurement.velocity(velocity, variance: variance)
    func length(_ x: SIMD2<Double>) -> Double { (x * x).sum().squareRoot() }
    let (speed, limit) = (length(velocity), reachableSpeed(fix, earlier, seconds: elapsed))
    guard speed <= max(limit, Settings.fastestSpeed) else { return nil }
    guard let before = candidate.velocity else { return (measurement, true) }
    // A tenth, for turns.
    let goesOn =
      speed <= limit && length(before.value) <= limit
      || length(velocity - before.value)
        <= 3 * (variance + before.variance).squareRoot() + 0.1 * speed
    return (measurement, goesOn)
  }
}

extension LocationFilter.ClockCandidate: StateElement {
  static let blank = LocationFilter.ClockCandidate(newest: .blank, count: 0)

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&newest, &count)
  }
}

extension LocationFilter.RelocationCandidate: StateElement {
  static let blank = LocationFilter.RelocationCandidate(
    first: .blank, newest: .blank, count: 0, speedNoiseScale: 1, velocity: nil,
    followsVelocities: false)

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&first, &newest, &count, &speedNoiseScale, &velocity)
    archive.pass(&followsVelocities)
  }
}
