public import Locomotion
public import LocomotionActivityRecognition
public import LocomotionSensing

/// A user's recording in the order of time, from some position on.
///
/// What was recorded together is stored together, but a phone may deliver late what it recorded
/// early, and the fixes after all samples.
struct TimeOrderedReading {
  private struct Part {
    var batch: BatchRecord
    var start: Timestamp
    var end: Timestamp
  }

  private let user: UserRecord
  /// The batches with samples, by the time of their first one.
  private var parts: [Part] = []
  /// Fixes with their positions, by time.
  private var fixes: [(position: Int, fix: LocationFix)] = []

  init(
    of user: UserRecord, fromSample: Int, fromFix: Int, in journal: borrowing Journal
  ) throws(JournalError) {
    self.user = user
    var parts: [Part] = []
    let first = try journal.firstBatch(of: user) { $0.sampleRange.upperBound <= fromSample }
    try journal.forEachBatch(of: user, from: first) { (batch: BatchRecord) throws(JournalError) in
      let times = try journal.block(of: batch).accelerations.timestamps
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

  /// Whether something from these positions on was recorded before `instant`.
  func holdsData(
    before instant: Timestamp, fromSample: Int, fromFix: Int, in journal: borrowing Journal
  ) throws(JournalError) -> Bool {
    if fixes.contains(where: { $0.position >= fromFix && $0.fix.timestamp < instant }) {
      return true
    }
    for part in parts where part.batch.sampleRange.upperBound > fromSample && part.start < instant {
      let times = try journal.block(of: part.batch).accelerations.timestamps
      if times.dropFirst(max(0, fromSample - part.batch.firstSample)).contains(where: {
        $0 < instant
      }) {
        return true
      }
    }
    return false
  }

  /// The lowest positions of what is not before `instant`; nil when there is nothing.
  func positions(from instant: Timestamp?) -> (sample: Int, fix: Int)? {
    guard let instant else { return nil }
    return (
      parts.filter { $0.end >= instant }.map(\.batch.firstSample).min() ?? user.samples,
      fixes.filter { $0.fix.timestamp >= instant }.map(\.position).min() ?? user.fixes
    )
  }

  /// Sends what is not before `start` through a pipeline until `body` returns false.
  ///
  /// - Returns: What became of it, when everything has been sent; else nil.
  func replay(
    from start: Timestamp?, to end: Timestamp? = nil, model: ActivityModel,
    in journal: borrowing Journal, _ body: (LocomotionOutput) -> Bool
  ) throws(JournalError) -> LocomotionPipeline.Diagnostics? {
    var pipeline = LocomotionPipeline(model: model)
    var output = LocomotionOutput()
    var waiting = fixes[...]
    if let start { waiting = waiting.drop { $0.fix.timestamp < start } }
    if let end { waiting = waiting.prefix { $0.fix.timestamp < end } }
    func send(_ series: SampleSeries, _ rates: SampleSeries, upTo horizon: Timestamp?) -> Bool {
      var batch = SensorBatch()
      batch.accelerations.append(contentsOf: series)
      batch.rotationRates.append(contentsOf: rates)
      while let next = waiting.first, horizon.map({ next.fix.timestamp <= $0 }) ?? true {
        batch.append(next.fix)
        waiting.removeFirst()
      }
      output.removeAll()
      pipeline.ingest(batch, into: &output)
      return body(output)
    }
    for part in parts where start.map({ part.end >= $0 }) ?? true {
      if let end, part.start >= end { break }
      let block = try journal.block(of: part.batch)
      guard send(block.accelerations, block.rotationRates, upTo: part.end) else { return nil }
    }
    while let next = waiting.first {
      let horizon = next.fix.timestamp.advanced(byNanoseconds: 600_000_000_000)
      guard send(SampleSeries(), SampleSeries(), upTo: horizon) else { return nil }
    }
    output.removeAll()
    pipeline.finish(into: &output)
    _ = body(output)
    return pipeline.diagnostics
  }
}

extension SensorBatch.Series {
  fileprivate mutating func append(contentsOf series: SampleSeries) {
    for index in 0..<series.count {
      append(
        x: Float(series.x[index]), y: Float(series.y[index]), z: Float(series.z[index]),
        at: series.timestamps[index])
    }
  }
}

extension Journal {
  /// The seconds of a stretch of time with what the whole of it tells of each.
  ///
  /// - Parameters:
  ///   - user: Whose recording.
  ///   - start: The first instant; what is two minutes older is read too, to know where one is.
  ///   - end: The first instant after it.
  ///   - model: The model that names activities.
  /// - Returns: The seconds, and what became of the data.
  /// - Throws: ``JournalError``.
  /// - Complexity: All of the recording is unpacked, what is asked for goes through a pipeline.
  public func daySamples(
    of user: JournalUser, from start: Timestamp, to end: Timestamp,
    model: ActivityModel = .default
  ) throws(JournalError) -> (
    samples: [LocomotionSample], diagnostics: LocomotionPipeline.Diagnostics
  ) {
    try connection.snapshot { () throws(JournalError) in
      let reading = try TimeOrderedReading(
        of: userRecord(user), fromSample: 0, fromFix: 0, in: self)
      var samples: [LocomotionSample] = []
      let diagnostics = try reading.replay(
        from: start.advanced(byNanoseconds: -DayComputation.lead), to: end, model: model, in: self
      ) { output in
        samples += output.samples
        return true
      }
      Hindsight.lagCadences(of: &samples)
      Hindsight.smoothActivities(of: &samples)
      Hindsight.smoothMovingStates(of: &samples)
      samples.removeAll { $0.start < start || $0.start >= end }
      return (samples, diagnostics ?? LocomotionPipeline().diagnostics)
    }
  }

  /// The first batch that is not before what is sought, or the number of batches.
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
