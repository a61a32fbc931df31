import Foundation
import Locomotion
import LocomotionRecordings
import LocomotionReport
import LocomotionTraining

extension Command {
  static let train = Command(
    name: "train",
    synopsis:
      "--dataset DIRECTORY… --out MODEL [--on-default | --base MODEL | --method hinge|lda] "
      + "[--report FILE.html] [--json FILE] [--source FILE] [--windows FILE]",
    summary: "Trains an activity model on labelled data sets and reports how well it does.",
    operandCount: 0...0,
    options: [
      .dataset,
      Option(name: "out", value: "MODEL", help: "the model file"),
      Option(
        name: "on-default", value: nil,
        help: "on top of the built-in model, which needs few recordings: what they say nothing "
          + "about stays; one person suffices"),
      Option(name: "base", value: "MODEL", help: "on top of this model instead"),
      Option(
        name: "strength", value: "NUMBER",
        help: "how strongly the base's weights are held, relative to all windows together; "
          + "chosen by leaving people or recordings out when absent"),
      Option(
        name: "method", value: "METHOD",
        help: "hinge (default): additive, bent at knots; lda: linear discriminants"),
      .report,
      Option(name: "json", value: "FILE", help: "the report as JSON"),
      Option(
        name: "source", value: "FILE", help: "the model as Swift source, to build it in"),
      Option(
        name: "windows", value: "FILE",
        help: "the windows as CSV: features, labels, and the scores by models trained without each "
          + "data set; Datasets/compare-boosting.py reads it"),
      .strict, .asRecorded, .seed,
    ],
    run: runTrain)

  private static func runTrain(_ arguments: Arguments) throws {
    // An output that cannot be written is refused before work that may take long.
    let outputs = OutputFiles.forCommand(inputs: arguments.datasetFiles + arguments.all("base"))
    let modelFile = try outputs.open(arguments.required("out"))
    let reportFile = try arguments.value("report").map(outputs.open)
    let jsonFile = try arguments.value("json").map(outputs.open)
    let sourceFile = try arguments.value("source").map(outputs.open)
    let windowsFile = try arguments.value("windows").map(outputs.open)
    let (model, report) = try trained(arguments, windowsFile)
    try modelFile.write(model.file)
    try reportFile?.write(TrainingPage(report).html)
    try jsonFile?.write(report.json)
    try sourceFile?.write(model.swiftSource(named: "DefaultModelFile"))
    try outputs.commit()
    var output = TextOutput.standard
    try output.write(report.text)
    try output.finish()
  }

  private static func trained(
    _ arguments: Arguments, _ windowsFile: OutputFile?
  ) throws -> (model: ActivityModel, report: TrainingReport) {
    let method = try arguments.choice("method", default: ModelTrainer.Method.hinge)
    let seed = try arguments.seed()
    let base = try arguments.base()
    if base != nil, arguments.has("method") {
      throw UsageError("'--method': what is trained on top of a model has the model's method")
    }
    if base == nil, arguments.has("strength") {
      throw UsageError("'--strength' goes with '--on-default' or '--base'")
    }
    var settings = ModelAdapter.Settings()
    settings.seed = seed
    if arguments.has("strength") {
      settings.strength = try arguments.number("strength", default: 1, in: 1e-9...1e9)
    }
    let windows = try LabelledWindows(
      arguments.all("dataset"), augmentation: arguments.augmentation, seed: seed,
      isStrict: arguments.has("strict"))
    if let windowsFile { try WindowTable(windows.set).write(to: windowsFile) }
    let progress = ProgressBar(total: 1)
    progress.show("training on \(windows.set.count) windows, each person left out in turn")
    defer { progress.clear() }
    var result =
      if let base {
        try ModelAdapter(settings: settings).train(from: base, on: windows.set)
      } else {
        try ModelTrainer(settings: .init(method: method, seed: seed)).train(on: windows.set)
      }
    result.report.dataProblems = windows.problems
    result.report.ignoredLabels = windows.ignoredLabels
    return result
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
}

extension Option {
  static let report = Option(
    name: "report", value: "FILE.html", help: "the report as one self-contained HTML page")
}
