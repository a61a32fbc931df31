internal import CLocomotionMath

/// Where the phone is, from one fix after another.
///
/// A Kalman filter of position, velocity and correlated fix error in a ``LocalTangentPlane``, with
/// two hypotheses about the motion since the last fix: white acceleration for a moving phone, a
/// pinned position for one at rest. A two-state hidden Markov model over the fix's speed, the
/// accelerometer and the fix itself tells which of them holds. Innovations are weighted by
/// Student's t and gated, and when outliers agree with one another the filter starts again from
/// them. <doc:LocationFiltering> derives the model.
///
/// ```swift
/// var filter = LocationFilter()
/// let status = filter.update(with: fix, acceleration: AccelerationEvidence(level: 0.4))
/// if let estimate = filter.estimate(at: fix.timestamp) { … }
/// ```
///
/// - Complexity: O(1) per fix, without allocation.
public struct LocationFilter: Sendable, StateArchivable {
  /// What the filter assumes.
  public let settings: Settings
  /// What happened to the fixes so far; the sum over all outcomes is the number of updates.
  public package(set) var counts = FixCounts()

  /// How high the phone is; ``estimate(at:)`` gives it too, once there is a location.
  public private(set) var altitude = AltitudeFilter()
  var track: Track?
  var scale = AccuracyScale()
  /// Whether this receiver's speeds agree with its positions; if not, they are taken as missing.
  var speeds = SpeedCheck()
  /// Whether this receiver has stated a course or an accuracy: then its speeds are Doppler speeds.
  var hasDopplerSpeeds = false
  var clockCandidate: ClockCandidate?
  /// Where the fixes without a speed were lately, in the plane of the track.
  ///
  /// Slow journeys show in them. Apart from the track, which is copied for every fix.
  var fixHistory = FixHistory()
  /// The track that the last relocation left, carried on in case it was a mistake.
  var alternate: Track?
  var relocationCandidate: RelocationCandidate?

  /// What is known since the first fix or the last restart.
  struct Track: Sendable, StateElement {
    var timestamp: Timestamp
    var lastUsed: Timestamp
    var plane: LocalTangentPlane
    var state: KinematicState
    var posterior: MotionPosterior
    /// The variance per axis, m², of the part of the fixes' error that no filter removes.
    var offsetVariance: Double
    /// When a speed or the accelerometer last observed motion or rest.
    var lastMotionObservation: Timestamp?
    /// When the receiver last gave a speed.
    var lastSpeed: Timestamp?
    /// A running mean of the fixes' velocities, m/s east and north.
    var meanVelocity: SIMD2<Double>

    /// Whether the hypothesis "at rest" is decided.
    var isAtRest: Bool { posterior.state == .stationary }

    static let blank = LocationFilter.Track(
      timestamp: .blank, lastUsed: .blank, plane: .blank, state: .blank, posterior: .blank,
      offsetVariance: 0, lastMotionObservation: nil, lastSpeed: nil, meanVelocity: .zero)

    mutating func pass(through archive: inout StateArchive) {
      archive.pass(&timestamp, &lastUsed, &plane, &state, &posterior)
      archive.pass(&offsetVariance, &lastMotionObservation, &lastSpeed, &meanVelocity)
    }
  }

