import Locomotion
import LocomotionTraining

extension Command {
  static let train = Command(
    name: "train",
    synopsis: "--dataset DIRECTORY… --out MODEL [--report FILE] [--source FILE]",
    summary: "Trains an activity model on labelled data sets and reports how well it does.",
    operandCount: 0...0,
    options: [
      .dataset,
      Option(name: "out", value: "MODEL", help: "the model file"),
      Option(name: "report", value: "FILE", help: "the report as JSON"),
      Option(
        name: "source", value: "FILE", help: "the model as Swift source, to build it in"),
      .asRecorded, .seed,
    ],
    run: runTrain)

  private static func runTrain(_ arguments: Arguments) throws {
    let modelFile = try OutputFile(path: arguments.required("out"))
    let reportFile = try arguments.value("report").map(OutputFile.init)
    let sourceFile = try arguments.value("source").map(OutputFile.init)
    let windows = try LabelledWindows(
      arguments.all("dataset"), augmentation: arguments.augmentation, seed: arguments.seed())
    var settings = ModelTrainer.Settings()
    settings.seed = try arguments.seed()
    let (model, report) = try ModelTrainer(settings: settings).train(on: windows.set)
    try modelFile.write(model.file)
    try reportFile?.write(report.json.utf8)
    try sourceFile?.write(model.swiftSource(named: "DefaultModelFile").utf8)
    var output = TextOutput.standard
    try output.write(report.text)
    try output.finish()
  }
}
