/// When the location hardware should run, and how well: it is what empties a phone's battery.
///
/// A plain value that is told what the pipeline sees and answers what to ask of the hardware; the
/// app passes that on. Time comes in with the samples, so that days can be simulated.
///
/// ```swift
/// for sample in output.samples { request = policy.update(with: sample) }
/// ```
///
/// 1. **Recording**: the receiver runs. After three minutes at rest the phone sleeps, and also when
///    it has been handled but not displaced for as long.
/// 2. **Sleeping**: the receiver is off. While the accelerometer says that the phone is at rest,
///    nothing is looked at for ``Settings/longestSleep``. Movement, or a minute of uncertainty or
///    without accelerations, ends the sleep with a look.
/// 3. **Looking**: the receiver runs until a fix shows whether the phone has been displaced: then
///    it records, else it sleeps again. Without a fix, or while movement and place contradict each
///    other, a look ends after ``Settings/longestLook``.
///
/// On iOS an app whose receiver is stopped in the background is suspended, and with it the
/// accelerometer: set ``Settings/accuracyAsleep`` to ``Accuracy/kilometres`` there, which keeps the
/// app running on the positions of cell towers.
///
/// The times are those of LocoKit, whose rule looks every minute whatever the accelerometer says.
public struct PowerPolicy: Sendable {
  /// What the policy assumes; seconds and metres.
  public struct Settings: Sendable {
    /// How long a phone must be at rest before it sleeps; default 180.
    public var restBeforeSleep = 180.0
    /// Movement within this distance counts as handling; default 50.
    public var handlingRadius = 50.0
    /// How long it sleeps between looks when the accelerometer does not say that it is at rest;
    /// default 60.
    public var sleepBetweenLooks = 60.0
    /// How long it sleeps while the accelerometer says that it is at rest; default 900.
    public var longestSleep = 900.0
    /// How long a look lasts that finds neither displacement nor rest; default 30.
    public var longestLook = 30.0
    /// The shortest time after which a better accuracy is asked for; default 60.
    public var raisingInterval = 60.0
    /// The shortest time after which a worse accuracy is enough; default 120.
    public var loweringInterval = 120.0
    /// What is asked of the receiver while the phone sleeps; default ``Accuracy/none``.
    public var accuracyAsleep = Accuracy.none

    /// The defaults.
    public init() {}
  }

  /// What the recorder is doing.
  public enum Phase: String, Hashable, Sendable {
    /// The receiver runs.
    case recording
    /// The receiver is off.
    case sleeping
    /// The receiver runs for a moment, to see whether the phone has been displaced.
    case looking
  }

  /// How good positions should be; more costs more.
  public enum Accuracy: Int, Hashable, Sendable, CaseIterable, Comparable {
    /// None at all.
    case none
    /// Some kilometres: cell towers are enough.
    case kilometres
    /// About a hundred metres: networks are enough.
    case hundredMetres
    /// About ten metres.
    case tenMetres
    /// The best there is.
    case best

    /// Whether `lhs` costs less than `rhs`.
    public static func < (lhs: Accuracy, rhs: Accuracy) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  /// What to ask of the hardware from now on.
  public struct Request: Equatable, Sendable {
    /// How good positions should be.
    public var accuracy: Accuracy
    /// When to call again at the latest, even if no sample comes; nil when samples come anyway.
    public var wakeUp: Timestamp?

    /// A request from its parts.
    public init(accuracy: Accuracy, wakeUp: Timestamp?) {
      self.accuracy = accuracy
      self.wakeUp = wakeUp
    }
  }

  /// What is known at an instant.
  public struct Observation: Equatable, Sendable {
    /// Whether the phone changes place, as far as known.
    public var moving: MovingState
    /// Where it is; nil when that is unknown.
    public var location: LocationEstimate?
    /// Whether a fix has arrived since the last observation.
    public var hasNewFix: Bool
    /// Whether the accelerometer runs.
    public var hasAccelerations: Bool

    /// An observation from its parts; the defaults are those of a receiver that is off.
    public init(
      moving: MovingState, location: LocationEstimate? = nil, hasNewFix: Bool = false,
      hasAccelerations: Bool = false
    ) {
      self.moving = moving
      self.location = location
      self.hasNewFix = hasNewFix
      self.hasAccelerations = hasAccelerations
    }
  }

  /// After so many seconds without a fix a place is no longer known.
  private static let longestFixInterval = 30.0

  /// What the policy assumes.
  public let settings: Settings
  /// What the recorder is doing.
  public private(set) var phase = Phase.recording
  private var accuracy = Accuracy.best
  /// When the phase began; nil before the first update.
  private var phaseStart: Timestamp?
  /// Since when the phone has been at rest.
  private var restStart: Timestamp?
  /// Since when the accelerometer has not said that the phone is at rest.
  private var doubtStart: Timestamp?
  /// Where the phone was when it was displaced last, and since when it has been about there.
  private var anchor: LocationEstimate?
  private var anchorTime: Timestamp?
  private var fixesInLook = 0
  private var fixTime: Timestamp?
  private var accuracyChange: Timestamp?
  private var newest: Timestamp?

  /// A policy that begins by recording.
  public init(settings: Settings = .init()) {
    self.settings = settings
  }

  /// Takes in a second of the pipeline.
  ///
  /// - Returns: What to ask of the hardware from now on.
  @discardableResult
  public mutating func update(with sample: LocomotionSample) -> Request {
    update(
      at: sample.end,
      Observation(
        moving: sample.movingState, location: sample.location,
        hasNewFix: sample.rawLocation != nil, hasAccelerations: sample.coverage > 0))
  }

