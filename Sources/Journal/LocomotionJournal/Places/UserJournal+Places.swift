public import Locomotion
internal import LocomotionPositioning

extension UserJournal {
  /// Adds a place.
  ///
  /// - Returns: The place with its number.
  /// - Throws: ``JournalError/invalidPlace(reason:)``.
  @discardableResult
  public func addPlace(_ place: PlaceDescription) throws(JournalError) -> Place {
    try addPlaces([place])[0]
  }

  /// Adds places, all of them or, when this throws, none.
  ///
  /// - Returns: The places with their numbers, in the same order.
  /// - Throws: ``JournalError/invalidPlace(reason:)``.
  @discardableResult
  public func addPlaces(_ places: [PlaceDescription]) throws(JournalError) -> [Place] {
    try writing { (user) throws(JournalError) in
      for place in places { try place.validate() }
      var days = try daysRecord(user)
      var result: [Place] = []
      for place in places {
        result.append(try add(place, isLearned: false, to: &days))
      }
      try days.write(to: connection)
      return result
    }
  }

  /// All places of the user but those that are others by ``mergePlace(_:into:)``, in the order of
  /// their numbers.
  public func places() throws(JournalError) -> [Place] {
    try reading { (_) throws(JournalError) in
      let merged = try mergedPlaces()
      return try rows(PlaceRecord.self).map(\.place).filter { merged[$0.id] == nil }
    }
  }

  /// The places of the user whose centres are within `radius` metres of a point, nearest first.
  ///
  /// Distances are those of `Geodesic`. Places at the same distance come in the order of their
  /// numbers.
  ///
  /// - Parameters:
  ///   - radius: Metres; nothing is within a negative one.
  ///   - latitude: Degrees, −90 to 90.
  ///   - longitude: Degrees, −180 to 180.
  /// - Returns: The places, nearest first.
  /// - Throws: ``JournalError/invalidPlace(reason:)`` when the point isn't on the Earth.
  /// - Complexity: O(log n + places found).
  public func places(
    within radius: Double, ofLatitude latitude: Double, longitude: Double
  ) throws(JournalError) -> [NearbyPlace] {
    try PlaceDescription(name: nil, latitude: latitude, longitude: longitude, radius: 0).validate()
    guard !radius.isNaN else { throw .invalidPlace(reason: "a radius must be a number") }
    return try reading { (_) throws(JournalError) in
      try nearby(within: radius, ofLatitude: latitude, longitude: longitude)
    }
  }

  /// Renames a place, nil or an empty text for no name; a learned place becomes the user's own.
  ///
  /// - Throws: ``JournalError/unknownPlace``, ``JournalError/invalidPlace(reason:)``.
  public func renamePlace(_ id: Int, to name: String?) throws(JournalError) {
    try writing { (_) throws(JournalError) in
      var record = try place(id)
      try PlaceDescription(name: name, latitude: 0, longitude: 0).validate()
      (record.name, record.isLearned) = (Self.stored(name) ?? "", false)
      try record.write(to: connection)
    }
  }

  /// Removes a place; stays there then have none.
  ///
  /// Traces of its coordinates may stay in the file's index until ``Journal/vacuum()`` or an
  /// erasure.
  ///
  /// - Throws: ``JournalError/unknownPlace``.
  public func removePlace(_ id: Int) throws(JournalError) {
    try writing { (_) throws(JournalError) in try remove(place(id)) }
  }

  // MARK: Rows

  private static func stored(_ name: String?) -> String? {
    // Bound as text, a string would end at its first NUL.
    let name = name?.replacing("\0", with: "") ?? ""
    return name.isEmpty ? nil : name
  }

  func place(_ id: Int) throws(JournalError) -> PlaceRecord {
    guard let record = try placeIfAny(id) else { throw .unknownPlace }
    return record
  }

