public import Locomotion

/// The description of a place to add to a journal.
public struct PlaceDescription: Hashable, Sendable {
  /// The user's name for it; nil, or empty, for none.
  public var name: String?
  /// Geodetic latitude of its centre on WGS 84, degrees, −90 to 90.
  public var latitude: Double
  /// Geodetic longitude of its centre on WGS 84, degrees, −180 to 180.
  public var longitude: Double
  /// The radius, metres, 0 to 1000.
  public var radius: Double

  /// A place from its parts.
  public init(name: String?, latitude: Double, longitude: Double, radius: Double = 60) {
    self.name = name
    self.latitude = latitude
    self.longitude = longitude
    self.radius = radius
  }

  init(_ place: Place) {
    self.init(
      name: place.name, latitude: place.latitude, longitude: place.longitude,
      radius: place.radius)
  }
}

/// A place and its distance from the point of a query.
public struct NearbyPlace: Hashable, Sendable {
  /// The place.
  public let place: Place
  /// The length of the geodesic to its centre, metres.
  public let distance: Double
}

struct PlaceRecord: StoredRow {
  static let layout = RowLayout<Self>(
    "places",
    [
      .key(\.key), Column("name", \.name), Column("latitude", \.latitude),
      Column("longitude", \.longitude), Column("radius", \.radius),
      Column("is_learned", \.isLearned), .dropped("checksum"),
    ])

  private(set) var key: Int64 = 0
  var name = ""
  var latitude = 0.0
  var longitude = 0.0
  private var radius = 0.0
  var isLearned = false

  var place: Place {
    Place(
      id: StoreFormat.index(of: key), name: name.isEmpty ? nil : name, latitude: latitude,
      longitude: longitude, radius: radius, isLearned: isLearned)
  }

  init() {}

  init(user: Int64, _ place: Place) {
    key = StoreFormat.key(user: user, index: place.id)
    name = place.name ?? ""
    (latitude, longitude, radius) = (place.latitude, place.longitude, place.radius)
    isLearned = place.isLearned
  }
}
