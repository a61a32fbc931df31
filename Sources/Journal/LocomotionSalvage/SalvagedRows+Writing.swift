internal import Locomotion
internal import LocomotionJournal

extension SalvagedRows {
  /// Writes all rows into a new journal.
  func write(to journal: Journal, _ report: inout JournalReport) throws(JournalError) {
    let numbers = Set(
      [
        Array(blocks.keys), Array(fixes.keys), Array(places.keys), Array(editRecords.keys),
        Array(units.keys),
      ].joined().map { $0 >> StoreFormat.indexBits } + users.keys)
    for number in numbers.sorted() {
      let user = try journal.addUser(name(of: number))
      report.users += 1
      let kept = try writeRecording(of: number, to: user, &report)
      // Learned places are computed again with the days; named ones are the user's own.
      try user.restore(
        rows(places, of: number).map(\.value.place).filter { !$0.isLearned },
        rows(editRecords, of: number).map(\.value), keepingNumbers: true)
      guard let record = users[number] else {
        report.add("user \(number): the name is lost, and how much there was")
        try writeUnits(of: number, isWhole: false, to: user, &report)
        continue
      }
      let isWhole = compare(kept, of: record, &report)
      try writeUnits(of: number, isWhole: isWhole, to: user, &report)
      if isWhole, let events = events[number] {
        // Positions count anew from the first sample that was not dropped.
        let dropped = uploads[number]?.droppedSamples ?? 0
        try user.restore(
          events.map { event in
            var moved = event
            moved.samples = max(0, event.samples - dropped)
            return moved
          })
        report.events += events.count
      } else if record.events > 0 {
        report.add("user \(number): where measurements began and ended is lost")
      }
    }
  }

  /// The name of a user, or a new one that no user has.
  private func name(of number: Int64) -> String {
    if let name = users[number]?.name { return name }
    var name = "user-\(number)"
    while users.values.contains(where: { $0.name == name }) { name += "-salvaged" }
    return name
  }

  /// The rows of a user among those of all, in the order of their keys.
  private func rows<Row>(_ all: [Int64: Row], of number: Int64) -> [(key: Int64, value: Row)] {
    all.filter { $0.key >> StoreFormat.indexBits == number }.sorted { $0.key < $1.key }
  }

  /// Writes a user's samples and fixes, and returns their numbers.
  private func writeRecording(
    of number: Int64, to user: UserJournal, _ report: inout JournalReport
  ) throws(JournalError) -> JournalCounts {
    let rows = rows(fixes, of: number)
    let archived = rows.prefix { $0.key < firstFixToSend(of: number) }
    if !archived.isEmpty {
      var batch = JournalBatch()
      batch.fixes = archived.map(\.value.fix)
      try user.appendUnchecked(batch)
      try user.beginUnitsAfterAll()
    }
    for (_, block) in self.rows(blocks, of: number) {
      try user.appendUnchecked(block.samples)
    }
    var batch = JournalBatch()
    batch.fixes = rows.dropFirst(archived.count).map(\.value.fix)
    let counts = try user.appendUnchecked(batch)
    report.samples += counts.samples
    report.rotationRates += counts.rotationRates
    report.fixes += counts.fixes
    return counts
  }

  /// The key of the first fix that is not in a unit whose samples were dropped; those stay in the
  /// archive with their fixes.
  private func firstFixToSend(of number: Int64) -> Int64 {
    let dropped = uploads[number]?.droppedBatches ?? 0
    let last = dropped > 0 ? batches[StoreFormat.key(user: number, index: dropped - 1)] : nil
    return StoreFormat.key(user: number, index: last?.fixRange.upperBound ?? 0)
  }

