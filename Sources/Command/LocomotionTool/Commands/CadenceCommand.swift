import Locomotion
import LocomotionAnalysis
import LocomotionFormats

extension Command {
  static let cadence = Command(
    name: "cadence",
    synopsis: "RECORDING [--mode smoothed|lagged|live] [--model FILE] [--without-hints]",
    summary: "Prints the step rate and the steps of every second, as CSV.",
    operandCount: 1...1,
    options: [
      Option(
        name: "mode", value: "MODE",
        help: "smoothed (default): with all that came later, which decides on which steps are a "
          + "ride's; lagged: each second's rate as known 3 s later; live: known at the time"),
      .model,
      Option(
        name: "without-hints", value: nil,
        help: "from accelerations alone, whatever activity and speed look like"),
    ] + Option.recording,
    run: runCadence)

  private enum CadenceMode: String, CaseIterable {
    case smoothed, lagged, live
  }

  private static func runCadence(_ arguments: Arguments) throws {
    let mode = try arguments.choice("mode", default: CadenceMode.smoothed)
    var table = try CSVTable.cadences(.standard)
    var settings = LocomotionPipeline.Settings()
    settings.cadence.usesHints = !arguments.has("without-hints")
    let source = try arguments.source()
    let model = try arguments.model()
    var replay = RecordingReplay(model: model, settings: settings)
    guard mode == .smoothed, settings.cadence.usesHints else {
      return try table.write(\.samples, of: source, by: &replay, isLive: mode == .live) {
        Hindsight.lagCadences(of: &$0)
      }
    }
    var held = HindsightStream.Settings()
    held.seconds = .withoutLocations
    var hindsight = HindsightStream(settings: held, model: model)
    try replay.run(source) { _, output in
      hindsight.append(output)
      for sample in hindsight.takeSamples() { try table.write(sample) }
    }
    hindsight.finish()
    try table.finish(with: hindsight.takeSamples())
    source.tell(replay.report)
  }
}
