internal import Locomotion

/// The items of a user's days from one instant on, computed from the recording.
///
/// They depend on what was recorded alone, not on when they are computed: the data go in the order
/// of time through one pipeline and one `HindsightStream`, as those of a file do. At the end of
/// each hour of UTC that has data, when the newest data are a minute beyond it, the items that no
/// later sample can change become final, and what is known then is a ``DayCheckpoint``. What is not
/// final is computed from all data.
///
/// Between two updates the computation is kept, so that the next one reads only what is new. The
/// newest minute is read twice: a fix may come later than the accelerations of its time. A copy of
/// the states sees it, and the states only what is older.
struct DayComputation: Sendable {
  /// The time before the first item that initializes the states where nothing leads there,
  /// nanoseconds.
  static let lead: Int64 = 120_000_000_000
  /// How long data may arrive late without a computation from further back, nanoseconds.
  private static let patience: Int64 = 60_000_000_000
  /// What closing an hour costs, in samples.
  private static let hourCost = 1_000

  /// The start of the new segments when older ones remain; nil when none does.
  private(set) var begin: Timestamp?
  /// The new segments, which tile the time from ``begin`` on.
  private(set) var segments: [DaySegment] = []
  private(set) var finalEnd: Timestamp?
  /// Where the computation can go on, in order of time; the states that are stored are left out.
  private(set) var checkpoints: [DayCheckpoint]
  /// The positions of the first sample and fix that the next computation needs.
  private(set) var resume: (sample: Int, fix: Int)

  private let user: Int64
  /// The items before this instant are kept for ever: their samples were dropped.
  private var retainedEnd: Timestamp?
  private var model: ActivityModel
  private var state: DayState
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

  /// A computation of what isn't final, from the newest checkpoint; or of all that data of some
  /// instant can change.
  init(
    _ days: DaysRecord, _ uploads: UploadRecord, _ checkpoints: [DayCheckpoint],
    _ statements: [StatedInterval], changedFrom instant: Timestamp? = nil, model: ActivityModel
  ) {
    var chain: (state: DayState, base: DayCheckpoint?)?
    var kept = checkpoints
    finalEnd = uploads.retainedEnd
    var position = (sample: uploads.retainedSample, fix: uploads.retainedFix)
    if let instant {
      kept.removeAll { $0.end > instant }
      while let last = kept.last {
        if last.isAfter(uploads.retainedEnd) {
          chain = DayState.resumed(from: kept, model, statements)
        }
        guard chain == nil else { break }
        kept.removeLast()
      }
      if let last = kept.last { finalEnd = last.finalEnd }
    } else {
      // After an erasure nothing may hold what was erased.
      let isChained = kept.last?.finalEnd == days.finalEnd
      if isChained { chain = DayState.resumed(from: kept, model, statements) }
      // Of another version or model: what was not dropped is computed anew.
      if chain != nil || !isChained || checkpoints.isEmpty {
        finalEnd = days.finalEnd
        position = (days.resumeSample, days.resumeFix)
      }
    }
    user = days.user
    begin = finalEnd
    retainedEnd = uploads.retainedEnd
    self.model = model
    counted = (days.samples, days.fixes)
    self.checkpoints = chain == nil ? [] : kept
    closedEnd = self.checkpoints.last?.end
    state = chain?.state ?? DayState(model, statements, stayingSince: finalEnd)
    resume = position
    unfed = position
    if let base = chain?.base {
      fedEnd = base.end
      unfed = (base.sample, base.fix)
    } else if chain == nil, position != (0, 0), let finalEnd {
      fedEnd = finalEnd.advanced(byNanoseconds: -Self.lead)
    } else {
      // The states begin where the recording does.
      fedEnd = Timestamp(nanoseconds: .min)
      if chain != nil { unfed = (0, 0) }
    }
    dropStates()
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
    self = other
    guard isFinished else { return }
    (begin, segments, isFinished) = (finalEnd, [], false)
    (retainedEnd, self.model) = (uploads.retainedEnd, model)
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
    var rest: [JournalBatch] = []
    var cost = 0
    let isAll = try reading.forEachBatch(from: start, in: journal) {
      (batch: JournalBatch) throws(JournalError) in
      let early = batch.filtered { start <= $0 && $0 < fedEnd }
      if let time = early.firstTime {
        cost += feed(early, from: time, reading) + early.count
        // All of a cell was fed: what follows begins in a later one.
        let next = TimeOrderedReading.last(ofCell: time).advanced(byNanoseconds: 1)
        if cost >= count, next <= fedEnd {
          fedEnd = next
          return false
        }
      }
      let late = batch.filtered { $0 >= fedEnd }
      if !late.isEmpty { rest.append(late) }
      return true
    }
    if let openHour, DayCheckpoint.end(ofHour: openHour) <= fedEnd { closeHour(reading) }
    unfed = reading.positions(from: fedEnd)
    guard isAll else { return .unfinished }
    var copy = state
    for batch in rest { copy.ingest(batch) }
    append(copy.finish())
    try setResume(of: user, in: journal)
    isFinished = true
    return .finished
  }

