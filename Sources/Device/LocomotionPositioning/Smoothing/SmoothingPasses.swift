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

  /// One row for each of the next fixes, in order, with the hindsight of all of them; and the
  /// smoothed probability of motion at each, nil for one that the filter did not use.
  ///
  /// `evidence` says what the accelerometer said at the fix of an index.
  package func rows(
    for fixes: [LocationFix], _ evidence: (Int) -> AccelerationEvidence?
  ) -> (rows: [LocationSmoother.Row], posteriors: [Double?]) {
    // First pass: the evidence for motion, and from it the smoothed posterior.
    var filter = first
    var steps: [LocationFilter.Step] = []
    var stepOfFix: [Int?] = []
    for index in fixes.indices {
      let before = steps.count
      _ = filter.update(with: fixes[index], acceleration: evidence(index), moving: nil) {
        steps.append($0)
      }
      stepOfFix.append(steps.count > before ? steps.count - 1 : nil)
    }
    let moving = smoother.smoothedPosterior(steps)
    let posteriors = stepOfFix.map { step in step.map { moving[$0] } }

    // Second pass: the filter with that posterior, and its steps with hindsight.
    filter = second
    steps.removeAll(keepingCapacity: true)
    var track = LocationSmoother.BackwardPass(settings: smoother.settings)
    var rows: [LocationSmoother.Row] = []
    var heights: [AltitudeFilter.Estimate?] = []
    /// For each fix the newest step, and whether it is the fix's own.
    var sources: [(step: Int?, isOwn: Bool)] = []
    for index in fixes.indices {
      let before = steps.count
      let status = filter.update(
        with: fixes[index], acceleration: evidence(index), moving: posteriors[index]
      ) { steps.append($0) }
      heights.append(filter.altitude.estimate(at: fixes[index].timestamp))
      sources.append((steps.isEmpty ? nil : steps.count - 1, steps.count > before))
      rows.append(
        LocationSmoother.Row(
          timestamp: fixes[index].timestamp, status: status, estimate: nil,
          moving: filter.movingDecision))
    }
    track.smooth(steps)
    for index in rows.indices {
      let source = sources[index]
      rows[index].estimate =
        if source.isOwn, let step = source.step {
          track.estimate(at: step)
        } else {
          track.estimate(at: rows[index].timestamp, last: source.step)
        }
      rows[index].estimate?.altitude = heights[index]?.altitude
      rows[index].estimate?.altitudeDeviation = heights[index]?.deviation
    }
    return (rows, posteriors)
  }

  /// Goes on behind `fixes`, of which ``rows(for:_:)`` said the `posteriors`.
  package mutating func take(
    _ fixes: ArraySlice<LocationFix>, posteriors: [Double?],
    _ evidence: (Int) -> AccelerationEvidence?
  ) {
    for index in fixes.indices {
      _ = first.update(with: fixes[index], acceleration: evidence(index), moving: nil) { _ in }
      _ = second.update(
        with: fixes[index], acceleration: evidence(index), moving: posteriors[index]
      ) { _ in }
    }
  }

  /// All but the settings, which are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&first, &second)
  }
}