  /// Takes in what is known at an instant, also when no sample came.
  ///
  /// - Parameters:
  ///   - timestamp: The instant. One that is earlier than the last begins a new clock: what has
  ///     lasted so far starts again.
  ///   - observation: What is known.
  /// - Returns: What to ask of the hardware from now on.
  @discardableResult
  public mutating func update(at timestamp: Timestamp, _ observation: Observation) -> Request {
    if let newest, timestamp < newest {
      phaseStart = timestamp
      restStart = nil
      doubtStart = nil
      anchorTime = nil
      fixTime = nil
      accuracyChange = timestamp
    }
    newest = timestamp
    let start = phaseStart ?? timestamp
    phaseStart = start
    let isAtRest = observation.moving == .stationary
    restStart = isAtRest ? restStart ?? timestamp : nil
    doubtStart = isAtRest && observation.hasAccelerations ? nil : doubtStart ?? timestamp
    let inPhase = timestamp.seconds(since: start)
    switch phase {
    case .recording:
      follow(observation, timestamp)
      if rested(timestamp) { enter(.sleeping, timestamp) }
    case .sleeping:
      if shouldLook(observation, timestamp, inPhase) { enter(.looking, timestamp) }
    case .looking:
      if observation.hasNewFix { fixesInLook += 1 }
      if isDisplaced(observation) {
        enter(.recording, timestamp)
      } else if isAtRest, fixesInLook > 0 {
        enter(.sleeping, timestamp)
      } else if inPhase >= settings.longestLook {
        enter(.sleeping, timestamp)
      }
    }
    adjustAccuracy(timestamp, observation.location?.radius68)
    return request
  }

  /// What to ask of the hardware as of the last update.
  public var request: Request {
    let interval = phase == .sleeping ? settings.sleepBetweenLooks : settings.longestLook
    let wakeUp = phase == .recording ? nil : phaseStart.map { $0.advanced(bySeconds: interval) }
    return Request(
      accuracy: phase == .sleeping ? settings.accuracyAsleep : accuracy, wakeUp: wakeUp)
  }

  /// Moves the anchor with a phone that is displaced.
  private mutating func follow(_ observation: Observation, _ timestamp: Timestamp) {
    if observation.hasNewFix { fixTime = timestamp }
    // Without fixes nobody knows that the phone is still there.
    let isFollowed = fixTime.map { timestamp.seconds(since: $0) <= Self.longestFixInterval }
    guard let location = observation.location, isFollowed == true else {
      anchorTime = nil
      return
    }
    let isNear = anchor.map { anchor in
      anchor.distance(to: location) <= max(settings.handlingRadius, location.radius68)
    }
    if isNear == true, anchorTime != nil { return }
    anchor = location
    anchorTime = timestamp
  }

  /// Whether the phone has been at rest, or handled in one place, for long enough to sleep.
  private func rested(_ timestamp: Timestamp) -> Bool {
    let starts = [restStart, anchorTime].compactMap { $0 }
    return starts.contains { timestamp.seconds(since: $0) >= settings.restBeforeSleep }
  }

  private func shouldLook(
    _ observation: Observation, _ timestamp: Timestamp, _ inPhase: Double
  ) -> Bool {
    guard let doubtStart else { return inPhase >= settings.longestSleep }
    let inDoubt = timestamp.seconds(since: doubtStart)
    let isMoving = observation.moving == .moving
    // The first movement after a rest is looked at at once; handling that goes on, now and then.
    if isMoving, inDoubt < inPhase { return true }
    return min(inDoubt, inPhase) >= settings.sleepBetweenLooks
  }

  /// Whether a look shows the phone elsewhere than where it went to sleep.
  private func isDisplaced(_ observation: Observation) -> Bool {
    guard fixesInLook > 0, let location = observation.location else { return false }
    guard let anchor else { return observation.moving != .stationary }
    let reach = max(settings.handlingRadius / 2, 2 * location.radius68, anchor.radius68)
    return anchor.distance(to: location) > reach
  }

  private mutating func enter(_ next: Phase, _ timestamp: Timestamp) {
    phase = next
    phaseStart = timestamp
    fixesInLook = 0
    // Whoever wakes up does not know yet what is needed.
    if next != .sleeping { setAccuracy(.best, timestamp) }
    if next == .recording {
      restStart = nil
      anchorTime = nil
    }
  }

  /// Asks for more when positions are bad, and for less when they are much better than needed.
  private mutating func adjustAccuracy(_ timestamp: Timestamp, _ radius68: Double?) {
    guard phase == .recording else { return }
    let since = accuracyChange.map { timestamp.seconds(since: $0) } ?? .infinity
    let atRest = restStart.map { timestamp.seconds(since: $0) } ?? 0
    // A phone at rest whose place is known well needs no better fix to stay there.
    let isKnownWell = (radius68 ?? .infinity) <= 15 && atRest >= settings.raisingInterval
    let wanted = isKnownWell ? Accuracy.tenMetres : .best
    if wanted > accuracy, since >= settings.raisingInterval {
      setAccuracy(wanted, timestamp)
    } else if wanted < accuracy, since >= settings.loweringInterval {
      setAccuracy(wanted, timestamp)
    }
  }

  private mutating func setAccuracy(_ next: Accuracy, _ timestamp: Timestamp) {
    guard next != accuracy || accuracyChange == nil else { return }
    accuracy = next
    accuracyChange = timestamp
  }
}
