/// A place that a person's journal knows.
public struct Place: Hashable, Sendable {
  /// The place's number; never used twice for a user's places.
  public let id: Int
  /// The user's name for it; nil when nobody named it.
  public let name: String?
  /// Geodetic latitude of its centre on WGS 84, degrees.
  public let latitude: Double
  /// Geodetic longitude of its centre on WGS 84, degrees.
  public let longitude: Double
  /// The radius, metres.
  public let radius: Double
  /// Whether it was learned from a stay, and the user has neither named nor added it.
  public let isLearned: Bool

  /// A place from its parts.
  public init(
    id: Int, name: String?, latitude: Double, longitude: Double, radius: Double, isLearned: Bool
  ) {
    self.id = id
    self.name = name
    self.latitude = latitude
    self.longitude = longitude
    self.radius = radius
    self.isLearned = isLearned
  }
}
