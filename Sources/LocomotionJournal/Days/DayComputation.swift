internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionSensing

/// The items of a user's days from one instant on, computed from the recording.
///
/// Between two updates it is kept with the pipeline's state, so that the next one reads only what
/// is new. The newest minute is read twice: a fix may come later than the accelerations of its
/// time. A copy of the pipeline sees it, and the pipeline only what is older.
struct DayComputation: Sendable {
  /// A stay within this distance of a stored place is there even if the place is smaller, metres.
  static let placeReach = 60.0
  /// The shortest stay that creates a place, seconds.
  static let shortestRemembered = 300.0
  /// The time before the first item that the pipeline reads to initialize its state, nanoseconds.
  static let lead: Int64 = 120_000_000_000
  /// How long data may arrive late without a computation from further back, nanoseconds.
  private static let patience: Int64 = 60_000_000_000
  /// The number of seconds that are held at once while the earlier ones become final.
  private static let portion = 100_000

  /// The start of the new segments when older ones remain; nil when none does.
  let begin: Timestamp?
  /// The items before this instant are kept for ever: their samples were dropped.
  private let floor: Timestamp?
  /// The new segments, which tile the time from ``begin`` on.
  private(set) var segments: [DaySegment] = []
  private(set) var finalEnd: Timestamp?
  /// The positions of the first sample and fix that the next computation needs.
  private(set) var resume: (sample: Int, fix: Int)

  private let model: ActivityModel
  private var pipeline: LocomotionPipeline
  /// The seconds since the lead before ``finalEnd``, not smoothed.
  private var seconds: [LocomotionSample] = []
  /// All data before this instant have passed through the pipeline, and none from it on.
  private var fedEnd: Timestamp
  /// The positions from which data at or after ``fedEnd`` must be read.
  private var unfed: (sample: Int, fix: Int)
  /// What was recorded when the pipeline was fed last.
  private var counted: (samples: Int, fixes: Int)
  private var limit = portion
  private var isFed = false
  private var isFinished = false

  /// A computation of what isn't final.
  init(_ days: DaysRecord, floor: Timestamp?, model: ActivityModel) {
    begin = days.finalEnd
    self.floor = floor
    finalEnd = days.finalEnd
    resume = (days.resumeSample, days.resumeFix)
    self.model = model
    pipeline = LocomotionPipeline(model: model)
    fedEnd =
      days.finalEnd?.advanced(byNanoseconds: -Self.lead) ?? Timestamp(nanoseconds: .min)
    unfed = resume
    counted = (days.samples, days.fixes)
  }

  /// The computation that continues another one; nil when it can't.
  init?(
    continuing other: DayComputation, _ days: DaysRecord, floor: Timestamp?, model: ActivityModel
  ) {
    let end = other.isFinished ? other.finalEnd : other.begin
    guard end == days.finalEnd, other.model.parameters == model.parameters else { return nil }
    guard other.isFinished else {
      guard other.floor == floor else { return nil }
      self = other
      return
    }
    self = DayComputation(days, floor: floor, model: model)
    pipeline = other.pipeline
    seconds = other.seconds
    fedEnd = other.fedEnd
    unfed = other.unfed
    counted = other.counted
    isFed = true
  }

  /// What a step of a computation led to.
  enum Outcome {
    /// More is to be read.
    case unfinished
    /// ``segments`` is complete.
    case finished
    /// Data arrived for a time whose items were final: everything must be computed again.
    case late
    /// Data arrived for a time that the pipeline has passed: begin again at what is final.
    case stale
  }

