internal import Locomotion

extension UserJournal {
  /// Appends a unit: its samples, fixes, events, and edits and places if it has any.
  ///
  /// All units of one device, appended in the order of ``UploadUnit/Summary/sequence`` for a user
  /// of whom nothing was recorded, give a recording equal to the device's own, and after
  /// ``updateDays(model:)`` equal days, whenever that is called. The stored blocks are taken as
  /// they are, but for the key that each begins with and its checksum.
  ///
  /// - Parameter unit: The unit, of a user of this name; later than the last one that was appended.
  ///   Where units are missing in between, what follows takes the positions after what is there.
  /// - Returns: How much the journal holds of the user now.
  /// - Throws: ``JournalError/wrongUnit(reason:)`` for another user or device or an earlier unit;
  ///   then nothing is stored.
  /// - Complexity: O(length of the unit); with annotations also O(stays · places).
  @discardableResult
  public func append(_ unit: UploadUnit) throws(JournalError) -> JournalCounts {
    try requireWriting()
    let content: UnitContent
    do {
      content = try UnitContent(unit: unit.bytes)
    } catch {
      throw .wrongUnit(reason: error.description)
    }
    let change = try connection.transaction { () throws(JournalError) in
      try append(content)
    }
    if content.annotations != nil { journal.dayComputations[number] = nil }
    if let change { noteChange(from: change.start, to: change.end) }
    return try counts()
  }

  /// The device whose units were appended and the number of the next one; nil for none.
  public func nextUnit() throws(JournalError) -> (device: String, sequence: Int)? {
    try reading { (user) throws(JournalError) in
      let uploads = try uploadRecord(user)
      return uploads.source.map { ($0, uploads.sourceSequence) }
    }
  }

  private func append(_ content: UnitContent) throws(JournalError) -> DayChange? {
    var record = try userRecord()
    var uploads = try uploadRecord(record)
    guard content.unit.user == record.name else {
      throw .wrongUnit(reason: "it is of another user")
    }
    guard uploads.source == nil || uploads.source == content.unit.device else {
      throw .wrongUnit(reason: "it is of another device than those before it")
    }
    guard content.unit.sequence >= uploads.sourceSequence else {
      throw .wrongUnit(
        reason: "number \(content.unit.sequence), "
          + "expected \(uploads.sourceSequence) or a later one")
    }
    uploads.source = content.unit.device
    uploads.sourceSequence = content.unit.sequence + 1
    let moved = (
      samples: record.samples - content.unit.firstSample,
      fixes: record.fixes - content.unit.firstFix
    )
    try connection.insert(content.fixes, ofUser: record.number, after: record.fixes)
    for batch in content.batches { try append(batch, to: &record) }
    for var event in content.events {
      event.samples = max(0, event.samples + moved.samples)
      event.fixes = max(0, event.fixes + moved.fixes)
      try Self.write(event, of: &record, to: connection)
    }
    // They are in the archive already: nothing of them is made into units here.
    uploads.batches = record.batches
    uploads.rotations = record.rotationRates
    uploads.events = record.events
    var change: DayChange?
    if let annotations = content.annotations {
      uploads.sourcePlaces = SourcePlaces(annotations)
      change = try replaceAnnotations(by: annotations, of: record)
    }
    try uploads.write(to: connection)
    try record.write(to: connection)
    return change
  }

  /// Writes a batch whose fixes are stored already; the user's record is changed but not written.
  private func append(
    _ batch: UnitContent.Batch, to user: inout UserRecord
  ) throws(JournalError) {
    let record = BatchRecord(
      key: StoreFormat.key(user: user.number, index: user.batches), firstSample: user.samples,
      samples: batch.samples, rotations: batch.rotations, firstFix: user.fixes,
      fixes: batch.fixes)
    let block = batch.block.isEmpty ? [] : SampleBlock.moved(batch.block, to: record.key)
    try connection.insert(record, block, of: &user)
    user.fixes += batch.fixes
  }

  /// Replaces all edits and places, and finds the places of the stays anew.
  private func replaceAnnotations(
    by annotations: UnitAnnotations, of user: UserRecord
  ) throws(JournalError) -> DayChange? {
    let stated = try storedStatements()
    for record in try rows(PlaceRecord.self) { try remove(record) }
    for record in try rows(EditRecord.self) { try remove(record) }
    for place in annotations.places {
      try PlaceRecord(user: user.number, place).write(to: connection)
    }
    for var editRecord in annotations.editRecords {
      editRecord.key = StoreFormat.key(
        user: user.number, index: StoreFormat.index(of: editRecord.key))
      try editRecord.write(to: connection)
    }
    let changed = Set(stated).symmetricDifference(try storedStatements())
    if let start = changed.map(\.start).min() {
      try computeAgain(from: stated.isEmpty ? nil : start, of: user)
    }
    var days = try daysRecord(user)
    try recogniseAll(in: &days, SourcePlaces(annotations))
    try days.write(to: connection)
    guard days.items > 0 else { return nil }
    return DayChange(
      start: try item(0).segment.start,
      end: try item(days.items - 1).segment.end)
  }
}

extension SampleBlock {
  /// An encoded block with another key, and else bit by bit the same.
  static func moved(_ bytes: [UInt8], to key: Int64) -> [UInt8] {
    var header = Self.letters
    header.append(littleEndian: UInt64(bitPattern: key), byteCount: 8)
    guard !bytes.starts(with: header) else { return bytes }
    return sealed(header + bytes[header.count..<bytes.count - 4])
  }
}
