/// What another system states of an interval of time: a visit to a place, an activity, or a pause.
///
/// Google's timeline, Arc, Moves and a phone's own visits give such intervals beside fixes, or in
/// place of them; the sessions and laps of watches and the types of tracks are others. They are
/// conclusions and no measurements: evidence for a timeline, of which the source may be wrong.
public struct StatedInterval: Hashable, Sendable {
  /// What is stated.
  public enum Kind: Hashable, Sendable {
    /// Being at a place: degrees on WGS 84, and the metres around it; nil when they are not told.
    case visit(latitude: Double, longitude: Double, radius: Double?)
    /// Doing something, by its name in lower case as labels have it ("walking", "car", "metro"),
    /// over a distance in metres; each nil when it is not told.
    ///
    /// The distance is evidence where few fixes tell of the way; what a device measured beside
    /// them is in ``StatedInterval/totals``, and is none.
    case activity(name: String?, distance: Double?)
    /// Not recording, while an activity is not over: a timer that stood still, the time between two
    /// segments of a track.
    case pause
    /// The time between two recordings of which the later doesn't continue the earlier.
    case unrecorded
  }

  /// How a statement came about, which says how far it is to be believed.
  public enum Basis: String, Hashable, Sendable {
    /// A system concluded it.
    case inferred
    /// Who recorded chose it: the sport of a session, the type of a track.
    case chosen
    /// A word of a name that a person or a program gave.
    case named
  }

  /// When it begins, on the clock of the fixes.
  public var start: Timestamp
  /// When it ends, not before ``start``.
  public var end: Timestamp
  /// What is stated.
  public var kind: Kind
  /// The name of the system that states it, for the user.
  public var source: String
  /// How sure the system is of it, 0 to 1; nil when it does not tell.
  public var probability: Double?
  /// How the statement came about.
  public var basis: Basis
  /// What the device measured over the whole of it; nil when it tells nothing.
  public var totals: StatedTotals?
  /// The name of the place of a visit; nil when it is not told.
  public var place: String?

  /// A statement; an invalid radius, distance or probability (negative or not finite) becomes nil.
  ///
  /// Nil when it ends before it starts, or is a visit to a place that is not on Earth.
  public init?(
    _ kind: Kind, from start: Timestamp, to end: Timestamp, source: String,
    probability: Double? = nil, basis: Basis = .inferred, totals: StatedTotals? = nil,
    place: String? = nil
  ) {
    guard start <= end else { return nil }
    switch kind {
    case .visit(let latitude, let longitude, let radius):
      guard abs(latitude) <= 90, abs(longitude) <= 360 else { return nil }
      self.kind = .visit(
        latitude: latitude, longitude: longitude, radius: Self.nonNegative(radius))
    case .activity(let name, let distance):
      self.kind = .activity(name: name, distance: Self.nonNegative(distance))
    case .pause, .unrecorded: self.kind = kind
    }
    self.start = start
    self.end = end
    self.source = source
    self.probability = Self.nonNegative(probability).flatMap { $0 <= 1 ? $0 : nil }
    self.basis = basis
    self.totals = totals
    self.place = place
  }

  /// Whether it is a visit to a place.
  public var isVisit: Bool { if case .visit = kind { true } else { false } }

  /// Whether it is an activity.
  public var isActivity: Bool { if case .activity = kind { true } else { false } }

  /// Whether it is a session: an activity that a person or a device chose or named.
  package var isSession: Bool { isActivity && basis != .inferred }

  static func nonNegative(_ value: Double?) -> Double? {
    value.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
  }
}

/// What a device or a program says that it measured of an activity, for comparison: a timeline's
/// own figures don't depend on it.
public struct StatedTotals: Hashable, Sendable {
  /// The way, metres.
  public var distance: Double?
  /// The time in motion, or else that of the timer, seconds.
  public var movingSeconds: Double?
  /// The time from start to end with all pauses, seconds.
  public var elapsedSeconds: Double?
  /// What was climbed, metres.
  public var climb: Double?
  /// What was descended, metres.
  public var descent: Double?

  /// The totals that are told; nil when none is, and a negative or infinite one counts as not told,
  /// as does a time of 0.
  public init?(
    distance: Double? = nil, movingSeconds: Double? = nil, elapsedSeconds: Double? = nil,
    climb: Double? = nil, descent: Double? = nil
  ) {
    self.distance = StatedInterval.nonNegative(distance)
    self.movingSeconds = StatedInterval.nonNegative(movingSeconds).flatMap { $0 > 0 ? $0 : nil }
    self.elapsedSeconds = StatedInterval.nonNegative(elapsedSeconds).flatMap { $0 > 0 ? $0 : nil }
    self.climb = StatedInterval.nonNegative(climb)
    self.descent = StatedInterval.nonNegative(descent)
    let all = [self.distance, self.movingSeconds, self.elapsedSeconds, self.climb, self.descent]
    guard all.contains(where: { $0 != nil }) else { return nil }
  }

  /// The sum over parts that follow each other, of what all of them tell.
  package static func + (first: Self, second: Self) -> Self? {
    func sum(_ a: Double?, _ b: Double?) -> Double? { a.flatMap { a in b.map { a + $0 } } }
    return Self(
      distance: sum(first.distance, second.distance),
      movingSeconds: sum(first.movingSeconds, second.movingSeconds),
      elapsedSeconds: sum(first.elapsedSeconds, second.elapsedSeconds),
      climb: sum(first.climb, second.climb), descent: sum(first.descent, second.descent))
  }
}

#if !hasFeature(Embedded)
  extension StatedInterval: Codable {}
  extension StatedInterval.Kind: Codable {}
  extension StatedInterval.Basis: Codable {}
  extension StatedTotals: Codable {}
#endif
