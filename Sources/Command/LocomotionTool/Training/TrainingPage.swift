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

/// The parts of a page that show one evaluation.
struct EvaluationBlocks {
  let report: EvaluationReport

  /// The most failures that are listed; the JSON report has all of them.
  private static let listedFailures = 50

  var all: [PageValue] {
    [section("Scores", scores), section("Confusion", confusions)]
      + [section("Calibration", calibration)] + comparisons
      + [section("By person", [groups(\.bySubject, "Person")])]
      + [section("Where it fails", failures)]
  }

  /// The groups of people, if any, and the data sets.
  private var comparisons: [PageValue] {
    let people = [
      PageDocument.note(GroupScore.meaning),
      PageDocument.table(GroupScore.table(of: report.groups)),
    ]
    return (report.groups.isEmpty ? [] : [section("Groups of people", people)])
      + [section("By data set", [groups(\.byDataset, "Data set")])]
  }

  private func section(_ title: String, _ blocks: [PageValue]) -> PageValue {
    PageDocument.section("\(title): \(report.protocolName)", blocks)
  }

  private var stages: [(name: String, scores: GroupedEvaluation)] {
    [
      ("single windows", report.windows), ("live", report.live),
      ("live, with speeds", report.liveWithSpeed), ("in hindsight", report.smoothed),
      ("in hindsight, with speeds", report.smoothedWithSpeed),
    ].filter { $0.1.overall.windows > 0 }
  }

  private var scores: [PageValue] {
    func number(_ value: Double?) -> String {
      value.map { ReportFormatting.fixed($0, 1) } ?? "–"
    }
    let title = [
      "answers", "windows", "accuracy", "macro-F1", "mean person", "worst", "answered",
      "calibration error",
    ]
    let all = stages.map { name, scores in
      let all = scores.overall
      return [name, "\(all.windows)"]
        + [
          all.balancedAccuracy, all.balancedMacroF1, scores.meanSubjectAccuracy,
          scores.worstSubject?.accuracy, all.coverage, all.expectedCalibrationError,
        ].map(percent)
    }
    let merged = stages.map { [$0] + $1.mergingRail.figures.map(percent) }
    let rotation = report.withoutRotation.map { figures in
      "\(figures.windowsWithRotation) windows have rotation rates. Without a gyroscope, train as "
        + "automotive: single windows \(percent(figures.windows)), live "
        + "\(percent(figures.live)), in hindsight \(percent(figures.smoothed))."
    }
    let (live, later) = (report.liveTiming, report.smoothedTiming)
    let changes =
      "Inside one activity the live answer flips \(number(live.flipsPerHour)) times per hour, in "
      + "hindsight \(number(later.flipsPerHour)). Live, \(live.delays.count) switches are "
      + "followed after \(number(live.delay(fraction: 0.5))) s in the median and "
      + "\(number(live.delay(fraction: 0.9))) s at 90 %."
    return [
      PageDocument.table([title] + all),
      PageDocument.table(
        [["train as automotive", "accuracy", "macro-F1", "calibration error"]] + merged),
    ] + [rotation, changes].compactMap { $0.map(PageDocument.note) }
  }

  /// The confusions, also the live ones of each of several data sets.
  private var confusions: [PageValue] {
    let datasets = report.live.byDataset.sorted { $0.key < $1.key }
    return [
      ("Single windows", report.windows.overall), ("Live", report.live.overall),
      ("In hindsight", report.smoothed.overall),
    ].map(confusion)
      + (datasets.count > 1 ? datasets.map { confusion("\($0), live", $1) } : [])
  }

  /// The fraction of each label's windows by prediction, with recall, precision and F1.
  private func confusion(_ name: String, _ evaluation: ActivityEvaluation) -> PageValue {
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
        ReportFormatting.count(Double(score.windows)), percent(score.precision),
        percent(score.f1),
      ]
      return [.text(score.activity.name)] + cells + scores.map { .text($0) }
    }
    return PageDocument.table(
      ["\(name): label; answered as, %"] + columns.map { $0.name }
        + ["unknown", "windows", "precision", "F1"], rows)
  }

  private var calibration: [PageValue] {
    let stages = [("Single windows", report.windows.overall), ("Live", report.live.overall)]
    let diagrams = stages.map { name, evaluation -> PageValue in
      let bins = evaluation.reliability.bins.compactMap { bin -> PageValue? in
        guard let claimed = bin.meanProbability, let right = bin.accuracy else { return nil }
        return [.number(claimed, 4), .number(right, 4), .number(bin.count)]
      }
      return [
        "name": .text(name), "bins": .list(bins),
        "caption": .text("calibration error \(percent(evaluation.expectedCalibrationError))"),
      ]
    }
    let words = stages.flatMap { name, evaluation -> [PageValue] in
      let rows = evaluation.reliability.bins.filter { $0.count > 0 }.map {
        [percent($0.meanProbability), percent($0.accuracy), "\($0.count)"]
      }
      let sets = evaluation.predictionSets
      let size = sets.meanSize.map { size in
        "Sets of 90 % hold the label in \(percent(sets.coverage)) of the windows, with "
          + "\(ReportFormatting.fixed(size, 2)) activities in the mean."
      }
      return [evaluation.reliability.sentence, size].compactMap { $0.map(PageDocument.note) }
        + [PageDocument.table([["\(name): probability", "were right", "windows"]] + rows)]
    }
    return [
      PageDocument.note(
        "How often answers were right by how probable they claimed to be. On the dashed line claims "
          + "are true; above it the model knows more than it says. Larger dots hold more windows."),
      ["reliability": .list(diagrams)],
    ] + words
  }

  private func groups(
    _ group: KeyPath<GroupedEvaluation, [String: ActivityEvaluation]>, _ title: String
  ) -> PageValue {
    let titles = [
      title, "windows", "accuracy", "macro-F1", "error", "live", "macro-F1", "error",
      "hindsight", "macro-F1", "error",
    ]
    return PageDocument.table(
      [titles] + report.groupRows(group))
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
        "\(failure.windows)", failure.truth, percent(failure.truthProbability),
        failure.answer, percent(failure.answerProbability),
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