  /// Sets the positions from which the recording must be read for what isn't final.
  private mutating func setResume(
    of user: UserRecord, in journal: UserJournal
  ) throws(JournalError) {
    guard let finalEnd else { return }
    let restart =
      state.hindsight.restartTime ?? finalEnd.advanced(byNanoseconds: -Self.lead)
    if let base = checkpoints.last(where: { $0.end <= restart }) {
      resume = (base.sample, base.fix)
    } else if finalEnd != begin, resume != (0, 0) {
      let all = try TimeOrderedReading(
        of: user, fromSample: resume.sample, fromFix: resume.fix, in: journal)
      resume = all.positions(from: restart)
    }
  }

  /// Feeds the pipeline with a batch of one cell.
  ///
  /// - Returns: What it cost beside the batch, in samples.
  private mutating func feed(
    _ batch: JournalBatch, from time: Timestamp, _ reading: TimeOrderedReading
  ) -> Int {
    let hour = DayCheckpoint.hour(of: time)
    let isOther = openHour != hour
    if isOther { closeHour(reading) }
    openHour = hour
    state.ingest(batch)
    return isOther ? Self.hourCost : 0
  }

  /// Forgets the states of checkpoints that are stored.
  mutating func dropStates() {
    for index in checkpoints.indices { checkpoints[index].state = [] }
  }

  /// Makes final what is, and adds a checkpoint, after the last data of an hour.
  private mutating func closeHour(_ reading: TimeOrderedReading) {
    guard let hour = openHour else { return }
    openHour = nil
    let end = DayCheckpoint.end(ofHour: hour)
    guard closedEnd.map({ $0 < end }) ?? true else { return }
    append(state.hindsight.takeFinalItems())
    finalEnd = state.hindsight.finalEnd ?? finalEnd
    closedEnd = end
    checkpoints.append(
      DayCheckpoint(
        user: user, end: end, finalEnd: finalEnd, position: reading.positions(from: end),
        state: state.saved))
    let retained = retainedEnd?.advanced(byNanoseconds: -Self.lead)
    checkpoints = DayCheckpoint.thinned(
      checkpoints, for: [state.hindsight.restartTime, retained].compactMap { $0 })
  }

  /// Adds the segments of items, from the end of those that are there on.
  private mutating func append(_ items: [TimelineItem]) {
    for item in items {
      for (index, segment) in DaySegment.segments(item).enumerated() {
        let end = segments.last?.end ?? begin ?? segment.start
        guard var part = segment.cut(from: end, to: Timestamp(nanoseconds: .max)) else { continue }
        if end < part.start { segments.append(DaySegment(.gap, from: end, to: part.start)) }
        // A trip after another one.
        if index == 0, part.kind == .leg, segments.last?.kind == .leg { part.startsItem = true }
        segments.append(part)
      }
    }
  }
}
