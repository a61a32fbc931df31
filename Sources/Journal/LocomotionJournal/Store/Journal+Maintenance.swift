internal import LocomotionSensing

extension Journal {
  /// Reads everything, verifies the checksums of blocks, and runs SQLite's integrity check.
  ///
  /// Damage is reported, not thrown. It is about the file: a journal that is open for reading gives
  /// up the days that it has computed in memory.
  public func check() -> JournalReport {
    var report = JournalReport()
    do {
      try forgetDaysInMemory()
      try connection.snapshot { () throws(JournalError) in
        let lines: [String?] = try connection.column("PRAGMA integrity_check(20)")
        for line in lines where line != "ok" {
          report.add("structure: \((line ?? "no answer").prefix(160))")
        }
        for user in try users() {
          report.users += 1
          let own = UserJournal(journal: self, number: user.number, name: user.name)
          func attempt(
            _ check: (UserRecord, inout JournalReport) throws(JournalError) -> Void
          ) {
            do throws(JournalError) {
              try check(user, &report)
            } catch {
              report.add("user \(user.number): \(error.finding)")
            }
          }
          attempt(own.checkSamples)
          attempt { (user, report) throws(JournalError) in
            report.events += try connection.events(of: user).count
          }
          attempt { (user, _) throws(JournalError) in try own.checkDays(of: user) }
          attempt { (user, _) throws(JournalError) in try own.checkUnits(of: user) }
        }
        try checkForOrphans(&report)
      }
    } catch {
      report.add("file: \(error.finding)")
    }
    return report
  }

  /// Rows that belong to no user are damage too.
  private func checkForOrphans(_ report: inout JournalReport) throws(JournalError) {
    let users = try users()
    let tables = [
      ("batches", users.reduce(0) { $0 + $1.batches }),
      ("fixes", users.reduce(0) { $0 + $1.fixes }),
      ("events", users.reduce(0) { $0 + $1.events }),
      ("days", users.count), ("uploads", users.count),
    ]
    for (table, expected) in tables {
      let found = try connection.integer("SELECT count(*) FROM \(table)") ?? 0
      if found != Int64(expected) {
        report.add("table \(table): \(found) rows instead of \(expected)")
      }
    }
    for table in ["items", "places", "remarks", "units", "checkpoints"] {
      let found = try connection.integer(
        "SELECT count(*) FROM \(table) WHERE id >> ? NOT IN (SELECT id FROM users)",
        [.integer(StoreFormat.indexBits)])
      if let found, found > 0 { report.add("table \(table): \(found) rows of no user") }
    }
  }

  /// Returns the space of erased data to the file system.
  ///
  /// - Throws: ``JournalError``: `busy` when somebody reads the journal, `full` when there is no
  ///   room for a second copy in the meantime.
  public func vacuum() throws(JournalError) {
    try requireWriting()
    do {
      try connection.execute("VACUUM")
    } catch {
      connection.needsFreshLog = true
      throw error
    }
    guard try connection.emptyLog() else { throw .busy(path: path) }
  }
}

extension UserJournal {
  /// Verifies a user's batches, blocks and fixes.
  fileprivate func checkSamples(
    of user: UserRecord, _ report: inout JournalReport
  ) throws(JournalError) {
    var (samples, rotations, fixes, batches) = (0, 0, 0, 0)
    let dropped = try uploadRecord(user).droppedBatches
    try forEachBatch(of: user, from: 0) { (batch: BatchRecord) throws(JournalError) in
      samples += batch.samples
      rotations += batch.rotations
      fixes += batch.fixes
      batches += 1
      if batches <= dropped {
        report.droppedSamples += batch.samples
      } else {
        do throws(JournalError) {
          let block = try connection.block(of: batch)
          report.samples += block.accelerations.count
          report.rotationRates += block.rotationRates.count
          report.pressures += block.pressures.count
        } catch {
          report.add("user \(user.number): \(error.finding)")
        }
      }
      report.fixes += try self.fixes(of: user, in: batch.fixRange).count
      return true
    }
    guard samples == user.samples, rotations == user.rotationRates, fixes == user.fixes
    else { throw damage("the numbers of a user") }
  }

  /// Verifies a user's units: their rows, and that they cover what they say without a gap.
  func checkUnits(of user: UserRecord) throws(JournalError) {
    let uploads = try uploadRecord(user)
    let rows: [UnitStatus] = try rows()
    guard uploads.batches <= user.batches, uploads.rotations <= user.rotationRates,
      uploads.events <= user.events, uploads.droppedBatches <= uploads.batches
    else { throw damage("the numbers of units") }
    let own = rows.filter { $0.state != .withdrawn }.sorted { $0.key < $1.key }
    for (before, after) in zip(own, own.dropFirst()) {
      // The first one of a new device follows those that the archive has of the one before.
      guard after.sequence == before.sequence + 1 || after.sequence == 0,
        after.firstBatch == before.firstBatch + before.batches,
        after.firstEventIndex == before.firstEventIndex + before.events
      else { throw damage("the order of units") }
    }
    guard let last = own.last else {
      guard uploads.nextSequence == 0 else { throw damage("the table of units") }
      return
    }
    guard last.sequence + 1 == uploads.nextSequence || uploads.nextSequence == 0,
      last.firstBatch + last.batches == uploads.batches,
      last.firstEventIndex + last.events == uploads.events
    else { throw damage("the last unit") }
  }
}