  /// Keeps which units an archive is to delete, and tells which may remain there.
  ///
  /// All that is salvaged is sent again as that of a new device. If nothing is lost, those units
  /// are withdrawn too whose data are sent again, as after an erasure; those whose samples were
  /// dropped stay. If something is lost, the archive may have the only copy of it.
  private func writeUnits(
    of number: Int64, isWhole: Bool, to user: UserJournal, _ report: inout JournalReport
  ) throws(JournalError) {
    let rows = rows(units, of: number).map(\.value)
    let uploads = uploads[number]
    let isKnown = whole.contains("units") && (uploads != nil || rows.isEmpty)
    let withdrawn = rows.filter { unit in
      let isSentAgain = isWhole && isKnown && !(uploads?.hasDropped(unit) ?? true)
      return unit.state == .withdrawn || isSentAgain
    }
    try user.restore(withdrawn)
    if !withdrawn.isEmpty {
      report.notes.append(
        "user \(number): \(withdrawn.count) units are to be deleted in the archive, which the next "
          + "synchronisation asks for")
    }
    let device = uploads.map { "device \($0.device)" } ?? "a device whose name is lost"
    if !isKnown, hasUnits {
      report.add(
        "user \(number): which units the archive is to delete is lost; they are of \(device) or of "
          + "earlier ones")
      report.mayRemainInArchive = true
    } else if !isWhole, withdrawn.count < rows.count {
      report.notes.append(
        "user \(number): \(rows.count - withdrawn.count) units of \(device) stay in the archive, "
          + "because they may hold what is lost here")
      report.mayRemainInArchive = true
    }
  }

  /// Compares what was written for a user with the counts in their row; returns whether they agree.
  private func compare(
    _ kept: JournalCounts, of record: UserRecord, _ report: inout JournalReport
  ) -> Bool {
    var isWhole = true
    let dropped = uploads[record.number]
    for (name, had, has) in [
      ("samples", record.samples - (dropped?.droppedSamples ?? 0), kept.samples),
      (
        "rotation rates", record.rotations - (dropped?.droppedRotations ?? 0), kept.rotationRates
      ),
      ("fixes", record.fixes, kept.fixes),
    ] where had != has {
      isWhole = false
      report.add(
        had > has
          ? "user \(record.number): \(had - has) of \(had) \(name) are lost"
          : "user \(record.number): \(has - had) \(name) are kept that the user's row, an older "
            + "one, does not count")
    }
    report.losses += losses(of: record)
    return isWhole
  }

  /// The gaps in the batches of a user: how much is lost, and between which times.
  private func losses(of record: UserRecord) -> [JournalLoss] {
    var result: [JournalLoss] = []
    var open: JournalLoss?
    var last: Timestamp?
    for index in droppedBatches(of: record)..<min(record.batches, 1 << 32) {
      let key = StoreFormat.key(user: record.number, index: index)
      let batch = batches[key]
      if let block = blocks[key] {
        let times = block.samples.sampleTimes.joined()
        if var loss = open {
          loss.before = times.min()
          result.append(loss)
          open = nil
        }
        last = times.max() ?? last
      } else if batch?.hasBlock ?? true {
        var loss = open ?? JournalLoss(user: record.number, after: last)
        loss.batches += 1
        // If the row of a batch is lost too, its number of samples is unknown.
        loss.samples = batch.flatMap { batch in loss.samples.map { $0 + batch.samples } }
        open = loss
      }
    }
    return result + (open.map { [$0] } ?? [])
  }

  /// Reports the losses of whole tables, after everything is written.
  func judge(_ report: inout JournalReport) {
    if let store {
      let missing = store.users - users.count
      if missing != 0 { report.add("\(missing) of \(store.users) users are lost") }
    } else {
      report.add("how many users there were is lost")
    }
    for table in hasDays ? ["places", "remarks"] : [] where !whole.contains(table) {
      report.add("table \(table): not all rows are readable")
    }
    // Damage to a table caused no loss if all rows that were counted are there.
    if report.problems.isEmpty {
      report.notes += findings
    } else {
      for finding in findings { report.add(finding) }
    }
  }
}
