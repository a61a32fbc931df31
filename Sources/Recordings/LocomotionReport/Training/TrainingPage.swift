import LocomotionActivityRecognition
package import LocomotionTraining

/// The report of a training or an evaluation as one self-contained HTML page, for a person who
/// wants to know where a model fails.
package struct TrainingPage: Sendable {
  /// The page, UTF-8.
  package var html: String { document.html }

  /// The document of the page.
  package let document: PageDocument

  /// The page of a model's training, or of a leave-one-out evaluation.
  package init(_ report: TrainingReport) {
    var blocks = [Self.sources(report)]
    if let adaptation = report.adaptation {
      blocks.append(Self.adaptation(adaptation, new: report.unseenPeople))
    }
    if !report.custom.isEmpty { blocks.append(Self.custom(report.custom)) }
    blocks += EvaluationBlocks(report: report.unseenPeople).all
    if let unseen = report.unseenDatasets { blocks += EvaluationBlocks(report: unseen).brief }
    document = Self.page(
      title: "Activity model",
      lede: "Trained on \(ReportFormatting.plural(report.windows, "window")) of 3.84 s from "
        + "\(report.people == 1 ? "1 person" : "\(report.people) people"). \(report.methodText).",
      figures: report.unseenPeople, blocks)
  }

  /// The page of a model evaluated on given windows.
  package init(_ report: EvaluationReport) {
    document = Self.page(
      title: "Activity model evaluated",
      lede: "\(ReportFormatting.plural(report.windows.overall.windows, "window")) of 3.84 s from "
        + "\(ReportFormatting.plural(report.windows.byDataset.count, "data set")).",
      figures: report,
      EvaluationBlocks(report: report).all + [report.custom.map(Self.custom)].compactMap { $0 })
  }

  private static func page(
    title: String, lede: String, figures: EvaluationReport, _ blocks: [PageValue]
  ) -> PageDocument {
    func figure(_ name: String, _ scores: GroupedEvaluation) -> PageDocument.Figure {
      let overall = scores.overall
      return (
        name, fraction(overall.balancedAccuracy), "macro-F1 \(fraction(overall.balancedMacroF1))"
      )
    }
    var page = PageDocument(
      title: title, eyebrow: figures.heading, heading: title, lede: lede,
      footer: "Live and in hindsight are scored on streams that are chained from recordings with "
        + "hard cuts. \"Unknown\" counts as wrong.")
    page.figures = [
      figure("Single windows", figures.windows), figure("Live", figures.live),
      figure("In hindsight", figures.smoothed),
      (
        "Calibration error, live", fraction(figures.live.overall.expectedCalibrationError),
        "between the probability given and how often it was right"
      ),
    ]
    page.blocks =
      ([ActivityEvaluation.weighting] + figures.leftOut).map(PageDocument.note) + blocks
    return page
  }

  // MARK: - What is not about a single evaluation

  /// The contribution of each data set.
  private static func sources(_ report: TrainingReport) -> PageValue {
    func list(_ title: String, _ entries: [String]) -> [PageValue] {
      entries.isEmpty ? [] : [PageDocument.note(title), .object([("list", .texts(entries))])]
    }
    return PageDocument.section(
      "What it was trained on",
      [table(report.sourceTable(["Data set", "People"]))]
        + list("Problems of the data:", report.dataProblems)
        + list("Labels that stand for no activity:", report.ignoredLabels))
  }

  /// The improvement by training on top of a base model.
  private static func adaptation(
    _ adaptation: TrainingReport.Adaptation, new: EvaluationReport
  ) -> PageValue {
    PageDocument.section(
      "What it gained over its base",
      [
        PageDocument.note("\(adaptation.outcomeText). The calibration is the base's."),
        table([
          [
            "These recordings", "single windows", "macro-F1", "live", "macro-F1", "hindsight",
            "macro-F1",
          ], adaptation.base.stageRow("the base", fraction),
          new.stageRow("on top, \(new.protocolName)", fraction),
        ]),
      ])
  }

  /// How well custom activities are recognised.
  private static func custom(_ scores: [CustomTermTrainer.Score]) -> PageValue {
    PageDocument.section(
      "Custom activities",
      [
        PageDocument.note(
          "Single windows: of those of a custom activity the part that is recognised, and of those "
            + "of the ordinary kind the same."),
        table(
          CustomTermTrainer.Score.table(
            of: scores, "Custom activity", "ordinary windows", fraction)),
      ])
  }

  /// A table whose first row are the headings.
  static func table(_ rows: [[String]]) -> PageValue {
    PageDocument.table(rows[0], rows.dropFirst().map { $0.map { .text($0) } })
  }

  /// A fraction as a percentage.
  static func fraction(_ value: Double?) -> String {
    value.map { "\(ReportFormatting.fixed(100 * $0, 1)) %" } ?? "–"
  }
}
