import Foundation
import LocomotionActivityRecognition
import LocomotionTraining

/// The parts of a page that show one evaluation.
struct EvaluationSections {
  let report: EvaluationReport

  /// The most failures that are listed; the JSON report has all of them.
  static let listedFailures = 150
  /// The most features that are listed.
  static let listedFeatures = 25

  /// All sections.
  func all() -> Markup {
    """
    \(section("Confusion", confusions()))\
    \(section("Calibration", calibration()))\
    \(comparisons())\
    \(section("By person", groups(\.bySubject, "Person")))\
    \(report.importances.isEmpty ? "" : section("What the model needs", importances()))\
    \(section("Where it fails", failures()))
    """
  }

  /// The confusion matrix and the data sets only.
  func brief() -> Markup {
    "\(section("Confusion", confusions()))\(comparisons())"
  }

  /// The groups of people, if any, and the data sets.
  private func comparisons() -> Markup {
    let people: Markup = """
      <p class="note">\(GroupScore.meaning)</p>\
      \(TrainingTables.table(GroupScore.table(of: report.groups)))
      """
    return """
      \(report.groups.isEmpty ? "" : section("Groups of people", people))\
      \(section("By data set", groups(\.byDataset, "Data set")))
      """
  }

  private func section(_ title: String, _ content: Markup) -> Markup {
    TrainingTables.section("\(title): \(report.protocolName)", content)
  }

  private func confusions() -> Markup {
    """
    <h3>Single windows</h3>\(confusion(report.windows.overall))
    <h3>Live</h3>\(confusion(report.live.overall))
    <h3>In hindsight</h3>\(confusion(report.smoothed.overall))
    """
  }

  /// The fraction of each label's windows by prediction, with recall, precision and F1.
  private func confusion(_ evaluation: ActivityEvaluation) -> Markup {
    let columns = Activity.allCases.filter { activity in
      evaluation.confusion.contains { $0[activity.rawValue] > 0 }
    }
    let heads = (columns.map(\.name) + ["unknown", "windows", "precision", "F1"]).map {
      "<th scope=\"col\">\($0)</th>" as Markup
    }
    let rows = evaluation.classScores.map { score -> Markup in
      let counts = evaluation.confusion[score.activity.rawValue]
      let cells = (columns.map(\.rawValue) + [Activity.allCases.count]).map { column -> Markup in
        let fraction = Double(counts[column]) / Double(max(1, score.windows))
        return """
          <td style="--share:\(Markup(stringLiteral: String(format: "%.3f", fraction)))" \
          title="\(counts[column]) windows">\(ReportFormatting.fixed(100 * fraction, 1))</td>
          """
      }
      return """
        <tr><th scope="row">\(score.activity.name)</th>\(cells)\
        <td>\(ReportFormatting.count(Double(score.windows)))</td>\
        <td>\(TrainingPage.fraction(score.precision))</td>\
        <td>\(TrainingPage.fraction(score.f1))</td></tr>

        """
    }
    return """
      <div class="wide-table"><table class="heat"><thead><tr><th scope="col">Label; answered as, \
      %</th>\(heads)</tr></thead><tbody>\(rows)</tbody></table></div>

      """
  }

  private func calibration() -> Markup {
    func diagram(_ name: String, _ evaluation: ActivityEvaluation) -> Markup {
      let error = TrainingPage.fraction(evaluation.expectedCalibrationError)
      return """
        <figure><h3>\(name), error \(error)</h3>\
        \(ReliabilityDiagram.draw(evaluation.reliability, title: name))\
        <figcaption>\(evaluation.reliability.sentence ?? "")</figcaption></figure>
        """
    }
    return """
      <p class="note">How often answers were right by how probable they claimed to be. On the \
      dashed line claims are true; above it the model knows more than it says. Larger dots hold \
      more windows.</p>
      <div class="pair">\(diagram("Single windows", report.windows.overall))\
      \(diagram("Live", report.live.overall))</div>

      """
  }

  private func groups(
    _ group: KeyPath<GroupedEvaluation, [String: ActivityEvaluation]>, _ title: String
  ) -> Markup {
    let titles = [
      title, "windows", "accuracy", "macro-F1", "live", "macro-F1", "calibration error",
      "hindsight", "macro-F1",
    ]
    return TrainingTables.table(
      [titles] + report.groupRows(group, figures: [2, 3, 2], TrainingPage.fraction))
  }

  private func importances() -> Markup {
    let listed = report.importances.prefix(Self.listedFeatures)
    let largest = max(listed.first?.accuracyDrop ?? 0, 1e-6)
    let rows = listed.map { entry -> Markup in
      let width = max(0, entry.accuracyDrop / largest * 100)
      return """
        <tr><th scope="row">\(entry.feature)</th><td class="bar"><svg viewBox="0 0 100 8" \
        preserveAspectRatio="none" aria-hidden="true"><rect class="bin" width="\(width)" \
        height="8"/></svg></td><td>\(ReportFormatting.fixed(100 * entry.accuracyDrop, 2))</td></tr>

        """
    }
    return """
      <p class="note">Points of accuracy that single windows lose when a feature's \
      values are exchanged among them. Features that say the same stand in for each \
      other.</p>
      <table class="totals"><thead><tr><th scope="col">Feature</th><td class="bar"></td>\
      <th scope="col">Points lost</th></tr></thead><tbody>\(rows)</tbody></table>

      """
  }

  private func failures() -> Markup {
    guard !report.failures.isEmpty else {
      return "<p class=\"note\">No window was classified wrongly.</p>"
    }
    let seconds = report.failures.reduce(0) { $0 + $1.duration }
    let rest = report.failures.count - Self.listedFailures
    let rows = report.failures.prefix(Self.listedFailures).map { failure in
      [
        "\(failure.dataset) / \(failure.recording)", failure.person,
        ReportFormatting.fixed(failure.start, 2), ReportFormatting.fixed(failure.end, 2),
        "\(failure.windows)", failure.truth.name, TrainingPage.fraction(failure.truthProbability),
        failure.answer.name, TrainingPage.fraction(failure.answerProbability),
      ]
    }
    let title = [
      "Recording", "person", "from", "to", "windows", "label", "probability", "answer",
      "probability",
    ]
    let more = rest > 0 ? ", of which the \(rest) shortest are in the JSON report only" : ""
    return """
      <p class="note">Single windows that got a wrong answer one after another, the longest \
      stretch first: \(report.failures.count) stretches, \
      \(ReportFormatting.duration(seconds)) in all\(more). Times are seconds on the recording's \
      clock; probabilities are means over the stretch.</p>
      \(TrainingTables.table([title] + rows))
      """
  }
}
