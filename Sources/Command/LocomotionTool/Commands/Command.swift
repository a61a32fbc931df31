import LocomotionRecordings

/// One subcommand: its name, its operands and options, and its function.
@_spi(Server) public struct Command: Sendable {
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
  public init(
    name: String, synopsis: String, summary: String, operandCount: ClosedRange<Int>,
    options: [Option], subcommands: [Command] = [],
    alias: String? = nil,
    run: @escaping @Sendable (Arguments) throws -> Void
  ) {
    (self.name, self.synopsis, self.summary) = (name, synopsis, summary)
    (self.operandCount, self.options) = (operandCount, options)
    (self.subcommands, self.alias) = (subcommands, alias)
    self.run = run
  }

  /// Whether the command does nothing without the name of a subcommand.
  var isGroup: Bool { !subcommands.isEmpty && options.isEmpty }

  /// The options that the synopsis has outside of brackets, but those beside a bar.
  var requiredOptions: [String] {
    let words = synopsis.split(separator: " ").map(String.init)
    var depth = 0
    var names: [String] = []
    for (place, word) in words.enumerated() {
      let isInside = depth > 0 || word.hasPrefix("[") || word.hasPrefix("(")
      depth += word.count { "[(".contains($0) } - word.count { "])".contains($0) }
      let isAlternative = words[max(0, place - 1)..<min(words.count, place + 3)].contains("|")
      if !isInside, !isAlternative, word.hasPrefix("--") { names.append(String(word.dropFirst(2))) }
    }
    return names
  }

  /// What is said where no subcommand was named, but `word`.
  func expectedSubcommand(_ word: String?) -> String {
    let names = subcommands.map(\.word)
    if let word, let nearest = Spelling.nearest(to: word, among: names) {
      return "there is no '\(name) \(word)': did you mean '\(nearest)'?"
    }
    return "'\(name)\(word.map { " " + $0 } ?? "")': expected one of "
      + names.joined(separator: ", ")
  }

  /// The last word of the name, which is all of it but for a subcommand.
  var word: String { name.split(separator: " ").last.map(String.init) ?? name }

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
