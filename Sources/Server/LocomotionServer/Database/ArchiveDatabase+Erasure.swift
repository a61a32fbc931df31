extension ArchiveDatabase {
  /// The constraint that whatever is stored of an erased user violates.
  static let erased = "erased_users"
  /// A condition in SQL: whether the user `$1` was erased.
  static let isErased = """
    EXISTS (SELECT FROM archive.erased_users WHERE name_digest = archive.erasure_digest($1))
    """

  /// Whether there is a user of this name, or was before an erasure.
  func knows(_ user: String) throws(DatabaseError) -> Bool {
    let what = "finding a user"
    return try connection.transaction(what, as: user) { () throws(DatabaseError) in
      try connection.rows(
        what, "SELECT EXISTS (SELECT FROM archive.users WHERE name = $1) OR \(Self.isErased)",
        [.text(user)]
      ) { (row: PostgresRow) throws(DatabaseError) in try row.boolean(0) } == [true]
    }
  }

  /// Deletes all rows of a user; from now on none is stored until ``readmit(user:)``.
  ///
  /// What remains is a keyed digest of the name. Deleted rows stay in the server's files until
  /// `VACUUM (FULL)`.
  ///
  /// - Returns: What was deleted; of a user who is not there: nothing.
  func erase(user: String) throws(DatabaseError) -> ErasedRows {
    let what = "erasing a user"
    // Before the lock, which makes a row of the user.
    let isThere = try rowCounts(of: user)["users"] != nil
    return try connection.transaction(what, as: user, locks: [Self.erasing]) {
      () throws(DatabaseError) in
      var counts = try rowCounts(of: user, what)
      if !isThere { counts["users"] = nil }
      let units = try connection.rows(
        what, "DELETE FROM archive.units WHERE user_name = $1 RETURNING object_key, digest",
        [.text(user)]
      ) { (row: PostgresRow) throws(DatabaseError) in (try row.text(0), try row.text(1)) }
      try connection.run(what, "DELETE FROM archive.users WHERE name = $1", [.text(user)])
      try connection.run(
        what,
        """
        INSERT INTO archive.erased_users (name_digest) VALUES (archive.erasure_digest($1))
        ON CONFLICT DO NOTHING
        """, [.text(user)])
      return ErasedRows(
        objectKeys: units.map(\.0).sorted(), digests: units.map(\.1).sorted(), counts: counts)
    }
  }

  /// Lets an erased user send again.
  ///
  /// - Returns: Whether the user was erased.
  func readmit(user: String) throws(DatabaseError) -> Bool {
    let what = "readmitting a user"
    return try connection.transaction(what, as: user) { () throws(DatabaseError) in
      try !connection.rows(
        what,
        """
        DELETE FROM archive.erased_users WHERE name_digest = archive.erasure_digest($1)
        RETURNING true
        """, [.text(user)]
      ) { (row: PostgresRow) throws(DatabaseError) in try row.boolean(0) }.isEmpty
    }
  }

  /// The rows that each table has of a user; of tables without any, nothing.
  ///
  /// The tables are those of the catalogue, so that none is left out.
  func rowCounts(of user: String) throws(DatabaseError) -> [String: Int] {
    let what = "counting rows"
    return try connection.transaction(what, as: user) { () throws(DatabaseError) in
      try rowCounts(of: user, what)
    }
  }

  private func rowCounts(
    of user: String, _ what: String
  ) throws(DatabaseError) -> [String: Int] {
    let tables = try connection.rows(
      what,
      """
      SELECT class.relname, quote_ident(class.relname), quote_ident(attribute.attname)
      FROM pg_class AS class
      JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid
      WHERE class.relnamespace = 'archive'::regnamespace AND class.relkind = 'r'
        AND (attribute.attname = 'user_name'
          OR class.relname = 'users' AND attribute.attname = 'name')
      """
    ) { (row: PostgresRow) throws(DatabaseError) in
      (try row.text(0), try row.text(1), try row.text(2))
    }
    var counts: [String: Int] = [:]
    for (name, table, column) in tables {
      let count =
        try connection.rows(
          what, "SELECT count(*) FROM archive.\(table) WHERE \(column) = $1", [.text(user)]
        ) { (row: PostgresRow) throws(DatabaseError) in try row.integer(0) }.first ?? 0
      if count > 0 { counts[name] = count }
    }
    return counts
  }
}

/// What ``ArchiveDatabase/erase(user:)`` has deleted.
struct ErasedRows: Hashable, Sendable {
  /// The keys of the user's units in the object store, which remain to be deleted.
  let objectKeys: [String]
  /// The digests of the user's units.
  let digests: [String]
  /// The number of rows deleted of each table.
  let counts: [String: Int]
}
