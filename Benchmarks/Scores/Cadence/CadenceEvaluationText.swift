import Foundation
import LocomotionTraining

extension CadenceEvaluation {
  /// The tables as text.
  package var text: String {
    let tables = [windowTable, totalTable, boutTable, labelTable].compactMap { $0 }
    return tables.joined(separator: "\n\n") + "\n"
  }

  private var windowTable: String? {
    guard !windows.isEmpty else { return nil }
    let title = [
      "", "windows", "MAE", "MAE, sound reference", "reference itself", "median", "refused",
      "off by > 15",
    ]
    let rows = Self.rows(of: windows) { score in
      [
        "\(score.count)", Self.number(score.meanError), Self.number(score.meanRegularError),
        Self.number(score.meanReferenceDifference),
        Self.number(score.medianError), Self.fraction(score.refusedFraction),
        Self.fraction(score.grossFraction),
      ]
    }
    return "Step rate in 10 s, steps/min, against foot contacts:\n" + aligned([title] + rows)
  }

  private var totalTable: String? {
    guard !totals.isEmpty else { return nil }
    let rows = Self.rows(of: totals) { errors in
      let worst = errors.max { abs($0) < abs($1) }
      return [
        "\(errors.count)", Self.fraction(RateScore.meanMagnitude(errors)),
        Self.fraction(errors.reduce(0, +) / Double(max(1, errors.count))), Self.fraction(worst),
      ]
    }
    return "Steps per recording:\n"
      + aligned([["", "recordings", "mean |error|", "bias", "worst"]] + rows)
  }

  private var boutTable: String? {
    guard !bouts.isEmpty else { return nil }
    let title = ["", "bouts", "MAE", "median", "refused", "off by > 15", "steps MAE"]
    let rows = bouts.sorted { $0.key < $1.key }.flatMap { group, scores in
      scores.enumerated().map { mode, score in
        [
          "\(group), \(Self.modes[mode])", "\(score.count)", Self.number(score.meanError),
          Self.number(score.medianError), Self.fraction(score.refusedFraction),
          Self.fraction(score.grossFraction),
          Self.number(RateScore.meanMagnitude(boutCounts[group]?[mode] ?? [])),
        ]
      }
    }
    return "Short bouts:\n" + aligned([title] + rows)
  }

  private var labelTable: String? {
    guard !labels.isEmpty else { return nil }
    let rows = Self.rows(of: labels) { score in
      [
        "\(score.seconds)", Self.fraction(score.answeredFraction),
        Self.fraction(score.runningFraction),
        Self.number(score.stepsPerMinute),
      ]
    }
    return "Seconds by label:\n"
      + aligned([["", "seconds", "answered", "of them 140 to 190", "steps/min"]] + rows)
  }

  private static func rows<Score>(
    of groups: [String: [Score]], columns: (Score) -> [String]
  ) -> [[String]] {
    groups.sorted { $0.key < $1.key }.flatMap { group, scores in
      scores.enumerated().map { mode, score in ["\(group), \(modes[mode])"] + columns(score) }
    }
  }

  private static func number(_ value: Double?) -> String {
    value.map { String(format: "%.2f", $0) } ?? "-"
  }

  private static func fraction(_ value: Double?) -> String {
    value.map { String(format: "%.2f %%", 100 * $0) } ?? "-"
  }
}
