#if Collect
  import LocomotionCollector

  extension Command {
    /// `archive erase`: the spool, the objects, the rows and the working journals of a user.
    ///
    /// The objects before the rows, because a starting collector gives rows to objects that have
    /// none; and once more after them, for what arrived in between. Interrupted, it can be called
    /// again.
    static func erase(_ user: String, _ archive: ArchivePlaces, _ arguments: Arguments) throws {
      let objects = try archive.objects
      let journals = try archive.journals()
      // Before anything else, so that nothing comes out of it any more.
      try SpoolErasure(
        ofSpoolAt: arguments.value("spool") ?? archive.cache() + "/spool.locomotion"
      ).erase(user)
      let owner = ObjectKey.Owner(user: user)
      var count = try objects.deleteAll(of: owner)
      let keys = try archive.connections.use { database throws(DatabaseError) in
        try database.erase(user: user)
      }
      for key in keys.compactMap(ObjectKey.init) where key.owner != owner {
        try objects.delete(key)
        count += 1
      }
      count += try objects.deleteAll(of: owner)
      journals.delete(user)
      StandardError.write(
        "locomotion: erased \(count) objects and the rows of \(keys.count) units; until it is "
          + "compacted the database's files still have deleted rows, and backups have all\n")
    }
  }
#endif
