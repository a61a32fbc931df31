import LocomotionTraining

extension PowerEvaluation {
  /// A table over all days, and one per day.
  package var text: String {
    var text =
      "The receiver's first fix comes \(Int(Self.acquisition)) s after it is switched on.\n"
    let all = days.count == 1 ? [] : [("all days", scores)]
    for (name, scores) in all + days.map({ ($0.name, $0.scores) }) {
      var rows = [
        [
          "rule", "on, h", "on", "starts", "on at rest", "motion missed", "path missed",
          "start seen, s", "95 %, s",
        ]
      ]
      for score in scores {
        let delays = score.delays.sorted()
        rows.append([
          score.rule, Self.text(score.running / 3_600), Self.share(score.running, score.duration),
          "\(score.starts)", Self.share(score.runningAtRest, score.atRest),
          Self.share(score.missed, score.inMotion),
          Self.share(score.missedDistance, score.distance),
          delays.isEmpty ? "-" : Self.text(delays[delays.count / 2]),
          delays.isEmpty ? "-" : Self.text(delays[delays.count * 95 / 100]),
        ])
      }
      text += "\n\(name)\n\(aligned(rows))\n"
    }
    return text
  }

  private static func share(_ part: Double, _ whole: Double) -> String {
    percent(whole > 0 ? part / whole : nil)
  }

  private static func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
