extension ArchiveDatabase {
  /// Stores all measurements of a device in place of those that are stored.
  ///
  /// - Throws: ``DatabaseError/conflict(what:constraint:)`` when the device is unknown, for
  ///   instance because the user was erased.
  func replaceMeasurements(
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
  /// - Throws: As ``replaceMeasurements(_:of:device:)``, and
  ///   ``DatabaseError/invalidRow(what:field:expected:)`` for coordinates off the Earth.
  func replacePlaces(
    _ places: [PlaceRow], of user: String, device: String
  ) throws(DatabaseError) {
    for place in places { try Self.check(place.latitude, place.longitude, "storing places") }
    try replaceAll(
      of: "places", user, device, ["number", "name", "position", "radius", "is_learned"],
      places.map {
        [
          PostgresValue($0.number), PostgresValue(prose: $0.name),
          // Swift's shortest digits, which PostGIS reads without rounding.
          .text("SRID=4326;POINT(\($0.longitude) \($0.latitude))"), PostgresValue($0.radius),
          .boolean($0.isLearned),
        ]
      })
  }

  /// Deletes the rows of a device, and inserts others.
  private func replaceAll(
    of table: String, _ user: String, _ device: String, _ columns: [String],
    _ rows: [[PostgresValue]]
  ) throws(DatabaseError) {
    let what = "storing \(table)"
    let key = [PostgresValue.text(user), .text(device)]
    try connection.transaction(what, as: user, locks: [Self.derivation]) {
      () throws(DatabaseError) in
      try connection.run(
        what, "DELETE FROM archive.\(table) WHERE user_name = $1 AND device = $2", key)
      // A statement takes at most 65,535 parameters.
      let most = 500
      for start in stride(from: 0, to: rows.count, by: most) {
        let part = rows[start..<min(start + most, rows.count)]
        let marks = PostgresConnection.placeholders(
          rows: part.count, columns: key.count + columns.count)
        try connection.run(
          what,
          """
          INSERT INTO archive.\(table) (user_name, device, \(columns.joined(separator: ", ")))
          VALUES \(marks)
          """, part.flatMap { key + $0 })
      }
    }
  }
}
