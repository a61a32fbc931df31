internal import CLocomotionMath
public import LocomotionSensing

/// Where the phone is, from one fix after another.
///
/// A Kalman filter of position, velocity and correlated fix error in a ``LocalTangentPlane``, with
/// two ways to move on: a white-acceleration model for a moving phone and a pinned one for a phone
/// at rest. Which of them holds is a two-state belief over the fix's speed, the accelerometer and
/// the fix itself. Fixes count less the worse they fit (Student's t), not at all beyond a gate, and
/// when rejected fixes agree with one another the filter starts again from them.
///
/// ```swift
/// var filter = LocationFilter()
/// let status = filter.update(with: fix, acceleration: AccelerationEvidence(level: 0.4))
/// if let estimate = filter.estimate(at: fix.timestamp) { … }
/// ```
///
/// - Complexity: O(1) per fix, without allocation.
public struct LocationFilter: Sendable, Codable {
  /// What the filter assumes.
  public let settings: Settings
  /// What happened to the fixes so far; the sum over all outcomes is the number of updates.
  public private(set) var counts = FixCounts()

  private(set) var altitude = AltitudeFilter()
  var track: Track?
  var scale: AccuracyScale
  var clock: PendingClock?
  var shadow: Track?
  var contradiction: Contradiction?

  /// What is known since the first fix or the last restart.
  struct Track: Sendable, Codable {
    var timestamp: Timestamp
    var lastUsed: Timestamp
    var plane: LocalTangentPlane
    var state: KinematicState
    var belief: MovingBelief
    /// A running mean of the fixes' error variance per axis, m².
    var fixVariance: Double
    /// When a speed or the accelerometer last said anything about motion.
    var witnessed: Timestamp?
    /// When the receiver last gave a speed.
    var lastSpeed: Timestamp?
    /// Where the fixes were lately, from which slow journeys show.
    var trail: Trail
    /// A running mean of the fixes' velocities, m/s by true north.
    var heading: SIMD2<Double>
    /// The position that is reported while the phone is at rest, in the plane; else nil.
    var held: SIMD2<Double>?

    /// Keeps reporting the position of a phone at rest until it is known better.
    ///
    /// The mean of a phone at rest trembles as it settles. Those steps are no way that it went.
    mutating func hold(_ settings: Settings) {
      guard belief.state == .stationary else {
        held = nil
        return
      }
      let share = settings.persistentShareAtRest
      let reach =
        settings.holdingDeviations * settings.holdingDeviations
        * (state.covariance.pp + share * fixVariance)
      let away = state.position - (held ?? state.position)
      if held == nil || (away * away).sum() > reach { held = state.position }
    }
  }

  /// A filter before its first fix.
  public init(settings: Settings = .init()) {
    self.settings = settings
    scale = AccuracyScale(settings)
  }

  /// Forgets everything but the settings.
  public mutating func reset() {
    self = LocationFilter(settings: settings)
  }

  /// Takes in the next fix in order of arrival, with what the accelerometer says at that moment.
  ///
  /// Whatever the fix holds, the filter stays finite and usable.
  public mutating func update(
    with fix: LocationFix, acceleration: AccelerationEvidence?
  ) -> FixStatus {
    update(with: fix, acceleration: acceleration, moving: nil, record: nil)
  }

  /// The same, telling `record` every step; `moving`, if given, replaces the filter's own belief.
  package mutating func update(
    with fix: LocationFix, acceleration: AccelerationEvidence?, moving: Double?,
    record: Recorder?
  ) -> FixStatus {
    let status = process(fix, acceleration, moving, record)
    switch status {
    case .used, .relocated: altitude.update(with: fix)
    case .rejected: break
    }
    counts.count(status)
    return status
  }

  /// Whether the phone moves, by the evidence of the fixes so far.
  public var movingDecision: MovingDecision {
    guard let track else { return MovingDecision(state: .uncertain, probability: 0.5) }
    return MovingDecision(state: track.belief.state, probability: track.belief.probability)
  }

  /// The estimate at an instant, predicted from the last fix.
  ///
  /// Its speed is nil when that fix is older than ``Settings/oldestSpeed``. Nil before the first
  /// fix, when the last used fix is older than ``Settings/oldestFix``, and for an instant before
  /// the newest fix by more than ``Settings/coasting``.
  public func estimate(at timestamp: Timestamp) -> LocationEstimate? {
    guard let track, timestamp.isPlausible else { return nil }
    let age = timestamp.seconds(since: track.lastUsed)
    let elapsed = timestamp.seconds(since: track.timestamp)
    guard age <= settings.oldestFix, elapsed >= -settings.coasting else { return nil }
    let atRest = track.belief.state == .stationary
    var state = track.state
    if atRest {
      state.predict(
        settings.restTransition(
          seconds: abs(elapsed),
          isWitnessed: settings.isWitnessed(track.witnessed, at: track.timestamp)))
    } else if elapsed != 0 {
      state.predict(settings.movingTransition(seconds: elapsed))
    }
    if atRest, let held = track.held { state.position = held }
    var estimate = settings.estimate(
      at: timestamp, state, in: track.plane, fixVariance: track.fixVariance, atRest: atRest)
    if age > settings.oldestSpeed {
      estimate?.speed = nil
      estimate?.speedDeviation = nil
      estimate?.course = nil
    }
    let height = altitude.estimate(at: timestamp)
    estimate?.altitude = height?.altitude
    estimate?.altitudeDeviation = height?.deviation
    return estimate
  }
}

