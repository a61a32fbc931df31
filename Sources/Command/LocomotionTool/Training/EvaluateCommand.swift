import Locomotion
import LocomotionFormats
import LocomotionRecordings
import LocomotionReport
import LocomotionTraining

extension Command {
  static let evaluate = Command(
    name: "evaluate",
    synopsis:
      "--dataset DIRECTORY… [--model FILE | --leave-one-subject-out] [--json] "
      + "[--report FILE.html]",
    summary: "Scores activities against labels.",
    operandCount: 0...Int.max,
    options: [
      .dataset,
      .model,
      Option(
        name: "leave-one-subject-out", value: nil,
        help: "train anew, and judge each person, and each set, by the others"),
      Option(name: "json", value: nil, help: "the scores as JSON"),
      .report,
      .strict, .asRecorded, .seed,
    ],
    run: runEvaluate)

  private static func runEvaluate(_ arguments: Arguments) throws {
    if let operand = arguments.operands.first {
      throw UsageError("'\(operand)': activities are scored on whole data sets, '--dataset'")
    }
    let seed = try arguments.seed()
    let outputs = OutputFiles.forCommand(inputs: arguments.datasetFiles + arguments.all("model"))
    let pageFile = try arguments.value("report").map(outputs.open)
    let json: String
    var notes = ""
    let page: PageDocument
    if arguments.has("leave-one-subject-out") {
      if arguments.has("model") {
        throw UsageError("'--leave-one-subject-out' trains its own models; leave out '--model'")
      }
      let windows = try LabelledWindows(arguments, augmentation: arguments.augmentation)
      let progress = ProgressBar(total: 1)
      progress.show("training on \(windows.set.count) windows, each person left out in turn")
      var report = try ModelTrainer(settings: .init(seed: seed)).train(on: windows.set).report
      progress.clear()
      report.describe(windows)
      page = PageDocument(report)
      json = report.json
    } else {
      let model = try arguments.model()
      let windows = try LabelledWindows(
        arguments, augmentation: .none, custom: model.customActivities)
      var report = EvaluationReport(of: model, on: windows.set, seed: seed)
      report.groups = report.live.groupScores(of: windows.traits)
      if !model.customActivities.isEmpty {
        report.custom = CustomTermTrainer.scores(
          of: model, on: windows.set, outside: windows.outside)
      }
      notes = knownSets(of: model, in: windows.set).map { name in
        "The model was trained on \(name): its scores there are those of people it knows. "
          + "'--leave-one-subject-out' judges it by others.\n"
      }.joined()
      StandardError.write(notes)
      if !windows.ignoredLabels.isEmpty {
        let labels = windows.ignoredLabels.joined(separator: "; ")
        notes += "Labels that stand for no activity: \(labels)\n"
      }
      page = PageDocument(report)
      json = report.json
    }
    try pageFile?.write(page.html)
    try outputs.commit()
    if arguments.has("json") { return try TextOutput.print(json + "\n") }
    try TextOutput.print(notes)
    try TextOutput.print(TextSummary(page, style: TextSummary.ofStandardOutput))
  }

  /// The data sets of `set` on which `model`, or its base, was trained, by their names.
  private static func knownSets(of model: ActivityModel, in set: TrainingSet) -> [String] {
    guard let manifest = ModelManifest(of: model) else { return [] }
    let known = Set((manifest.sources + (manifest.baseSources ?? [])).map(\.dataset))
    return set.countsByDataset.keys.filter(known.contains).sorted()
  }
}
