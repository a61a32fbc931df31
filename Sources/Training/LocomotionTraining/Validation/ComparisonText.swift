import Foundation
import LocomotionActivityRecognition

extension TrainingReport {
  /// A short description of the method.
  public var methodText: String {
    if let adaptation {
      return adaptation.strength.map { String(format: "Held at the base with strength %g", $0) }
        ?? "The base as it is"
    }
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
    [windows, live, smoothed].reduce(into: [name]) { row, scores in
      row += [scores.overall.balancedAccuracy, scores.overall.balancedMacroF1].map(percent)
    }
  }
}

extension TrainingReport.Adaptation {
  /// Which classes the training changed, as a sentence.
  package var movedText: String {
    strength == nil || adaptedClasses.isEmpty
      ? "No class moved."
      : "Classes that moved: \(adaptedClasses.map(\.name).joined(separator: ", "))."
  }

  /// The gain over the base, as lines of text.
  func text(comparedWith new: EvaluationReport) -> String {
    let table = aligned([
      ["these recordings", "one window", "macro-F1", "live", "macro-F1", "hindsight", "macro-F1"],
      base.stageRow("the base", percent),
      new.stageRow("trained on top, \(new.protocolName)", percent),
    ])
    let chosen =
      switch leftOut {
      case .people: "by leaving each person out"
      case .recordings: "by leaving each recording out"
      case nil: "by default, because there was nothing to leave out"
      }
    let strengthText =
      strength.map { String(format: "Strength %g, chosen ", $0) + chosen }
      ?? "The base was left as it is, chosen " + chosen
    return """
      Trained on top of a base. \(strengthText).
      \(movedText) \
      Calibration: \(isRecalibrated ? "chosen anew" : "the base's").
      \(table)
      """
  }
}
