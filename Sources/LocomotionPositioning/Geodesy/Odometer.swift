internal import LocomotionSensing

/// How far the phone has gone, from estimates while it moves.
///
/// Between two estimates that are close in time the distance is the integral of the speed, which a
/// trembling position cannot lengthen; across a gap it is the chord. At rest nothing is added, so a
/// phone on a table stays where it is for days.
public struct Odometer: Sendable, Codable {
  /// What the odometer assumes.
  public struct Settings: Hashable, Sendable, Codable {
    /// The longest time between estimates whose speeds are integrated, seconds; default 5.
    public var longestStep = 5.0
    /// How long a speed's error lasts, seconds; default 5.
    public var speedErrorMemory = 5.0
    /// Standard deviation of the distance travelled over the chord across a gap; default 0.2.
    public var detourFraction = 0.2
    /// The fastest believable speed, m/s; default 350.
    public var fastestSpeed = 350.0
    /// The longest gap that a chord bridges, seconds; default 3,600.
    public var longestGap = 3_600.0

    /// The defaults.
    public init() {}
  }

  /// What the odometer assumes.
  public let settings: Settings
  /// The distance so far, metres.
  public private(set) var distance = 0.0
  /// The variance of ``distance``, m².
  private var variance = 0.0
  /// The newest estimate with a known speed.
  private var last: LocationEstimate?
  /// Whether the phone moved since then.
  private var hasMoved = false

  /// One standard deviation of ``distance``, metres.
  public var deviation: Double { variance.squareRoot() }

  /// An odometer at zero.
  public init(settings: Settings = .init()) {
    self.settings = settings
  }

  /// Back to zero.
  public mutating func reset() {
    self = Odometer(settings: settings)
  }

  /// Adds the distance from the last estimate to this one, if the phone moved.
  ///
  /// An estimate that is not later than the last one, or not finite, or whose speed is unknown (it
  /// is a guess across a gap) adds nothing and leaves the gap open. A gap in which the phone was
  /// seen moving is bridged by its chord, also when the phone is found at rest behind it.
  public mutating func update(with estimate: LocationEstimate, state: MovingState) {
    hasMoved = hasMoved || state == .moving
    guard isUsable(estimate), let after = estimate.speed else { return }
    defer {
      last = estimate
      hasMoved = state == .moving
    }
    guard hasMoved, let last, let before = last.speed else { return }
    let seconds = estimate.timestamp.seconds(since: last.timestamp)
    guard seconds > 0, seconds <= settings.longestGap else { return }
    if seconds <= settings.longestStep {
      guard state == .moving else { return }
      let deviation = ((last.speedDeviation ?? 0.5) + (estimate.speedDeviation ?? 0.5)) / 2
      distance += (before + after) / 2 * seconds
      variance += 2 * deviation * deviation * settings.speedErrorMemory * seconds
    } else {
      let plane = LocalTangentPlane(latitude: last.latitude, longitude: last.longitude)
      let chord = min(
        plane.distance(latitude: estimate.latitude, longitude: estimate.longitude),
        settings.fastestSpeed * seconds)
      let ends = min((last.radius68 + estimate.radius68) / 2, 1e6)
      guard chord > ends else { return }
      let detour = settings.detourFraction * chord
      distance += chord
      variance += ends * ends + detour * detour
    }
  }

  private func isUsable(_ estimate: LocationEstimate) -> Bool {
    let plausibleSpeed = estimate.speed.map { $0 >= 0 && $0 <= settings.fastestSpeed } ?? true
    let plausibleDeviation = estimate.speedDeviation.map { $0 >= 0 && $0 <= 1e3 } ?? true
    return estimate.timestamp.isPlausible && abs(estimate.latitude) <= 90
      && estimate.longitude.isFinite && estimate.radius68.isFinite && plausibleSpeed
      && plausibleDeviation
  }
}
