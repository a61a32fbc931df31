import Locomotion

extension Command {
  static let cadence = Command(
    name: "cadence",
    synopsis: "RECORDING",
    summary: "Prints the step rate and the steps of every second, as CSV.",
    operandCount: 1...1,
    options: [],
    run: runCadence)

  private static func runCadence(_ arguments: Arguments) throws {
    var table = try CadenceTable(.standard)
    var replay = Replay()
    try replay.run(arguments.recording) { output in
      for sample in output.samples { try table.write(sample) }
    }
    try table.finish()
  }
}
