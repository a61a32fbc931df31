import Locomotion
import LocomotionTraining

extension Command {
  static let classify = Command(
    name: "classify",
    synopsis: "RECORDING [--mode live|smoothed] [--model FILE]",
    summary: "Prints the activity and its probabilities for every second, as CSV.",
    operandCount: 1...1,
    options: [
      Option(
        name: "mode", value: "MODE",
        help: "live (default): known at the time; smoothed: with all that came later"),
      Option(name: "model", value: "FILE", help: "a model file instead of the built-in model"),
    ],
    run: runClassify)

  private enum ActivityMode: String, CaseIterable {
    case live, smoothed
  }

  private static func runClassify(_ arguments: Arguments) throws {
    let mode = try arguments.choice("mode", default: ActivityMode.live)
    var rows = ActivityRows()
    try rows.writeHeader()
    var samples: [LocomotionSample] = []
    let model = try arguments.model()
    var replay = Replay(model: model)
    try replay.run(arguments.recording) { output in
      if mode == .live {
        for sample in output.samples { try rows.write(sample) }
      } else {
        samples += output.samples
      }
    }
    if mode == .smoothed {
      Hindsight.smoothActivities(of: &samples, model: model)
      for sample in samples { try rows.write(sample) }
    }
    try rows.output.flush()
  }
}

/// The rows of `classify`, one per second with accelerations.
private struct ActivityRows {
  var output = StandardOutput()
  private var line = Line()

  mutating func writeHeader() throws {
    let columns = Activity.allCases.map { "p_\($0.name)" }.joined(separator: ",")
    try output.write("t_start,t_end,activity,\(columns)\n")
  }

  mutating func write(_ sample: LocomotionSample) throws {
    guard let decision = sample.activity else { return }
    line.removeAll()
    line.add(nanoseconds: sample.start.nanoseconds)
    line.add(nanoseconds: sample.end.nanoseconds)
    line.add(decision.activity?.name ?? "unknown")
    for activity in Activity.allCases {
      line.add(decision.probabilities[activity], decimals: 5)
    }
    try output.write(line)
  }
}
