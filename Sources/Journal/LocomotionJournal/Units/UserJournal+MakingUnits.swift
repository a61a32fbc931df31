internal import LocomotionSensing

extension UserJournal {
  /// Makes upload units of what is recorded and not in a unit yet, some at a time.
  ///
  /// Units are cut at the days of UTC, by the earliest time of each stored batch, and before their
  /// samples and fixes exceed 256 KiB, or their samples a million. What is in a unit never changes:
  /// its batches are not merged with later ones. When edits or places have changed, a unit
  /// with all of them follows the data, so call ``updateDays(model:)`` before, and the archive
  /// knows the places of the newest stays.
  ///
  /// ```swift
  /// while try ada.makeUnits(closing: true) > 0 {}
  /// ```
  ///
  /// - Parameter isClosing: Whether the newest small batches are taken too, which could still be
  ///   merged with later ones and then take less space.
  /// - Returns: How many units were made; 0 when there is nothing left.
  /// - Throws: ``JournalError``; then no unit is made by this call.
  /// - Complexity: O(what is not in a unit, up to 16 MiB of it).
  public func makeUnits(closing isClosing: Bool) throws(JournalError) -> Int {
    try writing { (user) throws(JournalError) in
      var making = try UnitMaking(of: user, isClosing: isClosing, in: self)
      try making.run()
      return making.made
    }
  }

  /// All units that were made for the user on this device, in the order in which they were made.
  public func units() throws(JournalError) -> [UnitStatus] {
    try reading { (_) throws(JournalError) in
      try rows(UnitStatus.self).map { unit in
        var status = unit
        // All places and edits, which nobody asks a status for.
        status.annotations = nil
        return status
      }
    }
  }

  /// The units of the user in one of the states, in the order in which they were made.
  public func units(in state: UnitStatus.State) throws(JournalError) -> [UnitStatus] {
    try units().filter { $0.state == state }
  }

  /// The unit itself, made again of the rows and verified by its digest.
  ///
  /// - Parameter status: A unit that is pending or parked.
  /// - Returns: The unit.
  /// - Throws: ``JournalError/unknownUnit`` when it is in another state or the user has no such
  ///   unit; ``JournalError/damaged(path:what:)`` when the rows are not those that it was made of.
  public func unit(_ status: UnitStatus) throws(JournalError) -> UploadUnit {
    try reading { (owner) throws(JournalError) in
      let uploads = try uploadRecord(owner)
      let record = try unitRecord(status.digest, in: [.pending, .parked])
      let unit = UploadUnit(try content(of: record, owner, uploads))
      guard SHA256Digest(of: unit.bytes).bytes == record.digest else {
        throw damage("the rows of unit \(record.sequence)")
      }
      return unit
    }
  }

  /// The name of this device in the user's units: 32 hexadecimal digits in lower case.
  ///
  /// An erasure of an interval or a measurement begins a new one.
  public func device() throws(JournalError) -> String {
    try reading { (user) throws(JournalError) in try uploadRecord(user).device }
  }

  /// The content of a unit, read from the rows that its own names.
  func content(
    of record: UnitStatus, _ user: UserRecord, _ uploads: UploadRecord
  ) throws(JournalError) -> UnitContent {
    var content = UnitContent(unit: record)
    (content.unit.summary.user, content.unit.summary.device) = (user.name, uploads.device)
    content.unit.summary.hasAnnotations = record.annotations != nil
    if record.sequence > 0 {
      let predecessor: UnitStatus = try connection.row(record.key - 1, orElse: "the table of units")
      content.unit.summary.predecessor = predecessor.name
    }
    let events = try connection.events(of: user)
    let range = record.firstEventIndex..<record.firstEventIndex + record.events
    guard range.upperBound <= events.count else { throw damage("the events of a unit") }
    content.events = Array(events[range])
    if record.batches > 0 {
      let last = record.firstBatch + record.batches
      try forEachBatch(of: user, from: record.firstBatch) {
        (batch: BatchRecord) throws(JournalError) in
        content.batches.append(
          UnitContent.Batch(
            samples: batch.samples, rotations: batch.rotations, fixes: batch.fixes,
            block: try connection.blockBytes(of: batch)))
        return record.firstBatch + content.batches.count < last
      }
      content.fixes = try fixes(
        of: user, in: record.firstFix..<record.firstFix + record.fixes)
    }
    if let bytes = record.annotations {
      guard let annotations = try? UnitAnnotations(decoding: bytes) else {
        throw damage("the annotations of a unit")
      }
      content.annotations = annotations
    }
    return content
  }
}

/// Makes units inside a transaction of the caller.
private struct UnitMaking {
  /// The most units of one transaction.
  private static let most = 64

  private let journal: UserJournal
  private let user: UserRecord
  private var uploads: UploadRecord
  private let events: [MeasurementEvent]
  private let isClosing: Bool
  private(set) var made = 0

  /// The unit that is being filled.
  private var unit = UnitStatus()
  /// About how many bytes it takes.
  private var size = 0

