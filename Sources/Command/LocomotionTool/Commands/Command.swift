/// One subcommand: its name, its operands and options, and its function.
struct Command: Sendable {
  let name: String
  /// The operands and options in the help.
  let synopsis: String
  /// One line for the overview of commands.
  let summary: String
  let operandCount: ClosedRange<Int>
  let options: [Option]
  let run: @Sendable (Arguments) throws -> Void

  static let all: [Command] = [
    .locate, .cadence, .classify, .timeline, .analyze, .compare, .checkDataset, .train, .evaluate,
    .record, .serve, .collect, .archive, .sync,
    .journal, .places, .convert,
  ]

  static func named(_ name: String) -> Command? { all.first { $0.name == name } }

  /// The text of `locomotion help`.
  static var overview: String {
    let rows = all.map { "  \($0.name.padded(to: 10))\($0.summary)\n" }.joined()
    return """
      usage: locomotion COMMAND [RECORDING] [options]

      \(rows)
      A recording is X.csv or X.csv.gz (t,ax,ay,az[,gx,gy,gz]: seconds, m/s² with gravity, rad/s)
      with X.gps.csv[.gz] beside it (t,lat,lon,alt,hacc,speed,course), or X.gps.csv[.gz] alone.
      'locomotion COMMAND --help' says more of a command.

      example: locomotion analyze walk.csv.gz --out report

      """
  }

  /// The text of `locomotion COMMAND --help`.
  var help: String {
    let rows = options.map { option in
      "  --\((option.name + (option.value.map { " " + $0 } ?? "")).padded(to: 26))\(option.help)\n"
    }.joined()
    return "usage: locomotion \(name) \(synopsis)\n\n\(summary)\n\n\(rows)"
  }
}

extension String {
  func padded(to width: Int) -> String {
    count < width ? self + String(repeating: " ", count: width - count) : self + " "
  }
}
