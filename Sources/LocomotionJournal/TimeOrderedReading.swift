public import Locomotion
public import LocomotionActivityRecognition
public import LocomotionSensing

/// Reads a user's recording in time order, from given positions on.
///
/// Recording order is not time order: a phone may deliver early samples late, and the fixes after
/// all samples.
struct TimeOrderedReading {
  private struct Part {
    var batch: BatchRecord
    var start: Timestamp
    var end: Timestamp
  }

  private let user: UserRecord
  /// The batches with accelerations, sorted by their first time.
  private var parts: [Part] = []
  /// Fixes with their positions, sorted by time.
  private var fixes: [(position: Int, fix: LocationFix)] = []

  init(
    of user: UserRecord, fromSample: Int, fromFix: Int, in journal: borrowing Journal
  ) throws(JournalError) {
    self.user = user
    var parts: [Part] = []
    let dropped = try journal.uploadRecord(user).droppedBatches
    let first = max(
      dropped, try journal.firstBatch(of: user) { $0.sampleRange.upperBound <= fromSample })
    try journal.forEachBatch(of: user, from: first) { (batch: BatchRecord) throws(JournalError) in
      let times = try journal.accelerationTimes(of: batch)
      if let start = times.first, let end = times.last {
        parts.append(Part(batch: batch, start: start, end: max(start, end)))
      }
      return true
    }
    self.parts = parts.enumerated().sorted {
      ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
    }.map(\.element)
    let found = try journal.fixes(of: user, from: fromFix)
    fixes = found.enumerated().map { (fromFix + $0.offset, $0.element) }
    fixes.sort { ($0.fix.timestamp, $0.position) < ($1.fix.timestamp, $1.position) }
  }

  /// Whether data from these positions on have a time before `instant`.
  func holdsData(
    before instant: Timestamp, fromSample: Int, fromFix: Int, in journal: borrowing Journal
  ) throws(JournalError) -> Bool {
    if fixes.contains(where: { $0.position >= fromFix && $0.fix.timestamp < instant }) {
      return true
    }
    for part in parts where part.batch.sampleRange.upperBound > fromSample && part.start < instant {
      let times = try journal.accelerationTimes(of: part.batch)
      if times.dropFirst(max(0, fromSample - part.batch.firstSample)).contains(where: {
        $0 < instant
      }) {
        return true
      }
    }
    return false
  }

  /// The lowest positions of the data at or after `instant`.
  func positions(from instant: Timestamp) -> (sample: Int, fix: Int) {
    (
      parts.filter { $0.end >= instant }.map(\.batch.firstSample).min() ?? user.samples,
      fixes.filter { $0.fix.timestamp >= instant }.map(\.position).min() ?? user.fixes
    )
  }

  /// The end of the data that came last; nil without data.
  var newestTime: Timestamp? {
    let newest = parts.max { $0.batch.key < $1.batch.key }
    return newest?.end ?? fixes.max { $0.position < $1.position }?.fix.timestamp
  }

  /// The time at which the part begins before which at least `count` accelerations come; nil when
  /// there are fewer.
  func time(after count: Int, from start: Timestamp) -> Timestamp? {
    var sum = 0
    for part in parts where part.end >= start {
      if sum >= count, part.start > start { return part.start }
      sum += part.batch.samples
    }
    return nil
  }

  /// Calls `body` with the data at or after `start`, in time order, until it returns false.
  ///
  /// The first and the last batch may hold data outside the interval.
  ///
  /// - Returns: Whether `body` was called with all data.
  func forEachBatch(
    from start: Timestamp?, to end: Timestamp? = nil, in journal: borrowing Journal,
    _ body: (SensorBatch) throws(JournalError) -> Bool
  ) throws(JournalError) -> Bool {
    var waiting = fixes[...]
    if let start { waiting = waiting.drop { $0.fix.timestamp < start } }
    if let end { waiting = waiting.prefix { $0.fix.timestamp < end } }
    func send(_ block: SampleBlock, upTo horizon: Timestamp) throws(JournalError) -> Bool {
      var batch = SensorBatch()
      batch.accelerations.append(contentsOf: block.accelerations)
      batch.rotationRates.append(contentsOf: block.rotationRates)
      batch.pressures = block.pressures
      while let next = waiting.first, next.fix.timestamp <= horizon {
        batch.append(next.fix)
        waiting.removeFirst()
      }
      return try body(batch)
    }
    for part in parts where start.map({ part.end >= $0 }) ?? true {
      if let end, part.start >= end { break }
      guard try send(journal.block(of: part.batch), upTo: part.end) else { return false }
    }
    while let next = waiting.first {
      let horizon = next.fix.timestamp.advanced(byNanoseconds: 600_000_000_000)
      guard try send(SampleBlock(), upTo: horizon) else { return false }
    }
    return true
  }
}

