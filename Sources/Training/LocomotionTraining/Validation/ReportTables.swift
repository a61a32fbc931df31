import Foundation
import LocomotionActivityRecognition
import LocomotionRecordings

extension ActivityEvaluation {
  /// Accuracy, macro-F1 and calibration error, all classes weighted alike.
  package var figures: [Double?] {
    [balancedAccuracy, balancedMacroF1, expectedCalibrationError]
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
    return [["group", "people", "windows", "accuracy", "difference", "interval", "verdict"]] + rows
  }

  /// What the table says, in a sentence for readers.
  package static let meaning =
    "Live, by what people have in common, beside the mean recall of the same classes over "
    + "everybody, in points, with the 95 % interval by people. Worse: more than "
    + "\(Int((100 * tolerance).rounded())) points below."
}

extension EvaluationReport {
  /// The report as JSON with sorted keys.
  public var json: String { JSONText.pretty(self) }
}

extension TrainingReport {
  /// The method and the parameters that were chosen on held-out people, as sentences.
  package var parameters: String {
    let filter = calibration.filter
    let method =
      adaptation == nil
      ? String(format: "Ridge %g", settings.fit.ridge) : "Weights on top of a base"
    return String(
      format: """
        %@, window temperature %.3f, mean time in one activity %.0f s, \
        evidence exponent %.2f per s, filtered temperature %.3f, confidence threshold %.2f. \
        In hindsight: dwell factor %g, evidence factor %g, temperature %.3f.
        """,
      method, calibration.windowTemperature, filter.dwellSeconds, filter.evidenceExponent,
      calibration.filteredTemperature, calibration.confidenceThreshold,
      filter.smoother.dwellFactor, filter.smoother.evidenceFactor,
      calibration.hindsightTemperature)
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
  /// A row of texts for each score, after one of titles; "recognised" is by single windows.
  package static func table(of scores: [Self]) -> [[String]] {
    let title = [
      "custom activity", "behaves like", "windows", "people", "recognised", "ordinary",
      "ordinary recognised", "left out",
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

extension EvaluationReport {
  /// The protocol's name as a heading.
  public var heading: String { protocolName.prefix(1).uppercased() + protocolName.dropFirst() }

  /// A row of a table: `name`, and accuracy and macro-F1 of single windows, live and in hindsight.
  package func stageRow(_ name: String) -> [String] {
    [name] + [windows, live, smoothed].flatMap { $0.overall.figures.prefix(2).map(percent) }
  }

  /// A row of a table for each data set, or person, by name: its number of windows, and the
  /// ``ActivityEvaluation/figures`` of single windows, live and in hindsight.
  package func groupRows(
    _ group: KeyPath<GroupedEvaluation, [String: ActivityEvaluation]>
  ) -> [[String]] {
    windows[keyPath: group].sorted { $0.key < $1.key }.map { name, evaluation in
      [name, "\(evaluation.windows)"]
        + [windows, live, smoothed].flatMap { stage in
          (stage[keyPath: group][name] ?? ActivityEvaluation()).figures.map(percent)
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
}

/// A fraction as "93.1 %"; "–" when nil.
package func percent(_ fraction: Double?) -> String {
  fraction.map { String(format: "%.1f %%", 100 * $0) } ?? "–"
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
