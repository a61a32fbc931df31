internal import Foundation
internal import Locomotion
public import LocomotionSensing

extension UserJournal {
  /// Removes the user with all their data.
  ///
  /// When this returns, neither the file nor the write-ahead log holds a byte of them: deleted
  /// content is overwritten, the file is rewritten and the log is truncated. After an error call it
  /// again until it throws ``JournalError/unknownUser``: then the rows are gone, and
  /// ``Journal/vacuum()`` does the rest. What the disk itself retains of overwritten blocks is out
  /// of reach.
  public func erase() throws(JournalError) {
    try writing { (record) throws(JournalError) in
      var store = try journal.storeRecord()
      for table in [
        "batches", "blocks", "checkpoints", "events", "fixes", "items", "places", "remarks",
        "units",
      ] {
        try connection.delete(StoreFormat.keys(ofUser: record.number), from: table)
      }
      for table in ["days", "uploads", "users"] {
        try connection.delete(record.number, from: table)
      }
      store.users -= 1
      try store.write(to: connection)
    }
    journal.forgetComputed(ofUser: number)
    try journal.vacuum()
  }

  /// Removes everything that was recorded of the user in an interval.
  ///
  /// Samples and fixes of that time, notes, what the days tell of it and the edits are removed, and
  /// positions in the recording count anew. The events of a measurement that began before the
  /// interval are moved to its start, those of one that began inside to its end; one that lies
  /// inside disappears. In the days the interval is a gap, with what was inferred beside it from
  /// the erased data alone. Places that reach its stays go with them, also those that the user has
  /// named or added, unless another stay is at them.
  ///
  /// When this returns, neither the file nor the write-ahead log holds a byte of it; see
  /// ``erase()``.
  ///
  /// - Throws: ``JournalError/invalidInterval``.
  /// - Complexity: O(length of the user's recording), and the file is rewritten.
  @discardableResult
  public func erase(
    from start: Timestamp, to end: Timestamp
  ) throws(JournalError) -> ErasureReport {
    guard start < end else { throw .invalidInterval }
    return try erase(Erasure(times: [start..<end]))
  }

  /// Removes a measurement and what was recorded in its tracks.
  ///
  /// As ``erase(from:to:)``, for the times of its tracks and the samples and fixes in them.
  ///
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when it has not been stopped;
  ///   ``JournalError/unknownMeasurement`` when the user has no such measurement.
  /// - Complexity: O(length of the user's recording), and the file is rewritten.
  @discardableResult
  public func erase(_ measurement: JournalMeasurement) throws(JournalError) -> ErasureReport {
    guard try measurements().contains(measurement) else { throw .unknownMeasurement }
    guard measurement.state == .stopped else {
      throw .wrongState(measurement.state, wanted: .stopped)
    }
    var erasure = Erasure(times: [])
    for track in measurement.tracks {
      // The last instant belongs to the track.
      let end = (track.end ?? track.start).advanced(byNanoseconds: 1)
      erasure.times.append(track.start..<max(track.start, end))
    }
    erasure.samples = measurement.tracks.map(\.samples)
    erasure.fixes = measurement.tracks.map(\.fixes)
    erasure.measurement = measurement.id
    return try erase(erasure)
  }

  private func erase(_ erasure: Erasure) throws(JournalError) -> ErasureReport {
    var report = ErasureReport()
    try writing { (user) throws(JournalError) in
      var record = user
      var days = try daysRecord(record)
      let events = try connection.events(of: record)
      var uploads = try uploadRecord(record)
      var observed = ObservedTimes()
      let removed = try removeData(erasure, &record, &uploads, &observed)
      try rewrite(events, erasure, removed, &record)
      let stays = try removeItems(erasure, observed, &days, &report) + visits(erasure)
      let edits = try removeEdits(erasure)
      report.places = try removePlaces(of: stays, edits)
      days.samples = removed.samples.position(days.samples)
      days.resumeSample = removed.samples.position(days.resumeSample)
      days.fixes = removed.fixes.position(days.fixes)
      days.resumeFix = removed.fixes.position(days.resumeFix)
      try store(checkpoints(before: erasure, removed))
      uploads.retainedSample = removed.samples.position(uploads.retainedSample)
      uploads.retainedFix = removed.fixes.position(uploads.retainedFix)
      if days.finalEnd == nil, let retainedEnd = uploads.retainedEnd {
        days.finalEnd = retainedEnd
        (days.resumeSample, days.resumeFix) = (uploads.retainedSample, uploads.retainedFix)
      }
      uploads.sourcePlaces?.exceptions.removeAll { stay in
        erasure.reaches(into: stay.start, stay.end)
      }
      try uploads.write(to: connection)
      try record.write(to: connection)
      try days.write(to: connection)
    }
    journal.forgetComputed(ofUser: number)
    for time in report.times {
      noteChange(from: time.lowerBound, to: time.upperBound)
    }
    try journal.vacuum()
    return report
  }

