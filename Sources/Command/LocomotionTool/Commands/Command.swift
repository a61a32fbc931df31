/// One subcommand: its name, its operands and options, and its function.
package struct Command: Sendable {
  let name: String
  /// The operands and options in the help.
  let synopsis: String
  /// One line for the overview of commands.
  let summary: String
  let operandCount: ClosedRange<Int>
  let options: [Option]
  /// What comes after the name of the command, each with options of its own.
  var subcommands: [Command] = []
  /// Another spelling of a subcommand, as an option of its command, which the help doesn't show.
  var alias: String?
  let run: @Sendable (Arguments) throws -> Void

  /// A command from its parts.
  package init(
    name: String, synopsis: String, summary: String, operandCount: ClosedRange<Int>,
    options: [Option], subcommands: [Command] = [], alias: String? = nil,
    run: @escaping @Sendable (Arguments) throws -> Void
  ) {
    (self.name, self.synopsis, self.summary) = (name, synopsis, summary)
    (self.operandCount, self.options) = (operandCount, options)
    (self.subcommands, self.alias, self.run) = (subcommands, alias, run)
  }

  /// The text of `locomotion help` for some commands.
  static func overview(of commands: [Command]) -> String {
    let rows = commands.map { "  \($0.name.padded(to: 10))\($0.summary)\n" }.joined()
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
    let verbs = subcommands.map { command in
      let word = command.name.split(separator: " ").last.map(String.init) ?? command.name
      return "  \(word.padded(to: 10))\(command.summary)\n"
    }.joined()
    return "usage: locomotion \(name) \(synopsis)\n\n\(summary)\n\n\(rows)"
      + (verbs.isEmpty ? "" : "\n\(verbs)\n'locomotion \(name) NAME --help' says more of each.\n")
  }

  /// Whether the command does nothing without the name of a subcommand.
  var isGroup: Bool { !subcommands.isEmpty && options.isEmpty }

  /// What is said where no subcommand was named, but `word`.
  func expectedSubcommand(_ word: String?) -> String {
    let names = subcommands.map { $0.name.dropFirst(name.count + 1) }.joined(separator: ", ")
    return "'\(name)\(word.map { " " + $0 } ?? "")': expected one of \(names)"
  }

  /// The subcommand that some arguments name, and the others; the command itself and all where they
  /// name none.
  func resolved(_ arguments: [String]) -> (command: Command, arguments: [String]) {
    let values = Set(
      subcommands.flatMap(\.options).filter { $0.value != nil }.map { "--" + $0.name })
    var index = 0
    while index < arguments.count {
      let word = arguments[index]
      let found = subcommands.first { $0.name == "\(name) \(word)" || $0.alias == word }
      if let found {
        return (found, Array(arguments[..<index] + arguments[(index + 1)...]))
      }
      guard word.hasPrefix("-"), word != "--" else { break }
      index += values.contains(word) ? 2 : 1
    }
    return (self, arguments)
  }
}

extension String {
  func padded(to width: Int) -> String {
    count < width ? self + String(repeating: " ", count: width - count) : self + " "
  }
}
