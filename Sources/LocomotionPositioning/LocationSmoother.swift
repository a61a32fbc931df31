public import LocomotionSensing

/// Where the phone was, for a recorded track, with as much hindsight as is asked for.
///
/// The forward pass is ``LocationFilter``'s. Hindsight enters twice: the belief about motion is
/// smoothed first (forward–backward over the evidence), the filter runs again with it, and its
/// steps are then smoothed backward (Rauch, Tung and Striebel 1965). Altitudes stay as they were
/// live: where they are given they are smooth already.
///
/// ```swift
/// let rows = LocationSmoother().estimates(for: fixes, mode: .lagged(seconds: 6))
/// ```
public struct LocationSmoother: Sendable {
  /// How much hindsight an estimate has.
  public enum Mode: Hashable, Sendable {
    /// What was known at the fix.
    case live
    /// What was known so many seconds after the fix.
    case lagged(seconds: Double)
    /// What the whole track tells.
    case smoothed

    /// Hindsight of six seconds, after which a moving phone's estimate hardly improves.
    public static let lagged = Mode.lagged(seconds: 6)
  }

  /// One fix and what is known about its instant.
  public struct Row: Hashable, Sendable {
    /// The fix's own time, whatever it is.
    public var timestamp: Timestamp
    /// What the filter did with the fix.
    public var status: FixStatus
    /// Where the phone was, also for a rejected fix; nil when there is nothing to tell it from.
    public var estimate: LocationEstimate?
    /// Whether it moved.
    public var moving: MovingDecision
  }

  /// What the filter assumes.
  public let settings: LocationFilter.Settings

  /// A smoother over filters with the given settings.
  public init(settings: LocationFilter.Settings = .init()) {
    self.settings = settings
  }

  /// One row for each fix, in the same order.
  ///
  /// `accelerations` holds what the accelerometer said at each fix; it may be empty.
  ///
  /// - Precondition: `accelerations` is empty or as long as `fixes`.
  /// - Complexity: O(n) for live and smoothed rows, O(n·m) with m fixes within the lag.
  public func estimates(
    for fixes: [LocationFix], accelerations: [AccelerationEvidence?] = [], mode: Mode
  ) -> [Row] {
    precondition(
      accelerations.isEmpty || accelerations.count == fixes.count,
      "expected \(fixes.count) accelerations, got \(accelerations.count)")
    let evidence = { (index: Int) in accelerations.isEmpty ? nil : accelerations[index] }
    switch mode {
    case .live: return live(fixes, evidence)
    case .lagged(let seconds): return lagged(fixes, evidence, seconds: seconds)
    case .smoothed: return smoothed(fixes, evidence)
    }
  }

  private func live(
    _ fixes: [LocationFix], _ evidence: (Int) -> AccelerationEvidence?
  ) -> [Row] {
    var filter = LocationFilter(settings: settings)
    return fixes.indices.map { index in
      let status = filter.update(with: fixes[index], acceleration: evidence(index))
      let time = fixes[index].timestamp
      return Row(
        timestamp: time, status: status, estimate: filter.estimate(at: time),
        moving: filter.movingDecision)
    }
  }

