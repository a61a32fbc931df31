public import LocomotionSensing

extension UserJournal {
  /// The accelerations at these positions of the user's recording, in recording order.
  ///
  /// Positions count from 0 and never change. A range that reaches beyond the end is clamped. Read
  /// a long recording in ranges of some ten thousand samples, or all sensors batch by batch:
  /// ``batch(_:)``.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged;
  ///   ``JournalError/dropped(samples:)`` when the range begins before what is kept.
  /// - Complexity: O(log n + length of the range).
  public func samples(in range: Range<Int>) throws(JournalError) -> SampleSeries {
    try reading { (user) throws(JournalError) in
      let wanted = range.clamped(to: 0..<user.samples)
      var result = SampleSeries()
      guard !wanted.isEmpty else { return result }
      let dropped = try uploadRecord(user).droppedSamples
      guard wanted.lowerBound >= dropped else { throw .dropped(samples: dropped) }
      let first = try firstBatch(of: user) { $0.sampleRange.upperBound <= wanted.lowerBound }
      try forEachBatch(of: user, from: first) { (batch: BatchRecord) throws(JournalError) in
        let own = batch.sampleRange
        let part = own.clamped(to: wanted)
        if !part.isEmpty {
          result.append(
            contentsOf: try connection.block(of: batch).accelerations[
              part.lowerBound - own.lowerBound..<part.upperBound - own.lowerBound])
        }
        return own.upperBound < wanted.upperBound
      }
      guard result.count == wanted.count else { throw damage("samples are missing") }
      return result
    }
  }

  /// The numbers of the batches whose samples were not dropped; a writer may merge the newest ones,
  /// so that they hold for the time of one ``onSnapshot(_:)``.
  public func batches() throws(JournalError) -> Range<Int> {
    try reading { (user) throws(JournalError) in
      try uploadRecord(user).droppedBatches..<user.batches
    }
  }

  /// The accelerations, rotation rates and pressures in the batch with a number, in recording order
  /// each; its fixes are among those of ``fixes(in:)``.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  /// - Complexity: O(length of the batch), half a minute or more but for the newest ones.
  public func batch(_ number: Int) throws(JournalError) -> JournalBatch {
    try reading { (user) throws(JournalError) in
      try connection.block(of: connection.batch(number, of: user))
    }
  }

  /// Calls `body`, for all of which the journal is as it is now, whatever a writer does.
  public func onSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    let result = try connection.snapshot { () throws(JournalError) in Swift.Result(catching: body) }
    return try result.get()
  }

  /// The fixes at these positions of the user's recording, in recording order.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  /// - Complexity: O(log n + length of the range).
  public func fixes(in range: Range<Int>) throws(JournalError) -> [LocationFix] {
    try reading { (record) throws(JournalError) in
      try fixes(of: record, in: range.clamped(to: 0..<record.fixes))
    }
  }

  /// The fixes of an interval of time, in time order, whatever the order in which they came.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  /// - Complexity: O(number of the user's fixes).
  public func fixes(
    from start: Timestamp, to end: Timestamp
  ) throws(JournalError) -> [LocationFix] {
    try reading { (user) throws(JournalError) in
      let found = try fixes(of: user, in: 0..<user.fixes)
      let inside = found.enumerated().filter {
        start <= $0.element.timestamp && $0.element.timestamp < end
      }
      return inside.sorted {
        ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset)
      }.map(\.element)
    }
  }

  /// When the user's journal has samples and fixes.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  /// - Complexity: O(recording).
  package func recordedTimes() throws(JournalError) -> RecordedTimes {
    try reading { (user) throws(JournalError) in
      var times = RecordedTimes()
      let first = try uploadRecord(user).droppedBatches
      try forEachBatch(of: user, from: first) { (batch: BatchRecord) throws(JournalError) in
        times.add(samples: try connection.accelerationTimes(of: batch), fixes: [])
        return true
      }
      times.add(samples: [], fixes: try fixes(of: user, in: 0..<user.fixes).map(\.timestamp))
      times.finish()
      return times
    }
  }

  /// Calls `body` with the user's batches from index `first` on until it returns false; each begins
  /// where the one before it ends.
  func forEachBatch(
    of user: UserRecord, from first: Int, _ body: (BatchRecord) throws(JournalError) -> Bool
  ) throws(JournalError) {
    let last = first == 0 ? nil : try connection.batch(first - 1, of: user)
    var ends = (last?.sampleRange.upperBound ?? 0, last?.fixRange.upperBound ?? 0)
    var index = first
    while index < user.batches {
      // One query per batch, so that no statement is open while `body` runs.
      let record = try connection.batch(index, of: user)
      guard (record.firstSample, record.firstFix) == ends else {
        throw damage("batch \(index) does not begin where the one before it ends")
      }
      ends = (record.sampleRange.upperBound, record.fixRange.upperBound)
      index += 1
      guard try body(record) else { return }
    }
  }

  func fixes(of user: UserRecord, in range: Range<Int>) throws(JournalError) -> [LocationFix] {
    guard !range.isEmpty else { return [] }
    let found: [FixRecord] = try connection.rows(StoreFormat.keys(ofUser: user.number, range))
    guard found.count == range.count else { throw damage("fixes are missing") }
    return found.map(\.fix)
  }
}

