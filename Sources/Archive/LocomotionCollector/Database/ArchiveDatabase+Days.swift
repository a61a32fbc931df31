internal import LocomotionSensing

extension ArchiveDatabase {
  /// The stored days of a user, of all devices, in order of date and device.
  public func days(of user: String) throws(DatabaseError) -> [StoredDay] {
    let what = "listing days"
    return try connection.transaction(what, as: user) { () throws(DatabaseError) in
      try connection.rows(
        what,
        """
        SELECT date, device, revision, is_final, is_primary, time_zone, start_ns, end_ns,
          recorded_seconds, stay_seconds, distance, steps
        FROM archive.days WHERE user_name = $1 ORDER BY date, device
        """, [.text(user)]
      ) { (row: PostgresRow) throws(DatabaseError) in
        StoredDay(
          date: try row.text(0), device: try row.text(1), revision: try row.integer(2),
          isFinal: try row.boolean(3), isPrimary: try row.boolean(4),
          timeZone: try row.text(5), start: try row.timestamp(6), end: try row.timestamp(7),
          recordedSeconds: try row.real(8), staySeconds: try row.real(9),
          distance: try row.optionalReal(10), steps: try row.real(11))
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
  public func dayJSON(
    of user: String, date: String, device: String? = nil
  ) throws(DatabaseError) -> String? {
    let what = "reading a day"
    try DayRow.check(date: date, what)
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
}