  private func smoothed(
    _ fixes: [LocationFix], _ evidence: (Int) -> AccelerationEvidence?
  ) -> [Row] {
    // First pass: the evidence for motion, and from it the belief with hindsight.
    var filter = LocationFilter(settings: settings)
    var steps: [LocationFilter.Step] = []
    var stepOfFix: [Int?] = []
    for index in fixes.indices {
      let before = steps.count
      _ = filter.update(with: fixes[index], acceleration: evidence(index), moving: nil) {
        steps.append($0)
      }
      stepOfFix.append(steps.count > before ? steps.count - 1 : nil)
    }
    let moving = smoothedBelief(steps)

    // Second pass: the filter with that belief, and its steps with hindsight.
    filter.reset()
    steps.removeAll(keepingCapacity: true)
    var track = Track(settings: settings)
    var rows: [Row] = []
    var heights: [AltitudeFilter.Estimate?] = []
    /// For each fix the newest step, and whether it is the fix's own.
    var sources: [(step: Int?, isOwn: Bool)] = []
    for index in fixes.indices {
      let belief = stepOfFix[index].map { moving[$0] }
      let before = steps.count
      let status = filter.update(
        with: fixes[index], acceleration: evidence(index), moving: belief
      ) { steps.append($0) }
      heights.append(filter.altitude.estimate(at: fixes[index].timestamp))
      sources.append((steps.isEmpty ? nil : steps.count - 1, steps.count > before))
      rows.append(
        Row(
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
    return rows
  }

  private func lagged(
    _ fixes: [LocationFix], _ evidence: (Int) -> AccelerationEvidence?, seconds: Double
  ) -> [Row] {
    let lag = seconds.isFinite ? min(max(seconds, 0), 3_600) : 6
    var ahead = LocationFilter(settings: settings)
    var behind = LocationFilter(settings: settings)
    /// Steps of the filter that runs ahead, for the fixes from `index` on.
    var seen: [[LocationFilter.Step]] = []
    var next = 0
    /// Steps of the filter that stays behind, as far back as a repair may reach.
    var history: [LocationFilter.Step] = []
    var rows: [Row] = []
    for index in fixes.indices {
      let time = fixes[index].timestamp
      while next < fixes.count, next <= index || isWithin(lag, fixes[next].timestamp, of: time) {
        var steps: [LocationFilter.Step] = []
        _ = ahead.update(with: fixes[next], acceleration: evidence(next), moving: nil) {
          steps.append($0)
        }
        seen.append(steps)
        next += 1
      }
      var belief = smoothedBelief(seen.flatMap { $0 })[...]
      let beliefs = seen.map { steps in
        defer { belief = belief.dropFirst(steps.count) }
        return steps.isEmpty ? nil : belief[belief.startIndex + steps.count - 1]
      }
      // The filter that stays behind takes this fix; a copy of it looks ahead.
      var steps: [LocationFilter.Step] = []
      let status = behind.update(
        with: fixes[index], acceleration: evidence(index), moving: beliefs[0]
      ) { steps.append($0) }
      var own = steps.count - 1
      let behindSteps = steps
      if own >= 0 {
        var scout = behind
        for (offset, later) in beliefs.enumerated().dropFirst() {
          _ = scout.update(
            with: fixes[index + offset], acceleration: evidence(index + offset), moving: later
          ) { steps.append($0) }
        }
      }
      if steps.contains(where: { $0.kind == .relocation || $0.kind == .return }) {
        steps.insert(contentsOf: history, at: 0)
        own += own >= 0 ? history.count : 0
      }
      var track = Track(settings: settings)
      track.smooth(steps)
      if let newest = behindSteps.last {
        history += behindSteps
        history.removeFirst(
          history.prefix {
            newest.timestamp.seconds(since: $0.timestamp) > settings.longestBridge
          }.count)
      }
      var estimate = own >= 0 ? track.estimate(at: own) : behind.estimate(at: time)
      let height = behind.altitude.estimate(at: time)
      estimate?.altitude = height?.altitude
      estimate?.altitudeDeviation = height?.deviation
      rows.append(
        Row(timestamp: time, status: status, estimate: estimate, moving: behind.movingDecision))
      seen.removeFirst()
    }
    return rows
  }

  /// Whether `later` is at most `lag` seconds after `time`, or earlier.
  private func isWithin(_ lag: Double, _ later: Timestamp, of time: Timestamp) -> Bool {
    later.isPlausible && time.isPlausible ? later.seconds(since: time) <= lag : false
  }

  /// The probability of motion at each step, given the evidence of all steps.
  private func smoothedBelief(_ steps: [LocationFilter.Step]) -> [Double] {
    // Not the rate while braking: what follows tells better whether it came to a stop.
    let rates = settings.rates
    var result = steps.map(\.belief.probability)
    guard result.count > 1 else { return result }
    for k in stride(from: result.count - 2, through: 0, by: -1) {
      guard steps[k + 1].transition != nil else { continue }
      result[k] = MovingBelief.smoothed(
        result[k], before: result[k + 1],
        seconds: steps[k + 1].timestamp.seconds(since: steps[k].timestamp), rates: rates)
    }
    return result
  }
}
