import Foundation
import LocomotionActivityRecognition

extension TrainingReport {
  /// A short description of the method.
  public var methodText: String {
    if adaptation != nil { return "Weights on top of a base" }
    return settings.method == .hinge
      ? String(format: "Ridge %g", settings.fit.ridge)
      : String(format: "Linear discriminants, shrinkage %g", settings.shrinkage)
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
