import Foundation
import LocomotionActivityRecognition
import LocomotionRecordings

extension ActivityEvaluation {
  /// A confusion table with recall, precision and F1, as lines of text.
  var table: String {
    let columns = Activity.allCases.filter { activity in
      confusion.contains { $0[activity.rawValue] > 0 }
        || confusion[activity.rawValue].contains { $0 > 0 }
    }
    let names = columns.map(\.name) + ["unknown"]
    let title = ["label"] + names + ["recall", "precision", "F1"]
    let rows = classScores.map { score in
      let counts = confusion[score.activity.rawValue]
      return [score.activity.name]
        + columns.map { "\(counts[$0.rawValue])" } + ["\(counts[Activity.allCases.count])"]
        + [score.recall, score.precision, score.f1].map(percent)
    }
    return aligned([title] + rows)
  }

  /// The reliability table, accuracy by predicted probability, as lines of text.
  var reliabilityTable: String {
    let rows = reliability.bins.filter { $0.count > 0 }.map {
      [percent($0.meanProbability), percent($0.accuracy), "\($0.count)"]
    }
    let table = aligned([["probability", "were right", "windows"]] + rows)
    let sets = predictionSets.meanSize.map { size in
      """
      Sets of 90 % hold the label in \(percent(predictionSets.coverage)) of the windows, with \
      \(String(format: "%.2f", size)) activities in the mean.
      """
    }
    return ([table] + [reliability.sentence, sets].compactMap { $0 }).joined(separator: "\n")
  }
}

extension GroupScore {
  /// A row of texts for each group, after one of titles.
  package static func table(of groups: [GroupScore]) -> [[String]] {
    func points(_ value: Double?) -> String {
      value.map { String(format: "%+.1f", 100 * $0) } ?? "–"
    }
    let rows = groups.map { group in
      [
        "\(group.trait): \(group.name)", "\(group.people)", "\(group.windows)",
        percent(group.accuracy), points(group.difference),
        group.lowestDifference == nil
          ? "–" : "\(points(group.lowestDifference)) to \(points(group.highestDifference))",
        group.isWorse ? "worse" : "",
      ]
    }
    return [["", "people", "windows", "accuracy", "difference", "interval", ""]] + rows
  }

  /// What the table says, in a sentence for readers.
  package static let meaning =
    "Live, by what people have in common, beside the mean recall of the same classes over "
    + "everybody, in points, with the 95 % interval by people. Worse: more than "
    + "\(Int((100 * tolerance).rounded())) points below."
}

extension EvaluationReport {
  /// The report as text.
  public var text: String {
    func row(_ name: String, _ evaluation: GroupedEvaluation) -> [String] {
      let overall = evaluation.overall
      return [
        name, "\(overall.windows)", percent(overall.balancedAccuracy),
        percent(overall.balancedMacroF1),
        percent(evaluation.meanSubjectAccuracy), percent(evaluation.worstSubject?.accuracy),
        percent(overall.coverage), percent(overall.expectedCalibrationError),
      ]
    }
    let stages: [(name: String, evaluation: GroupedEvaluation)] = [
      ("single windows", windows), ("live", live), ("live, with speeds", liveWithSpeed),
      ("looking back", smoothed), ("looking back, with speeds", smoothedWithSpeed),
    ].filter { $0.1.overall.windows > 0 }
    let overall = aligned(
      [
        [
          "", "windows", "accuracy", "macro-F1", "mean person", "worst", "answered",
          "calibration error",
        ]
      ]
        + stages.map(row))
    func merged(_ name: String, _ evaluation: GroupedEvaluation) -> [String] {
      let scores = evaluation.mergingRail
      return [
        name, percent(scores.balancedAccuracy), percent(scores.balancedMacroF1),
        percent(scores.expectedCalibrationError),
      ]
    }
    let classes = aligned(
      [["train as automotive", "accuracy", "macro-F1", "calibration error"]] + stages.map(merged))
    let skipped = leftOut.map { "\n" + $0 }.joined()
    let gyroscope =
      withoutRotation.map { figures in
        """

        \(figures.windowsWithRotation) windows have rotation rates. Without a gyroscope, train as \
        automotive: single windows \(percent(figures.windows)), live \(percent(figures.live)), \
        looking back \(percent(figures.smoothed)).
        """
      } ?? ""
    let changes = """
      Inside one activity the live answer flips \(oneDigit(liveTiming.flipsPerHour)) times per hour, \
      looking back \(oneDigit(smoothedTiming.flipsPerHour)).
      Live, \(liveTiming.delays.count) switches are followed after \
      \(oneDigit(liveTiming.delay(fraction: 0.5))) s in the median and \
      \(oneDigit(liveTiming.delay(fraction: 0.9))) s at 90 %.
      """
    return """
      \(ActivityEvaluation.weighting)

      \(overall)\(skipped)

      \(classes)\(gyroscope)
      \(changes)
      \(groupText)
      Single windows:
      \(windows.overall.table)

      Calibration of single windows:
      \(windows.overall.reliabilityTable)

      Live:
      \(live.overall.table)

      Calibration live:
      \(live.overall.reliabilityTable)

      By data set ("error" is that of the calibration):
      \(groups(\.byDataset))

      By person:
      \(groups(\.bySubject))
      \(datasets)\(custom.map { "\n" + CustomTermTrainer.Score.text(of: $0) + "\n" } ?? "")

      """
  }

