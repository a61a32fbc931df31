/// The answers of hindsight about a recording of any length, while it goes through a pipeline.
///
/// Seconds are smoothed in portions of the clock, each with what the time up to ``Settings/reach``
/// after it tells, and go from there into the timeline; the filters, the course and the timeline go
/// on from portion to portion. What it says depends on the seconds and the fixes alone, not on how
/// they were divided: whoever feeds it the same gets the same bytes, a command that reads a file
/// as well as a journal that got it in pieces over weeks.
///
/// When the clock is set back, what was before is over, and smoothing begins anew.
package struct HindsightStream: Sendable, StateArchivable {
  /// How much is held.
  package struct Settings: Sendable {
    /// How far later data reach back, seconds; default 3600.
    ///
    /// With it 477 of 478 recordings of all kinds have the same timeline, byte for byte, as with
    /// four hours; with half an hour some trips by few fixes have another length.
    package var reach = 3_600.0
    /// The seconds of the clock that are smoothed at once, a divisor of a day; default 3600.
    package var portion: Int64 = 3_600
    /// What repairs of the track may need from before them, seconds; default 1800, after which the
    /// filter of locations starts anew.
    var lead = 1_800.0
    /// What of the seconds is given; default all as smoothed.
    package var seconds = Seconds.smoothed

    /// The defaults.
    package init() {}
  }

  /// What a stream gives of its seconds.
  package enum Seconds: Sendable {
    /// All that hindsight tells.
    case smoothed
    /// Cadences, steps and activities that hindsight tells, and no timeline: a third of the work.
    case withoutLocations
    /// Cadences and steps that hindsight tells, all else as it was live.
    case live
    /// Nothing.
    case none
  }

  /// How long after its reach a portion waits for fixes that come late, seconds.
  private static let patience = 60.0
  /// The time before a portion whose seconds may give it steps or take them, seconds.
  private static let overlap = 60.0

  private let settings: Settings
  private let model: ActivityModel
  private let smoother: ActivitySmoother

  /// The seconds since the states below, of which ``placed`` are in the timeline.
  private var seconds: [LocomotionSample] = []
  /// The reports since then.
  private var reports: [FixReport] = []
  private var placed = 0
  /// The seconds in the timeline that were not taken.
  private var settled: [LocomotionSample] = []

  // The states behind what is no longer held.
  private var passes = SmoothingPasses(LocationSmoother())
  private var states: ActivityStates?
  private var course = TrackCourse()
  /// The newest smoothed report before ``reports``.
  private var anchor: FixReport?
  /// The end of the seconds in the timeline; nil before the first portion.
  private(set) var placedEnd: Timestamp?
  private var builder = TimelineBuilder()
  /// The custom activities of the seconds whose items are open, where the model has any.
  private var custom: [CustomSecond] = []
  /// What other systems state; nil for nothing.
  private let evidence: StatedEvidence?
  /// The final items of the builder that statements may still change, between edges that don't
  /// move any more but the last, and the seconds since the first of them.
  private var held: [TimelineItem] = []
  private var track = SampledTrack()
  /// After a restart from the states: up to when they know what comes again.
  private var knownEnd: Timestamp?

  /// A stream of which nothing is known but, if there is one, a stay that began at an instant.
  ///
  /// What a pipeline says of the time before the stay is of use to the filters. What others state
  /// is weighed for all items at once; who takes them as they become final gets the same.
  package init(
    settings: Settings = Settings(), model: ActivityModel = .default,
    statements: [StatedInterval] = [], stayingSince start: Timestamp? = nil
  ) {
    self.settings = settings
    self.model = model
    evidence = StatedEvidence(statements)
    smoother = ActivitySmoother(model: model)
    guard let start else { return }
    builder = TimelineBuilder(stayingSince: start)
    (placedEnd, knownEnd) = (start, start)
  }

  /// Takes in what the pipeline said next.
  package mutating func append(_ output: LocomotionOutput) {
    for report in output.fixes { append(report) }
    for sample in output.samples { append(sample) }
  }

  /// Takes in the end of the recording.
  package mutating func finish() {
    if placed < seconds.count { place(before: nil) }
  }

  /// Takes in that a recording begins which doesn't continue the one before.
  ///
  /// Between them is a gap. After a restart from the states it may be known already.
  package mutating func begin(at start: Timestamp) {
    finish()
    if let end = placedEnd, end < start {
      builder.finishRecording()
      forgetStates()
      placedEnd = start
    }
    reports.removeAll(keepingCapacity: true)
    seconds.removeAll(keepingCapacity: true)
    placed = 0
  }

  /// Returns the seconds that are in the timeline since the last call, each once.
  package mutating func takeSamples() -> [LocomotionSample] {
    defer { settled.removeAll(keepingCapacity: true) }
    return settled
  }

  /// The stays, trips and gaps that were not taken; complete after ``finish()``.
  package var items: [TimelineItem] {
    var items = builder.items()
    Hindsight.nameCustomActivities(in: &items, seconds: custom)
    return evidence?.weigh(held + items, track, movingFrom: held.count) ?? held + items
  }

  /// The instant up to which the timeline is final, also of what was taken.
  package var finalEnd: Timestamp? { held.first?.start ?? builder.finalEnd() }

  /// Returns the final items since the last call, each once.
  package mutating func takeFinalItems() -> [TimelineItem] {
    var items = builder.takeFinalItems()
    if let end = items.last?.end {
      Hindsight.nameCustomActivities(in: &items, seconds: custom)
      custom.removeFirst(custom.firstIndex { $0.end > end } ?? custom.count)
    }
    guard let evidence else {
      // Of statements that there are no more.
      defer { (held, track) = ([], SampledTrack()) }
      return held + items
    }
    held = evidence.movingEdges(of: held + items, from: held.count)
    let count = evidence.settledCount(of: held, track)
    items = evidence.weigh(Array(held[..<count]), track, movingFrom: count)
    held.removeFirst(count)
    if let start = held.first?.start { track.removeAll(before: start) }
    return items
  }

  // MARK: Portions

  private mutating func append(_ report: FixReport) {
    if let knownEnd, report.status.isUsed,
      report.fix.timestamp <= Self.leadStart(before: knownEnd, settings)
    {
      reports.removeAll(keepingCapacity: true)
    } else {
      reports.append(report)
    }
  }

  private mutating func append(_ sample: LocomotionSample) {
    if let last = seconds.last, sample.start < last.end {
      finish()
      forgetClock()
    }
    if let end = knownEnd {
      guard sample.end > Self.overlapStart(before: end) else { return }
      if sample.end <= end { placed += 1 } else { knownEnd = nil }
    }
    while let end = Self.portionEnd(of: seconds.dropFirst(placed), settings),
      sample.start.seconds(since: end) >= settings.reach + Self.patience
    {
      place(before: end)
    }
    seconds.append(sample)
  }

  /// The end of the portion of the first of the `seconds` that aren't in the timeline; nil without
  /// one.
  private static func portionEnd(
    of seconds: ArraySlice<LocomotionSample>, _ settings: Settings
  ) -> Timestamp? {
    guard let first = seconds.first else { return nil }
    let length = settings.portion * 1_000_000_000
    return Timestamp.end(ofInterval: first.start.interval(of: length), of: length)
  }

  // Static, as a call copies what it is given, and a stream is large.

  private static func leadStart(before end: Timestamp, _ settings: Settings) -> Timestamp {
    end.advanced(byNanoseconds: -Int64(settings.lead * 1e9))
  }

  private static func overlapStart(before end: Timestamp) -> Timestamp {
    end.advanced(byNanoseconds: -Int64(overlap * 1e9))
  }

  /// Smooths the seconds up to an instant, all without one, and puts them into the timeline.
  private mutating func place(before end: Timestamp?) {
    let limit = end?.advanced(byNanoseconds: Int64(settings.reach * 1e9))
    // What is rejected at first is of no portion: it may be from before any of them.
    reports.removeFirst(reports.firstIndex { $0.status.isUsed } ?? 0)
    let isLocated = settings.seconds != .withoutLocations
    let known = reports[..<(isLocated ? reportCount(before: limit) : 0)]
    let (smoothed, posteriors) = passes.smoothed(known)
    var samples = seconds
    if let limit { samples.removeLast(samples.reversed().prefix { $0.end > limit }.count) }
    Hindsight.place(&samples, along: Hindsight.anchors(in: smoothed, after: anchor))
    let evidence = Hindsight.evidence(of: samples, after: course, model: model)
    Hindsight.smoothActivities(of: &samples, by: evidence, after: states, model: model)
    Hindsight.smoothCadences(of: &samples)
    Hindsight.smoothMovingStates(of: &samples)

    let count = end.map { end in samples.prefix { $0.start < end }.count } ?? samples.count
    for (index, sample) in zip(placed..., samples[placed..<count]) { append(sample, at: index) }
    placed = count
    let newEnd = samples[count - 1].end
    placedEnd = newEnd
    let cut = seconds.firstIndex { $0.end > Self.overlapStart(before: newEnd) } ?? count
    let lead = Self.leadStart(before: newEnd, settings)
    let fixCut =
      known.lastIndex { $0.status.isUsed && $0.fix.timestamp <= lead }.map { $0 + 1 } ?? 0
    anchor = Hindsight.anchors(in: Array(smoothed[..<fixCut]), after: anchor).last
    passes.take(known[..<fixCut], posteriors: posteriors)
    for fix in seconds[..<cut].lazy.compactMap({ $0.rawLocation }) { _ = course.append(fix) }
    course.forgetPast()
    let passed = seconds[..<cut].count { $0.activityEvidence != nil }
    states = smoother.states(behind: Array(evidence.prefix(passed)), after: states)
    seconds.removeFirst(cut)
    reports.removeFirst(isLocated ? fixCut : reports.count)
    placed -= cut
  }

  /// The number of ``reports`` on fixes before `limit` in the order in which they came.
  ///
  /// Not by status: a fix with a time far ahead, as a wrong clock has, ends nothing.
  private func reportCount(before limit: Timestamp?) -> Int {
    guard let limit else {
      // Behind a clock that was set back the next one begins.
      var newest = Timestamp(nanoseconds: .min)
      for (index, report) in reports.enumerated() where report.status.isUsed {
        if report.fix.timestamp < newest { return index }
        newest = report.fix.timestamp
      }
      return reports.count
    }
    let day: Int64 = 86_400_000_000_000
    return reports.firstIndex {
      limit <= $0.fix.timestamp && $0.fix.timestamp < limit.advanced(byNanoseconds: day)
    } ?? reports.count
  }

  /// Puts a smoothed second, that was live at an index of ``seconds``, into the timeline.
  private mutating func append(_ sample: LocomotionSample, at index: Int) {
    if settings.seconds != .withoutLocations { builder.append(sample) }
    if evidence != nil { track.append(sample) }
    if !model.customActivities.isEmpty { custom.append(CustomSecond(sample)) }
    switch settings.seconds {
    case .none: break
    case .smoothed, .withoutLocations: settled.append(sample)
    case .live:
      var second = seconds[index]
      (second.cadence, second.steps) = (sample.cadence, sample.steps)
      settled.append(second)
    }
  }

  /// Begins anew with another clock, but for the timeline, which knows of it.
  private mutating func forgetClock() {
    reports.removeFirst(reportCount(before: nil))
    forgetStates()
    placed = 0
    seconds.removeAll(keepingCapacity: true)
  }

  private mutating func forgetStates() {
    (passes, states, course, anchor) = (SmoothingPasses(LocationSmoother()), nil, .init(), nil)
    (placedEnd, knownEnd) = (nil, nil)
  }

  /// The states behind what is held, from ``restartTime`` on, whatever it is by then.
  ///
  /// Who restores them feeds again what a pipeline said from that time on.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&passes, &states, &course, &anchor, &placedEnd)
    archive.pass(&builder, &custom, &held, &track)
    guard archive.isReading else { return }
    seconds.removeAll()
    reports.removeAll()
    settled.removeAll()
    placed = 0
    knownEnd = placedEnd
  }

  /// The time from which a restored stream needs what a pipeline says; nil for all of it.
  package var restartTime: Timestamp? { placedEnd.map { Self.leadStart(before: $0, settings) } }
}

struct CustomSecond: Sendable, StateElement {
  var start: Timestamp
  var end: Timestamp
  var activity: Activity?
  var custom: CustomActivity?
  /// Whether anything was decided.
  var isDecided: Bool

  init(_ sample: LocomotionSample) {
    (start, end) = (sample.start, sample.end)
    (activity, custom) = (sample.activity?.activity, sample.activity?.customActivity)
    isDecided = sample.activity != nil
  }

  static var blank: CustomSecond { CustomSecond(.blank) }

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&start, &end)
    archive.pass(caseOf: &activity)
    archive.pass(&custom, &isDecided)
  }
}
