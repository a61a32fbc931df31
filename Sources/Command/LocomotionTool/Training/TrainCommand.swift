import Foundation
import Locomotion
import LocomotionFormats
import LocomotionRecordings
import LocomotionReport
import LocomotionTraining

extension Command {
  static let train = Command(
    name: "train",
    synopsis:
      "--dataset DIRECTORY… --out MODEL [--on-default | --base MODEL] "
      + "[--fixes DIRECTORY…] [--fixes-only] [--class NAME=ACTIVITY…] [--class-weights ACTIVITY=NUMBER…] "
      + "[--balance classes|people|windows] "
      + "[--report FILE.html] [--json FILE] [--windows FILE]",
    summary: "Trains an activity model on labelled data sets and reports how well it does.",
    options: [
      .dataset,
      Option(name: "out", value: "MODEL", help: "the model file"),
      Option(
        name: "on-default", value: nil,
        help: "on top of the built-in model, which needs few recordings: what they say nothing "
          + "about stays; one person suffices"),
      Option(name: "base", value: "MODEL", help: "on top of this model instead"),
      Option(
        name: "fixes", value: "DIRECTORY…",
        help: "data sets whose fixes train what answers without accelerations; those of --dataset "
          + "when absent"),
      Option(
        name: "fixes-only", value: nil,
        help: "train nothing else: all other numbers are those of the base"),
      Option(
        name: "class", value: "NAME=ACTIVITY…",
        help:
          "classes of your own, by the label's name (spaces as '_'), and the activity that each "
          + "behaves like for steps, timeline and map: scooter=cycling; skiing=none is outside the "
          + "six"),
      Option(
        name: "class-weights", value: "ACTIVITY=NUMBER…",
        help: "how much a class weighs beside the others (1): above 1 it is missed less often and "
          + "answered wrongly more often, and probabilities lean to it"),
      Option(
        name: "balance", value: "MANNER",
        help: "classes (default): all classes alike, people and sets with more windows a little "
          + "more; people: within a class all sets and people alike; windows: as many as there are"),
      .report,
      Option(name: "json", value: "FILE", help: "the report as JSON"),
      Option(
        name: "windows", value: "FILE",
        help: "the windows as CSV: features, labels, and the scores by models trained without each "
          + "data set; Benchmarks/activities.py reads it"),
      .strict, .asRecorded, .seed,
    ],
    run: runTrain)

  private static func runTrain(_ arguments: Arguments) throws {
    // An output that cannot be written is refused before work that may take long.
    let outputs = OutputFiles.forCommand(inputs: arguments.datasetFiles + arguments.all("base"))
    if arguments.has("fixes-only") { return try runTrainFixes(arguments, outputs) }
    let modelFile = try outputs.open(arguments.required("out"))
    let reportFile = try arguments.value("report").map(outputs.open)
    let jsonFile = try arguments.value("json").map(outputs.open)
    let windowsFile = try arguments.value("windows").map(outputs.open)
    let (model, report) = try trained(arguments, windowsFile)
    try modelFile.write(model.file)
    let page = PageDocument(report)
    try reportFile?.write(page.html)
    try jsonFile?.write(report.json)
    try outputs.commit()
    try TextOutput.print(TextSummary(page, style: TextSummary.ofStandardOutput))
  }

  private static func trained(
    _ arguments: Arguments, _ windowsFile: OutputFile?
  ) throws -> (model: ActivityModel, report: TrainingReport) {
    let seed = try arguments.seed()
    let base = try arguments.base()
    if let base, base.parameters.moments == nil {
      throw CommandFailure(
        "the base has no moments of the windows that it was trained on: train it anew", .rejected)
    }
    let custom = try arguments.customActivities()
    for option in ["balance", "class-weights"]
    where base != nil && custom.isEmpty && arguments.has(option) {
      throw UsageError("'--\(option)': what is trained on top of a model weighs stretches alike")
    }
    var scratch = ModelTrainer.Settings(seed: seed)
    scratch.fit.balance = try arguments.balance()
    // What is learned on top of a base is learned from the recordings as they are.
    let isAugmented = base == nil || !custom.isEmpty || windowsFile != nil
    let windows = try LabelledWindows(
      arguments, augmentation: isAugmented ? arguments.augmentation : .none, custom: custom)
    if let windowsFile { try CSVTable.writeWindows(windows.set, to: windowsFile) }
    let progress = ProgressBar(total: 1)
    progress.show("training on \(windows.set.count) windows, each person left out in turn")
    defer { progress.clear() }
    var result =
      if let base {
        try ModelAdapter(seed: seed).train(from: base, on: windows.set)
      } else {
        try ModelTrainer(settings: scratch).train(on: windows.set)
      }
    if !custom.isEmpty {
      let trainer = CustomTermTrainer(
        settings: scratch.fit, temperature: result.report.calibration.windowTemperature)
      let (term, scores) = try trainer.train(custom, on: windows.set, outside: windows.outside)
      result.model = result.model.with { $0.custom = term }
      result.report.custom = scores
    }
    if let (term, scores) = try trackTerm(arguments, for: result.model) {
      result.model = result.model.with { $0.track = term }
      result.report.track = scores
    }
    result.report.describe(windows)
    return result
  }

