internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionSensing

/// The items of a user's days from one instant on, computed from the recording.
///
/// They depend on what was recorded alone, not on when they are computed. The data go through one
/// pipeline in the order of time. At the end of each hour of UTC that has data, when the newest
/// data are a minute beyond it, items become final that no later sample can change, computed from
/// the data before that instant; and the state is a ``DayCheckpoint``. What is not final is
/// computed from all data.
///
/// Between two updates the computation is kept, so that the next one reads only what is new. The
/// newest minute is read twice: a fix may come later than the accelerations of its time. A copy of
/// the pipeline sees it, and the pipeline only what is older.
struct DayComputation: Sendable {
  /// The time before the first item that the smoothing of activities uses, and without a checkpoint
  /// the pipeline to initialize its state, nanoseconds.
  static let lead: Int64 = 120_000_000_000
  /// How long data may arrive late without a computation from further back, nanoseconds.
  private static let patience: Int64 = 60_000_000_000
  /// What closing an hour costs, in samples.
  private static let hourCost = 1_000
  /// The time of two hours not at rest, seconds, without which nothing more is final.
  private static let shortestMotion = 60.0

  /// The start of the new segments when older ones remain; nil when none does.
  let begin: Timestamp?
  /// The new segments, which tile the time from ``begin`` on.
  private(set) var segments: [DaySegment] = []
  private(set) var finalEnd: Timestamp?
  /// Where the computation can go on, in order of time; the states that are stored are left out.
  private(set) var checkpoints: [DayCheckpoint]
  /// The positions of the first sample and fix that the next computation needs.
  private(set) var resume: (sample: Int, fix: Int)

  private let user: Int64
  /// The items before this instant are kept for ever: their samples were dropped.
  private let retainedEnd: Timestamp?
  private let model: ActivityModel
  private var pipeline: LocomotionPipeline
  /// The seconds since the lead before ``finalEnd``, not smoothed.
  private var seconds: [LocomotionSample] = []
  /// All data before this instant have passed through the pipeline, and none from it on.
  private var fedEnd: Timestamp
  /// The positions from which data at or after ``fedEnd`` must be read.
  private var unfed: (sample: Int, fix: Int)
  /// The hour of the data that went through the pipeline last, if it isn't closed.
  private var openHour: Int64?
  /// The end of the last hour that was closed.
  private var closedEnd: Timestamp?
  /// What was recorded when the pipeline was fed last.
  private var counted: (samples: Int, fixes: Int)
  private var isFed = false
  private var isFinished = false

  /// A computation of what isn't final, from the newest checkpoint.
  ///
  /// - Parameters:
  ///   - days: What is stored of the user's days.
  ///   - uploads: What of the user's samples was dropped.
  ///   - checkpoints: The stored ones, in order of time.
  ///   - model: The activity model.
  init(
    _ days: DaysRecord, _ uploads: UploadRecord, _ checkpoints: [DayCheckpoint],
    model: ActivityModel
  ) {
    let newest = checkpoints.last
    // After an erasure nothing may hold what was erased.
    let isChained = newest?.finalEnd == days.finalEnd
    self.init(
      days, uploads, isChained ? checkpoints : [], finalEnd: days.finalEnd,
      position: (days.resumeSample, days.resumeFix), model: model)
    closedEnd = isChained ? newest?.end : nil
  }

  /// A computation of all that data of some instant can change.
  init(
    _ days: DaysRecord, _ uploads: UploadRecord, _ checkpoints: [DayCheckpoint],
    changedFrom instant: Timestamp, model: ActivityModel
  ) {
    let earlier = checkpoints.filter { $0.end <= instant }
    let retainedEnd = uploads.retainedEnd
    let last = earlier.lastIndex { checkpoint in
      guard let end = checkpoint.finalEnd else { return retainedEnd == nil }
      // It can answer only where an earlier state leads to the end of what was final.
      return end >= retainedEnd ?? end
        && earlier.contains { $0.end <= end.advanced(byNanoseconds: -Self.lead) }
    }
    self.init(
      days, uploads, last.map { Array(earlier[...$0]) } ?? earlier,
      finalEnd: last.map { earlier[$0].finalEnd } ?? retainedEnd,
      position: (uploads.retainedSample, uploads.retainedFix), model: model)
    closedEnd = last.map { earlier[$0].end }
  }

