// Up to twice `exactFixes` within the lag, each fix looks ahead on its own. Where they are denser,
// as many fixes as the 64th part of those within the lag share one look ahead, that of the first of
// them: the time for a fix stays the same, and the others' hindsight is shorter by the time since
// the first, the 64th part of the lag if the fixes are evenly spread.
extension LocationSmoother {
  /// The fixes within a lag for each of those that share a look ahead.
  private static let exactFixes = 64

  /// The fixes of a track that share a look ahead, and those that they see, portion by portion.
  package static func portions(
    of reports: [FixReport], lag: Double
  ) -> [(own: Range<Int>, seen: Range<Int>)] {
    var portions: [(own: Range<Int>, seen: Range<Int>)] = []
    var (first, end) = (0, 0)
    while first < reports.count {
      let time = reports[first].fix.timestamp
      while end < reports.count,
        end <= first || isWithin(lag, reports[end].fix.timestamp, of: time)
      { end += 1 }
      let next = first + max(1, (end - first) / exactFixes)
      portions.append((first..<next, first..<end))
      first = next
    }
    return portions
  }

  /// Whether `later` is at most the lag after `time`, or earlier.
  private static func isWithin(_ lag: Double, _ later: Timestamp, of time: Timestamp) -> Bool {
    later.isPlausible && time.isPlausible && later.seconds(since: time) <= lag
  }

  /// The reports with the hindsight of a fixed time; one that is no number counts as
  /// ``lagSeconds``, one beyond an hour as an hour.
  func lagged(_ reports: [FixReport], seconds: Double) -> [FixReport] {
    let lag = seconds.isFinite ? min(max(seconds, 0), 3_600) : Self.lagSeconds
    var passes = SmoothingPasses(self)
    // As far back as a repair may reach.
    var history: [LocationFilter.Step] = []
    return Self.portions(of: reports, lag: lag).flatMap { own, seen in
      let (smoothed, posteriors) = passes.smoothed(
        reports[seen], first: own.count, behind: history)
      passes.take(reports[own], posteriors: posteriors) { step in
        // A filter that starts again leaves nothing behind to which a repair could lead.
        if step.transition == nil { history.removeAll(keepingCapacity: true) }
        history.append(step)
      }
      if let newest = history.last?.timestamp {
        history.removeFirst(
          history.prefix {
            newest.seconds(since: $0.timestamp) > LocationFilter.Settings.Motion.coasting
          }.count)
      }
      return smoothed
    }
  }
}
