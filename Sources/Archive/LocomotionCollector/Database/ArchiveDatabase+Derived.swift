public import LocomotionSensing

extension ArchiveDatabase {
  /// Stores the days of a device that a derivation has computed anew, in one transaction.
  ///
  /// A day whose totals or text differ from the stored ones gets the next revision, and an equal
  /// one keeps its own. Days of the device that begin in the interval and are not among `days`
  /// are deleted. On each date, the device that recorded most is the primary one; of equal ones,
  /// the one whose name sorts first.
  ///
  /// - Parameters:
  ///   - days: The days, each date once.
  ///   - user: Whose days.
  ///   - device: The device, of which the archive has units.
  ///   - start: The first instant of what was computed anew.
  ///   - end: The first instant after it.
  /// - Throws: ``DatabaseError/conflict(what:constraint:)`` when the device is unknown, for
  ///   instance because the user was erased; ``DatabaseError/invalidRow(what:field:expected:)``.
  public func replace(
    _ days: [DayRow], of user: String, device: String, from start: Timestamp, to end: Timestamp
  ) throws(DatabaseError) {
    let what = "storing days"
    for day in days { try day.check(what) }
    let owner = [PostgresValue.text(user), .text(device)]
    try connection.transaction(what, as: user, locks: [Self.derivation]) {
      () throws(DatabaseError) in
      let dates = PostgresValue.array(dates: days.map(\.date))
      let removed = try connection.rows(
        what,
        """
        DELETE FROM archive.days
        WHERE user_name = $1 AND device = $2 AND start_ns >= $3 AND start_ns < $4
          AND NOT date = ANY ($5::date[])
        RETURNING date
        """, owner + [PostgresValue(start), PostgresValue(end), dates]
      ) { (row: PostgresRow) throws(DatabaseError) in try row.text(0) }
      for day in days { try store(day, owner, what) }
      try connection.run(
        what,
        """
        UPDATE archive.days AS day SET is_primary = NOT day.is_primary
        FROM (
          SELECT DISTINCT ON (date) date, device FROM archive.days
          WHERE user_name = $1 AND date = ANY ($2::date[])
          ORDER BY date, recorded_seconds DESC, device
        ) AS best
        WHERE day.user_name = $1 AND day.date = best.date
          AND day.is_primary <> (day.device = best.device)
        """, [owner[0], PostgresValue.array(dates: days.map(\.date) + removed)])
    }
  }

  private func store(
    _ day: DayRow, _ owner: [PostgresValue], _ what: String
  ) throws(DatabaseError) {
    let key = owner + [.text(day.date)]
    let content: [PostgresValue] = [
      .boolean(day.isFinal), .prose(day.timeZone), PostgresValue(day.start),
      PostgresValue(day.end), PostgresValue(day.recordedSeconds),
      PostgresValue(day.staySeconds), PostgresValue(day.distance), PostgresValue(day.steps),
      .text(day.json),
    ]
    let columns = """
      is_final, time_zone, start_ns, end_ns, recorded_seconds, stay_seconds, distance, steps, json
      """
    func all(_ table: String) -> String {
      columns.split(separator: ", ").map { "\(table).\($0)" }.joined(separator: ", ")
    }
    try connection.run(
      what,
      """
      INSERT INTO archive.days AS stored (user_name, device, date, \(columns))
      VALUES \(PostgresConnection.placeholders(rows: 1, columns: 12))
      ON CONFLICT (user_name, device, date) DO UPDATE
      SET (\(columns), revision, updated) =
        (\(all("excluded")), stored.revision + 1, now())
      WHERE (\(all("stored"))) IS DISTINCT FROM (\(all("excluded")))
      """, key + content)
    try replaceRows(
      of: "travel", at: key, ["user_name", "device", "date"],
      ["activity", "seconds", "distance", "steps"],
      day.travel.map {
        [
          .prose($0.activity), PostgresValue($0.seconds), PostgresValue($0.distance),
          PostgresValue($0.steps),
        ]
      }, what)
    try replaceRows(
      of: "items", at: key, ["user_name", "device", "date"], ItemRow.columns,
      ItemRow.values(of: day.items), what)
  }

  /// Stores all measurements of a device in place of those that are stored.
  ///
  /// - Throws: As ``replace(_:of:device:from:to:)``.
  public func replaceMeasurements(
    _ measurements: [MeasurementRow], of user: String, device: String
  ) throws(DatabaseError) {
    try replaceAll(
      of: "measurements", user, device,
      ["number", "modality", "start_ns", "end_ns", "samples", "fixes"],
      measurements.map {
        [
          PostgresValue($0.number), PostgresValue(prose: $0.modality), PostgresValue($0.start),
          PostgresValue($0.end), PostgresValue($0.samples), PostgresValue($0.fixes),
        ]
      })
  }

  /// Stores all places of a device in place of those that are stored.
  ///
  /// - Throws: As ``replace(_:of:device:from:to:)``.
  public func replacePlaces(
    _ places: [PlaceRow], of user: String, device: String
  ) throws(DatabaseError) {
    for place in places { try place.position.check("storing places") }
    try replaceAll(
      of: "places", user, device, ["number", "name", "position", "radius", "is_learned"],
      places.map {
        [
          PostgresValue($0.number), PostgresValue(prose: $0.name),
          PostgresValue(Geography.point($0.position)), PostgresValue($0.radius),
          .boolean($0.isLearned),
        ]
      })
  }

  private func replaceAll(
    of table: String, _ user: String, _ device: String, _ columns: [String],
    _ rows: [[PostgresValue]]
  ) throws(DatabaseError) {
    let what = "storing \(table)"
    try connection.transaction(what, as: user, locks: [Self.derivation]) {
      () throws(DatabaseError) in
      try replaceRows(
        of: table, at: [.text(user), .text(device)], ["user_name", "device"], columns, rows, what)
    }
  }

  /// Deletes the rows with a key, and inserts others.
  private func replaceRows(
    of table: String, at key: [PostgresValue], _ keyColumns: [String], _ columns: [String],
    _ rows: [[PostgresValue]], _ what: String
  ) throws(DatabaseError) {
    let condition = keyColumns.enumerated().map { "\($1) = $\($0 + 1)" }
    try connection.run(
      what, "DELETE FROM archive.\(table) WHERE \(condition.joined(separator: " AND "))", key)
    let all = (keyColumns + columns).joined(separator: ", ")
    // A statement takes at most 65,535 parameters.
    let most = 500
    for start in stride(from: 0, to: rows.count, by: most) {
      let part = rows[start..<min(start + most, rows.count)]
      try connection.run(
        what,
        """
        INSERT INTO archive.\(table) (\(all)) VALUES
        \(PostgresConnection.placeholders(rows: part.count, columns: key.count + columns.count))
        """, part.flatMap { key + $0 })
    }
  }
}