  private init(
    _ days: DaysRecord, _ uploads: UploadRecord, _ checkpoints: [DayCheckpoint],
    finalEnd: Timestamp?, position: (sample: Int, fix: Int), model: ActivityModel
  ) {
    user = days.user
    begin = finalEnd
    retainedEnd = uploads.retainedEnd
    self.finalEnd = finalEnd
    self.model = model
    counted = (days.samples, days.fixes)
    // Positions of 0 tell that the pipeline has to begin where the recording does.
    let start = finalEnd?.advanced(byNanoseconds: -Self.lead) ?? Timestamp(nanoseconds: .min)
    fedEnd = position == (0, 0) ? Timestamp(nanoseconds: .min) : start
    unfed = position
    resume = position
    let base = checkpoints.last { $0.end <= start }
    // Those of another version or model lead nowhere.
    if let base, let restored = try? LocomotionPipeline(savedState: base.state, model: model) {
      pipeline = restored
      fedEnd = base.end
      unfed = (base.sample, base.fix)
    } else {
      pipeline = LocomotionPipeline(model: model)
    }
    self.checkpoints = checkpoints
    for index in checkpoints.indices { self.checkpoints[index].state = [] }
  }

  /// The computation that continues another one; nil when it can't.
  init?(
    continuing other: DayComputation, _ days: DaysRecord, _ uploads: UploadRecord,
    model: ActivityModel
  ) {
    let end = other.isFinished ? other.finalEnd : other.begin
    guard end == days.finalEnd, other.retainedEnd == uploads.retainedEnd || other.isFinished,
      other.model.parameters == model.parameters
    else { return nil }
    guard other.isFinished else {
      self = other
      return
    }
    self.init(
      days, uploads, [], finalEnd: days.finalEnd, position: other.resume, model: model)
    checkpoints = other.checkpoints
    pipeline = other.pipeline
    seconds = other.seconds
    fedEnd = other.fedEnd
    unfed = other.unfed
    openHour = other.openHour
    closedEnd = other.closedEnd
    counted = other.counted
    isFed = true
  }

  /// What a step of a computation led to.
  enum Outcome {
    /// More is to be read.
    case unfinished
    /// ``segments`` is complete.
    case finished
    /// Data arrived for a time that is final or that the pipeline has passed: what they can change
    /// must be computed again.
    case late(from: Timestamp)
  }

  /// Feeds the pipeline with about `count` samples, of which each hour costs some, and computes the
  /// segments at the end.
  mutating func advance(
    of user: UserRecord, by count: Int, in journal: UserJournal
  ) throws(JournalError) -> Outcome {
    let reading = try TimeOrderedReading(
      of: user, fromSample: unfed.sample, fromFix: unfed.fix, in: journal)
    let earliest = try reading.earliestTime(
      fromSample: counted.samples, fromFix: counted.fixes, notBefore: retainedEnd, in: journal)
    counted = (user.samples, user.fixes)
    let passed = [closedEnd, begin == retainedEnd ? nil : begin, isFed ? fedEnd : nil]
    if let earliest, let end = passed.compactMap({ $0 }).max(), earliest < end {
      return .late(from: earliest)
    }
    let start = fedEnd
    let newest = reading.newestTime?.advanced(byNanoseconds: -Self.patience) ?? start
    fedEnd = max(start, newest)
    isFed = true
    var output = LocomotionOutput()
    var rest: [SensorBatch] = []
    var cost = 0
    let isAll = try reading.forEachBatch(from: start, in: journal) {
      (batch: SensorBatch) throws(JournalError) in
      let early = batch.cut(from: start, to: fedEnd)
      if let time = early.earliestTime {
        cost += feed(early, from: time, reading) + early.eventCount
        // All of a cell was fed: what follows begins in a later one.
        let next = TimeOrderedReading.last(ofCell: time).advanced(byNanoseconds: 1)
        if cost >= count, next <= fedEnd {
          fedEnd = next
          return false
        }
      }
      let late = batch.cut(from: fedEnd, to: nil)
      if !late.isEmpty { rest.append(late) }
      return true
    }
    if let openHour, DayCheckpoint.end(ofHour: openHour) <= fedEnd { closeHour(reading) }
    unfed = reading.positions(from: fedEnd)
    guard isAll else { return .unfinished }
    var copy = pipeline
    for batch in rest { copy.ingest(batch, into: &output) }
    copy.finish(into: &output)
    forgetFinalSeconds()
    append(seconds + output.samples, isWhole: true)
    try setResume(of: user, in: journal)
    isFinished = true
    return .finished
  }

  /// Sets the positions from which the recording must be read for what isn't final.
  private mutating func setResume(
    of user: UserRecord, in journal: UserJournal
  ) throws(JournalError) {
    guard let finalEnd else { return }
    let lead = finalEnd.advanced(byNanoseconds: -Self.lead)
    if let base = checkpoints.last(where: { $0.end <= lead }) {
      resume = (base.sample, base.fix)
    } else if finalEnd != begin, resume != (0, 0) {
      let all = try TimeOrderedReading(
        of: user, fromSample: resume.sample, fromFix: resume.fix, in: journal)
      resume = all.positions(from: lead)
    }
  }