  /// The groups of people, the worst first.
  private var groupText: String {
    guard !groups.isEmpty else { return "" }
    return """

      \(GroupScore.meaning)
      \(aligned(GroupScore.table(of: groups)))

      """
  }

  /// The live confusion and calibration of each data set, when there are several.
  private var datasets: String {
    guard live.byDataset.count > 1 else { return "" }
    return live.byDataset.sorted { $0.key < $1.key }.map { name, evaluation in
      """

      \(name), live:
      \(evaluation.table)

      \(name), calibration live:
      \(evaluation.reliabilityTable)

      """
    }.joined()
  }

  private func oneDigit(_ value: Double?) -> String {
    value.map { String(format: "%.1f", $0) } ?? "–"
  }

  private func groups(_ group: KeyPath<GroupedEvaluation, [String: ActivityEvaluation]>) -> String {
    func figures(_ evaluation: ActivityEvaluation?) -> [String] {
      [
        percent(evaluation?.balancedAccuracy), percent(evaluation?.balancedMacroF1),
        percent(evaluation?.expectedCalibrationError),
      ]
    }
    let rows = windows[keyPath: group].sorted { $0.key < $1.key }.map { name, evaluation in
      [name, "\(evaluation.windows)"] + figures(evaluation)
        + figures(live[keyPath: group][name]) + figures(smoothed[keyPath: group][name])
    }
    let title =
      ["", "windows", "accuracy", "macro-F1", "error"] + ["live", "macro-F1", "error"]
      + ["looking back", "macro-F1", "error"]
    return aligned([title] + rows)
  }

  /// The report as JSON with sorted keys.
  public var json: String { JSONText.pretty(self) }
}

extension TrainingReport {
  /// The report as text: the model's card.
  public var text: String {
    let trained = aligned(sourceTable(["data set", "people"]))
    let chosen = String(
      format: """
        %@, window temperature %.3f, mean time in one activity %.0f s,
        evidence exponent %.2f per s, filtered temperature %.3f, confidence threshold %.2f,
        novelty beyond %d outlying features. Looking back: dwell factor %g, evidence factor %g,
        temperature %.3f.
        """,
      methodText, windowTemperature, dwellSeconds, evidenceExponent,
      filteredTemperature, confidenceThreshold, noveltyLimit,
      smoother.dwellFactor, smoother.evidenceFactor, hindsightTemperature)
    let verb = adaptation == nil ? "Trained on" : "Labelled:"
    var parts = ["\(verb) \(windows) windows of 3.84 s from \(people) people:", trained, ""]
    for (title, lines) in [
      ("Problems of the data:", dataProblems),
      ("Labels that stand for no activity:", ignoredLabels),
    ] where !lines.isEmpty {
      parts += [title] + lines.map { "  \($0)" } + [""]
    }
    if let adaptation { parts += [adaptation.text(comparedWith: unseenPeople), ""] }
    parts += [chosen, ""]
    if !custom.isEmpty { parts += [CustomTermTrainer.Score.text(of: custom), ""] }
    if !track.isEmpty { parts += [TrackTermTrainer.Score.text(of: track)] }
    let manner = unseenPeople.protocolName == "windows trained on" ? "" : " (each left out in turn)"
    parts += ["== \(unseenPeople.heading)\(manner) ==", unseenPeople.text]
    if let unseenDatasets {
      parts += ["", "== Data sets not trained on (each left out in turn) ==", unseenDatasets.text]
    }
    return parts.joined(separator: "\n")
  }

  /// A row of texts for each data set, after one of titles that begins with `names`.
  package func sourceTable(_ names: [String]) -> [[String]] {
    [names + classes.map(\.name) + ["altered copies"]]
      + sources.map { source in
        [source.dataset, "\(source.people)"]
          + classes.map { "\(source.windows[$0.name] ?? 0)" } + ["\(source.augmentedWindows)"]
      }
  }

  /// The report as JSON with sorted keys.
  public var json: String { JSONText.pretty(self) }
}

extension CustomTermTrainer.Score {
  /// The scores as lines of text; "recognised" is by single windows.
  static func text(of scores: [Self]) -> String {
    aligned(table(of: scores, "custom activity", "ordinary", percent))
  }

  /// A row of texts for each score, after one of titles.
  ///
  /// - Parameters:
  ///   - scores: The scores.
  ///   - name: The title of the activities.
  ///   - ordinary: The title of the number of ordinary windows.
  ///   - percent: Writes a fraction.
  /// - Returns: The rows.
  package static func table(
    of scores: [Self], _ name: String, _ ordinary: String, _ percent: (Double?) -> String
  ) -> [[String]] {
    let title = [
      name, "behaves like", "windows", "people", "recognised", ordinary, "ordinary recognised",
      "left out",
    ]
    return [title]
      + scores.map { score in
        [
          score.name, score.behavesLike ?? "none", "\(score.windows)", "\(score.people)",
          percent(score.recall), "\(score.ordinaryWindows)", percent(score.ordinaryRecall),
          score.leftOut?.rawValue ?? "nobody",
        ]
      }
  }
}
