internal import Locomotion
import LocomotionJournal
import LocomotionSensing

extension ArchiveDatabase {
  /// The stored days of a user, of all devices, in order of date and device.
  func days(of user: String) throws(DatabaseError) -> [StoredDay] {
    let what = "listing days"
    return try connection.transaction(what, as: user) { () throws(DatabaseError) in
      try connection.rows(
        what,
        """
        SELECT date, device, revision, is_final, is_primary, time_zone, start_ns, end_ns,
          recorded_seconds, distance, steps
        FROM archive.days WHERE user_name = $1 ORDER BY date, device
        """, [.text(user)]
      ) { (row: PostgresRow) throws(DatabaseError) in
        StoredDay(
          date: try row.text(0), device: try row.text(1), revision: try row.integer(2),
          isFinal: try row.boolean(3), isPrimary: try row.boolean(4),
          timeZone: try row.text(5), start: try row.timestamp(6).seconds,
          end: try row.timestamp(7).seconds, recorded: try row.real(8),
          distance: try row.optionalReal(9), steps: try row.real(10))
      }
    }
  }

  /// The storyline of a date, byte for byte as it was stored, or nil when there is none.
  ///
  /// - Parameters:
  ///   - user: Whose day.
  ///   - date: The civil date, `YYYY-MM-DD`.
  ///   - device: The device; nil for the primary one.
  /// - Returns: The text.
  /// - Throws: ``DatabaseError/invalidRow(what:field:expected:)`` for another form of date, and
  ///   the errors of the connection.
  func dayJSON(
    of user: String, date: String, device: String? = nil
  ) throws(DatabaseError) -> String? {
    let what = "reading a day"
    guard date.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil else {
      throw .invalidRow(what: what, field: "a date", expected: "YYYY-MM-DD")
    }
    return try connection.transaction(what, as: user) { () throws(DatabaseError) in
      try connection.rows(
        what,
        """
        SELECT json FROM archive.days
        WHERE user_name = $1 AND date = $2
          AND CASE WHEN $3::text IS NULL THEN is_primary ELSE device = $3 END
        """, [.text(user), .text(date), device.map { .text($0) } ?? .null]
      ) { (row: PostgresRow) throws(DatabaseError) in try row.text(0) }.first
    }
  }

  /// Stores a day of a device as its JSON, from which the database computes all else.
  ///
  /// A day whose text, times or finality differ from the stored ones gets the next revision, and
  /// an equal one keeps its own. The primary device of the date is chosen anew; see
  /// `archive.choose_primary` in the schema.
  ///
  /// - Parameters:
  ///   - day: The day.
  ///   - paths: The path of each leg, by its start; only the coordinates count.
  ///   - user: Whose day.
  ///   - device: The device, of which the archive has units.
  /// - Throws: ``DatabaseError/conflict(what:constraint:)`` when the device is unknown, for
  ///   instance because the user was erased; ``DatabaseError/invalidRow(what:field:expected:)``
  ///   for coordinates off the Earth or what cannot be written as JSON.
  func store(
    _ day: Day, with paths: [Timestamp: [LocationFix]], of user: String, device: String
  ) throws(DatabaseError) {
    let what = "storing a day"
    for point in paths.values.joined() {
      try Self.check(point.latitude, point.longitude, what)
    }
    for case .stay(let stay) in day.items {
      guard let location = stay.location else { continue }
      try Self.check(location.latitude, location.longitude, what)
    }
    guard let text = try? day.json, let exact = try? day.exactJSON(with: paths) else {
      throw .invalidRow(what: what, field: "a day", expected: "numbers that JSON has")
    }
    try connection.transaction(what, as: user, locks: [Self.derivation]) {
      () throws(DatabaseError) in
      try connection.run(
        what, "SELECT archive.store_day($1, $2, $3, $4, $5)",
        [.text(user), .text(device), .text(day.date.date("-")), .text(text), .text(exact)])
    }
  }

  /// Deletes a day of a device, if there is one, and chooses the primary device of its date anew.
  func removeDay(_ date: String, of user: String, device: String) throws(DatabaseError) {
    let what = "deleting a day"
    try connection.transaction(what, as: user, locks: [Self.derivation]) {
      () throws(DatabaseError) in
      try connection.run(
        what, "SELECT archive.remove_day($1, $2, $3)",
        [.text(user), .text(device), .text(date)])
    }
  }

  /// - Throws: ``DatabaseError/invalidRow(what:field:expected:)``: PostGIS would wrap coordinates
  ///   around the Earth.
  static func check(
    _ latitude: Double, _ longitude: Double, _ what: String
  ) throws(DatabaseError) {
    guard (-90...90).contains(latitude) else {
      throw .invalidRow(what: what, field: "a latitude", expected: "-90 to 90 degrees")
    }
    guard (-180...180).contains(longitude) else {
      throw .invalidRow(what: what, field: "a longitude", expected: "-180 to 180 degrees")
    }
  }
}