extension SQLiteConnection {
  /// The decoded block of a stored batch, verified against the batch's row.
  func block(of batch: BatchRecord) throws(JournalError) -> JournalBatch {
    guard batch.hasBlock else { return JournalBatch() }
    let bytes = try blockBytes(of: batch)
    guard let block = try? SampleBlock.decoded(bytes, key: batch.key),
      block.accelerations.count == batch.samples, block.rotationRates.count == batch.rotations,
      SampleBlock.storedChecksum(of: bytes) == batch.blockChecksum
    else { throw .damaged(path: path, what: "a block of samples") }
    return block
  }

  /// The times of a stored batch's accelerations, verified against the batch's row.
  func accelerationTimes(of batch: BatchRecord) throws(JournalError) -> [Timestamp] {
    guard batch.samples > 0 else { return [] }
    let bytes = try blockBytes(of: batch)
    guard let times = try? SampleBlock.accelerationTimes(bytes, key: batch.key),
      times.count == batch.samples, SampleBlock.storedChecksum(of: bytes) == batch.blockChecksum
    else { throw .damaged(path: path, what: "a block of samples") }
    return times
  }

  /// The stored bytes of a batch's block, not verified; none where it has no block.
  func blockBytes(of batch: BatchRecord) throws(JournalError) -> [UInt8] {
    guard batch.hasBlock else { return [] }
    return try row(batch.key, orElse: "a block of samples", BlockRecord.self).data
  }

  /// Stores an encoded block where none is, and returns its checksum.
  func insert(_ block: [UInt8], key: Int64) throws(JournalError) -> UInt32 {
    try BlockRecord(key: key, data: block).write(to: self)
    return SampleBlock.storedChecksum(of: block)
  }

  /// Stores a batch after all of a user, with its block unless that is empty; the user's row is
  /// changed, but for its fixes, and not written.
  func insert(
    _ record: BatchRecord, _ block: [UInt8], of user: inout UserRecord
  ) throws(JournalError) {
    var record = record
    if !block.isEmpty { record.blockChecksum = try insert(block, key: record.key) }
    try record.write(to: self)
    user.batches += 1
    user.samples += record.samples
    user.rotationRates += record.rotations
  }

  /// Stores fixes after the first `count` of a user.
  func insert(
    _ fixes: [LocationFix], ofUser user: Int64, after count: Int
  ) throws(JournalError) {
    for (place, fix) in fixes.enumerated() {
      try FixRecord(key: StoreFormat.key(user: user, index: count + place), fix).write(to: self)
    }
  }

  func batch(_ index: Int, of user: UserRecord) throws(JournalError) -> BatchRecord {
    try row(
      StoreFormat.key(user: user.number, index: index), orElse: "batch \(index) is missing")
  }
}

/// When a user's journal has samples and fixes, so that an import takes each outing once.
package struct RecordedTimes: Sendable {
  /// The times of the accelerations of each batch, and of what follows within a second, in order.
  private var spans: [(start: Timestamp, end: Timestamp)] = []
  package private(set) var fixes: [Timestamp] = []

  /// Fixes that are not farther apart are of one outing, seconds.
  private static let longestInterval = 60.0

  /// Whether accelerations around a time are there; false without one.
  package func hasSamples(at time: Timestamp?) -> Bool {
    guard let time else { return false }
    let index = spans.partitioningIndex { $0.end >= time }
    return index < spans.count && spans[index].start <= time
  }

  /// Whether a fix at a time is there, or fixes shortly before and after it: those of another
  /// device on the same outing.
  package func hasFix(at time: Timestamp) -> Bool {
    let index = fixes.partitioningIndex { $0 >= time }
    guard index < fixes.count else { return false }
    if fixes[index] == time { return true }
    return index > 0 && fixes[index].seconds(since: fixes[index - 1]) <= Self.longestInterval
  }

  /// Of nothing.
  package init() {}

  /// Adds the accelerations and the fixes of a batch; until ``finish()`` nothing may be asked.
  package mutating func add(samples: [Timestamp], fixes: [Timestamp]) {
    if let start = samples.min(), let end = samples.max() { spans.append((start, end)) }
    self.fixes += fixes
  }

  /// Adds others.
  package mutating func add(_ others: RecordedTimes) {
    spans += others.spans
    fixes += others.fixes
    finish()
  }

  /// Puts what was added in order.
  fileprivate mutating func finish() {
    fixes.sort()
    let sorted = spans.sorted { $0.start < $1.start }
    spans = sorted.reduce(into: []) { joined, span in
      if let last = joined.last, span.start.seconds(since: last.end) <= 1 {
        joined[joined.count - 1].end = max(last.end, span.end)
      } else {
        joined.append(span)
      }
    }
  }
}
