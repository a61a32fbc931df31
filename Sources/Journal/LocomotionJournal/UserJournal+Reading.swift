public import LocomotionSensing

extension UserJournal {
  /// The accelerations at these positions of the user's recording, in recording order.
  ///
  /// Positions count from 0 and never change. A range that reaches beyond the end is clamped. Read
  /// a long recording in ranges of some ten thousand samples.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged;
  ///   ``JournalError/dropped(samples:)`` when the range begins before what is kept.
  /// - Complexity: O(log n + length of the range).
  public func samples(in range: Range<Int>) throws(JournalError) -> SampleSeries {
    try connection.snapshot { () throws(JournalError) in
      let record = try userRecord()
      let wanted = range.clamped(to: 0..<record.samples)
      var result = SampleSeries()
      guard !wanted.isEmpty else { return result }
      let dropped = try uploadRecord(record).droppedSamples
      guard wanted.lowerBound >= dropped else { throw .dropped(samples: dropped) }
      let first = try batchIndex(of: record) { $0.sampleRange.upperBound <= wanted.lowerBound }
      try forEachBatch(of: record, from: first) { (batch: BatchRecord) throws(JournalError) in
        let part = batch.sampleRange.clamped(to: wanted)
        if !part.isEmpty {
          let samples = try block(of: batch).accelerations
          guard result.count + wanted.lowerBound == part.lowerBound else {
            throw damage("the numbers of the samples")
          }
          result.append(
            contentsOf: samples[
              part.lowerBound - batch.firstSample..<part.upperBound - batch.firstSample])
        }
        return batch.sampleRange.upperBound < wanted.upperBound
      }
      guard result.count == wanted.count else { throw damage("samples are missing") }
      return result
    }
  }

  /// The rotation rates at these positions of the user's recording, in recording order.
  ///
  /// They are counted separately from the accelerations: a gyroscope may be slower, start later, or
  /// be missing for a while, so that one position is a different time in each. A range that reaches
  /// beyond the end is clamped.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged;
  ///   ``JournalError/dropped(samples:)`` when the range begins before what is kept.
  /// - Complexity: O(number of batches before the range + length of the range).
  public func rotationRates(in range: Range<Int>) throws(JournalError) -> SampleSeries {
    try connection.snapshot { () throws(JournalError) in
      let record = try userRecord()
      let count = record.rotations
      let uploads = try uploadRecord(record)
      guard range.isEmpty || range.lowerBound >= uploads.droppedRotations else {
        throw .dropped(samples: uploads.droppedSamples)
      }
      var cursor = SeriesCursor(of: self, .rotationRates, in: range.clamped(to: 0..<count))
      var result = SampleSeries()
      while let next = try cursor.next() { result.append(contentsOf: next) }
      return result
    }
  }

  /// The rotation rates of a measurement: for each of its tracks, those within its times.
  ///
  /// Sensors may be recorded separately, so that only the time decides to which track a rate
  /// belongs. At the instant at which one track ends and the next begins, it belongs to the next
  /// one.
  ///
  /// - Returns: One series per track, each in recording order; without those that were dropped, of
  ///   which ``droppedSamples()`` tells.
  /// - Complexity: O(length of the recording).
  public func rotationRates(
    of measurement: JournalMeasurement
  ) throws(JournalError) -> [SampleSeries] {
    let tracks = measurement.tracks
    var result = Array(repeating: SampleSeries(), count: tracks.count)
    var cursor = SeriesCursor(of: self, .rotationRates, in: 0..<(try counts().rotationRates))
    while let part = try cursor.next() {
      for (index, time) in part.timestamps.enumerated() {
        let track = tracks.lastIndex { $0.start <= time && $0.end.map { time <= $0 } ?? true }
        guard let track else { continue }
        result[track].append(
          x: part.x[index], y: part.y[index], z: part.z[index], at: time)
      }
    }
    return result
  }

  /// The pressures of the air that are recorded of the user, in recording order; without those in
  /// blocks that were dropped.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  /// - Complexity: O(length of the recording).
  public func pressures() throws(JournalError) -> SensorBatch.PressureSeries {
    try connection.snapshot { () throws(JournalError) in
      var cursor = SeriesCursor(ofPressuresOf: self)
      var result = SensorBatch.PressureSeries()
      while let next = try cursor.next() {
        for (value, time) in zip(next.x, next.timestamps) { result.append(Float(value), at: time) }
      }
      return result
    }
  }

  /// The fixes at these positions of the user's recording, in recording order.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  /// - Complexity: O(log n + length of the range).
  public func fixes(in range: Range<Int>) throws(JournalError) -> [LocationFix] {
    try connection.snapshot { () throws(JournalError) in
      let record = try userRecord()
      let wanted = range.clamped(to: 0..<record.fixes)
      var result: [LocationFix] = []
      guard !wanted.isEmpty else { return result }
      let first = try batchIndex(of: record) { $0.fixRange.upperBound <= wanted.lowerBound }
      try forEachBatch(of: record, from: first) { (batch: BatchRecord) throws(JournalError) in
        let fixes = try fixes(of: record, in: batch.fixRange)
        let part = batch.fixRange.clamped(to: wanted)
        if !part.isEmpty {
          result += fixes[part.lowerBound - batch.firstFix..<part.upperBound - batch.firstFix]
        }
        return batch.fixRange.upperBound < wanted.upperBound
      }
      guard result.count == wanted.count else { throw damage("fixes are missing") }
      return result
    }
  }