  /// Feeds the pipeline with about `count` samples, and computes the segments at the end.
  mutating func advance(
    of user: UserRecord, by count: Int, in journal: borrowing Journal
  ) throws(JournalError) -> Outcome {
    let reading = try TimeOrderedReading(
      of: user, fromSample: unfed.sample, fromFix: unfed.fix, in: journal)
    let isNew = (counted.samples, counted.fixes)
    counted = (user.samples, user.fixes)
    if let begin, begin != floor,
      try reading.holdsData(before: begin, fromSample: isNew.0, fromFix: isNew.1, in: journal)
    {
      return .late
    }
    if isFed,
      try reading.holdsData(before: fedEnd, fromSample: isNew.0, fromFix: isNew.1, in: journal)
    {
      return .stale
    }
    let start = fedEnd
    let newest = reading.newestTime?.advanced(byNanoseconds: -Self.patience) ?? start
    let stop = reading.time(after: count, from: start).flatMap { $0 <= newest ? $0 : nil }
    fedEnd = max(start, stop ?? newest)
    isFed = true
    var output = LocomotionOutput()
    var rest: [SensorBatch] = []
    _ = try reading.forEachBatch(from: start, in: journal) {
      (batch: SensorBatch) throws(JournalError) in
      let early = batch.cut(from: start, to: fedEnd)
      if !early.isEmpty {
        pipeline.ingest(early, into: &output)
        seconds += output.samples
        output.removeAll()
        if seconds.count >= limit { appendFinalSegments() }
      }
      let late = batch.cut(from: fedEnd, to: Timestamp(nanoseconds: .max))
      if !late.isEmpty { rest.append(late) }
      guard let stop, let first = batch.accelerations.timestamps.first else { return true }
      return first < stop
    }
    unfed = reading.positions(from: fedEnd)
    guard stop == nil else { return .unfinished }
    var copy = pipeline
    for batch in rest { copy.ingest(batch, into: &output) }
    copy.finish(into: &output)
    append(seconds + output.samples, isWhole: true)
    forgetFinalSeconds()
    if let finalEnd, finalEnd != begin {
      let all = try TimeOrderedReading(
        of: user, fromSample: resume.sample, fromFix: resume.fix, in: journal)
      resume = all.positions(from: finalEnd.advanced(byNanoseconds: -Self.lead))
    }
    isFinished = true
    return .finished
  }

  /// Adds the items that are final, to free the memory of their seconds.
  private mutating func appendFinalSegments() {
    let before = finalEnd
    append(seconds, isWhole: false)
    // A stay is longer than the portion: read more at once.
    if finalEnd == before { limit *= 2 } else { forgetFinalSeconds() }
  }

  private mutating func forgetFinalSeconds() {
    guard let lead = finalEnd?.advanced(byNanoseconds: -Self.lead) else { return }
    if let first = seconds.firstIndex(where: { $0.end > lead }) {
      seconds.removeFirst(first)
    } else {
      seconds.removeAll()
    }
    limit = max(Self.portion, seconds.count * 2)
  }

  /// Adds the items of samples: all of them, or only the final ones.
  private mutating func append(_ seconds: [LocomotionSample], isWhole: Bool) {
    var samples = seconds
    Hindsight.smoothActivities(of: &samples)
    Hindsight.smoothMovingStates(of: &samples)
    // The lead has initialized the pipeline; the smoothing may use it too.
    let first = finalEnd.flatMap { end in samples.firstIndex { $0.start >= end } } ?? 0
    var builder = TimelineBuilder()
    for sample in samples[first...] { builder.append(sample) }
    let newEnd = builder.finalEnd()
    guard isWhole || newEnd != nil && newEnd != finalEnd else { return }
    let items = (builder.clockSegments.flatMap { $0 } + builder.items())
    for segment in items.flatMap(DaySegment.segments) {
      let limit = isWhole ? Timestamp(nanoseconds: .max) : newEnd ?? segment.start
      guard
        let segment = segment.cut(
          from: segments.last?.end ?? begin ?? segment.start, to: limit)
      else {
        continue
      }
      join(segment)
    }
    finalEnd = newEnd ?? finalEnd
  }

  /// Adds a segment and closes the gap before it, if any.
  private mutating func join(_ segment: DaySegment) {
    var segment = segment
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
