/// What another system states of an interval of time: a visit to a place, or an activity.
///
/// Google's timeline, Arc, Moves, a phone's own visits and the regions of OwnTracks give such
/// intervals beside fixes, or in place of them. They are the conclusions of that system and no
/// measurements: evidence for a timeline, of which the source may be wrong.
public struct StatedInterval: Hashable, Sendable {
  /// What is stated.
  public enum Kind: Hashable, Sendable {
    /// Being at a place: degrees on WGS 84, and the metres around it; nil when they are not told.
    case visit(latitude: Double, longitude: Double, radius: Double?)
    /// Doing something, by its name in lower case as labels have it ("walking", "car", "metro"),
    /// over a distance in metres; each nil when it is not told.
    case activity(name: String?, distance: Double?)
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

  /// A statement; an invalid radius, distance or probability (negative or not finite) becomes nil.
  ///
  /// Nil when it ends before it starts, or is a visit to a place that is not on Earth.
  public init?(
    _ kind: Kind, from start: Timestamp, to end: Timestamp, source: String,
    probability: Double? = nil
  ) {
    guard start <= end else { return nil }
    switch kind {
    case .visit(let latitude, let longitude, let radius):
      guard abs(latitude) <= 90, abs(longitude) <= 360 else { return nil }
      self.kind = .visit(
        latitude: latitude, longitude: longitude, radius: Self.nonNegative(radius))
    case .activity(let name, let distance):
      self.kind = .activity(name: name, distance: Self.nonNegative(distance))
    }
    self.start = start
    self.end = end
    self.source = source
    self.probability = Self.nonNegative(probability).flatMap { $0 <= 1 ? $0 : nil }
  }

  /// Whether it is a visit to a place.
  public var isVisit: Bool { if case .visit = kind { true } else { false } }

  private static func nonNegative(_ value: Double?) -> Double? {
    value.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
  }
}