  /// The fixes of an interval of time, in time order, whatever the order in which they came.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  /// - Complexity: O(number of the user's fixes).
  public func fixes(
    from start: Timestamp, to end: Timestamp
  ) throws(JournalError) -> [LocationFix] {
    try connection.snapshot { () throws(JournalError) in
      let found = try fixes(of: userRecord(), from: 0)
      let inside = found.enumerated().filter {
        start <= $0.element.timestamp && $0.element.timestamp < end
      }
      return inside.sorted {
        ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset)
      }.map(\.element)
    }
  }

  /// The decoded block of a stored batch, verified against the batch's row.
  func block(of batch: BatchRecord) throws(JournalError) -> SampleBlock {
    guard batch.hasBlock else { return SampleBlock() }
    let bytes = try blockBytes(of: batch)
    guard let block = try? SampleBlock(bytes, key: batch.key),
      block.accelerations.count == batch.samples,
      block.rotationRates.count == batch.rotations, block.checksum == batch.blockChecksum
    else { throw damage("a block of samples") }
    return block
  }

  /// The times of a stored batch's accelerations, verified against the batch's row.
  func accelerationTimes(of batch: BatchRecord) throws(JournalError) -> [Timestamp] {
    guard batch.samples > 0 else { return [] }
    let bytes = try blockBytes(of: batch)
    guard let times = try? SampleBlock.accelerationTimes(bytes, key: batch.key),
      times.count == batch.samples, SampleBlock.storedChecksum(of: bytes) == batch.blockChecksum
    else { throw damage("a block of samples") }
    return times
  }

  /// The stored bytes of a batch's block, not verified.
  func blockBytes(of batch: BatchRecord) throws(JournalError) -> [UInt8] {
    var bytes: [UInt8]?
    try connection.forEach("SELECT data FROM blocks WHERE id = ?", [.integer(batch.key)]) {
      (row: SQLiteRow) throws(JournalError) in
      bytes = row.blob(0)
      return false
    }
    guard let bytes else { throw damage("a block of samples") }
    return bytes
  }

  /// Calls `body` with the user's batches from index `first` on until it returns false; each begins
  /// where the one before it ends.
  func forEachBatch(
    of user: UserRecord, from first: Int, _ body: (BatchRecord) throws(JournalError) -> Bool
  ) throws(JournalError) {
    let last = first == 0 ? nil : try batch(first - 1, of: user)
    var ends = (last?.sampleRange.upperBound ?? 0, last?.fixRange.upperBound ?? 0)
    var index = first
    while index < user.batches {
      // One query per batch, so that no statement is open while `body` runs.
      let record = try batch(index, of: user)
      guard (record.firstSample, record.firstFix) == ends else {
        throw damage("batch \(index) does not begin where the one before it ends")
      }
      ends = (record.sampleRange.upperBound, record.fixRange.upperBound)
      index += 1
      guard try body(record) else { return }
    }
  }

  /// The fixes at these positions.
  func fixes(of user: UserRecord, in range: Range<Int>) throws(JournalError) -> [LocationFix] {
    guard !range.isEmpty else { return [] }
    var result: [LocationFix] = []
    let keys = [range.lowerBound, range.upperBound - 1].map {
      SQLiteValue.integer(StoreFormat.key(user: user.number, index: $0))
    }
    try connection.forEach(
      "SELECT \(FixRecord.columns) FROM fixes WHERE id BETWEEN ? AND ? ORDER BY id", keys
    ) { (row: SQLiteRow) throws(JournalError) in
      result.append(try FixRecord.read(row).fix)
      return true
    }
    guard result.count == range.count else { throw damage("fixes are missing") }
    return result
  }

  func batch(_ index: Int, of user: UserRecord) throws(JournalError) -> BatchRecord {
    try connection.batch(index, of: user)
  }

  /// The first batch that `isBefore` rejects.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when there is none.
  private func batchIndex(
    of user: UserRecord, isBefore: (BatchRecord) -> Bool
  ) throws(JournalError) -> Int {
    let index = try firstBatch(of: user, isBefore: isBefore)
    guard index < user.batches else { throw damage("batches are missing") }
    return index
  }
}

extension SQLiteConnection {
  func batch(_ index: Int, of user: UserRecord) throws(JournalError) -> BatchRecord {
    var record: BatchRecord?
    try forEach(
      "SELECT \(BatchRecord.columns) FROM batches WHERE id = ?",
      [.integer(StoreFormat.key(user: user.number, index: index))]
    ) { (row: SQLiteRow) throws(JournalError) in
      record = try BatchRecord(row)
      return false
    }
    guard let record else { throw .damaged(path: path, what: "batch \(index) is missing") }
    return record
  }
}