extension SensorBatch {
  /// The events at or after `start` and before `end`.
  func cut(from start: Timestamp, to end: Timestamp) -> SensorBatch {
    let isInside = { (time: Timestamp) in start <= time && time < end }
    let series = [accelerations.timestamps, rotationRates.timestamps, pressures.timestamps]
    if series.allSatisfy({ $0.allSatisfy(isInside) }), fixes.allSatisfy({ isInside($0.timestamp) })
    {
      return self
    }
    var result = SensorBatch()
    result.accelerations = accelerations.filtered(isInside)
    result.rotationRates = rotationRates.filtered(isInside)
    for (value, time) in zip(pressures.hectopascals, pressures.timestamps) where isInside(time) {
      result.pressures.append(value, at: time)
    }
    result.fixes = fixes.filter { isInside($0.timestamp) }
    return result
  }
}

extension SensorBatch.Series {
  fileprivate func filtered(_ isInside: (Timestamp) -> Bool) -> Self {
    var result = Self()
    for (index, time) in timestamps.enumerated() where isInside(time) {
      result.append(x: x[index], y: y[index], z: z[index], at: time)
    }
    return result
  }

  fileprivate mutating func append(contentsOf series: SampleSeries) {
    for index in 0..<series.count {
      append(
        x: Float(series.x[index]), y: Float(series.y[index]), z: Float(series.z[index]),
        at: series.timestamps[index])
    }
  }
}

extension Journal {
  /// The seconds of an interval, each smoothed with the data before and after it.
  ///
  /// - Parameters:
  ///   - user: Whose recording.
  ///   - start: The first instant; the two minutes before it are read too, to initialize the
  ///     pipeline.
  ///   - end: The first instant after the interval.
  ///   - model: The activity model.
  /// - Returns: The seconds, and the pipeline's diagnostics.
  /// - Throws: ``JournalError``.
  /// - Complexity: The whole recording is decoded; the interval passes through a pipeline.
  public func daySamples(
    of user: JournalUser, from start: Timestamp, to end: Timestamp,
    model: ActivityModel = .default
  ) throws(JournalError) -> (
    samples: [LocomotionSample], diagnostics: LocomotionPipeline.Diagnostics
  ) {
    try connection.snapshot { () throws(JournalError) in
      let reading = try TimeOrderedReading(
        of: userRecord(user), fromSample: 0, fromFix: 0, in: self)
      var pipeline = LocomotionPipeline(model: model)
      var output = LocomotionOutput()
      _ = try reading.forEachBatch(
        from: start.advanced(byNanoseconds: -DayComputation.lead), to: end, in: self
      ) { (batch: SensorBatch) throws(JournalError) in
        pipeline.ingest(batch, into: &output)
        return true
      }
      pipeline.finish(into: &output)
      var samples = output.samples
      Hindsight.lagCadences(of: &samples)
      Hindsight.smoothActivities(of: &samples)
      Hindsight.smoothMovingStates(of: &samples)
      samples.removeAll { $0.start < start || $0.start >= end }
      return (samples, pipeline.diagnostics)
    }
  }

  /// The first batch that `isBefore` rejects, or the number of batches when there is none.
  func firstBatch(
    of user: UserRecord, isBefore: (BatchRecord) -> Bool
  ) throws(JournalError) -> Int {
    var (low, high) = (0, user.batches)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(try batch(middle, of: user)) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// All fixes of a user from a position on.
  func fixes(of user: UserRecord, from position: Int) throws(JournalError) -> [LocationFix] {
    guard position < user.fixes else { return [] }
    let first = try firstBatch(of: user) { $0.fixRange.upperBound <= position }
    var chain = first == 0 ? 0 : try batch(first - 1, of: user).fixChain
    var result: [LocationFix] = []
    try forEachBatch(of: user, from: first) { (batch: BatchRecord) throws(JournalError) in
      let fixes = try fixes(of: user, in: batch.fixRange, chain: &chain)
      guard chain == batch.fixChain else { throw damage("fixes") }
      result += fixes.dropFirst(max(0, position - batch.firstFix))
      return true
    }
    return result
  }
}