// MARK: - One fix

extension LocationFilter {
  private mutating func process(
    _ raw: LocationFix, _ acceleration: AccelerationEvidence?, _ moving: Double?,
    _ record: Recorder?
  ) -> FixStatus {
    guard raw.timestamp.isPlausible else { return .rejected(.implausibleTime) }
    // One copy here, or the compiler makes one for every call.
    let settings = settings
    do {
      return follow(
        try settings.admit(raw, scale: scale), settings, acceleration, moving, record)
    } catch {
      return .rejected(error.reason)
    }
  }

  private mutating func follow(
    _ fix: AdmittedFix, _ settings: Settings, _ acceleration: AccelerationEvidence?,
    _ moving: Double?, _ record: Recorder?
  ) -> FixStatus {
    guard var track else {
      start(from: fix, acceleration, moving, record)
      return .used
    }
    let elapsed = fix.timestamp.seconds(since: track.timestamp)
    if elapsed <= 0 || elapsed > settings.suspiciousGap {
      return onAnotherClock(fix, elapsed, acceleration, moving, record)
    }
    if clock != nil { clock = nil }  // Seldom: asking is cheaper than writing so much.
    if elapsed > settings.restartGap {
      start(from: fix, acceleration, moving, record)
      return .used
    }

    if (track.state.position * track.state.position).sum()
      > settings.planeRadius * settings.planeRadius
    {
      let place = track.plane.geodetic(track.state.position)
      let plane = LocalTangentPlane(latitude: place.latitude, longitude: place.longitude)
      track.state = track.state.converted(from: track.plane, to: plane)
      track.plane = plane
      track.trail = Trail()
      track.held = nil
    }
    guard let position = track.plane.nearbyPosition(of: fix) else {
      // Beyond the plane's use: no need to predict in order to see the contradiction.
      if confirms(fix) {
        start(from: fix, acceleration, moving, record)
        return .relocated
      }
      return .rejected(.outlier)
    }

    let velocity = fix.velocity(in: track.plane)
    // Asked first: unwrapping copies a track, and there seldom is one.
    let shadowMove = shadow == nil ? nil : advanceShadow(to: fix)

    // Which of the two ways to move on explains this fix?
    if isSpeaking(fix, acceleration) { track.witnessed = fix.timestamp }
    let isWitnessed = settings.isWitnessed(track.witnessed, at: fix.timestamp)
    let measurement = fix.positionMeasurement(position)
    let decay = settings.errorDecay(seconds: elapsed)
    var ratio = settings.ratio(
      of: fix, acceleration, seconds: isWitnessed ? elapsed : 0, heading: track.heading)
    // Asked first: unwrapping copies two fixes, and there seldom are any.
    if contradiction != nil, let contradiction {
      ratio += settings.ratio(of: fix, after: contradiction.first)
    } else {
      ratio += settings.ratio(
        of: measurement, for: track.state, seconds: elapsed, decay: decay,
        isWitnessed: isWitnessed,
        isFirst: isWitnessed && track.belief.state == .stationary && elapsed < 120)
    }
    if fix.speed != nil { track.lastSpeed = fix.timestamp }
    if !settings.isWitnessed(track.lastSpeed, at: fix.timestamp) {
      ratio += track.trail.ratio(of: fix, at: position, elapsed: elapsed, settings)
    }
    track.trail.append(fix, at: position, settings)
    let rates = settings.rates(at: fix.speed, after: track.heading)
    if let moving {
      track.belief.probability = moving
    } else {
      track.belief.predict(seconds: elapsed, rates: rates)
      track.belief.update(ratio: ratio, doubt: settings.doubt)
    }
    track.belief.decide(threshold: 0.5 + settings.hysteresis)
    track.heading +=
      ((fix.localVelocity?.value ?? .zero) - track.heading)
      * (1 - exp(-elapsed / settings.headingMemory))
    if track.belief.state == .moving, let velocity = fix.localVelocity, fix.hasCourse {
      scale.append(
        fix, velocity: velocity.value, reported: fix.reportedVariance, settings: settings)
    } else {
      scale.interrupt()
    }
    var atRest = track.belief.state == .stationary
    if atRest, !isWitnessed {
      // Where only positions speak for rest, one that speaks against it is heard at once.
      var resting = track.state
      resting.predict(
        settings.restTransition(seconds: elapsed, decay: decay, isWitnessed: false))
      atRest = resting.innovation(measurement).squared < settings.restGate
    }

    // A Doppler velocity belongs a little before the fix: stop there on the way.
    var remaining = elapsed
    if !atRest, let velocity, elapsed > 1.5 * settings.velocityLatency,
      elapsed < settings.coasting, settings.velocityLatency > 0
    {
      remaining = settings.velocityLatency
      let transition = settings.movingTransition(
        seconds: elapsed - remaining,
        decay: settings.errorDecay(seconds: elapsed - remaining), wander: fix.wander)
      track.state.predict(transition)
      let predicted = track.state
      let tempered = settings.tempered(velocity, for: track.state)
      track.state.update(settings.robust(tempered, track.state.innovation(tempered)))
      track.timestamp = fix.timestamp.advanced(byNanoseconds: -Int64(remaining * 1e9))
      if let record {
        record(
          Step(
            track, through: transition, predicted: predicted, ratio: 0,
            isWitnessed: isWitnessed, kind: .velocity))
      }
    }
    let transition =
      atRest
      ? settings.restTransition(seconds: elapsed, decay: decay, isWitnessed: isWitnessed)
      : settings.movingTransition(
        seconds: remaining,
        decay: remaining == elapsed ? decay : settings.errorDecay(seconds: remaining),
        wander: fix.wander)
    track.state.predict(transition)
    track.timestamp = fix.timestamp
    let predicted = track.state

    let innovation = track.state.innovation(measurement)
    if innovation.squared > settings.outlierGate
      || (track.state.fixError * track.state.fixError).sum() > settings.lostGate
    {
      self.track?.belief = track.belief
      if let shadow, isBack(fix, in: shadow, notAt: track) {
        // Back where it was before: it never went away.
        resume(shadow, from: fix, through: shadowMove, record)
        return .relocated
      }
      // A step is large: made only for those who keep it.
      let missed = record.map { _ in
        Step(
          track, through: transition, predicted: predicted, ratio: ratio,
          isWitnessed: isWitnessed, shadow: shadowMove.flatMap { step(of: $0) })
      }
      if confirms(fix) {
        let left = track
        // What was thought to lie still did not come from there: nothing to smooth across.
        start(from: fix, acceleration, moving, record, after: atRest ? nil : missed)
        shadow = left
        shadow?.lastUsed = fix.timestamp
        return .relocated
      }
      if let missed { record?(missed) }
      self.track = track.state.isUsable ? track : nil
      return .rejected(.outlier)
    }
    if contradiction != nil { contradiction = nil }
    track.state.update(settings.robust(measurement, innovation))
    if atRest {
      let still = settings.restSpeed
      track.state.update(.velocity(.zero, variance: still * still))
    } else if let velocity, remaining == elapsed {
      let tempered = settings.tempered(velocity, for: track.state)
      track.state.update(settings.robust(tempered, track.state.innovation(tempered)))
    }
    track.lastUsed = fix.timestamp
    track.fixVariance +=
      (fix.variance < track.fixVariance ? 0.5 : 0.1) * (fix.variance - track.fixVariance)
    guard track.state.isUsable else {
      start(from: fix, acceleration, moving, record)
      return .used
    }
    track.hold(settings)
    self.track = track
    if let record {
      record(
        Step(
          track, through: transition, predicted: predicted, ratio: ratio,
          isWitnessed: isWitnessed, shadow: shadowMove.flatMap { step(of: $0) }))
    }
    return .used
  }

