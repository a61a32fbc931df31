extension LocationSmoother {
  /// One pass over recorded fixes that gives each the hindsight of a fixed time.
  ///
  /// Up to twice ``exactFixes`` within the lag, each fix looks ahead on its own. Where they are
  /// denser, as many fixes as the 64th part of those within the lag share one look ahead, that of
  /// the first of them: the time for a fix stays the same, and the others' hindsight is shorter by
  /// the time since the first, the 64th part of the lag if the fixes are evenly spread.
  package struct LaggedPass {
    /// The fixes within a lag for each of those that share a look ahead.
    static let exactFixes = 64

    private let smoother: LocationSmoother
    private let fixes: [LocationFix]
    private let accelerations: [AccelerationEvidence?]
    private let lag: Double

    private var ahead: LocationFilter
    private var behind: LocationFilter
    /// Steps of the filter that runs ahead, for the fixes that have no row yet.
    private var seen: [[LocationFilter.Step]] = []
    /// Steps of the filter that stays behind, as far back as a repair may reach.
    private var history: [LocationFilter.Step] = []
    /// The first of ``history`` that is not older than that.
    private var historyStart = 0

    /// The rows so far.
    package private(set) var rows: [Row] = []
    /// The updates of filters and the steps that were smoothed so far.
    package private(set) var work = 0

    /// A pass before its first fix; `accelerations` is empty or as long as `fixes`.
    ///
    /// A lag that is no number counts as ``LocationSmoother/lagSeconds``, one beyond an hour as an
    /// hour.
    package init(
      _ smoother: LocationSmoother, _ fixes: [LocationFix],
      _ accelerations: [AccelerationEvidence?], seconds: Double
    ) {
      self.smoother = smoother
      self.fixes = fixes
      self.accelerations = accelerations
      lag = seconds.isFinite ? min(max(seconds, 0), 3_600) : LocationSmoother.lagSeconds
      ahead = LocationFilter(settings: smoother.settings)
      behind = ahead
    }

    /// Makes the rows of all fixes.
    package mutating func run() {
      rows.reserveCapacity(fixes.count)
      while rows.count < fixes.count { takeNext() }
    }

    /// Makes the rows of the next fixes, which share one look ahead.
    private mutating func takeNext() {
      let first = rows.count
      lookAhead(of: first)
      let count = max(1, seen.count / Self.exactFixes)
      let posteriors = posteriorsOfSeen()
      // The filter that stays behind takes these fixes; a copy of it looks ahead.
      var steps: [LocationFilter.Step] = []
      /// The place of each fix's own step, if it has one.
      var own: [Int?] = []
      var heights: [AltitudeFilter.Estimate?] = []
      for index in first..<first + count {
        let known = steps.count
        steps += take(index, posteriors[index - first])
        own.append(steps.count > known ? steps.count - 1 : nil)
        heights.append(behind.altitude.estimate(at: fixes[index].timestamp))
      }
      let behindSteps = steps
      if !steps.isEmpty {
        var scout = behind
        for offset in count..<seen.count {
          _ = scout.update(
            with: fixes[first + offset], acceleration: acceleration(first + offset),
            moving: posteriors[offset]
          ) { steps.append($0) }
        }
        work += seen.count - count
      }
      var shift = 0
      if steps.contains(where: { $0.kind == .relocation || $0.kind == .return }) {
        steps.insert(contentsOf: history[historyStart...], at: 0)
        shift = history.count - historyStart
      }
      var track = BackwardPass(settings: smoother.settings)
      track.smooth(steps)
      work += steps.count
      remember(behindSteps)
      for (offset, step) in own.enumerated() {
        guard let step else { continue }
        rows[first + offset].estimate = track.estimate(at: step + shift)
        rows[first + offset].estimate?.altitude = heights[offset]?.altitude
        rows[first + offset].estimate?.altitudeDeviation = heights[offset]?.deviation
      }
      seen.removeFirst(count)
    }

    /// Lets the filter that runs ahead take the fix at `index` and those within the lag of it.
    private mutating func lookAhead(of index: Int) {
      let time = fixes[index].timestamp
      var next = index + seen.count
      while next < fixes.count, next <= index || isWithinLag(fixes[next].timestamp, of: time) {
        var steps: [LocationFilter.Step] = []
        _ = ahead.update(with: fixes[next], acceleration: acceleration(next), moving: nil) {
          steps.append($0)
        }
        seen.append(steps)
        next += 1
        work += 1
      }
    }

    /// The probability of motion at each fix in view, nil for one without a step.
    private mutating func posteriorsOfSeen() -> [Double?] {
      var posterior = smoother.smoothedPosterior(seen.flatMap { $0 })[...]
      work += posterior.count
      return seen.map { steps in
        defer { posterior = posterior.dropFirst(steps.count) }
        return steps.isEmpty ? nil : posterior[posterior.startIndex + steps.count - 1]
      }
    }

    /// Lets the filter that stays behind take a fix, makes its row as it is known live, and returns
    /// its steps.
    private mutating func take(_ index: Int, _ posterior: Double?) -> [LocationFilter.Step] {
      let time = fixes[index].timestamp
      var steps: [LocationFilter.Step] = []
      let status = behind.update(
        with: fixes[index], acceleration: acceleration(index), moving: posterior
      ) { steps.append($0) }
      work += 1
      rows.append(
        Row(
          timestamp: time, status: status, estimate: behind.estimate(at: time),
          moving: behind.movingDecision))
      return steps
    }

    /// Keeps the steps that a repair may reach from a later fix.
    private mutating func remember(_ steps: [LocationFilter.Step]) {
      for step in steps {
        // A filter that starts again leaves nothing behind to which a repair could lead.
        if step.transition == nil {
          history.removeAll(keepingCapacity: true)
          historyStart = 0
        }
        history.append(step)
      }
      guard let newest = steps.last else { return }
      while newest.timestamp.seconds(since: history[historyStart].timestamp)
        > smoother.settings.motion.coasting
      {
        historyStart += 1
      }
      if historyStart > history.count / 2 {
        history.removeFirst(historyStart)
        historyStart = 0
      }
    }

    private func acceleration(_ index: Int) -> AccelerationEvidence? {
      accelerations.isEmpty ? nil : accelerations[index]
    }

    /// Whether `later` is at most the lag after `time`, or earlier.
    private func isWithinLag(_ later: Timestamp, of time: Timestamp) -> Bool {
      later.isPlausible && time.isPlausible ? later.seconds(since: time) <= lag : false
    }
  }
}
