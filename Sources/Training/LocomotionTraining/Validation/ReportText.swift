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

extension ActivityEvaluation {
  /// Accuracy, macro-F1 and calibration error, all classes weighted alike.
  var figures: [Double?] {
    [balancedAccuracy, balancedMacroF1, expectedCalibrationError]
  }

  /// Both tables with their titles, as lines of text.
  fileprivate func tables(_ title: String, _ calibration: String) -> String {
    """
    \(title):
    \(table)

    \(calibration):
    \(reliabilityTable)

    """
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
    let stages: [(name: String, evaluation: GroupedEvaluation)] = [
      ("single windows", windows), ("live", live), ("live, with speeds", liveWithSpeed),
      ("looking back", smoothed), ("looking back, with speeds", smoothedWithSpeed),
    ].filter { $0.1.overall.windows > 0 }
    let titles = [
      "", "windows", "accuracy", "macro-F1", "mean person", "worst", "answered",
      "calibration error",
    ]
    let overall = aligned(
      [titles]
        + stages.map { name, scores in
          let all = scores.overall
          return [name, "\(all.windows)"]
            + [
              all.balancedAccuracy, all.balancedMacroF1, scores.meanSubjectAccuracy,
              scores.worstSubject?.accuracy, all.coverage, all.expectedCalibrationError,
            ].map(percent)
        })
    let classes = aligned(
      [["train as automotive", "accuracy", "macro-F1", "calibration error"]]
        + stages.map { [$0] + $1.mergingRail.figures.map(percent) })
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
      \(windows.overall.tables("Single windows", "Calibration of single windows"))
      \(live.overall.tables("Live", "Calibration live"))
      By data set ("error" is that of the calibration):
      \(groupTable(\.byDataset))

      By person:
      \(groupTable(\.bySubject))
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
      "\n" + evaluation.tables("\(name), live", "\(name), calibration live")
    }.joined()
  }

  private func oneDigit(_ value: Double?) -> String {
    value.map { String(format: "%.1f", $0) } ?? "–"
  }

  private func groupTable(
    _ group: KeyPath<GroupedEvaluation, [String: ActivityEvaluation]>
  ) -> String {
    let titles =
      ["", "windows", "accuracy", "macro-F1", "error"] + ["live", "macro-F1", "error"]
      + ["looking back", "macro-F1", "error"]
    return aligned([titles] + groupRows(group, figures: [3, 3, 3], percent))
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
    [names + classes + ["altered copies"]]
      + sources.map { source in
        [source.dataset, "\(source.people)"]
          + classes.map { "\(source.windows[$0] ?? 0)" } + ["\(source.augmentedWindows)"]
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

extension TrainingReport {
  /// A short description of the method.
  public var methodText: String {
    adaptation == nil
      ? String(format: "Ridge %g", settings.fit.ridge) : "Weights on top of a base"
  }
}

extension EvaluationReport {
  /// The protocol's name as a heading.
  public var heading: String { protocolName.prefix(1).uppercased() + protocolName.dropFirst() }

  /// A row of a table: `name`, and accuracy and macro-F1 of single windows, live and in hindsight.
  package func stageRow(_ name: String, _ percent: (Double?) -> String) -> [String] {
    [name] + [windows, live, smoothed].flatMap { $0.overall.figures.prefix(2).map(percent) }
  }

  /// A row of a table for each data set, or person: its name, its number of windows, and scores.
  ///
  /// - Parameters:
  ///   - group: The data sets, or the people.
  ///   - figures: How many of ``ActivityEvaluation/figures`` there are of single windows, live and
  ///     in hindsight.
  ///   - percent: Writes a fraction.
  /// - Returns: The rows by name.
  package func groupRows(
    _ group: KeyPath<GroupedEvaluation, [String: ActivityEvaluation]>, figures: [Int],
    _ percent: (Double?) -> String
  ) -> [[String]] {
    windows[keyPath: group].sorted { $0.key < $1.key }.map { name, evaluation in
      [name, "\(evaluation.windows)"]
        + zip([windows, live, smoothed], figures).flatMap { stage, count in
          (stage[keyPath: group][name] ?? ActivityEvaluation()).figures.prefix(count).map(percent)
        }
    }
  }
}

extension TrainingReport.Adaptation {
  /// What became of the base, without a full stop.
  package var outcomeText: String {
    switch outcome {
    case .learned:
      "Learned from \(stretches) stretches of a label"
        + (contradicted == 0 ? "" : ", and not from \(contradicted) that the others contradict")
    case .nothingStated: "The base as it is, for want of a stretch of two windows"
    case .noMoments: "The base as it is: it has no moments of what it was trained on"
    case .noGain: "The base as it is, which knows these recordings better"
    }
  }

  /// The gain over the base, as lines of text.
  func text(comparedWith new: EvaluationReport) -> String {
    let table = aligned([
      ["these recordings", "one window", "macro-F1", "live", "macro-F1", "hindsight", "macro-F1"],
      base.stageRow("the base", percent),
      new.stageRow("trained on top, \(new.protocolName)", percent),
    ])
    let left =
      leftOut.map { "each of the \($0.rawValue) left out in turn" } ?? "nothing to leave out"
    return """
      Trained on top of a base, whose calibration stays. \(outcomeText).
      Scored with \(left).
      \(table)
      """
  }
}

/// A fraction as "93.1 %"; "-" when nil.
package func percent(_ fraction: Double?) -> String {
  fraction.map { String(format: "%.1f %%", 100 * $0) } ?? "-"
}

/// Rows in columns: the first left-aligned, the others right-aligned.
package func aligned(_ rows: [[String]]) -> String {
  let count = rows.map(\.count).max() ?? 0
  let widths = (0..<count).map { column in
    rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
  }
  return rows.map { row in
    row.enumerated().map { column, text in
      let padding = String(repeating: " ", count: widths[column] - text.count)
      return column == 0 ? text + padding : padding + text
    }.joined(separator: "  ")
  }.joined(separator: "\n")
}
