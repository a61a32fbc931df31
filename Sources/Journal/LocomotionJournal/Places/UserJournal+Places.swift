public import Locomotion

extension UserJournal {
  /// Adds a place as the user's own, whatever its number and whether it was learned.
  ///
  /// - Returns: The place with its number.
  /// - Throws: ``JournalError/invalidPlace(reason:)``.
  @discardableResult
  public func addPlace(_ place: Place) throws(JournalError) -> Place {
    try writing { (user) throws(JournalError) in
      try place.validate()
      var days = try daysRecord(user)
      var own = place
      own.isLearned = false
      own = try add(own, to: &days)
      try days.write(to: connection)
      return own
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
  /// - Returns: The places, nearest first, with the lengths of the geodesics to them, metres.
  /// - Throws: ``JournalError/invalidPlace(reason:)`` when the point isn't on the Earth.
  /// - Complexity: O(number of the user's places).
  public func places(
    within radius: Double, ofLatitude latitude: Double, longitude: Double
  ) throws(JournalError) -> [(place: Place, distance: Double)] {
    try Place(name: nil, latitude: latitude, longitude: longitude).validate()
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
      (record.place.name, record.place.isLearned) = (name, false)
      try record.place.validate()
      record.place = record.place.storable
      try record.write(to: connection)
    }
  }

  /// Removes a place; stays there then have none.
  ///
  /// - Throws: ``JournalError/unknownPlace``.
  public func removePlace(_ id: Int) throws(JournalError) {
    try writing { (_) throws(JournalError) in try remove(place(id)) }
  }

  /// Says that a place is another one: the stays there are at that other one, also later ones.
  ///
  /// It is an edit, which ``removeEdit(_:)`` takes back. ``places()`` leaves the merged place out.
  ///
  /// - Throws: ``JournalError/unknownPlace``; ``JournalError/invalidEdit(reason:)`` for a place and
  ///   itself, and before there is an item.
  public func mergePlace(_ id: Int, into other: Int) throws(JournalError) {
    _ = try (userRecord(), place(id), place(other))
    let merged = try mergedPlaces()
    guard id != other, merged[other] == nil else {
      throw .invalidEdit(reason: "a place cannot be merged into itself or a merged one")
    }
    guard let span = try daySpan() else {
      throw .invalidEdit(reason: "there is no stay yet: remove the place instead")
    }
    try add(.samePlace(id, as: other), span.start, span.end)
  }

  /// Says that a stay is at a place of its own, with those of its place that are nearer to it.
  ///
  /// Adds the place, and an edit for each of the stays. Later stays are at the nearer of the two.
  ///
  /// - Parameters:
  ///   - start: The first instant of a part of the stay.
  ///   - end: The first instant after it.
  ///   - name: The name of the new place; nil for none.
  /// - Returns: The new place.
  /// - Throws: ``JournalError/invalidEdit(reason:)`` when no stay with a location and a place takes
  ///   most of that time.
  @discardableResult
  public func splitPlace(
    atStayFrom start: Timestamp, to end: Timestamp, name: String? = nil
  ) throws(JournalError) -> Place {
    _ = try userRecord()
    let segments = try rows(ItemRecord.self).map(\.segment)
    let stays = DayEdit.apply(try storedEdits(), to: segments).filter { $0.kind == .stay }
    let stay = stays.first { stay in
      let common = min(end, stay.end).seconds(since: max(start, stay.start))
      return common > end.seconds(since: start) / 2
    }
    guard let stay, let location = stay.location, let old = stay.place else {
      throw .invalidEdit(reason: "no stay with a location at a place takes most of that time")
    }
    let centre = try place(old).place
    let apart = centre.distance(to: location)
    let new = try addPlace(
      Place(
        name: name, latitude: location.latitude, longitude: location.longitude,
        radius: min(apart / 2, PlaceRecogniser.ownReach)))
    for other in stays where other.place == old {
      guard let location = other.location else { continue }
      let isNearer = new.distance(to: location) < centre.distance(to: location)
      if isNearer || other == stay { try setPlace(new.id, from: other.start, to: other.end) }
    }
    return new
  }

  // MARK: Rows

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

  /// Adds a place, whatever its number.
  func add(_ place: Place, to days: inout DaysRecord) throws(JournalError) -> Place {
    var place = place.storable
    place.id = days.nextPlace
    try PlaceRecord(user: number, place).write(to: connection)
    days.nextPlace += 1
    return place
  }

  /// The places near a point; see the public call.
  func nearby(
    within radius: Double, ofLatitude latitude: Double, longitude: Double
  ) throws(JournalError) -> [(place: Place, distance: Double)] {
    // The shortest degree of latitude, at the equator, has 110,574 m.
    let reach = radius / 110_000
    let records: [PlaceRecord] = try connection.rows(
      StoreFormat.keys(ofUser: number) + [.real(latitude - reach), .real(latitude + reach)],
      and: "latitude BETWEEN ? AND ?")
    return PlaceRecogniser(records.map(\.place)).near(latitude, longitude, within: radius)
      .sorted { ($0.distance, $0.place.id) < ($1.distance, $1.place.id) }
  }

  /// The places that are others, by the user's edits.
  func mergedPlaces() throws(JournalError) -> [Int: Int] {
    var result: [Int: Int] = [:]
    for edit in try storedEdits() {
      if case .samePlace(let number, let other) = edit.change { result[number] = other }
    }
    return result
  }
}
