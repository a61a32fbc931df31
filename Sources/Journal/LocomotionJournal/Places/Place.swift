package import Locomotion

struct PlaceRecord: StoredRow {
  static let layout = RowLayout<Self>(
    "places",
    [
      .key(\.key), Column("name", \.name), Column("latitude", \.place.latitude),
      Column("longitude", \.place.longitude), Column("radius", \.place.radius),
      Column("is_learned", \.place.isLearned), .dropped("checksum"),
    ])

  private var user: Int64 = 0
  var place = Place(name: nil, latitude: 0, longitude: 0)

  var key: Int64 {
    get { StoreFormat.key(user: user, index: place.id) }
    set { (user, place.id) = (newValue >> StoreFormat.indexBits, StoreFormat.index(of: newValue)) }
  }

  private var name: String {
    get { place.name ?? "" }
    set { place.name = newValue.isEmpty ? nil : newValue }
  }
}

extension PlaceRecord {
  init(user: Int64, _ place: Place) {
    (self.user, self.place) = (user, place)
  }
}

extension Place {
  /// The place as its row holds it.
  var storable: Place {
    var place = self
    // Bound as text, a string would end at its first NUL.
    let name = name?.replacing("\0", with: "") ?? ""
    place.name = name.isEmpty ? nil : name
    // SQLite drops the sign of zero.
    if latitude == 0 { place.latitude = 0 }
    if longitude == 0 { place.longitude = 0 }
    return place
  }

  /// Checks that a journal can store the place; called before one is created for it.
  ///
  /// - Throws: ``JournalError/invalidPlace(reason:)``.
  package func validate() throws(JournalError) {
    for (isFit, reason) in [
      (abs(latitude) <= 90, "latitude beyond ±90 degrees"),
      (abs(longitude) <= 180, "longitude beyond ±180 degrees"),
      (0...1_000 ~= radius, "a radius must be 0 to 1000 metres"),
      (name?.utf8.count ?? 0 <= 1_024, "a name must have at most 1024 bytes"),
    ] where !isFit { throw .invalidPlace(reason: reason) }
  }
}
