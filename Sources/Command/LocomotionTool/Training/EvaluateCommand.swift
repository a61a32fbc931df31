import Locomotion
import LocomotionFormats
import LocomotionRecordings
import LocomotionReport
import LocomotionTraining

extension Command {
  static let checkDataset = Command(
    name: "check-dataset",
    synopsis: "DIRECTORY… [--strict]",
    summary: "Prints what labelled data sets hold, and what is wrong with them, before training.",
    operandCount: 1...Int.max,
    options: [
      Option(name: "strict", value: nil, help: "exit with an error when there are problems")
    ],
    run: runCheckDataset)

  private static func runCheckDataset(_ arguments: Arguments) throws {
    var output = TextOutput.standard
    var count = 0
    for folder in arguments.operands {
      let dataset = try LabelledDataset(path: folder)
      let check = DatasetCheck(dataset)
      count += check.problems.count
      try output.write(text(of: check, dataset))
    }
    try output.finish()
    guard count == 0 || !arguments.has("strict") else { throw CommandFailure.strict(count) }
  }

  private static func text(of check: DatasetCheck, _ dataset: LabelledDataset) -> String {
    var rows = [
      [
        "recording", "minutes", "rate/s", "gravity", "gyroscope", "holes", "seconds of holes",
        "fixes", "labelled minutes",
      ]
    ]
    for recording in check.recordings {
      rows.append([
        recording.name, fixed((recording.end - recording.start) / 60, 1),
        recording.rate.map { fixed($0, 0) } ?? "", recording.gravity.map { fixed($0, 1) } ?? "",
        recording.hasGyroscope ? "yes" : "", "\(recording.holes)",
        fixed(recording.holeSeconds, 0), "\(recording.fixes)", fixed(recording.labelMinutes, 1),
      ])
    }
    var lines = ["\(check.name): \(check.recordings.count) recordings", aligned(rows), ""]
    var minutes: [String: Double] = [:]
    // What lies outside its recording labels nothing.
    let recordings = Dictionary(
      check.recordings.map { ($0.name, ($0.start, $0.end)) },
      uniquingKeysWith: { first, _ in first })
    for interval in dataset.intervals {
      guard let (start, end) = recordings[interval.recording] else { continue }
      let seconds = min(interval.end.seconds, end) - max(interval.start.seconds, start)
      minutes[interval.trainingActivity ?? "no activity", default: 0] += max(0, seconds) / 60
    }
    lines.append("\(dataset.subjects.count) people; labelled minutes by activity:")
    lines += [
      aligned(minutes.sorted { $0.value > $1.value }.map { ["  " + $0.key, fixed($0.value, 1)] }),
      "",
    ]
    lines.append(
      check.problems.isEmpty ? "no problem found" : "\(check.problems.count) problems:")
    lines += check.problems.map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n\n"
  }

  private static func fixed(_ value: Double, _ decimals: Int) -> String {
    ReportFormatting.fixed(value, decimals)
  }

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
    let text: String
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
      text = arguments.has("json") ? report.json + "\n" : TextSummary(page).text
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
      let notes = knownSets(of: model, in: windows.set).map { name in
        "The model was trained on \(name): its scores there are those of people it knows. "
          + "'--leave-one-subject-out' judges it by others.\n"
      }.joined()
      StandardError.write(notes)
      let ignored =
        windows.ignoredLabels.isEmpty
        ? ""
        : "Labels that stand for no activity: \(windows.ignoredLabels.joined(separator: "; "))\n"
      page = PageDocument(report)
      text = arguments.has("json") ? report.json + "\n" : notes + ignored + TextSummary(page).text
    }
    try pageFile?.write(page.html)
    try outputs.commit()
    try TextOutput.print(text)
  }

  /// The data sets of `set` on which `model`, or its base, was trained, by their names.
  private static func knownSets(of model: ActivityModel, in set: TrainingSet) -> [String] {
    guard let manifest = ModelManifest(of: model) else { return [] }
    let known = Set((manifest.sources + (manifest.baseSources ?? [])).map(\.dataset))
    return set.countsByDataset.keys.filter(known.contains).sorted()
  }
}
