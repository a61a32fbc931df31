import LocomotionActivityRecognition
import LocomotionReport
import LocomotionTraining

/// The parts of a page that show one evaluation.
struct EvaluationBlocks {
  let report: EvaluationReport

  /// The most failures that are listed; the JSON report has all of them.
  static let listedFailures = 150

  /// All sections.
  var all: [PageValue] {
    [section("Confusion", confusions), section("Calibration", calibration)] + comparisons
      + [section("By person", [groups(\.bySubject, "Person")])]
      + [section("Where it fails", failures)]
  }

  /// The confusion matrix and the data sets only.
  var brief: [PageValue] { [section("Confusion", confusions)] + comparisons }

  /// The groups of people, if any, and the data sets.
  private var comparisons: [PageValue] {
    let people = [
      PageDocument.note(GroupScore.meaning),
      PageDocument.table(GroupScore.table(of: report.groups)),
    ]
    return (report.groups.isEmpty ? [] : [section("Groups of people", people)])
      + [section("By data set", [groups(\.byDataset, "Data set")])]
  }

  /// A fraction as a percentage.
  static func fraction(_ value: Double?) -> String {
    value.map { "\(ReportFormatting.fixed(100 * $0, 1)) %" } ?? "–"
  }

  private func section(_ title: String, _ blocks: [PageValue]) -> PageValue {
    PageDocument.section("\(title): \(report.protocolName)", blocks)
  }

  private var confusions: [PageValue] {
    [
      ("Single windows", report.windows), ("Live", report.live), ("In hindsight", report.smoothed),
    ].flatMap { name, scores in
      [["name": .text(name)], confusion(scores.overall)]
    }
  }

  /// The fraction of each label's windows by prediction, with recall, precision and F1.
  private func confusion(_ evaluation: ActivityEvaluation) -> PageValue {
    let columns = Activity.allCases.filter { activity in
      evaluation.confusion.contains { $0[activity.rawValue] > 0 }
    }
    let rows = evaluation.classScores.map { score -> [PageValue] in
      let counts = evaluation.confusion[score.activity.rawValue]
      let cells = (columns.map { $0.rawValue } + [Activity.allCases.count]).map { column in
        let fraction = Double(counts[column]) / Double(max(1, score.windows))
        return [
          "text": .text(ReportFormatting.fixed(100 * fraction, 1)),
          "share": .number(fraction, 3), "tip": "\(counts[column]) windows",
        ] as PageValue
      }
      let scores = [
        ReportFormatting.count(Double(score.windows)), Self.fraction(score.precision),
        Self.fraction(score.f1),
      ]
      return [.text(score.activity.name)] + cells + scores.map { .text($0) }
    }
    return PageDocument.table(
      ["Label; answered as, %"] + columns.map { $0.name }
        + ["unknown", "windows", "precision", "F1"], rows)
  }

  private var calibration: [PageValue] {
    let diagrams = [
      ("Single windows", report.windows.overall), ("Live", report.live.overall),
    ].map { name, evaluation -> PageValue in
      let error = Self.fraction(evaluation.expectedCalibrationError)
      let bins = evaluation.reliability.bins.compactMap { bin -> PageValue? in
        guard let claimed = bin.meanProbability, let right = bin.accuracy else { return nil }
        return [.number(claimed, 4), .number(right, 4), .number(bin.count)]
      }
      return [
        "name": "\(name), error \(error)", "bins": .list(bins),
        "caption": .text(evaluation.reliability.sentence ?? ""),
      ]
    }
    return [
      PageDocument.note(
        "How often answers were right by how probable they claimed to be. On the dashed line claims "
          + "are true; above it the model knows more than it says. Larger dots hold more windows."),
      ["reliability": .list(diagrams)],
    ]
  }

  private func groups(
    _ group: KeyPath<GroupedEvaluation, [String: ActivityEvaluation]>, _ title: String
  ) -> PageValue {
    let titles = [
      title, "windows", "accuracy", "macro-F1", "live", "macro-F1", "calibration error",
      "hindsight", "macro-F1",
    ]
    return PageDocument.table(
      [titles] + report.groupRows(group, figures: [2, 3, 2], Self.fraction))
  }

  private var failures: [PageValue] {
    guard !report.failures.isEmpty else {
      return [PageDocument.note("No window was classified wrongly.")]
    }
    let seconds = report.failures.reduce(0) { $0 + $1.duration }
    let rest = report.failures.count - Self.listedFailures
    let rows = report.failures.prefix(Self.listedFailures).map { failure in
      [
        "\(failure.dataset) / \(failure.recording)", failure.person,
        ReportFormatting.fixed(failure.start, 2), ReportFormatting.fixed(failure.end, 2),
        "\(failure.windows)", failure.truth, Self.fraction(failure.truthProbability),
        failure.answer, Self.fraction(failure.answerProbability),
      ]
    }
    let title = [
      "Recording", "person", "from", "to", "windows", "label", "probability", "answer",
      "probability",
    ]
    let more = rest > 0 ? ", of which the \(rest) shortest are in the JSON report only" : ""
    return [
      PageDocument.note(
        "Single windows that got a wrong answer one after another, the longest stretch first: "
          + "\(report.failures.count) stretches, \(ReportFormatting.duration(seconds)) in "
          + "all\(more). Times are seconds on the recording's clock; probabilities are means over "
          + "the stretch."), PageDocument.table([title] + rows),
    ]
  }
}