  /// A filter before its first fix.
  public init(settings: Settings = .init()) {
    self.settings = settings
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

  /// The same, telling `record` every step; `moving`, if given, replaces the filter's own
  /// probability of motion.
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

  /// Takes in the next fix, and reports on it.
  package mutating func report(
    on fix: LocationFix, acceleration: AccelerationEvidence?
  ) -> FixReport {
    var report = FixReport(fix, acceleration: acceleration)
    report.status = update(with: fix, acceleration: acceleration)
    (report.location, report.moving) = (estimate(at: fix.timestamp), movingDecision)
    return report
  }

  /// Takes in the mean pressure of about a second, hPa: see
  /// ``AltitudeFilter/update(pressure:at:)``.
  public mutating func update(pressure hectopascals: Double, at timestamp: Timestamp) {
    altitude.update(pressure: hectopascals, at: timestamp)
  }

  /// Whether the phone moves, by the evidence of the fixes so far.
  public var movingDecision: MovingDecision {
    guard let track else { return MovingDecision(state: .uncertain, probability: 0.5) }
    return MovingDecision(state: track.posterior.state, probability: track.posterior.probability)
  }

  /// The estimate at an instant, predicted from the last fix.
  ///
  /// Its speed is nil when that fix is older than `oldestSpeed`. Nil before the
  /// first fix, when the last used fix is older than `restartGap`, and for an
  /// instant before the newest fix by more than `coasting`.
  public func estimate(at timestamp: Timestamp) -> LocationEstimate? {
    guard let track, timestamp.isPlausible else { return nil }
    let age = timestamp.seconds(since: track.lastUsed)
    let elapsed = timestamp.seconds(since: track.timestamp)
    guard age <= Settings.Gating.restartGap, elapsed >= -Settings.Motion.coasting else {
      return nil
    }
    let atRest = track.isAtRest
    var state = track.state
    if atRest {
      state.predict(settings.restTransition(seconds: abs(elapsed)))
    } else if elapsed != 0 {
      state.predict(
        settings.movingTransition(
          of: state, seconds: elapsed,
          hasSpeeds: settings.isRecent(track.lastSpeed, at: timestamp)))
    }
    var estimate = settings.estimate(
      at: timestamp, state, in: track.plane, offsetVariance: track.offsetVariance, atRest: atRest)
    if age > Settings.Gating.oldestSpeed {
      estimate?.speed = nil
      estimate?.speedDeviation = nil
      estimate?.course = nil
    }
    let height = altitude.estimate(at: timestamp)
    estimate?.altitude = height?.altitude
    estimate?.altitudeDeviation = height?.deviation
    return estimate
  }

  /// All but the settings, which are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&counts, &altitude, &track, &scale, &speeds)
    archive.pass(&hasDopplerSpeeds)
    archive.pass(&clockCandidate, &fixHistory, &alternate, &relocationCandidate)
  }
}

extension LocationFilter.Settings {
  /// What a state means to the outside.
  @inline(__always)
  func estimate(
    at timestamp: Timestamp, _ state: KinematicState, in plane: LocalTangentPlane,
    offsetVariance: Double, atRest: Bool
  ) -> LocationEstimate? {
    let place = plane.geodetic(state.position)
    let variance = state.covariance.pp + offsetVariance
    let radius = radius68PerDeviation * variance.squareRoot()
    guard place.latitude.isFinite, place.longitude.isFinite, radius.isFinite else { return nil }
    var result = LocationEstimate(
      timestamp: timestamp, latitude: place.latitude, longitude: place.longitude,
      radius68: min(radius, 2e7), speed: nil, speedDeviation: nil, course: nil,
      offsetRadius68: min(radius68PerDeviation * offsetVariance.squareRoot(), radius))
    let deviation = state.covariance.vv.squareRoot()
    guard deviation < 4 else { return result }
    let speed = (state.velocity * state.velocity).sum().squareRoot()
    result.speed = atRest ? 0 : speed
    result.speedDeviation = deviation
    if !atRest, speed > max(0.3, 2 * deviation) {
      let velocity = plane.localVector(
        state.velocity, atLatitude: place.latitude, longitude: place.longitude)
      let degrees = atan2(velocity.x, velocity.y) * WGS84.degreesPerRadian
      let course = degrees < 0 ? degrees + 360 : degrees
      result.course = course < 360 ? course : 0
    }
    return result
  }
}

extension LocationFilter.Track {
  /// Distance from the plane's origin, metres, at which the plane is moved along.
  private static let planeRadius = 10_000.0

  /// Moves the plane along when the state is far from its origin; whether it did.
  mutating func recentre() -> Bool {
    let radius = Self.planeRadius
    guard (state.position * state.position).sum() > radius * radius else { return false }
    let place = plane.geodetic(state.position)
    let next = LocalTangentPlane(latitude: place.latitude, longitude: place.longitude)
    state = state.converted(from: plane, to: next)
    plane = next
    return true
  }
}
