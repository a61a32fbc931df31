/// Where the phone was, for a recorded track, with as much hindsight as is asked for.
///
/// The forward pass is ``LocationFilter``'s. Hindsight enters twice: the posterior of motion is
/// smoothed first (forward–backward over the evidence), the filter runs again with it, and its
/// steps are then smoothed backward (Rauch, Tung and Striebel 1965). Altitudes stay as they were
/// live: where they are given they are smooth already.
///
/// ```swift
/// let rows = LocationSmoother().estimates(for: fixes, mode: .lagged)
/// ```
public struct LocationSmoother: Sendable {
  /// How much hindsight an estimate has.
  public enum Mode: Hashable, Sendable {
    /// What was known at the fix.
    case live
    /// What was known so many seconds after the fix, an hour at most.
    case lagged(seconds: Double)
    /// What the whole track tells.
    case smoothed

    /// Hindsight of ``LocationSmoother/lagSeconds``.
    public static let lagged = Mode.lagged(seconds: LocationSmoother.lagSeconds)
  }

  /// The lag after which a moving phone's estimate hardly improves, seconds.
  public static let lagSeconds = 6.0

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
  /// Where a lag holds more than 127 fixes, some of them share a look ahead and their hindsight is
  /// shorter than the lag, by the 64th part of the fixes within it.
  ///
  /// - Complexity: O(n): a lagged row costs at most as much as some hundred live ones.
  public func estimates(
    for fixes: [LocationFix], accelerations: [AccelerationEvidence?] = [], mode: Mode
  ) -> [Row] {
    precondition(
      accelerations.isEmpty || accelerations.count == fixes.count,
      "expected \(fixes.count) accelerations, got \(accelerations.count)")
    let evidence = { (index: Int) in accelerations.isEmpty ? nil : accelerations[index] }
    switch mode {
    case .live: return live(fixes, evidence)
    case .lagged(let seconds):
      var pass = LaggedPass(self, fixes, accelerations, seconds: seconds)
      pass.run()
      return pass.rows
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
    SmoothingPasses(self).rows(for: fixes, evidence).rows
  }

  /// The probability of motion at each step, given the evidence of all steps.
  func smoothedPosterior(_ steps: [LocationFilter.Step]) -> [Double] {
    // Not the rate while braking: what follows tells better whether it came to a stop.
    let rates = settings.rates
    var result = steps.map { $0.posterior.probability }
    guard result.count > 1 else { return result }
    for k in stride(from: result.count - 2, through: 0, by: -1) {
      guard steps[k + 1].transition != nil else { continue }
      result[k] = MotionPosterior.smoothed(
        result[k], before: result[k + 1],
        seconds: steps[k + 1].timestamp.seconds(since: steps[k].timestamp), rates: rates)
    }
    return result
  }
}
