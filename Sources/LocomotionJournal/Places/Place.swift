internal import CLocomotionMath
internal import LocomotionPositioning

/// The description of a place to add to a journal.
public struct PlaceDescription: Hashable, Sendable {
  /// The user's name for it; empty for none.
  public var name: String
  /// Geodetic latitude of its centre on WGS 84, degrees, −90 to 90.
  public var latitude: Double
  /// Geodetic longitude of its centre on WGS 84, degrees, −180 to 180.
  public var longitude: Double
  /// The radius, metres, 0 to 1000.
  public var radius: Double

  /// A place from its parts.
  public init(name: String, latitude: Double, longitude: Double, radius: Double = 60) {
    self.name = name
    self.latitude = latitude
    self.longitude = longitude
    self.radius = radius
  }
}

/// A place that a journal stores for one user.
public struct Place: Hashable, Sendable {
  /// The place's number; never used twice for a user's places.
  public let id: Int
  /// The user's name for it; empty when it was learned from stays and nobody named it.
  public let name: String
  /// Geodetic latitude of its centre on WGS 84, degrees.
  public let latitude: Double
  /// Geodetic longitude of its centre on WGS 84, degrees.
  public let longitude: Double
  /// The radius, metres.
  public let radius: Double
  /// Whether it was learned from a stay, and the user has neither named nor added it.
  public let isLearned: Bool
}

/// A place and its distance from the point of a query.
public struct NearbyPlace: Hashable, Sendable {
  /// The place.
  public let place: Place
  /// The length of the geodesic to its centre, metres.
  public let distance: Double
}

/// A row of the table `places`.
struct PlaceRecord: StoredRow {
  static let table = "places"
  static let columns = "id, name, latitude, longitude, radius, is_learned, checksum"
  static let insertion = statement(columns: 7)

  let key: Int64
  let place: Place

  init(user: Int64, _ place: Place) {
    key = StoreFormat.key(user: user, index: place.id)
    self.place = place
  }

  init?(_ row: SQLiteRow) throws(JournalError) {
    try self.init(row, from: 0)
  }

  init?(_ row: SQLiteRow, from column: Int) throws(JournalError) {
    guard let key = row.optionalInteger(column), let name = row.text(column + 1),
      let latitude = row.real(column + 2), let longitude = row.real(column + 3),
      let radius = row.real(column + 4)
    else { return nil }
    self.key = key
    place = Place(
      id: Int(key & (1 << StoreFormat.indexBits - 1)), name: name, latitude: latitude,
      longitude: longitude, radius: radius, isLearned: try row.integer(column + 5) != 0)
    guard row.optionalInteger(column + 6) == Int64(checksum) else { return nil }
  }

  var values: [SQLiteValue] {
    [
      .text(place.name), SQLiteValue(place.latitude), SQLiteValue(place.longitude),
      SQLiteValue(place.radius), .integer(place.isLearned ? 1 : 0),
    ]
  }

  /// Inserts the point into the R*Tree.
  func index(in connection: SQLiteConnection) throws(JournalError) {
    let user = Double(key >> StoreFormat.indexBits)
    let point = EarthPoint(latitude: place.latitude, longitude: place.longitude)
    // The user's interval has a length: boxes of volume 0 would all be equal to the R*Tree.
    try connection.run(
      "INSERT INTO place_index VALUES (?,?,?,?,?,?,?,?,?)",
      [
        .integer(key), .real(user), .real(user + 0.5), .real(point.x), .real(point.x),
        .real(point.y), .real(point.y), .real(point.z), .real(point.z),
      ])
  }
}

/// A point of the WGS 84 ellipsoid in metres along the Earth's axes: to the Greenwich meridian, to
/// 90° east and to the north pole.
///
/// These coordinates have no seam at the antimeridian or the poles. A chord is never longer than
/// the geodesic, so that a box with the half-width of a radius contains whatever is within that
/// radius.
struct EarthPoint {
  let x: Double, y: Double, z: Double

  init(latitude: Double, longitude: Double) {
    let degree = Double.pi / 180
    let squaredEccentricity = 6.694_379_990_141_4e-3
    let sine = sin(latitude * degree)
    let normal = 6_378_137 / (1 - squaredEccentricity * sine * sine).squareRoot()
    x = normal * cos(latitude * degree) * cos(longitude * degree)
    y = normal * cos(latitude * degree) * sin(longitude * degree)
    z = normal * (1 - squaredEccentricity) * sine
  }

  /// The length of the chord to another point, metres.
  func chord(to other: EarthPoint) -> Double {
    let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
    return (dx * dx + dy * dy + dz * dz).squareRoot()
  }
}
