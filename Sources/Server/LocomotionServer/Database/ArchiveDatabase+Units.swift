internal import LocomotionSensing

extension ArchiveDatabase {
  /// The constraint that a unit violates which its device has withdrawn.
  static let withdrawn = "withdrawn_units"

  private static let columns = """
    user_name, device, sequence, digest, predecessor, measurement, first_ns, last_ns, samples, \
    rotation_rates, pressures, fixes, events, bytes, has_annotations, format_version, object_key
    """

  /// The types of ``columns``.
  private static let types = [
    "text", "text", "bigint", "text", "text", "bigint", "bigint", "bigint", "bigint", "bigint",
    "bigint", "bigint", "bigint", "bigint", "boolean", "integer", "text",
  ]

  /// Stores the row of a unit whose bytes are in the object store.
  ///
  /// - Returns: Whether it is new; false for a unit with this digest that is there already.
  /// - Throws: ``DatabaseError/conflict(what:constraint:)`` with `units_one_per_sequence` when
  ///   the device has another unit with this sequence, or one before or after it that the unit
  ///   doesn't continue; with `withdrawn_units` when it has withdrawn this one, and with
  ///   `erased_users` when the user was erased.
  @discardableResult
  func insert(_ unit: UnitRow) throws(DatabaseError) -> Bool {
    let what = "storing a unit"
    let values: [PostgresValue] = [
      .text(unit.user), .text(unit.device), PostgresValue(unit.sequence), .text(unit.digest),
      unit.predecessor.map { .text($0) } ?? .null, PostgresValue(unit.measurement),
      PostgresValue(unit.first), PostgresValue(unit.last),
      PostgresValue(unit.samples), PostgresValue(unit.rotationRates),
      PostgresValue(unit.pressures), PostgresValue(unit.fixes), PostgresValue(unit.events),
      PostgresValue(unit.bytes), .boolean(unit.hasAnnotations),
      PostgresValue(unit.formatVersion), .text(unit.objectKey),
    ]
    return try connection.transaction(what, as: unit.user, locks: [Self.storing]) {
      () throws(DatabaseError) in
      // It locks the device's row, so that of two units of a device the second sees the first.
      try connection.run(
        what,
        """
        INSERT INTO archive.devices (user_name, device) VALUES ($1, $2)
        ON CONFLICT (user_name, device) DO UPDATE SET created = devices.created WHERE false
        """, [.text(unit.user), .text(unit.device)])
      let inserted = try connection.rows(
        what,
        """
        INSERT INTO archive.units (\(Self.columns))
        SELECT \(Self.types.enumerated().map { "$\($0 + 1)::\($1)" }.joined(separator: ", "))
        WHERE NOT EXISTS (
          SELECT FROM archive.withdrawn_units WHERE user_name = $1 AND digest = $4
        ) AND NOT EXISTS (
          SELECT FROM archive.units WHERE user_name = $1 AND device = $2
            AND (sequence = $3 - 1 AND digest <> $5 OR sequence = $3 + 1 AND predecessor <> $4)
        ) AND NOT \(Self.isErased)
        ON CONFLICT DO NOTHING
        RETURNING true
        """, values
      ) { (row: PostgresRow) throws(DatabaseError) in try row.boolean(0) }
      if inserted == [true] { return true }
      // Looked up: of two connections that store the same unit at once, the second one meets
      // either constraint.
      let state = try state(of: unit.digest, unit.user, what)
      if state.isErased { throw .conflict(what: what, constraint: Self.erased) }
      // One that is withdrawn may still have its row.
      if state.isWithdrawn { throw .conflict(what: what, constraint: Self.withdrawn) }
      if state.isKnown { return false }
      throw .conflict(what: what, constraint: "units_one_per_sequence")
    }
  }

  /// The row of a user's unit with a digest; nil when there is none.
  func unit(
    digest: String, of user: String
  ) throws(DatabaseError) -> UnitRow? {
    try units("finding a unit", of: user, where: "digest = $2", [.text(digest)]).first
  }

  /// The rows of all units of a user's device, in order of sequence.
  func units(of user: String, device: String) throws(DatabaseError) -> [UnitRow] {
    try units("listing units", of: user, where: "device = $2", [.text(device)])
  }

  /// The devices of a user that have sent units, in order.
  func streams(of user: String) throws(DatabaseError) -> [String] {
    let what = "listing devices"
    return try connection.transaction(what, as: user) { () throws(DatabaseError) in
      try connection.rows(
        what, "SELECT device FROM archive.devices WHERE user_name = $1 ORDER BY device",
        [.text(user)]
      ) { (row: PostgresRow) throws(DatabaseError) in try row.text(0) }
    }
  }

  private func units(
    _ what: String, of user: String, where condition: String, _ values: [PostgresValue]
  ) throws(DatabaseError) -> [UnitRow] {
    try connection.transaction(what, as: user) { () throws(DatabaseError) in
      try rows(what, of: user, where: condition, values)
    }
  }

  /// The rows of a user's units that meet a condition, inside a transaction.
  func rows(
    _ what: String, of user: String, where condition: String, _ values: [PostgresValue]
  ) throws(DatabaseError) -> [UnitRow] {
    try connection.rows(
      what,
      """
      SELECT \(Self.columns) FROM archive.units
      WHERE user_name = $1 AND \(condition) ORDER BY sequence
      """, [.text(user)] + values
    ) { (row: PostgresRow) throws(DatabaseError) in
      UnitRow(
        user: try row.text(0), device: try row.text(1), sequence: try row.integer(2),
        digest: try row.text(3), predecessor: try row.optionalText(4),
        measurement: try row.optionalInteger(5),
        first: try row.optionalTimestamp(6), last: try row.optionalTimestamp(7),
        samples: try row.integer(8), rotationRates: try row.integer(9),
        pressures: try row.integer(10), fixes: try row.integer(11),
        events: try row.integer(12), bytes: try row.integer(13),
        hasAnnotations: try row.boolean(14), formatVersion: try row.integer(15),
        objectKey: try row.text(16))
    }
  }
}
