import LocomotionActivityRecognition
import LocomotionReport
import LocomotionTraining

/// The report of a training or an evaluation as one self-contained HTML page, for a person who
/// wants to know where a model fails.
extension PageDocument {
  /// The page of a model's training, or of a leave-one-out evaluation.
  init(_ report: TrainingReport) {
    var blocks = [Self.sources(report)]
    if let adaptation = report.adaptation {
      blocks.append(Self.adaptation(adaptation, new: report.unseenPeople))
    }
    if !report.custom.isEmpty { blocks.append(Self.custom(report.custom)) }
    if !report.track.isEmpty { blocks.append(Self.track(report.track)) }
    blocks += EvaluationBlocks(report: report.unseenPeople).all
    if let unseen = report.unseenDatasets { blocks += EvaluationBlocks(report: unseen).all }
    self.init(
      "Activity model",
      lede: "Trained on \(ReportFormatting.plural(report.windows, "window")) of 3.84 s from "
        + "\(report.people == 1 ? "1 person" : "\(report.people) people"). \(report.parameters)",
      report.unseenPeople, blocks)
  }

  /// The page of a model evaluated on given windows.
  init(_ report: EvaluationReport) {
    self.init(
      "Activity model evaluated",
      lede: "\(ReportFormatting.plural(report.windows.overall.windows, "window")) of 3.84 s from "
        + "\(ReportFormatting.plural(report.windows.byDataset.count, "data set")).",
      report,
      EvaluationBlocks(report: report).all + [report.custom.map(Self.custom)].compactMap { $0 })
  }

  private init(
    _ title: String, lede: String, _ report: EvaluationReport, _ blocks: [PageValue]
  ) {
    func figure(_ name: String, _ scores: GroupedEvaluation) -> Figure {
      let overall = scores.overall
      return (
        name, percent(overall.balancedAccuracy),
        "macro-F1 \(percent(overall.balancedMacroF1))"
      )
    }
    let figures = [
      figure("Single windows", report.windows), figure("Live", report.live),
      figure("In hindsight", report.smoothed),
      (
        "Calibration error, live",
        percent(report.live.overall.expectedCalibrationError),
        "between the probability given and how often it was right"
      ),
    ]
    self.init(
      title, figures, ([ActivityEvaluation.weighting] + report.leftOut).map(Self.note) + blocks,
      footer: "Live and in hindsight are scored on streams that are chained from recordings with "
        + "hard cuts. \"Unknown\" counts as wrong.")
    (eyebrow, self.lede) = (report.heading, lede)
  }

  // MARK: - What is not about a single evaluation

  /// The contribution of each data set.
  private static func sources(_ report: TrainingReport) -> PageValue {
    func list(_ title: String, _ entries: [String]) -> [PageValue] {
      entries.isEmpty ? [] : [note(title), ["list": .texts(entries)]]
    }
    return section(
      "What it was trained on",
      [table(report.sourceTable(["Data set", "People"]))]
        + list("Problems of the data:", report.dataProblems)
        + list("Labels that stand for no activity:", report.ignoredLabels))
  }

  /// The improvement by training on top of a base model.
  private static func adaptation(
    _ adaptation: TrainingReport.Adaptation, new: EvaluationReport
  ) -> PageValue {
    let left =
      adaptation.leftOut.map { "each of the \($0.rawValue) left out in turn" }
      ?? "nothing to leave out"
    return section(
      "What it gained over its base",
      [
        note(
          "Trained on top of a base, whose calibration stays. \(adaptation.outcomeText). Scored "
            + "with \(left)."),
        table([
          [
            "these recordings", "single windows", "macro-F1", "live", "macro-F1", "hindsight",
            "macro-F1",
          ], adaptation.base.stageRow("the base"),
          new.stageRow("on top, \(new.protocolName)"),
        ]),
      ])
  }

  /// How well custom activities are recognised.
  private static func custom(_ scores: [CustomTermTrainer.Score]) -> PageValue {
    section(
      "Custom activities",
      [
        note(
          "Single windows: of those of a custom activity the part that is recognised, and of those "
            + "of the ordinary kind the same."), table(CustomTermTrainer.Score.table(of: scores)),
      ])
  }

  /// How well fixes alone tell the activities.
  private static func track(_ scores: [TrackTermTrainer.Score]) -> PageValue {
    section(
      "From fixes alone",
      [note(TrackTermTrainer.Score.meaning), table(TrackTermTrainer.Score.table(of: scores))])
  }

  /// A table whose first row are the headings.
  static func table(_ rows: [[String]]) -> PageValue {
    table(rows[0], rows.dropFirst().map { $0.map { .text($0) } })
  }
}
