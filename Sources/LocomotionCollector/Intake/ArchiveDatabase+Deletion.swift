#if Collect
  extension ArchiveDatabase {
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
