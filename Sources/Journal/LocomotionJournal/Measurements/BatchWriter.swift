internal import LocomotionSensing

/// Appends batches to a user's rows, inside a transaction of the caller.
///
/// A block of few samples is mostly header. So the newest small blocks are merged into full ones as
/// soon as there are enough samples. The positions of samples and fixes do not change; batches are
/// an implementation detail.
struct BatchWriter {
  /// The samples of a full block, 30 s at 100 Hz: then headers take less than a hundredth of it.
  static let fullBlock = 3_000
  /// Blocks of this size or more are not merged again.
  private static let largeBlock = 1_500

  /// The most fixes of a row, so that a unit, which holds whole rows, has a bounded number.
  static let mostFixes = 1 << 16

  /// This many small batches are merged even if they do not fill a block.
  private static let mostOpenBatches = 64

  let connection: SQLiteConnection

  /// Appends a batch that is not empty; `user` is updated but not written.
  func append(_ batch: JournalBatch, to user: inout UserRecord) throws(JournalError) {
    try connection.insert(batch.fixes, ofUser: user.number, after: user.fixes)
    var open = try openBatches(of: user)
    let openSamples = open.reduce(0) { $0 + max($1.samples, $1.rotations) }
    let newSamples = max(batch.accelerations.count, batch.rotationRates.count)
    if openSamples + newSamples < Self.fullBlock, open.count < Self.mostOpenBatches {
      // Too few samples to merge: the new batch is stored alone.
      open = []
    }
    var samples = JournalBatch()
    for record in open {
      samples.append(contentsOf: try connection.block(of: record))
      try connection.delete(record.key, from: "blocks")
      try connection.delete(record.key, from: "batches")
    }
    samples.append(contentsOf: batch)

    let index = user.batches - open.count
    user.samples -= open.reduce(0) { $0 + $1.samples }
    user.rotationRates -= open.reduce(0) { $0 + $1.rotations }
    user.batches = index
    let firstFix = open.first?.firstFix ?? user.fixes
    user.fixes += batch.fixes.count
    try write(samples, fixes: firstFix..<user.fixes, to: &user)
  }

  /// Writes one row, or several when there are more samples than a full block holds.
  private func write(
    _ block: JournalBatch, fixes: Range<Int>, to user: inout UserRecord
  ) throws(JournalError) {
    let (samples, rotations) = (block.accelerations.count, block.rotationRates.count)
    let pressures = block.pressures.count
    // The last block takes the remainder, which would otherwise be a small block for ever.
    let parts = max(1, max(samples, rotations, pressures) / Self.fullBlock)
    for part in 0..<parts {
      let isLast = part == parts - 1
      var piece = JournalBatch()
      func own(_ count: Int) -> Range<Int> {
        let start = min(count, part * Self.fullBlock)
        return start..<(isLast ? count : min(count, start + Self.fullBlock))
      }
      piece.accelerations = block.accelerations[own(samples)]
      piece.rotationRates = block.rotationRates[own(rotations)]
      // A barometer has a rate of its own: each row gets its share.
      piece.pressures = block.pressures[pressures * part / parts..<pressures * (part + 1) / parts]
      // All fixes belong to the first row.
      let ownFixes = part == 0 ? fixes : fixes.upperBound..<fixes.upperBound
      let record = BatchRecord(
        key: StoreFormat.key(user: user.number, index: user.batches), firstSample: user.samples,
        samples: piece.accelerations.count, rotations: piece.rotationRates.count,
        firstFix: ownFixes.lowerBound, fixes: ownFixes.count)
      try connection.insert(
        record, piece.isEmpty ? [] : SampleBlock.encoded(piece, key: record.key), of: &user)
    }
  }

  /// The number of batches that are never merged again.
  func closedBatches(of user: UserRecord) throws(JournalError) -> Int {
    user.batches - (try openBatches(of: user).count)
  }

  /// The newest small batches, the oldest first; what is in an upload unit is none of them.
  private func openBatches(of user: UserRecord) throws(JournalError) -> [BatchRecord] {
    let uploads: UploadRecord = try connection.row(user.number, orElse: "the table of uploads")
    let closed = min(uploads.batches, user.batches)
    var result: [BatchRecord] = []
    var fixes = 0
    for index in (closed..<user.batches).reversed().prefix(Self.mostOpenBatches) {
      let record = try connection.batch(index, of: user)
      fixes += record.fixes
      guard max(record.samples, record.rotations) < Self.largeBlock, fixes <= Self.mostFixes else {
        break
      }
      result.append(record)
    }
    return result.reversed()
  }
}