  /// Feeds the pipeline with a batch of one cell.
  ///
  /// - Returns: What it cost beside the batch, in samples.
  private mutating func feed(
    _ batch: SensorBatch, from time: Timestamp, _ reading: TimeOrderedReading
  ) -> Int {
    let hour = DayCheckpoint.hour(of: time)
    let isOther = openHour != hour
    if isOther { closeHour(reading) }
    openHour = hour
    var output = LocomotionOutput()
    pipeline.ingest(batch, into: &output)
    seconds += output.samples
    return isOther ? Self.hourCost : 0
  }

  /// The computation with all its checkpoints stored.
  func withoutStates() -> DayComputation {
    var result = self
    for index in result.checkpoints.indices { result.checkpoints[index].state = [] }
    return result
  }

  /// Makes final what is, and adds a checkpoint, after the last data of an hour.
  private mutating func closeHour(_ reading: TimeOrderedReading) {
    guard let hour = openHour else { return }
    openHour = nil
    let end = DayCheckpoint.end(ofHour: hour)
    guard closedEnd.map({ $0 < end }) ?? true else { return }
    forgetFinalSeconds()
    if mayHaveEnded(hour) { append(seconds, isWhole: false) }
    forgetFinalSeconds()
    closedEnd = end
    checkpoints.append(
      DayCheckpoint(
        user: user, end: end, finalEnd: finalEnd, position: reading.positions(from: end),
        state: pipeline.savedState))
    checkpoints = DayCheckpoint.thinned(
      checkpoints,
      for: [finalEnd, retainedEnd].compactMap { $0?.advanced(byNanoseconds: -Self.lead) })
  }

  /// Whether an item may have become final by an hour: not while a rest goes on without a hole.
  ///
  /// It saves smoothing a night each hour anew.
  private func mayHaveEnded(_ hour: Int64) -> Bool {
    let end = DayCheckpoint.end(ofHour: hour)
    let start = end.advanced(byNanoseconds: -2 * DayCheckpoint.hour)
    guard let closedEnd, start < closedEnd, let first = seconds.first?.start else { return true }
    let rest = seconds.reversed().prefix { $0.start >= start }.lazy
      .filter { $0.movingState == .stationary }
    return end.seconds(since: max(start, first)) - Double(rest.count) >= Self.shortestMotion
  }

  /// Drops the seconds before the lead, which the pipeline may have answered from a checkpoint on.
  private mutating func forgetFinalSeconds() {
    guard let lead = finalEnd?.advanced(byNanoseconds: -Self.lead) else { return }
    seconds.removeFirst(seconds.firstIndex { $0.end > lead } ?? seconds.count)
  }

  /// Adds the items of samples: all of them, or only the final ones.
  private mutating func append(_ seconds: [LocomotionSample], isWhole: Bool) {
    var samples = seconds
    Hindsight.smooth(&samples, reports: [], model: model)
    // The lead has initialized the pipeline; the smoothing may use it too.
    let first = finalEnd.flatMap { end in samples.firstIndex { $0.start >= end } } ?? 0
    var builder = finalEnd.map { TimelineBuilder(stayingSince: $0) } ?? TimelineBuilder()
    for sample in samples[first...] { builder.append(sample) }
    let newEnd = builder.finalEnd()
    let isLater = newEnd.map { end in finalEnd.map { $0 < end } ?? true } ?? false
    guard isWhole || isLater else { return }
    var items = builder.clockSegments.flatMap { $0 } + builder.items()
    Hindsight.nameCustomActivities(in: &items, samples: samples)
    for segment in items.flatMap(DaySegment.segments) {
      let limit = isWhole ? segment.end : newEnd ?? segment.start
      guard
        let segment = segment.cut(
          from: segments.last?.end ?? begin ?? segment.start, to: limit)
      else {
        continue
      }
      join(segment, samples)
    }
    if !isWhole { finalEnd = newEnd }
  }

  /// Adds a segment, with what the seconds in it say, and closes the gap before it, if any.
  private mutating func join(_ segment: DaySegment, _ samples: [LocomotionSample]) {
    var segment = segment
    if segment.kind == .leg {
      let sensors = ActivityProbabilities(
        modesIn: samples, from: segment.start, to: segment.end)
      segment.modeBits = sensors?.modeBits ?? 0
    }
    if let end = segments.last?.end ?? begin, end < segment.start {
      // The grid of seconds may have moved; a longer pause is a gap.
      if segment.start.seconds(since: end) <= 1 {
        segment.start = end
      } else {
        segments.append(DaySegment(.gap, from: end, to: segment.start))
      }
    }
    segments.append(segment)
  }
}
