internal import LocomotionSensing

/// How far the phone has gone, from estimates while it moves.
///
/// Between two estimates that are close in time the distance is the integral of the speed, which a
/// trembling position cannot lengthen; across a gap it is the chord. At rest nothing is added, so a
/// phone on a table stays where it is for days.
public struct Odometer: Sendable {
  /// What the odometer assumes.
  public struct Settings: Hashable, Sendable {
    /// The longest time between estimates whose speeds are integrated, seconds; default 12.
    public var longestStep = 12.0
    /// How long a speed's error lasts, seconds; default 5.
    public var speedErrorMemory = 5.0
    /// Standard deviation of the distance travelled over the chord across a gap; default 0.2.
    public var detourFraction = 0.2
    /// How far coarse fixes jump, metres, where nothing else tells of a journey; default 1,000.
    public var coarseJump = 1_000.0
    /// How fast they go on from there without one, m/s; default 8.
    public var fastestDrift = 8.0
    /// The fastest plausible speed, m/s; default 350.
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
  /// The newest estimate to which a distance was, or could be, added.
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
  /// An estimate that is not later than the last one, or not finite, adds nothing and leaves the
  /// gap open; so does one whose speed is unknown (it may be a guess across a gap), unless it lies
  /// beyond both radii. A gap in which the phone was seen moving is bridged by its chord, also when
  /// the phone is found at rest behind it; where it was not decided whether it moved, only by a
  /// chord that no coarse fixes of a phone at rest make.
  public mutating func update(with estimate: LocationEstimate, state: MovingState) {
    hasMoved = hasMoved || state == .moving
    guard isUsable(estimate) else { return }
    guard let last else {
      last = estimate
      hasMoved = state == .moving
      return
    }
    let seconds = estimate.timestamp.seconds(since: last.timestamp)
    let chord = min(chord(from: last, to: estimate), settings.fastestSpeed * max(seconds, 0))
    // Without a speed it may be a guess across a gap, unless it went far beyond such a guess.
    guard estimate.speed != nil || chord > last.radius68 + estimate.radius68 else { return }
    defer {
      self.last = estimate
      hasMoved = state == .moving
    }
    // Who is neither seen to rest nor to move may have been moved by a coarse fix alone.
    let isFast =
      state == .uncertain && chord > settings.coarseJump + settings.fastestDrift * seconds
    guard hasMoved || isFast, seconds > 0, seconds <= settings.longestGap else { return }
    if seconds <= settings.longestStep, let before = last.speed, let after = estimate.speed {
      guard state == .moving else { return }
      let deviation = ((last.speedDeviation ?? 0.5) + (estimate.speedDeviation ?? 0.5)) / 2
      distance += (before + after) / 2 * seconds
      variance += 2 * deviation * deviation * settings.speedErrorMemory * seconds
    } else {
      let ends = min((last.radius68 + estimate.radius68) / 2, 1e6)
      guard chord > ends else { return }
      let detour = settings.detourFraction * chord
      distance += chord
      variance += ends * ends + detour * detour
    }
  }

  private func chord(from a: LocationEstimate, to b: LocationEstimate) -> Double {
    LocalTangentPlane(latitude: a.latitude, longitude: a.longitude)
      .distance(latitude: b.latitude, longitude: b.longitude)
  }

  private func isUsable(_ estimate: LocationEstimate) -> Bool {
    let plausibleSpeed = estimate.speed.map { $0 >= 0 && $0 <= settings.fastestSpeed } ?? true
    let plausibleDeviation = estimate.speedDeviation.map { $0 >= 0 && $0 <= 1e3 } ?? true
    return estimate.timestamp.isPlausible && abs(estimate.latitude) <= 90
      && estimate.longitude.isFinite && estimate.radius68.isFinite && plausibleSpeed
      && plausibleDeviation
  }
}
