import Locomotion

extension Command {
  static let classify = Command(
    name: "classify",
    synopsis: "RECORDING [--mode live|settled|smoothed] [--model FILE]",
    summary: "Prints the activity and its probabilities for every second, as CSV.",
    operandCount: 1...1,
    options: [
      Option(
        name: "mode", value: "MODE",
        help:
          "live (default): known at the time; settled: known 10 s later; smoothed: with all that "
          + "came later"),
      Option(name: "model", value: "FILE", help: "a model file instead of the built-in model"),
    ],
    run: runClassify)

  private enum ActivityMode: String, CaseIterable {
    case live, settled, smoothed
  }

  private static func runClassify(_ arguments: Arguments) throws {
    let mode = try arguments.choice("mode", default: ActivityMode.live)
    var table = try ActivityTable(.standard)
    var samples: [LocomotionSample] = []
    let model = try arguments.model()
    var replay = Replay(model: model)
    try replay.run(arguments.recording) { output in
      if mode == .live {
        for sample in output.samples { try table.write(sample) }
      } else {
        samples += output.samples
      }
    }
    if mode != .live {
      Hindsight.smoothActivities(of: &samples, lag: mode == .settled ? 10 : nil, model: model)
      for sample in samples { try table.write(sample) }
    }
    try table.finish()
  }
}
