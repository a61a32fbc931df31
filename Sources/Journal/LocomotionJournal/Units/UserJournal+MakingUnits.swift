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
  /// while try ada.makeUnits(closing: true, digest: sha256) > 0 {}
  /// ```
  ///
  /// - Parameters:
  ///   - isClosing: Whether the newest small batches are taken too, which could still be merged
  ///     with later ones and then take less space.
  ///   - digest: Computes SHA-256, 32 bytes; the journal links no such library.
  /// - Returns: How many units were made; 0 when there is nothing left.
  /// - Throws: ``JournalError``; then no unit is made by this call.
  /// - Complexity: O(what is not in a unit, up to 16 MiB of it).
  public func makeUnits(
    closing isClosing: Bool, digest: @escaping ([UInt8]) -> [UInt8]
  ) throws(JournalError) -> Int {
    try writing { (user) throws(JournalError) in
      var making = try UnitMaking(of: user, isClosing: isClosing, in: self, digest)
      try making.run()
      return making.made
    }
  }

  /// All units that were made for the user on this device, in the order in which they were made.
  public func units() throws(JournalError) -> [UnitStatus] {
    try reading { (_) throws(JournalError) in
      try rows(UnitRecord.self).map { UnitStatus($0) }
    }
  }

  /// The units of the user in one of the states, in the order in which they were made.
  public func units(in state: UnitStatus.State) throws(JournalError) -> [UnitStatus] {
    try units().filter { $0.state == state }
  }

  /// The unit itself, made again of the rows and verified by its digest.
  ///
  /// - Parameters:
  ///   - status: A unit that is pending or parked.
  ///   - digest: Computes SHA-256, 32 bytes.
  /// - Returns: The unit.
  /// - Throws: ``JournalError/unknownUnit`` when it is in another state or the user has no such
  ///   unit; ``JournalError/damaged(path:what:)`` when the rows are not those that it was made of.
  public func unit(
    _ status: UnitStatus, digest: ([UInt8]) -> [UInt8]
  ) throws(JournalError) -> UploadUnit {
    try reading { (owner) throws(JournalError) in
      let uploads = try uploadRecord(owner)
      let record = try unitRecord(status.digest, in: [.pending, .parked])
      var content = try content(of: record, owner, uploads)
      let predecessor: UnitRecord? = try connection.row(record.key - 1)
      content.predecessor = predecessor?.digest
      // Units of an earlier version are sent as they were made.
      for version in (1...UploadUnit.version).reversed() {
        content.version = version
        let unit = UploadUnit(content)
        if digest(unit.bytes) == record.digest { return unit }
      }
      throw damage("the rows of unit \(record.sequence)")
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
    of record: UnitRecord, _ user: UserRecord, _ uploads: UploadRecord
  ) throws(JournalError) -> UnitContent {
    var content = UnitContent(
      user: user.name, device: uploads.device, sequence: record.sequence,
      measurement: record.measurement, times: record.times)
    (content.firstBatch, content.firstSample) = (record.firstBatch, record.firstSample)
    (content.firstRotation, content.firstFix) = (record.firstRotation, record.firstFix)
    content.pressures = record.pressures
    let events = try connection.events(of: user)
    let range = record.firstEvent..<record.firstEvent + record.events
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
  private let digest: ([UInt8]) -> [UInt8]
  private let user: UserRecord
  private var uploads: UploadRecord
  private let events: [MeasurementEvent]
  private let isClosing: Bool
  private(set) var made = 0

  /// The unit that is being filled.
  private var content: UnitContent
  private var times: ClosedRange<Timestamp>?
  private var size = 0
  private var samples = 0
  /// The digest of the device's newest unit; nil when it has none.
  private var predecessor: [UInt8]?
  private var positions: (sample: Int, fix: Int)

  init(
    of user: UserRecord, isClosing: Bool, in journal: UserJournal,
    _ digest: @escaping ([UInt8]) -> [UInt8]
  ) throws(JournalError) {
    (self.journal, self.user) = (journal, user)
    (self.isClosing, self.digest) = (isClosing, digest)
    uploads = try journal.uploadRecord(user)
    events = try journal.connection.events(of: user)
    if uploads.nextSequence > 0 {
      let newest = StoreFormat.key(user: user.number, index: uploads.nextUnit - 1)
      predecessor = try journal.rows(UnitRecord.self).first { $0.key == newest }?.digest
      guard predecessor != nil else { throw journal.damage("the table of units") }
    }
    let last =
      uploads.batches > 0 ? try journal.connection.batch(uploads.batches - 1, of: user) : nil
    positions = (last?.sampleRange.upperBound ?? 0, last?.fixRange.upperBound ?? 0)
    content = UnitContent(user: user.name, device: uploads.device, sequence: 0)
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

  private mutating func begin() {
    content = UnitContent(
      user: user.name, device: uploads.device, sequence: uploads.nextSequence)
    content.predecessor = predecessor
    content.firstBatch = uploads.batches
    content.firstRotation = uploads.rotations
    (content.firstSample, content.firstFix) = positions
    times = nil
    (size, samples) = (0, 0)
  }

  /// Adds a batch, and ends the unit before it when it is of another day or too large.
  private mutating func add(_ batch: BatchRecord) throws(JournalError) {
    // Decoded, so that no damage gets into a unit.
    let block = try journal.connection.block(of: batch)
    let bytes = try journal.connection.blockBytes(of: batch)
    let fixes = try journal.fixes(of: user, in: batch.fixRange)
    var own: ClosedRange<Timestamp>?
    for time in block.samples.sampleTimes.joined() { own.extend(to: time) }
    for fix in fixes { own.extend(to: fix.timestamp) }
    // A fix takes up to 82 bytes.
    let ownSize = bytes.count + 82 * fixes.count
    let isOtherDay =
      if let day = times?.lowerBound.dayOfUTC, let ownDay = own?.lowerBound.dayOfUTC {
        day != ownDay
      } else { false }
    let ownSamples = block.samples.count
    let isFull =
      size + ownSize > UploadUnit.usualByteCount
      || samples + ownSamples > UploadUnit.usualSampleCount
    if !content.batches.isEmpty, isOtherDay || isFull {
      try finish(isLast: false)
    }
    content.batches.append(
      UnitContent.Batch(
        samples: batch.samples, rotations: batch.rotations, fixes: batch.fixes, block: bytes))
    content.fixes += fixes
    content.pressures += block.pressures.count
    for time in own.map({ [$0.lowerBound, $0.upperBound] }) ?? [] { times.extend(to: time) }
    size += ownSize
    samples += ownSamples
    positions = (batch.sampleRange.upperBound, batch.fixRange.upperBound)
  }

  /// Ends the unit and stores its row, unless it is empty.
  private mutating func finish(isLast: Bool) throws(JournalError) {
    let rest = events[uploads.events...]
    let own =
      isLast
      ? rest : rest.prefix { $0.samples <= positions.sample && $0.fixes <= positions.fix }
    content.events = Array(own)
    guard !content.batches.isEmpty || !own.isEmpty else { return }
    for event in own { times.extend(to: event.timestamp) }
    content.times = times
    content.measurement = measurement(until: own.endIndex)
    try store()
  }

  /// The measurement that goes on at the beginning of the unit.
  private func measurement(until end: Int) -> Int? {
    var current: Int?
    for event in events[..<end]
    where event.samples <= content.firstSample && event.fixes <= content.firstFix {
      current = event.kind == .stop ? nil : event.measurement
    }
    return current ?? (content.batches.isEmpty ? content.events.first?.measurement : nil)
  }

  private mutating func makeAnnotations() throws(JournalError) {
    let annotations = try journal.annotations(of: user)
    let bytes = annotations.encoded()
    let ownDigest = digest(bytes)
    guard ownDigest != uploads.annotations, uploads.annotations != nil || !annotations.isEmpty
    else { return }
    content.annotations = annotations
    try store(annotations: bytes)
    uploads.annotations = ownDigest
  }

  private mutating func store(annotations: [UInt8]? = nil) throws(JournalError) {
    let unit = UploadUnit(content)
    var record = UnitRecord(
      key: StoreFormat.key(user: user.number, index: uploads.nextUnit),
      sequence: content.sequence)
    record.measurement = content.measurement
    (record.firstBatch, record.batches) = (content.firstBatch, content.batches.count)
    (record.firstSample, record.samples) = (content.firstSample, content.samples)
    (record.firstRotation, record.rotations) = (content.firstRotation, content.rotations)
    record.pressures = content.pressures
    (record.firstFix, record.fixes) = (content.firstFix, content.fixes.count)
    (record.firstEvent, record.events) = (uploads.events, content.events.count)
    record.times = content.times
    record.byteCount = unit.bytes.count
    record.digest = digest(unit.bytes)
    predecessor = record.digest
    record.annotations = annotations
    try record.write(to: journal.connection)
    uploads.nextUnit += 1
    uploads.nextSequence += 1
    uploads.batches += record.batches
    uploads.rotations += record.rotations
    uploads.events += record.events
    made += 1
    begin()
  }
}

extension Timestamp {
  /// The number of the day of UTC, counted from 1970.
  fileprivate var dayOfUTC: Int64 { interval(of: 86_400_000_000_000) }
}
