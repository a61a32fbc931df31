extension Journal {
  /// Reads everything and compares it with the checksums, and has SQLite check its own structure.
  ///
  /// A damage is in the report, not an error.
  public func check() -> JournalReport {
    var report = JournalReport()
    do throws(JournalError) {
      try connection.snapshot { () throws(JournalError) in
        try connection.forEach("PRAGMA integrity_check(20)") {
          (row: SQLiteRow) throws(JournalError) in
          let line = row.text(0) ?? "no answer"
          if line != "ok" { report.add("structure: \(line.prefix(160))") }
          return true
        }
        for user in try users() {
          check(user, &report)
          checkDays(of: user, &report)
        }
        try checkPlaceIndex(&report)
        try checkForStrangers(&report)
      }
    } catch {
      report.add(error, "file")
    }
    return report
  }

  private func check(_ user: UserRecord, _ report: inout JournalReport) {
    report.users += 1
    let place = "user \(user.number)"
    do throws(JournalError) {
      var (samples, rotations, fixes) = (0, 0, 0)
      var fixChain: UInt32 = 0
      try forEachBatch(of: user, from: 0) { (batch: BatchRecord) throws(JournalError) in
        guard batch.firstSample == samples, batch.firstFix == fixes else {
          throw damage("the numbers of a batch")
        }
        samples += batch.samples
        rotations += batch.rotations
        fixes += batch.fixes
        do throws(JournalError) {
          let block = try block(of: batch)
          report.samples += block.accelerations.count
          report.rotationRates += block.rotationRates.count
        } catch {
          report.add(error, place)
        }
        report.fixes += try self.fixes(of: user, in: batch.fixRange, chain: &fixChain).count
        guard fixChain == batch.fixChain else { throw damage("fixes") }
        return true
      }
      guard samples == user.samples, rotations == user.rotations, fixes == user.fixes,
        fixChain == user.fixChain
      else { throw damage("the numbers of a user") }
    } catch {
      report.add(error, place)
    }
    do throws(JournalError) {
      report.events += try events(of: user).count
    } catch {
      report.add(error, place)
    }
  }

  /// Rows that belong to nobody are damage too.
  private func checkForStrangers(_ report: inout JournalReport) throws(JournalError) {
    let users = try users()
    for (table, expected) in [
      ("batches", users.reduce(0) { $0 + $1.batches }),
      ("fixes", users.reduce(0) { $0 + $1.fixes }),
      ("events", users.reduce(0) { $0 + $1.events }),
      ("days", users.count),
    ] + (try strangersOfDays(users)) {
      let found = try connection.integer("SELECT count(*) FROM \(table)") ?? 0
      if found != Int64(expected) {
        report.add("table \(table): \(found) rows instead of \(expected)")
      }
    }
  }

  /// Gives the space of what was erased back to the file system.
  ///
  /// - Throws: ``JournalError``: `busy` when someone reads the journal, `full` when there is no
  ///   room for a second copy in the meantime.
  public mutating func vacuum() throws(JournalError) {
    try requireWriting()
    try rebuildPlaceIndex()
    do throws(JournalError) {
      try connection.execute("VACUUM")
    } catch {
      connection.needsFreshLog = true
      throw error
    }
    guard try connection.emptyLog() else { throw .busy(path: path) }
    Self.removeCopies(of: path)
  }

  /// Removes a user with everything that the journal holds of them.
  ///
  /// When this returns, neither the file nor the write-ahead log has a byte of it left: what is
  /// deleted is overwritten, the file is written anew and the log is emptied. After an error it may
  /// be called again, until it throws ``JournalError/unknownUser``: then the rows are gone, and
  /// ``vacuum()`` does the rest. What the disk itself keeps of overwritten blocks is beyond reach.
  public mutating func erase(_ user: JournalUser) throws(JournalError) {
    try requireWriting()
    try connection.transaction { () throws(JournalError) in
      let record = try userRecord(user)
      guard var store = try storeRecord() else { throw damage("the table of the store") }
      let keys = [record.number, record.number + 1].map {
        SQLiteValue.integer(StoreFormat.key(user: $0, index: 0))
      }
      for table in ["batches", "blocks", "fixes", "events", "items", "places", "remarks"] {
        try connection.run("DELETE FROM \(table) WHERE id >= ? AND id < ?", keys)
      }
      try connection.run("DELETE FROM place_index WHERE id >= ? AND id < ?", keys)
      try connection.run("DELETE FROM days WHERE id = ?", [.integer(record.number)])
      try connection.run("DELETE FROM users WHERE id = ?", [.integer(record.number)])
      store.users -= 1
      try store.write(to: connection)
    }
    try vacuum()
  }
}
