internal import Foundation
internal import LocomotionPositioning
package import LocomotionSensing
import LocomotionTraining

/// What the location filter's settings do on a recording that had no part in choosing them.
///
/// The settings that matter most are changed one at a time, to half and to double. For each
/// recording in turn, the settings that do best on all others, by the geometric mean of live and
/// smoothed root mean square errors over those of the raw fixes, are scored on it. A filter that is
/// fitted to its recordings shows a difference between that and its defaults.
package struct SettingsLeftOut: Sendable {
  /// One recording.
  package struct Row: Sendable {
    /// The recording.
    package var name: String
    /// The root mean square error of the raw fixes, metres.
    package var raw: Double
    /// The setting that was changed, as text; empty for the defaults.
    package var chosen: String
    /// Errors over that of the raw fixes: live, after ``LocationEvaluation/lag``, smoothed.
    package var live, later, smoothed: Double
    /// The fraction of true positions inside the live radius; nil without any.
    package var coverage: Double?
    /// The same ratio by the baselines, in their order.
    package var baselines: [Double]
  }

  /// A change of one setting.
  private struct Variant {
    var name: String
    var settings: LocationFilter.Settings
    /// By recording.
    var live: [Double] = []
    var smoothed: [Double] = []
  }

  private let baselines: [any LocationBaseline]
  private var variants: [Variant]
  private var recordings:
    [(name: String, fixes: [LocationFix], truth: LocationTruth, raw: Double)] =
      []

  /// An evaluation without recordings, beside some baselines.
  package init(baselines: [any LocationBaseline]) {
    self.baselines = baselines
    variants = [Variant(name: "", settings: .init())]
    let settings: [(String, WritableKeyPath<LocationFilter.Settings, Double>)] = [
      ("whiteFraction", \.measurement.whiteFraction),
      ("correlatedFraction", \.measurement.correlatedFraction),
      ("errorMemory", \.measurement.errorMemory),
      ("scalePerDifference", \.measurement.scalePerDifference),
      ("randomWalkSpan", \.measurement.randomWalkSpan),
      ("randomWalkPerSpeed", \.measurement.randomWalkPerSpeed),
      ("velocityDeviation", \.measurement.velocityDeviation),
      ("velocityLatency", \.measurement.velocityLatency),
      ("accelerationDensity", \.motion.accelerationDensity),
      ("restDrift", \.motion.restDrift), ("outlierGate", \.gating.outlierGate),
    ]
    for (name, path) in settings {
      for (text, factor) in [("half", 0.5), ("double", 2.0)] {
        var variant = Variant(name: "\(text) \(name)", settings: .init())
        variant.settings[keyPath: path] *= factor
        variants.append(variant)
      }
    }
  }

  /// Adds a recording; one whose fixes the truth says nothing of is left out.
  package mutating func add(_ name: String, fixes: [LocationFix], truth: LocationTruth) {
    let score = TrackScore(
      name: name, points: RawFixes().points(for: fixes), fixes: fixes, truth: truth)
    guard let raw = ErrorSize(score.errors)?.rms, raw > 0 else { return }
    recordings.append((name, fixes, truth, raw))
    for index in variants.indices {
      let settings = variants[index].settings
      let live = self.score(settings, .live, fixes, truth)
      let smoothed = self.score(settings, .smoothed, fixes, truth)
      variants[index].live.append(Self.ratio(live))
      variants[index].smoothed.append(Self.ratio(smoothed))
    }
  }

  /// One row for each recording, in the order in which they were added.
  package var rows: [Row] {
    recordings.indices.map { index in
      let best = variants.min { loss($0, without: index) < loss($1, without: index) }
      let (name, fixes, truth, raw) = recordings[index]
      let settings = best?.settings ?? .init()
      let live = score(settings, .live, fixes, truth)
      return Row(
        name: name, raw: raw, chosen: best?.name ?? "", live: Self.ratio(live),
        later: Self.ratio(
          score(settings, .lagged(seconds: LocationEvaluation.lag), fixes, truth)),
        smoothed: Self.ratio(score(settings, .smoothed, fixes, truth)),
        coverage: Self.coverage(live),
        baselines: baselines.map { baseline in
          Self.ratio(
            TrackScore(
              name: name, points: baseline.points(for: fixes), fixes: fixes, truth: truth))
        })
    }
  }

  /// The rows as text.
  package var text: String {
    let title =
      ["", "raw RMSE, m", "live", "6 s later", "smoothed", "inside"] + baselines.map(\.name)
      + ["setting changed"]
    let lines = rows.map { row -> [String] in
      let ratios = [row.live, row.later, row.smoothed].map { number($0, 3) }
      return [row.name, number(row.raw, 2)] + ratios
        + [number(row.coverage.map { 100 * $0 }, 0) + " %"]
        + row.baselines.map { number($0, 3) } + [row.chosen]
    }
    return """
      Root mean square error over that of the raw fixes, by settings chosen on the other recordings:
      \(aligned([title] + lines))

      """
  }

  /// The mean logarithm of a variant's ratios over all recordings but one.
  private func loss(_ variant: Variant, without index: Int) -> Double {
    var sum = 0.0
    for other in recordings.indices where other != index || recordings.count == 1 {
      sum += Self.logarithm(variant.live[other]) + Self.logarithm(variant.smoothed[other])
    }
    return sum
  }

  private func score(
    _ settings: LocationFilter.Settings, _ mode: LocationSmoother.Mode, _ fixes: [LocationFix],
    _ truth: LocationTruth
  ) -> TrackScore {
    let reports = LocationSmoother(settings: settings).estimates(for: fixes, mode: mode)
    let points = reports.map { report in
      report.location.map {
        LocatedPoint(
          timestamp: report.fix.timestamp, latitude: $0.latitude, longitude: $0.longitude,
          radius68: $0.radius68)
      }
    }
    return TrackScore(name: "", points: points, fixes: fixes, truth: truth)
  }

  /// The fraction of true positions inside the radius, moving or at rest.
  private static func coverage(_ score: TrackScore) -> Double? {
    var coverage = score.coverageMoving
    coverage.merge(score.coverageResting)
    return coverage.fraction
  }

  private static func logarithm(_ ratio: Double) -> Double { log(max(ratio, 1e-6)) }

  private static func ratio(_ score: TrackScore) -> Double {
    guard let own = ErrorSize(score.errors)?.rms, let raw = ErrorSize(score.rawErrors)?.rms,
      raw > 0
    else { return 1 }
    return own / raw
  }
}