  /// What answers by fixes, trained on the data sets with fixes; nil when these are too few.
  private static func trackTerm(
    _ arguments: Arguments, for model: ActivityModel
  ) throws -> (term: ActivityModel.TrackTerm, scores: [TrackTermTrainer.Score])? {
    let folders = arguments.all(arguments.has("fixes") ? "fixes" : "dataset")
    var set = TrackCollector.emptySet()
    var progress = ProgressBar(total: folders.count)
    defer { progress.clear() }
    for folder in folders {
      progress.advance(to: folder)
      try TrackCollector.collect(try LabelledDataset(path: folder), into: &set)
    }
    return try TrackTermTrainer.train(on: set, for: model)
  }

  private static func runTrainFixes(_ arguments: Arguments, _ outputs: OutputFiles) throws {
    guard let base = try arguments.base() else {
      throw UsageError("'--fixes-only' goes with '--on-default' or '--base'")
    }
    let modelFile = try outputs.open(arguments.required("out"))
    guard let (term, scores) = try trackTerm(arguments, for: base) else {
      throw CommandFailure(
        "expected labelled fixes of every class of the model, from two data sets or more",
        .rejected)
    }
    let model = base.with { $0.track = term }
    try modelFile.write(model.file)
    try outputs.commit()
    try TextOutput.print(TrackTermTrainer.Score.text(of: scores))
  }
}

extension Arguments {
  /// The model to train on top of, if any.
  fileprivate func base() throws -> ActivityModel? {
    if has("on-default"), has("base") {
      throw UsageError("'--on-default' and '--base' exclude each other")
    }
    if has("on-default") { return .default }
    return has("base") ? try model("base") : nil
  }

  private enum Balance: String, CaseIterable {
    case classes, people, windows
  }

  fileprivate func balance() throws -> WindowBalance {
    var balance =
      switch try choice("balance", default: Balance.classes) {
      case .classes: WindowBalance()
      case .people: WindowBalance.people
      case .windows: WindowBalance.windows
      }
    for (name, value) in try pairs("class-weights", "ACTIVITY=NUMBER") {
      let activity = try Arguments.activity(name, of: "class-weights")
      guard let weight = Double(value), weight > 0, weight <= 1000 else {
        throw UsageError("'--class-weights \(name)=\(value)': expected a number above 0, to 1000")
      }
      balance.classWeights = (balance.classWeights ?? [:]).merging([activity: weight]) { $1 }
    }
    return balance
  }

  /// The classes that the user names.
  fileprivate func customActivities() throws -> [CustomActivity] {
    var found: [CustomActivity] = []
    for (name, parent) in try pairs("class", "NAME=ACTIVITY, or NAME=none") {
      let custom = try Arguments.customActivity(name, like: parent, of: "class")
      guard !found.contains(where: { $0.name == name }) else {
        throw UsageError("'--class \(name)' is given twice")
      }
      found.append(custom)
    }
    let most = ActivityModel.CustomTerm.largestCount
    guard found.count <= most else {
      throw UsageError("'--class': expected \(most) classes at most, got \(found.count)")
    }
    return found
  }

  /// The values of an option as pairs, also several with commas.
  private func pairs(
    _ option: String, _ expected: String
  ) throws -> [(name: String, value: String)] {
    try all(option).flatMap { $0.split(separator: ",") }.map { text in
      let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
        throw UsageError("'--\(option) \(text)': expected \(expected)")
      }
      return (parts[0], parts[1])
    }
  }
}

extension Option {
  static let report = Option(
    name: "report", value: "FILE.html", help: "the report as one self-contained HTML page")
}
