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
  public enum Mode: Equatable, Sendable {
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

  /// What the filter assumes.
  public let settings: LocationFilter.Settings

  /// A smoother over filters with the given settings.
  public init(settings: LocationFilter.Settings = .init()) {
    self.settings = settings
  }

  /// One report for each fix, in the same order: also of a rejected one with the location at its
  /// time, as far as there is something to tell it from.
  ///
  /// - Complexity: That of ``estimates(of:mode:)``.
  public func estimates(for fixes: [LocationFix], mode: Mode) -> [FixReport] {
    estimates(of: fixes.map { FixReport($0) }, mode: mode)
  }

  /// The reports as hindsight has them: by their fixes and by what the accelerometer said.
  ///
  /// Altitudes that they have already stay, as the barometer was there live only. Where a lag holds
  /// more than 127 fixes, some of them share a look ahead and their hindsight is shorter than the
  /// lag, by the 64th part of the fixes within it.
  ///
  /// - Complexity: O(n): a lagged report costs at most as much as some hundred live ones.
  public func estimates(of reports: [FixReport], mode: Mode) -> [FixReport] {
    switch mode {
    case .live:
      var filter = LocationFilter(settings: settings)
      return reports.map { filter.report(on: $0.fix, acceleration: $0.acceleration) }
    case .lagged(let seconds): return lagged(reports, seconds: seconds)
    case .smoothed: return SmoothingPasses(self).smoothed(reports[...]).reports
    }
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