  /// Writes the batches again without what is erased.
  ///
  /// Of batches whose samples were dropped only the time of their unit is known: if that is
  /// concerned, all of them count as erased. All units that are concerned are withdrawn.
  private func removeData(
    _ erasure: Erasure, _ user: inout UserRecord, _ uploads: inout UploadRecord,
    _ observed: inout ObservedTimes
  ) throws(JournalError) -> RemovedPositions {
    var (samples, fixes) = (IndexSet(), IndexSet())
    var rotations = 0
    let units: [UnitStatus] = try rows()
    let concerned = units.filter(erasure.concerns)
    // Of dropped samples only the times of their units are known.
    for unit in units where !erasure.concerns(unit) {
      if let times = unit.times { observed.add([times.lowerBound, times.upperBound]) }
    }
    try withdrawUnits(of: user, &uploads, where: erasure.concerns)
    var dropped = (batches: uploads.droppedBatches, samples: 0, rotations: 0)
    try forEachBatch(of: user, from: 0) { (batch: BatchRecord) throws(JournalError) in
      var new = batch
      let index = StoreFormat.index(of: batch.key)
      let isDropped = index < dropped.batches
      let isGone = isDropped && concerned.contains { $0.holds(batch: index) }
      let (rest, removed, isChanged) =
        isDropped
        ? (JournalBatch(), IndexSet(integersIn: 0..<(isGone ? batch.samples : 0)), false)
        : try connection.block(of: batch).kept(erasure, firstSample: batch.firstSample)
      var counts = (rest.accelerations.count, rest.rotationRates.count)
      if isDropped {
        counts = isGone ? (0, 0) : (batch.samples, batch.rotations)
        dropped.samples += counts.0
        dropped.rotations += counts.1
      }
      observed.add(rest.sampleTimes.joined())
      samples.add(removed, from: batch.firstSample)
      rotations += counts.1
      let stored = try self.fixes(of: user, in: batch.fixRange)
      let gone = IndexSet(
        stored.indices.filter { index in
          erasure.holds(stored[index].timestamp)
            || erasure.fixes.contains { $0.contains(batch.firstFix + index) }
        })
      let left = stored.indices.filter { !gone.contains($0) }.map { stored[$0] }
      observed.add(left.map(\.timestamp))
      let firstFix = fixes.position(batch.firstFix)
      fixes.add(gone, from: batch.firstFix)
      if firstFix != batch.firstFix || !gone.isEmpty {
        try connection.delete(StoreFormat.keys(ofUser: number, batch.fixRange), from: "fixes")
        try connection.insert(left, ofUser: number, after: firstFix)
      }
      new.firstSample = samples.position(batch.firstSample)
      (new.samples, new.rotations) = counts
      (new.firstFix, new.fixes) = (firstFix, left.count)
      if isChanged { new.blockChecksum = try replaceBlock(rest, key: batch.key) }
      if new != batch { try new.write(to: connection) }
      return true
    }
    (uploads.droppedSamples, uploads.droppedRotations) = (dropped.samples, dropped.rotations)
    if uploads.nextSequence == 0 { uploads.rotations = dropped.rotations }
    user.samples = samples.position(user.samples)
    user.fixes = fixes.position(user.fixes)
    user.rotationRates = rotations
    return (samples, fixes)
  }

  /// The checksum of the block that is now stored; 0 when nothing is left.
  private func replaceBlock(_ samples: JournalBatch, key: Int64) throws(JournalError) -> UInt32 {
    try connection.delete(key, from: "blocks")
    guard !samples.isEmpty else { return 0 }
    return try connection.insert(SampleBlock.encoded(samples, key: key), key: key)
  }

  private func rewrite(
    _ events: [MeasurementEvent], _ erasure: Erasure, _ removed: RemovedPositions,
    _ user: inout UserRecord
  ) throws(JournalError) {
    try connection.delete(StoreFormat.keys(ofUser: user.number), from: "events")
    user.events = 0
    for var event in erasure.kept(events) {
      event.samples = removed.samples.position(event.samples)
      event.fixes = removed.fixes.position(event.fixes)
      try Self.write(event, of: &user, to: connection)
    }
  }

  /// The checkpoints that hold nothing of what is erased, at their new positions.
  private func checkpoints(
    before erasure: Erasure, _ removed: RemovedPositions
  ) throws(JournalError) -> [DayCheckpoint] {
    // What lies outside the times belongs to a track and has a clock that was set.
    guard let start = erasure.times.map(\.lowerBound).min(), erasure.samples.isEmpty else {
      return []
    }
    return try rows(DayCheckpoint.self).filter { $0.end <= start }.map { checkpoint in
      var moved = checkpoint
      moved.sample = removed.samples.position(checkpoint.sample)
      moved.fix = removed.fixes.position(checkpoint.fix)
      return moved
    }
  }

