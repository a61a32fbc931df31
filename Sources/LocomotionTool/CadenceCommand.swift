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
    var output = StandardOutput()
    var line = Line()
    try output.write("t_start,t_end,cadence,confidence,steps\n")
    var replay = Replay()
    try replay.run(arguments.recording) { ended in
      for sample in ended.samples where sample.activity != nil {
        line.removeAll()
        line.add(nanoseconds: sample.start.nanoseconds)
        line.add(nanoseconds: sample.end.nanoseconds)
        line.add(sample.cadence?.stepsPerMinute, decimals: 2)
        line.add(sample.cadence?.confidence, decimals: 4)
        line.add(sample.steps, decimals: 3)
        try output.write(line)
      }
    }
    try output.flush()
  }
}
