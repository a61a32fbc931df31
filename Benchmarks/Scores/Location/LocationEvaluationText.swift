import Foundation
internal import LocomotionActivityRecognition
import LocomotionTraining

extension LocationEvaluation {
  /// The tables as text.
  package var text: String {
    var parts = recordings.map { Self.text($0) }
    if recordings.count > 1 {
      parts.append(Self.text(pooled))
      parts.append(geometricMeans)
    }
    return parts.joined(separator: "\n")
  }

  /// Positions, motion and lengths, and stays when the truth has any.
  static func text(_ scores: Scores) -> String {
    var text = """
      == \(scores.name) ==
      Distance from the truth at the fixes, metres, and over that of the raw fixes:
      \(positions(scores))

      Truth inside the claimed radius, moving states, seconds to see a start or stop, track length:
      \(motion(scores))

      """
    if !scores.stays.isEmpty {
      text += """

        Stays of 5 minutes and more:
        \(stays(scores))

        """
    }
    if let travel = scores.travel {
      text += """

        Time on the way that the timeline gives the right activity:
        \(Self.travel(travel))

        """
    }
    return text
  }

  private static func positions(_ scores: Scores) -> String {
    let title = [
      "", "fixes", "placed", "RMSE", "p50", "p95", "max", "RMSE/raw", "p50/raw", "p95/raw",
      "max/raw",
    ]
    let rows = scores.tracks.filter { $0.fixes > 0 }.map { score -> [String] in
      let size = ErrorSize(score.errors)
      let ratio = score.errorRelativeToRaw
      return [
        score.name, "\(score.fixes)",
        percent(score.fixes > 0 ? Double(score.errors.count) / Double(score.fixes) : nil),
        number(size?.rms, 2), number(size?.median, 2), number(size?.percentile95, 2),
        number(size?.maximum, 1), number(ratio?.rms, 3), number(ratio?.median, 3),
        number(ratio?.percentile95, 3), number(ratio?.maximum, 3),
      ]
    }
    return aligned([title] + rows)
  }

  private static func motion(_ scores: Scores) -> String {
    let title = [
      "", "inside moving", "inside resting", "state wrong", "unsure", "start p50", "p95", "missed",
      "stop p50", "p95", "missed", "length", "odometer",
    ]
    let rows = scores.tracks.map { score -> [String] in
      let motion = score.motion
      let unsure = motion.flatMap { motion in
        motion.decisions > 0 ? Double(motion.undecided) / Double(motion.decisions) : nil
      }
      return [
        score.name, percent(score.coverageMoving.fraction), percent(score.coverageResting.fraction),
        percent(motion?.error, 2), percent(unsure, 2),
      ] + latencies(motion?.startLatencies, motion?.missedStarts)
        + latencies(motion?.stopLatencies, motion?.missedStops)
        + [signedPercent(score.length.error), signedPercent(score.odometer?.error)]
    }
    return aligned([title] + rows)
  }

  private static func latencies(_ seconds: [Double]?, _ missed: Int?) -> [String] {
    guard let seconds, let missed else { return ["-", "-", "-"] }
    return [
      number(Quantile.of(seconds, fraction: 0.5), 1),
      number(Quantile.of(seconds, fraction: 0.95), 1),
      "\(missed)/\(missed + seconds.count)",
    ]
  }

  private static func stays(_ scores: Scores) -> String {
    let title = [
      "", "found", "detected", "precision", "recall", "F1", "start p50", "p90", "end p50", "p90",
      "centre p50",
    ]
    let rows = scores.stays.map { score -> [String] in
      let starts = score.startErrors.map { abs($0) }
      let ends = score.endErrors.map { abs($0) }
      return [
        score.name, "\(score.matches)/\(score.truths)", "\(score.detections)",
        number(score.precision, 3), number(score.recall, 3), number(score.f1, 3),
        number(Quantile.of(starts, fraction: 0.5), 1),
        number(Quantile.of(starts, fraction: 0.9), 1),
        number(Quantile.of(ends, fraction: 0.5), 1), number(Quantile.of(ends, fraction: 0.9), 1),
        number(Quantile.of(score.centreErrors, fraction: 0.5), 1),
      ]
    }
    return aligned([title] + rows)
  }

  private static func travel(_ score: TravelScore) -> String {
    let rows = Activity.allCases.compactMap { activity -> [String]? in
      guard let seconds = score.seconds[activity], seconds > 0 else { return nil }
      let right = score.rightSeconds[activity] ?? 0
      return [activity.name, number(seconds, 0), number(100 * right / seconds, 1) + " %"]
    }
    let all = score.seconds.values.reduce(0, +)
    return aligned(
      [["", "seconds", "right"]] + rows
        + [["all", number(all, 0), number(score.fraction.map { 100 * $0 }, 1) + " %"]])
  }

  /// The geometric means over the recordings of each method's ratios to raw.
  private var geometricMeans: String {
    let rows = meanRatios.filter { $0.ratio != nil }.map { name, ratio in
      [
        name, number(ratio?.rms, 3), number(ratio?.median, 3), number(ratio?.percentile95, 3),
        number(ratio?.maximum, 3),
      ]
    }
    return """
      == geometric mean over the recordings ==
      \(aligned([["", "RMSE/raw", "p50/raw", "p95/raw", "max/raw"]] + rows))

      """
  }

  /// By method; nil where a recording has no ratio.
  var meanRatios: [(name: String, ratio: ErrorSize?)] {
    guard let first = recordings.first else { return [] }
    return first.tracks.indices.map { index in
      let ratios = recordings.map(\.tracks[index].errorRelativeToRaw)
      let known = ratios.compactMap { $0 }
      guard known.count == ratios.count else { return (first.tracks[index].name, nil) }
      func mean(_ figure: KeyPath<ErrorSize, Double>) -> Double {
        exp(known.reduce(0) { $0 + log($1[keyPath: figure]) } / Double(known.count))
      }
      return (
        first.tracks[index].name,
        ErrorSize(
          rms: mean(\.rms), median: mean(\.median), percentile95: mean(\.percentile95),
          maximum: mean(\.maximum))
      )
    }
  }
}

private func signedPercent(_ fraction: Double?) -> String {
  fraction.map { String(format: "%+.1f %%", 100 * $0) } ?? "-"
}
