#if Collect
  extension ArchiveDatabase {
    /// Withdraws a unit of a user: from now on it is not stored again.
    ///
    /// - Returns: Its row, which remains until ``deleteUnit(digest:of:)``; nil when there is none.
    func withdrawUnit(digest: String, of user: String) throws(DatabaseError) -> UnitRow? {
      let what = "withdrawing a unit"
      // Not while one is being stored, which may be this one.
      return try connection.transaction(what, as: user, locks: [Self.erasing]) {
        () throws(DatabaseError) in
        try connection.run(
          what,
          """
          INSERT INTO archive.withdrawn_units VALUES ($1, $2) ON CONFLICT DO NOTHING
          """, [.text(user), .text(digest)])
        return try rows(what, of: user, where: "digest = $2", [.text(digest)]).first
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
#endif