  private func isSpeaking(_ fix: AdmittedFix, _ acceleration: AccelerationEvidence?) -> Bool {
    fix.speed != nil || acceleration?.validLevel != nil
  }

  /// Starts from a fix as if nothing had come before.
  mutating func start(
    from fix: AdmittedFix, _ acceleration: AccelerationEvidence?, _ moving: Double?,
    _ record: Recorder?, after last: Step? = nil
  ) {
    var belief = MovingBelief(rates: settings.rates)
    let ratio = settings.ratio(of: fix, acceleration, seconds: 0)
    if let moving {
      belief.probability = moving
    } else {
      belief.update(ratio: ratio, doubt: settings.doubt)
    }
    belief.decide()
    let plane = LocalTangentPlane(latitude: fix.latitude, longitude: fix.longitude)
    let state = settings.initialState(from: fix)
    track = Track(
      timestamp: fix.timestamp, lastUsed: fix.timestamp, plane: plane, state: state,
      belief: belief, fixVariance: fix.variance,
      witnessed: isSpeaking(fix, acceleration) ? fix.timestamp : track?.witnessed,
      lastSpeed: fix.speed != nil ? fix.timestamp : track?.lastSpeed, trail: Trail(),
      heading: fix.localVelocity?.value ?? .zero)
    clock = nil
    contradiction = nil
    shadow = nil
    record?(
      Step(
        timestamp: fix.timestamp, plane: plane, transition: last?.transition,
        predicted: last.map { $0.predicted.converted(from: $0.plane, to: plane) } ?? state,
        filtered: state, ratio: ratio, belief: belief, fixVariance: fix.variance,
        isWitnessed: true,
        shadow: last.flatMap { last in
          last.transition.map {
            ShadowStep(
              plane: last.plane, transition: $0, predicted: last.predicted,
              filtered: last.predicted)
          }
        }, kind: last == nil ? .fix : .relocation))
  }
}
