package import LocomotionActivityRecognition
internal import LocomotionPositioning
internal import LocomotionSensing

/// The answers of hindsight about a recording of any length, while it goes through a pipeline.
///
/// It gives the cadences, the steps and the timeline (``TimelineBuilder/items(of:)``) of
/// ``Hindsight/smooth(_:reports:model:)``, and keeps some hours of seconds instead of all. The
/// filters and the timeline go on from part to part; what comes later reaches back over six hours
/// of the recording, or over four with 5,000 fixes. In a simulated phone's rest the location
/// depends on what comes later by a factor of ten less with each hour, and with a fix a minute more
/// slowly: what is left is less than a hundredth of a digit that the command prints, and changes
/// nothing else unless a decision was that close.
///
/// One case uses less than ``Hindsight`` does: when the clock is set back, locations stay live from
/// there on, and not in the whole recording. Custom activities of legs are not named.
package struct HindsightStream: Sendable {
  /// How much is held.
  package struct Settings: Sendable {
    /// How far later data reach back, seconds; default 21,600.
    package var reach = 21_600.0
    /// The same when as many fixes as ``fixesWithinReach`` are in it, seconds; default 14,400.
    package var shortestReach = 14_400.0
    /// The fixes after which hindsight may end; default 5000.
    var fixesWithinReach = 5_000
    /// The seconds that are smoothed at once, if fewer fixes than ``fixesOfPortion`` come with
    /// them; default 21,600.
    package var portion = 21_600
    /// The fixes that are smoothed at once; default 7200.
    package var fixesOfPortion = 7_200
    /// What repairs of the track may need from before them, seconds; default 1800, after which the
    /// filter of locations starts anew.
    var lead = 1_800.0

    /// The defaults.
    package init() {}
  }

  private let settings: Settings
  private let model: ActivityModel
  private let smoother: ActivitySmoother

  /// The seconds with final cadences and steps that were not taken.
  private var settled: [LocomotionSample] = []

  /// The seconds and reports since the states below, of which ``placed`` are in the timeline.
  private var seconds: [LocomotionSample] = []
  private var reports: [FixReport] = []
  private var placed = 0
  private var passes = SmoothingPasses(LocationSmoother())
  private var states: ActivityStates?
  private var course = TrackCourse()
  /// The newest smoothed report before ``reports``.
  private var anchor: FixReport?
  private var isInOrder = true
  /// The numbers of seconds and reports at which they are smoothed next.
  private var limits: (seconds: Int, reports: Int)
  private var builder = TimelineBuilder()

  /// A stream of which nothing is known.
  package init(settings: Settings = Settings(), model: ActivityModel = .default) {
    self.settings = settings
    self.model = model
    smoother = ActivitySmoother(model: model)
    limits = (
      settings.portion + Int(settings.reach), settings.fixesOfPortion + settings.fixesWithinReach
    )
  }

  /// Takes in what the pipeline said next.
  package mutating func append(_ output: LocomotionOutput) {
    reports += output.fixes
    seconds += output.samples
    if seconds.count >= limits.seconds || reports.count >= limits.reports {
      advance(isLast: false)
      limits = (seconds.count + settings.portion, reports.count + settings.fixesOfPortion)
    }
  }

  /// Takes in the end of the recording.
  package mutating func finish() {
    advance(isLast: true)
  }

  /// Returns the seconds whose cadences and steps have become final since the last call, each once;
  /// all else in them is live.
  package mutating func takeSamples() -> [LocomotionSample] {
    defer { settled.removeAll(keepingCapacity: true) }
    return settled
  }

  /// The stays, trips and gaps; complete after ``finish()``.
  package var items: [TimelineItem] { builder.clockSegments.flatMap { $0 } + builder.items() }

  /// Smooths what is held, and appends to the timeline what is final of it.
  private mutating func advance(isLast: Bool) {
    guard let end = seconds.last?.end else { return }
    isInOrder = isInOrder && Hindsight.areInOrder(seconds)
    var samples = seconds
    let fixes = reports.map { $0.fix }
    let (rows, posteriors) = passes.rows(for: fixes) { reports[$0].acceleration }
    let smoothed = Hindsight.reports(reports, with: rows)
    let anchors = Hindsight.anchors(in: smoothed, after: anchor)
    if isInOrder { Hindsight.place(&samples, along: anchors) }
    let evidence = Hindsight.evidence(of: samples, after: course, model: model)
    Hindsight.smoothActivities(of: &samples, by: evidence, after: states, model: model)
    Hindsight.smoothCadences(of: &samples)
    Hindsight.smoothMovingStates(of: &samples)

    let count = isLast ? samples.count : finalCount(until: known(at: end, anchors), anchors)
    for (index, sample) in zip(placed..., samples[placed..<count]) {
      builder.append(sample)
      var second = seconds[index]
      (second.cadence, second.steps) = (sample.cadence, sample.steps)
      settled.append(second)
    }
    // Where nothing is final, a later fix will tell of a place.
    guard count > placed, !isLast else { return }
    placed = count
    let first = seconds[count - 1].end.advanced(byNanoseconds: -Int64(settings.lead * 1e9))
    let cut = isInOrder ? seconds[..<count].firstIndex { $0.end > first } ?? 0 : count
    // A rejected fix may have any time.
    let isLater = { (report: FixReport) in
      report.fix.timestamp > first && (report.status == .used || report.status == .relocated)
    }
    let fixCut = isInOrder ? reports.firstIndex(where: isLater) ?? reports.count : reports.count
    anchor = Hindsight.anchors(in: Array(smoothed[..<fixCut]), after: anchor).last
    passes.take(fixes[..<fixCut], posteriors: posteriors) { reports[$0].acceleration }
    for fix in seconds[..<cut].lazy.compactMap({ $0.rawLocation }) { _ = course.append(fix) }
    course.forgetPast()
    for item in evidence.prefix(seconds[..<cut].count { $0.activityEvidence != nil }) {
      states = smoother.filter(item, after: states)
    }
    seconds.removeFirst(cut)
    reports.removeFirst(fixCut)
    placed -= cut
  }

  /// The instant before which all is known when the newest second ends at `end`.
  private func known(at end: Timestamp, _ anchors: [FixReport]) -> Timestamp {
    func before(_ seconds: Double) -> Timestamp {
      end.advanced(byNanoseconds: -Int64(seconds * 1e9))
    }
    guard anchors.count > settings.fixesWithinReach else { return before(settings.reach) }
    let first = anchors[anchors.count - settings.fixesWithinReach].fix.timestamp
    return max(before(settings.reach), min(first, before(settings.shortestReach)))
  }

  /// The number of ``seconds`` that nothing changes any more when all before `known` is.
  private func finalCount(until known: Timestamp, _ anchors: [FixReport]) -> Int {
    guard isInOrder else { return max(placed, seconds.count - Int(settings.reach)) }
    let last = anchors.last { $0.fix.timestamp <= known }?.fix.timestamp
    let rest = seconds[placed...].firstIndex { second in
      second.end > known || second.location != nil && last.map { second.end > $0 } ?? true
    }
    return rest ?? seconds.count
  }
}
