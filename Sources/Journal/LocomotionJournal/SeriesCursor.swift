/// Reads one sensor's series from a user's recording, one stored block at a time.
///
/// It holds one block in memory. A whole recording takes linear time, also for rotation rates,
/// whose positions no batch row stores. Each call sees the current state of the file: when a writer
/// has merged the newest batches in the meantime, the position is found again from the beginning.
package struct SeriesCursor {
  /// The sensor that is read.
  package enum Sensor: Hashable, Sendable {
    case accelerations
    case rotationRates
    /// The pressures of the air, hPa, which come as `x`.
    case pressures
  }

  private let journal: UserJournal
  private let sensor: Sensor
  /// The positions still to be read.
  private var rest: Range<Int>
  /// The next batch, its first position, and the row of the batch before it.
  private var batch = 0
  private var first = 0
  private var last: BatchRecord?
  /// How many positions were passed over because they were dropped; pressures are not counted.
  package private(set) var dropped = 0

  /// Starts at the lower bound of `range`, which must lie within the recording; of pressures all
  /// are read, and how many there are shows at the end.
  package init(of journal: UserJournal, _ sensor: Sensor, in range: Range<Int> = 0..<Int.max) {
    self.journal = journal
    self.sensor = sensor
    rest = range
  }

  /// The next samples, at least one; nil at the end.
  ///
  /// What was dropped after an archive had confirmed it is passed over; see ``dropped``.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  package mutating func next() throws(JournalError) -> SampleSeries? {
    guard !rest.isEmpty else { return nil }
    var state = self
    let result = try journal.connection.snapshot { () throws(JournalError) in
      try state.advance(toEnd: false)
    }
    self = state
    return result.count > 0 ? result : nil
  }

  /// All samples that are still to be read, of one state of the file; throws as ``next()`` does.
  package func remaining() throws(JournalError) -> SampleSeries {
    var state = self
    return try journal.connection.snapshot { () throws(JournalError) in
      try state.advance(toEnd: true)
    }
  }

  /// The next samples; none at the end of the pressures.
  private mutating func advance(toEnd: Bool) throws(JournalError) -> SampleSeries {
    let record = try journal.userRecord()
    if try !isStillThere(record) { (batch, first, last) = (0, 0, nil) }
    try passDropped(record)
    if sensor == .accelerations, first < rest.lowerBound {
      // A batch's row tells the positions of its accelerations.
      batch = try journal.firstBatch(of: record) { $0.sampleRange.upperBound <= rest.lowerBound }
      last = batch > 0 ? try journal.connection.batch(batch - 1, of: record) : nil
      first = last?.sampleRange.upperBound ?? 0
    }
    guard !rest.isEmpty else { return SampleSeries() }
    var state = self
    var result = SampleSeries()
    try journal.forEachBatch(of: record, from: batch) {
      (batch: BatchRecord) throws(JournalError) in
      // How many pressures there are only the block knows.
      let pressures = state.sensor == .pressures ? try state.series(of: batch) : nil
      let count = state.sensor == .accelerations ? batch.samples : batch.rotations
      let own = state.first..<state.first + (pressures?.count ?? count)
      state.batch += 1
      state.first = own.upperBound
      state.last = batch
      let part = own.clamped(to: state.rest)
      guard !part.isEmpty else { return true }
      let series = if let pressures { pressures } else { try state.series(of: batch) }
      result.append(
        contentsOf: series[part.lowerBound - own.lowerBound..<part.upperBound - own.lowerBound])
      state.rest = part.upperBound..<state.rest.upperBound
      return toEnd && !state.rest.isEmpty
    }
    guard sensor == .pressures || (toEnd ? state.rest.isEmpty : result.count > 0) else {
      throw journal.damage("samples are missing")
    }
    self = state
    return result
  }

  /// The sensor's series in a batch.
  private func series(of batch: BatchRecord) throws(JournalError) -> SampleSeries {
    let block = try journal.connection.block(of: batch)
    return switch sensor {
    case .accelerations: block.accelerations
    case .rotationRates: block.rotationRates
    case .pressures: SampleSeries(block.pressures)
    }
  }

  /// Moves behind the batches whose blocks were dropped.
  private mutating func passDropped(_ record: UserRecord) throws(JournalError) {
    let uploads = try journal.uploadRecord(record)
    guard batch < uploads.droppedBatches else { return }
    batch = uploads.droppedBatches
    last = try journal.connection.batch(batch - 1, of: record)
    switch sensor {
    case .accelerations: first = uploads.droppedSamples
    case .rotationRates: first = uploads.droppedRotations
    // Their positions are not known before their blocks are read.
    case .pressures: return
    }
    let next = min(max(rest.lowerBound, first), rest.upperBound)
    dropped += next - rest.lowerBound
    rest = next..<rest.upperBound
  }

  /// Whether the journal still holds the batches that were read.
  private func isStillThere(_ record: UserRecord) throws(JournalError) -> Bool {
    guard batch > 0 else { return true }
    guard batch <= record.batches else { return false }
    return try journal.connection.batch(batch - 1, of: record) == last
  }
}
