extension UserJournal {
  /// Verifies a user's units: their rows, and that they cover what they say without a gap.
  func checkUnits(of user: UserRecord, _ report: inout JournalReport) throws(JournalError) {
    let uploads = try uploadRecord(user)
    let rows: [UnitStatus] = try rows()
    report.units += rows.count
    guard uploads.batches <= user.batches, uploads.rotations <= user.rotations,
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
