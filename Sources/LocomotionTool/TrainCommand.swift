import Foundation
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
    let path = try arguments.required("out")
    let windows = try LabelledWindows(
      arguments.all("dataset"), augmentation: arguments.augmentation, seed: arguments.seed())
    var settings = ModelTrainer.Settings()
    settings.seed = try arguments.seed()
    let (model, report) = try ModelTrainer(settings: settings).train(on: windows.set)
    try write(model.file, to: path)
    if let path = arguments.value("report") { try write(Array(report.json.utf8), to: path) }
    if let path = arguments.value("source") {
      try write(Array(model.swiftSource(named: "DefaultModelFile").utf8), to: path)
    }
    var output = TextOutput.standard
    try output.write(report.text)
    try output.finish()
  }

  /// Writes a whole file, or leaves an old one of that name as it was.
  private static func write(_ bytes: [UInt8], to path: String) throws {
    do {
      try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw OutputError(path: path, code: Int32((error as NSError).posixCode))
    }
  }
}

extension NSError {
  /// The system's error number behind a failed file operation, EIO when there is none.
  fileprivate var posixCode: Int {
    if domain == NSPOSIXErrorDomain { return code }
    let underlying = userInfo[NSUnderlyingErrorKey] as? NSError
    return underlying?.domain == NSPOSIXErrorDomain ? underlying?.code ?? Int(EIO) : Int(EIO)
  }
}