  init(
    of user: UserRecord, isClosing: Bool, in journal: UserJournal
  ) throws(JournalError) {
    (self.journal, self.user, self.isClosing) = (journal, user, isClosing)
    uploads = try journal.uploadRecord(user)
    events = try journal.connection.events(of: user)
    if uploads.batches > 0 {
      let last = try journal.connection.batch(uploads.batches - 1, of: user)
      (unit.firstSample, unit.firstFix) = (last.sampleRange.upperBound, last.fixRange.upperBound)
    }
    begin()
  }

  mutating func run() throws(JournalError) {
    let (journal, user) = (journal, user)
    let end =
      isClosing
      ? user.batches : try BatchWriter(connection: journal.connection).closedBatches(of: user)
    var next = uploads.batches
    if next < end {
      try journal.forEachBatch(of: user, from: next) { (batch: BatchRecord) throws(JournalError) in
        try add(batch)
        next += 1
        return next < end && made < Self.most
      }
    }
    if made < Self.most {
      try finish(isLast: next == user.batches && isClosing)
      try makeAnnotations()
    }
    try uploads.write(to: journal.connection)
  }

  /// Begins the unit that follows the last one.
  private mutating func begin() {
    let (sample, fix) = (unit.firstSample + unit.samples, unit.firstFix + unit.fixes)
    unit = UnitStatus(key: StoreFormat.key(user: user.number, index: uploads.nextUnit))
    unit.summary.sequence = uploads.nextSequence
    (unit.firstBatch, unit.firstRotation) = (uploads.batches, uploads.rotations)
    (unit.firstSample, unit.firstFix, unit.firstEventIndex) = (sample, fix, uploads.events)
    size = 0
  }

  /// Adds a batch, and ends the unit before it when it is of another day or too large.
  private mutating func add(_ batch: BatchRecord) throws(JournalError) {
    // Decoded, so that no damage gets into a unit.
    let block = try journal.connection.block(of: batch)
    var own: ClosedRange<Timestamp>?
    for time in block.sampleTimes.joined() { own.extend(to: time) }
    for fix in try journal.fixes(of: user, in: batch.fixRange) { own.extend(to: fix.timestamp) }
    // A fix takes up to 82 bytes.
    let ownSize = try journal.connection.blockBytes(of: batch).count + 82 * batch.fixes
    let isOtherDay =
      if let day = unit.firstEvent?.dayOfUTC, let ownDay = own?.lowerBound.dayOfUTC {
        day != ownDay
      } else { false }
    let isFull =
      size + ownSize > UploadUnit.usualByteCount
      || unit.sampleCount + block.count > UploadUnit.usualSampleCount
    if unit.batches > 0, isOtherDay || isFull { try finish(isLast: false) }
    unit.batches += 1
    unit.summary.samples += batch.samples
    unit.summary.rotationRates += batch.rotations
    unit.summary.pressures += block.pressures.count
    unit.summary.fixes += batch.fixes
    for time in own.map({ [$0.lowerBound, $0.upperBound] }) ?? [] { unit.times.extend(to: time) }
    size += ownSize
  }

  /// Ends the unit and stores its row, unless it is empty.
  private mutating func finish(isLast: Bool) throws(JournalError) {
    let (sample, fix) = (unit.firstSample + unit.samples, unit.firstFix + unit.fixes)
    let rest = events[uploads.events...]
    let own = isLast ? rest : rest.prefix { $0.samples <= sample && $0.fixes <= fix }
    guard unit.batches > 0 || !own.isEmpty else { return }
    unit.summary.events = own.count
    for event in own { unit.times.extend(to: event.timestamp) }
    // The one that goes on at the beginning of the unit.
    for event in events[..<own.endIndex]
    where event.samples <= unit.firstSample && event.fixes <= unit.firstFix {
      unit.summary.measurement = event.kind == .stop ? nil : event.measurement
    }
    if unit.batches == 0, unit.measurement == nil {
      unit.summary.measurement = own.first?.measurement
    }
    try store()
  }

  private mutating func makeAnnotations() throws(JournalError) {
    let annotations = try journal.annotations(of: user)
    let bytes = annotations.encoded()
    let ownDigest = SHA256Digest(of: bytes).bytes
    guard ownDigest != uploads.annotations, uploads.annotations != nil || !annotations.isEmpty
    else { return }
    unit.annotations = bytes
    try store()
    uploads.annotations = ownDigest
  }

  private mutating func store() throws(JournalError) {
    let bytes = UploadUnit(try journal.content(of: unit, user, uploads)).bytes
    (unit.byteCount, unit.digest) = (bytes.count, SHA256Digest(of: bytes).bytes)
    try unit.write(to: journal.connection)
    uploads.nextUnit += 1
    uploads.nextSequence += 1
    uploads.batches += unit.batches
    uploads.rotations += unit.rotationRates
    uploads.events += unit.events
    made += 1
    begin()
  }
}

extension Timestamp {
  /// The number of the day of UTC, counted from 1970.
  fileprivate var dayOfUTC: Int64 { interval(of: 86_400_000_000_000) }
}
