extension ArchiveDatabase {
  /// Withdraws a unit of a user: from now on it is not stored again.
  ///
  /// - Returns: Its row, which remains until ``deleteUnit(digest:of:)``; nil when there is none.
  func withdrawUnit(digest: String, of user: String) throws(DatabaseError) -> UnitRow? {
    let what = "withdrawing a unit"
    // Not while one is being stored, which may be this one.
    return try connection.transaction(what, as: user, locks: [Self.erasing]) {
      () throws(DatabaseError) in
      guard try !state(of: digest, user, what).isErased else {
        throw .conflict(what: what, constraint: Self.erased)
      }
      try connection.run(
        what,
        """
        INSERT INTO archive.withdrawn_units VALUES ($1, $2) ON CONFLICT DO NOTHING
        """, [.text(user), .text(digest)])
      return try rows(what, of: user, where: "digest = $2", [.text(digest)]).first
    }
  }

  /// What is known of a unit beside its row.
  struct UnitState {
    /// Whether it has a row.
    var isKnown: Bool
    /// Whether its device has withdrawn it.
    var isWithdrawn: Bool
    /// Whether its user was erased.
    var isErased: Bool
  }

  /// What is known of the unit of a user with a digest.
  func state(of digest: String, of user: String) throws(DatabaseError) -> UnitState {
    let what = "finding a unit"
    return try connection.transaction(what, as: user) { () throws(DatabaseError) in
      try state(of: digest, user, what)
    }
  }

  /// The same inside a transaction.
  func state(
    of digest: String, _ user: String, _ what: String
  ) throws(DatabaseError) -> UnitState {
    let found = try connection.rows(
      what,
      """
      SELECT EXISTS (SELECT FROM archive.units WHERE user_name = $1 AND digest = $2),
        EXISTS (SELECT FROM archive.withdrawn_units WHERE user_name = $1 AND digest = $2),
        \(Self.isErased)
      """, [.text(user), .text(digest)]
    ) { (row: PostgresRow) throws(DatabaseError) in
      UnitState(
        isKnown: try row.boolean(0), isWithdrawn: try row.boolean(1),
        isErased: try row.boolean(2))
    }
    guard let state = found.first else {
      throw .unexpectedAnswer(what: what, reason: "expected a row")
    }
    return state
  }

  /// The users with something left of a deletion that was interrupted.
  func unfinishedUsers() throws(DatabaseError) -> [String] {
    let what = "listing interrupted deletions"
    return try connection.transaction(what) { () throws(DatabaseError) in
      try connection.rows(what, "SELECT name FROM archive.unfinished_users()") {
        (row: PostgresRow) throws(DatabaseError) in try row.text(0)
      }
    }
  }

  /// The rows of a user's units that are withdrawn and still there.
  func withdrawnRows(of user: String) throws(DatabaseError) -> [UnitRow] {
    let what = "listing withdrawn units"
    return try connection.transaction(what, as: user) { () throws(DatabaseError) in
      try rows(
        what, of: user,
        where: "digest IN (SELECT digest FROM archive.withdrawn_units WHERE user_name = $1)", [])
    }
  }

  /// The keys of all of a user's units in the object store.
  func objectKeys(of user: String) throws(DatabaseError) -> [String] {
    let what = "listing units"
    return try connection.transaction(what, as: user) { () throws(DatabaseError) in
      try connection.rows(
        what, "SELECT object_key FROM archive.units WHERE user_name = $1", [.text(user)]
      ) { (row: PostgresRow) throws(DatabaseError) in try row.text(0) }
    }
  }

  /// Deletes the row of one unit of a user, if there is one.
  func deleteUnit(digest: String, of user: String) throws(DatabaseError) {
    let what = "deleting a unit"
    try connection.transaction(what, as: user) { () throws(DatabaseError) in
      try connection.run(
        what, "DELETE FROM archive.units WHERE user_name = $1 AND digest = $2",
        [.text(user), .text(digest)])
    }
  }
}
