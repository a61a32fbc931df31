import LocomotionTraining

extension CadenceEvaluation {
  /// The tables as text.
  package var text: String {
    let tables = [windowTable, totalTable, boutTable, labelTable].compactMap { $0 }
    return tables.joined(separator: "\n\n") + "\n"
  }

  private var windowTable: String? {
    let title = [
      "", "windows", "MAE", "MAE, sound reference", "reference itself", "median", "refused",
      "off by > 15",
    ]
    return Self.table("Step rate in 10 s, steps/min, against foot contacts:", title, windows) {
      score, _, _ in
      [
        "\(score.count)", number(score.meanError, 2), number(score.meanRegularError, 2),
        number(score.meanReferenceDifference, 2), number(score.medianError, 2),
        percent(score.refusedFraction, 2), percent(score.grossFraction, 2),
      ]
    }
  }

  private var totalTable: String? {
    let title = ["", "recordings", "mean |error|", "bias", "worst"]
    return Self.table("Steps per recording:", title, totals) { errors, _, _ in
      let worst = errors.max { abs($0) < abs($1) }
      return [
        "\(errors.count)", percent(RateScore.meanMagnitude(errors), 2),
        percent(errors.reduce(0, +) / Double(max(1, errors.count)), 2), percent(worst, 2),
      ]
    }
  }

  private var boutTable: String? {
    let title = ["", "bouts", "MAE", "median", "refused", "off by > 15", "steps MAE"]
    return Self.table("Short bouts:", title, bouts) { score, group, mode in
      [
        "\(score.count)", number(score.meanError, 2), number(score.medianError, 2),
        percent(score.refusedFraction, 2), percent(score.grossFraction, 2),
        number(RateScore.meanMagnitude(boutCounts[group]?[mode] ?? []), 2),
      ]
    }
  }

  private var labelTable: String? {
    let title = ["", "seconds", "answered", "of them 140 to 190", "steps/min"]
    return Self.table("Seconds by label:", title, labels) { score, _, _ in
      [
        "\(score.seconds)", percent(score.answeredFraction, 2),
        percent(score.runningFraction, 2), number(score.stepsPerMinute, 2),
      ]
    }
  }

  /// A row for each group and mode, whose scores, name and index `columns` gets; nil without any.
  private static func table<Score>(
    _ heading: String, _ title: [String], _ groups: [String: [Score]],
    columns: (_ score: Score, _ group: String, _ mode: Int) -> [String]
  ) -> String? {
    guard !groups.isEmpty else { return nil }
    let rows = groups.sorted { $0.key < $1.key }.flatMap { group, scores in
      scores.enumerated().map { mode, score in
        ["\(group), \(modes[mode])"] + columns(score, group, mode)
      }
    }
    return heading + "\n" + aligned([title] + rows)
  }
}
