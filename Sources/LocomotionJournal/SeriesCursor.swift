/// Reads one sensor of a user's recording from some position on, a stored block at a time.
///
/// Memory is that of one block. A whole recording takes linear time, also of the rotation rates,
/// whose positions no batch holds. Each call sees the file as it is then: when a writer has packed
/// the newest batches together meanwhile, the place is found again from the beginning.
package struct SeriesCursor {
  /// What is read.
  package enum Sensor: Hashable, Sendable {
    case accelerations
    case rotationRates
  }

  private let user: JournalUser
  private let sensor: Sensor
  /// The positions that are still to be read.
  private var rest: Range<Int>
  /// The next batch, the position with which it begins, and the chain before it.
  private var batch = 0
  private var first = 0
  private var chain: UInt32 = 0

  /// Begins at the start of `range`, which must not reach beyond what is recorded.
  package init(of user: JournalUser, _ sensor: Sensor, in range: Range<Int>) {
    self.user = user
    self.sensor = sensor
    rest = range
  }

  /// The next samples, not none; nil behind the last one.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when what stands there is not what was written.
  package mutating func next(
    in journal: borrowing Journal
  ) throws(JournalError) -> SampleSeries? {
    guard !rest.isEmpty else { return nil }
    var state = self
    let result = try journal.connection.snapshot { () throws(JournalError) in
      try state.advance(in: journal)
    }
    self = state
    return result
  }

  private mutating func advance(
    in journal: borrowing Journal
  ) throws(JournalError) -> SampleSeries {
    let record = try journal.userRecord(user)
    if try !isStillThere(record, in: journal) { (batch, first, chain) = (0, 0, 0) }
    var state = self
    var result = SampleSeries()
    try journal.forEachBatch(of: record, from: batch) {
      (batch: BatchRecord) throws(JournalError) in
      let count = state.sensor == .accelerations ? batch.samples : batch.rotations
      let own = state.first..<state.first + count
      state.batch += 1
      state.first = own.upperBound
      state.chain = batch.chain
      let part = own.clamped(to: state.rest)
      guard !part.isEmpty else { return true }
      let block = try journal.block(of: batch)
      let series = state.sensor == .accelerations ? block.accelerations : block.rotationRates
      result = series[part.lowerBound - own.lowerBound..<part.upperBound - own.lowerBound]
      state.rest = part.upperBound..<state.rest.upperBound
      return false
    }
    guard result.count > 0 else { throw journal.damage("samples are missing") }
    self = state
    return result
  }

  /// Whether the batches that were passed are the ones that the journal holds.
  private func isStillThere(
    _ record: UserRecord, in journal: borrowing Journal
  ) throws(JournalError) -> Bool {
    guard batch > 0 else { return true }
    guard batch <= record.batches else { return false }
    return try journal.batch(batch - 1, of: record).chain == chain
  }
}
