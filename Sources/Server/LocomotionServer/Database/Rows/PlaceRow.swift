/// A place that one device's journal remembers.
struct PlaceRow: Hashable, Sendable {
  /// The place's number, unique on its device.
  var number: Int
  /// The user's name for it; nil when nobody named it.
  var name: String?
  /// Geodetic latitude of its centre on WGS 84, degrees, −90 to 90.
  var latitude: Double
  /// Geodetic longitude of its centre on WGS 84, degrees, −180 to 180.
  var longitude: Double
  /// The radius, metres.
  var radius: Double
  /// Whether it was learned from a stay, and the user has neither named nor added it.
  var isLearned: Bool

  /// A row from its values.
  init(
    number: Int, name: String?, latitude: Double, longitude: Double, radius: Double,
    isLearned: Bool
  ) {
    self.number = number
    self.name = name
    self.latitude = latitude
    self.longitude = longitude
    self.radius = radius
    self.isLearned = isLearned
  }
}
