/// The filters of both passes of a smoother, as they are before the next fix of a track.
///
/// A track that does not fit into memory is smoothed in parts: each part goes on from the filters
/// after the one before, and hindsight reaches as far as the part goes.
package struct SmoothingPasses: Sendable, StateArchivable {
  private let smoother: LocationSmoother
  private var first: LocationFilter
  private var second: LocationFilter

  /// The passes before the first fix.
  package init(_ smoother: LocationSmoother) {
    self.smoother = smoother
    first = LocationFilter(settings: smoother.settings)
    second = first
  }

  /// The next reports, or the first `count` of them, with the hindsight of all; and the smoothed
  /// probability of motion at each, nil for one whose fix the filter did not use.
  ///
  /// The location of such a fix is what hindsight tells, or where `history` holds the steps before,
  /// as far back as a repair may reach, what was known live. An altitude that a report has already
  /// stays: the barometer was there live only.
  package func smoothed(
    _ reports: ArraySlice<FixReport>, first count: Int = .max,
    behind history: [LocationFilter.Step]? = nil
  ) -> (reports: [FixReport], posteriors: [Double?]) {
    // First pass: the evidence for motion, and from it the smoothed posterior.
    var (filter, steps): (LocationFilter, [LocationFilter.Step]) = (first, [])
    var ends = [0]
    for report in reports {
      _ = filter.update(with: report.fix, acceleration: report.acceleration, moving: nil) {
        steps.append($0)
      }
      ends.append(steps.count)
    }
    let moving = smoother.smoothedPosterior(steps)
    let posteriors = zip(ends, ends.dropFirst()).map { $0 < $1 ? moving[$1 - 1] : nil }

    // Second pass: the filter with that posterior, and its steps with hindsight.
    filter = second
    steps.removeAll(keepingCapacity: true)
    var result: [FixReport] = []
    var heights: [AltitudeFilter.Estimate?] = []
    /// For each report the newest step, and whether it is the fix's own.
    var sources: [(step: Int?, isOwn: Bool)] = []
    for (report, posterior) in zip(reports, posteriors) {
      let before = steps.count
      var next = report
      next.status = filter.update(
        with: report.fix, acceleration: report.acceleration, moving: posterior
      ) { steps.append($0) }
      guard result.count < count else { continue }
      let time = report.fix.timestamp
      heights.append(filter.altitude.estimate(at: time))
      sources.append((steps.isEmpty ? nil : steps.count - 1, steps.count > before))
      next.moving = filter.movingDecision
      next.location = history == nil ? nil : filter.estimate(at: time)
      result.append(next)
    }
    var shift = 0
    if let history, steps.contains(where: { $0.kind == .relocation || $0.kind == .return }) {
      steps.insert(contentsOf: history, at: 0)
      shift = history.count
    }
    var track = LocationSmoother.BackwardPass(settings: smoother.settings)
    track.smooth(steps)
    for (index, report) in zip(result.indices, reports) {
      let source = sources[index]
      if source.isOwn, let step = source.step {
        result[index].location = track.estimate(at: step + shift)
      } else if history == nil {
        result[index].location = track.estimate(at: report.fix.timestamp, last: source.step)
      }
      let live = report.location.flatMap { $0.altitude == nil ? nil : $0 }
      result[index].location?.altitude = live?.altitude ?? heights[index]?.altitude
      result[index].location?.altitudeDeviation =
        live == nil ? heights[index]?.deviation : live?.altitudeDeviation
    }
    return (result, posteriors)
  }

  /// Goes on behind `reports`, of which ``smoothed(_:first:behind:)`` said the `posteriors`, and
  /// tells `record` every step of the second pass.
  package mutating func take(
    _ reports: ArraySlice<FixReport>, posteriors: [Double?],
    record: LocationFilter.Recorder? = nil
  ) {
    for (report, posterior) in zip(reports, posteriors) {
      _ = first.update(with: report.fix, acceleration: report.acceleration)
      _ = second.update(
        with: report.fix, acceleration: report.acceleration, moving: posterior, record: record)
    }
  }

  /// All but the settings, which are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&first, &second)
  }
}