  /// The place with a number; nil where the user has removed it.
  func placeIfAny(_ id: Int) throws(JournalError) -> PlaceRecord? {
    guard 0..<(1 << StoreFormat.indexBits) ~= Int64(id) else { return nil }
    let key = StoreFormat.key(user: number, index: id)
    let found: [PlaceRecord] = try connection.rows([.integer(key), .integer(key + 1)])
    return found.first
  }

  /// A place as it is stored.
  static func place(_ id: Int, _ place: PlaceDescription, isLearned: Bool) -> Place {
    Place(
      id: id, name: stored(place.name),
      // SQLite drops the sign of zero.
      latitude: place.latitude == 0 ? 0 : place.latitude,
      longitude: place.longitude == 0 ? 0 : place.longitude, radius: place.radius,
      isLearned: isLearned)
  }

  package func add(
    _ place: PlaceDescription, isLearned: Bool, to days: inout DaysRecord
  ) throws(JournalError) -> Place {
    let place = Self.place(days.nextPlace, place, isLearned: isLearned)
    try insert(PlaceRecord(user: number, place))
    days.nextPlace += 1
    return place
  }

  func insert(_ record: PlaceRecord) throws(JournalError) {
    try record.write(to: connection)
    try record.index(in: connection)
  }

  func remove(_ record: PlaceRecord) throws(JournalError) {
    for table in ["places", "place_index"] { try connection.delete(record.key, from: table) }
  }

  /// Up to this number all places are read, which no damage to the index can hide.
  private static let fewPlaces = 500

  /// The places near a point; see the public call.
  func nearby(
    within radius: Double, ofLatitude latitude: Double, longitude: Double
  ) throws(JournalError) -> [NearbyPlace] {
    let count = try connection.integer(
      "SELECT count(*) FROM places WHERE id >= ? AND id < ?", StoreFormat.keys(ofUser: number))
    let records: [PlaceRecord] =
      count ?? 0 <= Self.fewPlaces
      ? try rows()
      : try indexed(
        within: radius, of: WGS84.earthCentred(latitude: latitude, longitude: longitude))
    return PlaceRecogniser(records.map(\.place)).near(latitude, longitude, within: radius)
      .sorted { ($0.distance, $0.place.id) < ($1.distance, $1.place.id) }
  }

  /// The places whose boxes in the R*Tree are within `radius` of a point along each axis.
  private func indexed(
    within radius: Double, of centre: SIMD3<Double>
  ) throws(JournalError) -> [PlaceRecord] {
    // The rounding of a coordinate is below a millionth of a metre.
    let reach = radius + 1e-6
    var box = [SQLiteValue.real(Double(number)), .real(Double(number))]
    for place in [centre.x, centre.y, centre.z] {
      box += [.real(place + reach), .real(place - reach)]
    }
    let keys: [Int64] = try connection.column(
      """
      SELECT id FROM place_index WHERE u0 <= ? AND u1 >= ? \
      AND x0 <= ? AND x1 >= ? AND y0 <= ? AND y1 >= ? AND z0 <= ? AND z1 >= ?
      """, box)
    var result: [PlaceRecord] = []
    // Beyond 2²³ users the R*Tree rounds their numbers.
    for key in keys where key >> StoreFormat.indexBits == number {
      result.append(try connection.row(key, orElse: "a row of places"))
    }
    return result
  }
}

extension PlaceDescription {
  /// Checks that a journal can store the place; called before one is created for it.
  ///
  /// - Throws: ``JournalError/invalidPlace(reason:)``.
  package func validate() throws(JournalError) {
    guard abs(latitude) <= 90 else { throw .invalidPlace(reason: "latitude beyond ±90 degrees") }
    guard abs(longitude) <= 180 else {
      throw .invalidPlace(reason: "longitude beyond ±180 degrees")
    }
    guard 0...1_000 ~= radius else {
      throw .invalidPlace(reason: "a radius must be 0 to 1000 metres")
    }
    guard name?.utf8.count ?? 0 <= 1_024 else {
      throw .invalidPlace(reason: "a name must have at most 1024 bytes")
    }
  }
}