  /// Turns what the days tell of the erased times into gaps, and what lies beside them without
  /// anything observed in it: it was inferred from what is erased.
  ///
  /// - Returns: The stays of which something was erased.
  private func removeItems(
    _ erasure: Erasure, _ observed: ObservedTimes, _ days: inout DaysRecord,
    _ report: inout ErasureReport
  ) throws(JournalError) -> [DaySegment] {
    let rows: [ItemRecord] = try rows()
    for time in erasure.times { report.add(time) }
    guard !rows.isEmpty else { return [] }
    var segments = rows.map(\.segment)
    var stays = segments.filter { segment in
      segment.kind == .stay && erasure.reaches(into: segment.start, segment.end)
    }
    for time in erasure.times {
      segments = segments.flatMap { segment in
        segment.changed(from: time.lowerBound, to: time.upperBound) { part in
          part = DaySegment(.gap, from: part.start, to: part.end)
          part.isEdited = true
        }
      }
    }
    for indices in [Array(segments.indices), segments.indices.reversed()] {
      for (before, index) in zip(indices, indices.dropFirst()) {
        let segment = segments[index]
        guard segments[before].kind == .gap, segments[before].isEdited, segment.kind != .gap,
          !observed.reach(into: segment.start, segment.end)
        else { continue }
        if segment.kind == .stay { stays.append(segment) }
        report.add(segment.start..<segment.end)
        segments[index] = DaySegment(.gap, from: segment.start, to: segment.end)
        segments[index].isEdited = true
      }
    }
    for index in segments.indices {
      guard let stated = segments[index].stated?.interval else { continue }
      if erasure.reaches(into: stated.start, stated.end) { segments[index].stated = nil }
    }
    segments = DaySegment.merged(segments)
    if segments.first?.kind == .gap { segments.removeFirst() }
    if segments.isEmpty {
      days.finalEnd = nil
      days.resumeSample = 0
      days.resumeFix = 0
    }
    for row in rows { try remove(row) }
    for (index, segment) in segments.enumerated() {
      try ItemRecord(user: days.user, index: index, segment).write(to: connection)
    }
    days.items = segments.count
    return stays
  }

  /// The stated visits of which something is erased, but those to places of which others tell.
  private func visits(_ erasure: Erasure) throws(JournalError) -> [DaySegment] {
    let stated = try storedStatements()
    let left = Set(
      stated.filter { !erasure.reaches(into: $0.start, $0.end) }.compactMap(\.place))
    return stated.compactMap { statement in
      guard case .visit(let latitude, let longitude, let radius) = statement.kind,
        erasure.reaches(into: statement.start, statement.end),
        !left.contains(statement.place ?? "")
      else { return nil }
      var stay = DaySegment(.stay, from: statement.start, to: statement.end)
      stay.location = Stay.Location(
        latitude: latitude, longitude: longitude, radius68: radius ?? 0)
      return stay
    }
  }

  /// Removes edits of the erased times, and shortens those that reach into them; returns those of
  /// which something was erased.
  private func removeEdits(_ erasure: Erasure) throws(JournalError) -> [DayEdit] {
    let editRecords: [EditRecord] = try rows()
    for editRecord in editRecords {
      try remove(editRecord)
      // A part of a window's time would have the features of all of it, one of a statement's its
      // totals.
      let isWhole = editRecord.kind == .window || editRecord.kind == .statement
      if isWhole, erasure.reaches(into: editRecord.start, editRecord.end) { continue }
      for part in erasure.outside(editRecord.start, editRecord.end) {
        var rest = editRecord
        (rest.start, rest.end) = part
        try add(rest)
      }
    }
    return editRecords.compactMap(DayEdit.init).filter { erasure.reaches(into: $0.start, $0.end) }
  }

  /// Removes the places that reach erased stays or were given to them, unless another stay is left
  /// at them: a name and coordinates would tell where the person was.
  private func removePlaces(
    of stays: [DaySegment], _ edits: [DayEdit]
  ) throws(JournalError) -> [Place] {
    let left = Set(
      try rows(ItemRecord.self).compactMap(\.segment.place)
        + (try storedEdits()).compactMap(\.change.place))
    let given = Set(stays.compactMap(\.place) + edits.compactMap(\.change.place))
    var gone: [Place] = []
    for record in try rows(PlaceRecord.self) where !left.contains(record.place.id) {
      let recogniser = PlaceRecogniser([record.place])
      let isAtStay = stays.contains { recogniser.place(of: $0) != nil }
      guard isAtStay || given.contains(record.place.id) else { continue }
      try remove(record)
      gone.append(record.place)
    }
    return gone
  }
}
