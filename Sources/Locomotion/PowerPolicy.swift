public import LocomotionPositioning
public import LocomotionSensing

/// When the location hardware should run, and how well: it is what empties a phone's battery.
///
/// A plain value that is told what the pipeline sees and answers what to ask of the hardware; the
/// app passes that on. Time comes in with the samples, so that days can be simulated.
///
/// ```swift
/// let request = policy.update(
///   at: sample.end, moving: sample.movingState, radius68: sample.location?.radius68)
/// ```
///
/// While recording the receiver runs. A phone that has been at rest for three minutes sleeps: the
/// receiver is off, and every minute it is woken for a look. If the phone is found moving, it
/// records; at rest, it sleeps again; and as long as the look decides neither, it goes on, but
/// without any fix not beyond ``Settings/longestLook``. The accelerometer costs next to nothing: if
/// it runs while the phone sleeps, call ``update(at:moving:radius68:)`` with what it says, and
/// movement ends the sleep at once.
///
/// Source: the rules that LocoKit follows, in its figures. Deviation: a look that finds no fix ends
/// after a stated time instead of at once.
public struct PowerPolicy: Sendable, Codable, Equatable {
  /// What the policy assumes; seconds and metres.
  public struct Settings: Hashable, Sendable, Codable {
    /// How long a phone must be at rest before it sleeps; default 180.
    public var restBeforeSleep = 180.0
    /// How long it sleeps between two looks; default 60.
    public var sleepBetweenLooks = 60.0
    /// How long a look lasts that neither finds movement nor rest; default 30.
    public var longestLook = 30.0
    /// The shortest time after which a better accuracy is asked for; default 60.
    public var raisingInterval = 60.0
    /// The shortest time after which a worse accuracy is enough; default 120.
    public var loweringInterval = 120.0

    /// The defaults.
    public init() {}
  }

  /// What the recorder is doing.
  public enum Phase: String, Hashable, Sendable, Codable {
    /// The receiver runs.
    case recording
    /// The receiver is off.
    case sleeping
    /// The receiver runs for a moment, to see whether the phone still is at rest.
    case looking
  }

  /// How good positions should be; more costs more.
  public enum Accuracy: Int, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// None at all.
    case none
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
  public struct Request: Hashable, Sendable, Codable {
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

  /// What the policy assumes.
  public let settings: Settings
  /// What the recorder is doing.
  public private(set) var phase = Phase.recording
  private var accuracy = Accuracy.best
  /// When the phase began; nil before the first update.
  private var phaseStart: Timestamp?
  /// Since when the phone has been at rest.
  private var restStart: Timestamp?
  private var accuracyChange: Timestamp?
  private var newest: Timestamp?

  /// A policy that begins by recording.
  public init(settings: Settings = .init()) {
    self.settings = settings
  }

  /// Takes in what is known at an instant.
  ///
  /// - Parameters:
  ///   - timestamp: The instant. One that is earlier than the last begins a new clock: what has
  ///     lasted so far starts again.
  ///   - moving: Whether the phone changes place, as far as known.
  ///   - radius68: The radius of the position that is known, metres; nil when there is none.
  /// - Returns: What to ask of the hardware from now on.
  public mutating func update(
    at timestamp: Timestamp, moving: MovingState, radius68: Double?
  ) -> Request {
    if let newest, timestamp < newest {
      phaseStart = timestamp
      restStart = nil
      accuracyChange = timestamp
    }
    newest = timestamp
    let start = phaseStart ?? timestamp
    phaseStart = start
    if moving == .stationary {
      restStart = restStart ?? timestamp
    } else {
      restStart = nil
    }
    let inPhase = timestamp.seconds(since: start)
    switch phase {
    case .recording:
      if let restStart, timestamp.seconds(since: restStart) >= settings.restBeforeSleep {
        enter(.sleeping, timestamp)
      }
    case .sleeping:
      if moving == .moving {
        enter(.recording, timestamp)
      } else if inPhase >= settings.sleepBetweenLooks {
        enter(.looking, timestamp)
      }
    case .looking:
      if moving == .moving {
        enter(.recording, timestamp)
      } else if moving == .stationary, radius68 != nil, inPhase > 0 {
        enter(.sleeping, timestamp)
      } else if radius68 == nil, inPhase >= settings.longestLook {
        enter(.sleeping, timestamp)
      }
    }
    adjustAccuracy(timestamp, radius68)
    return request
  }

  /// What to ask of the hardware as of the last update.
  public var request: Request {
    let interval = phase == .sleeping ? settings.sleepBetweenLooks : settings.longestLook
    let wakeUp = phase == .recording ? nil : phaseStart.map { $0.advanced(bySeconds: interval) }
    return Request(accuracy: phase == .sleeping ? .none : accuracy, wakeUp: wakeUp)
  }

  private mutating func enter(_ next: Phase, _ timestamp: Timestamp) {
    phase = next
    phaseStart = timestamp
    // Whoever wakes up does not know yet what is needed.
    if next != .sleeping { setAccuracy(.best, timestamp) }
    if next == .recording { restStart = nil }
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

extension Timestamp {
  /// This instant moved by `seconds`, which may be anything.
  fileprivate func advanced(bySeconds seconds: Double) -> Timestamp {
    let nanoseconds = min(max(seconds.isNaN ? 0 : seconds, -1e9), 1e9) * 1e9
    return advanced(byNanoseconds: Int64(nanoseconds))
  }
}

/// Which fixes to take and which to report, in the foreground and in the background.
///
/// Source: the thresholds of IBM's Location Tracker. Deviation: time is that of the fixes, not of
/// their processing.
public struct ReportingThresholds: Sendable, Codable, Equatable {
  /// The worst accuracy that is taken, metres.
  public var worstAccuracy: Double
  /// The shortest distance between two reports, metres.
  public var shortestDistance: Double
  /// The shortest time between two reports, seconds.
  public var shortestInterval: Double
  private var last: LocationFix?

  /// Thresholds of one's own.
  public init(worstAccuracy: Double, shortestDistance: Double, shortestInterval: Double) {
    self.worstAccuracy = worstAccuracy
    self.shortestDistance = shortestDistance
    self.shortestInterval = shortestInterval
  }

  /// While the app is seen: 25 m, 15 m and 15 s.
  public static let foreground = ReportingThresholds(
    worstAccuracy: 25, shortestDistance: 15, shortestInterval: 15)
  /// While it isn't: 100 m, 100 m and 15 s.
  public static let background = ReportingThresholds(
    worstAccuracy: 100, shortestDistance: 100, shortestInterval: 15)

  /// Whether to report this fix; distance and time count from the last one that was.
  ///
  /// A fix without an accuracy isn't taken. A clock that was set back begins anew.
  public mutating func reports(_ fix: LocationFix) -> Bool {
    guard let accuracy = fix.horizontalAccuracy, accuracy <= worstAccuracy,
      abs(fix.latitude) <= 90, fix.longitude.isFinite
    else { return false }
    if let last, fix.timestamp >= last.timestamp {
      let geodesic = Geodesic(
        from: (last.latitude, last.longitude), to: (fix.latitude, fix.longitude))
      guard fix.timestamp.seconds(since: last.timestamp) > shortestInterval,
        geodesic.distance >= shortestDistance
      else { return false }
    }
    last = fix
    return true
  }
}
