public import LocomotionJournal

extension Journal {
  /// Copies the readable data of a damaged journal into a new one.
  ///
  /// The damaged file is only read. Of the rows that SQLite can still read each one and each block
  /// that matches its own checksum is kept, in order. Users whose name is lost are called `user-1`,
  /// `user-2`, …. Measurements are kept when nothing of their user is lost; else their samples and
  /// fixes are kept, but not where they began and ended. Samples that were dropped because an
  /// archive has them are no loss. The rest is sent again as that of a new device; of upload units
  /// only the digests are kept of those that the archive is to delete: the withdrawn ones and, for
  /// users of whom nothing is lost, those whose data are sent again. The whole journal passes
  /// through memory. The new one is written under another name beside its own, under which it is no
  /// journal to anybody else, and renamed at the end.
  ///
  /// - Parameters:
  ///   - damaged: The path of the damaged journal, which nobody may have open.
  ///   - path: The path of the new journal, where no file may exist.
  ///   - settings: How both are opened.
  /// - Returns: What was salvaged; `problems` and `losses` list what was not, and `notes` damage
  ///   without a loss.
  /// - Throws: ``JournalError`` when the damaged file cannot be read at all, holds no data of a
  ///   journal or is being written to, or when the new one cannot be written.
  public static func salvage(
    from damaged: String, to path: String, settings: Settings = .init()
  ) throws(JournalError) -> JournalReport {
    let source = try StoreLocation(damaged, .reading, mayBeDamaged: true)
    guard !WriterLock.isHeld(of: source.path) else { throw .busy(path: source.path) }
    let target = try StoreLocation(path, .writing)
    guard target.isNew else { throw .notAJournal(path: path, reason: "a file is in the way") }
    let found = try SalvagedRows(of: source.path, fileSystem: settings.fileSystem)
    var report = JournalReport()
    let part = try target.part()
    do {
      try write(found, to: part.path, settings, &report)
      try part.move(to: target)
    } catch {
      // That of another salvage stays.
      if case .busy = error { throw error }
      part.remove()
      throw error
    }
    found.judge(&report)
    return report
  }

  /// Writes the journal of a salvage, of which nothing is in the log when it is closed.
  private static func write(
    _ found: SalvagedRows, to path: String, _ settings: Settings, _ report: inout JournalReport
  ) throws(JournalError) {
    var settings = settings
    settings.isPart = true
    let journal = try Journal(path: path, settings: settings)
    try found.write(to: journal, &report)
    guard try journal.connection.emptyLog() else { throw .busy(path: path) }
  }
}

extension UserJournal {
  /// Writes the events of another journal for a user without events but with the same samples and
  /// fixes.
  func restore(_ events: [MeasurementEvent]) throws(JournalError) {
    try writing { (user) throws(JournalError) in
      var record = user
      for event in events { try Self.write(event, of: &record, to: connection) }
      try record.write(to: connection)
    }
  }

  /// Lets units begin after all that a user has now, which an archive has as another device's.
  func beginUnitsAfterAll() throws(JournalError) {
    try writing { (owner) throws(JournalError) in
      var uploads = try uploadRecord(owner)
      (uploads.batches, uploads.rotations) = (owner.batches, owner.rotations)
      try uploads.write(to: connection)
    }
  }

  /// Writes which units the archive of another journal is to delete, for a user who has none.
  func restore(_ withdrawn: [UnitStatus]) throws(JournalError) {
    guard !withdrawn.isEmpty else { return }
    try writing { (owner) throws(JournalError) in
      var uploads = try uploadRecord(owner)
      for unit in withdrawn {
        var record = UnitStatus(
          key: StoreFormat.key(user: owner.number, index: uploads.nextUnit),
          sequence: unit.sequence)
        (record.byteCount, record.digest, record.state) = (unit.byteCount, unit.digest, .withdrawn)
        try record.write(to: connection)
        uploads.nextUnit += 1
      }
      try uploads.write(to: connection)
    }
  }

}
