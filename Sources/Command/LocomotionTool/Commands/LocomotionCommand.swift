import LocomotionRecordings

/// The `locomotion` command: data on standard output, diagnostics on standard error.
package struct LocomotionCommand: Sendable {
  /// The name of the program in what it says.
  let program: String
  private let commands: [Command]

  /// The command with those subcommands that need libraries of their own, which come after `record`
  /// in the help.
  package init(with others: [Command]) {
    self.init(
      "locomotion",
      [
        .locate, .cadence, .classify, .timeline, .analyze, .compare, .checkDataset, .train,
        .evaluate, .record,
      ] + others + [.sync, .journal, .places, .convert])
  }

  /// Another program, which has these commands.
  package init(_ program: String, _ commands: [Command]) {
    (self.program, self.commands) = (program, commands)
  }

  /// Runs one command line and returns its exit status; errors are one line on standard error.
  func run(_ arguments: [String]) -> ExitStatus {
    do {
      guard let name = arguments.first else {
        StandardError.write(Command.overview(of: commands, width: HelpText.width))
        return .usage
      }
      let rest = Array(arguments.dropFirst())
      switch name {
      case "help", "--help", "-h": try show(help(of: rest))
      case "--version", "version": try show("locomotion \(LocomotionVersion.number)\n")
      case "manual": try show(CommandCompletions(commands: commands).manual)
      case "completions": try show(completions(for: rest.first))
      default: try run(command(name), rest)
      }
      return .success
    } catch {
      if (error as? OutputError)?.isClosedPipe == true { return .success }
      return fail(CommandFailure(error))
    }
  }

  private func run(_ named: Command, _ arguments: [String]) throws {
    if let word = arguments.first, let moved = named.moved[word] {
      throw UsageError("'\(named.name) \(word)' is now '\(moved)', of the package's repository")
    }
    let (command, rest) = named.resolved(arguments)
    if rest.prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) {
      return try show(command.help(of: program, width: HelpText.width))
    }
    if command.isGroup {
      throw UsageError(command.expectedSubcommand(rest.first { !$0.hasPrefix("-") }))
    }
    try command.run(Arguments(rest, for: command, of: program))
  }

  private func help(of words: [String]) throws -> String {
    guard let first = words.first else {
      return Command.overview(of: commands, width: HelpText.width)
    }
    let named = try command(first)
    let (command, rest) = named.resolved(Array(words.dropFirst()))
    if let word = rest.first { throw UsageError(command.expectedSubcommand(word)) }
    return command.help(of: program, width: HelpText.width)
  }

  private func completions(for name: String?) throws -> String {
    guard let shell = name.flatMap({ CommandCompletions.Shell(rawValue: $0) }) else {
      let names = CommandCompletions.Shell.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("'completions\(name.map { " " + $0 } ?? "")': expected one of \(names)")
    }
    return CommandCompletions(commands: commands).script(for: shell)
  }

  private func command(_ name: String) throws(UsageError) -> Command {
    if let command = commands.first(where: { $0.name == name }) { return command }
    let nearest = Spelling.nearest(to: name, among: commands.map(\.name))
    throw UsageError(
      "there is no command '\(name)'"
        + (nearest.map { ": did you mean '\($0)'?" } ?? "; 'locomotion help' lists the commands"))
  }

  private func show(_ text: String) throws {
    var output = TextOutput.standard
    try output.write(text)
    try output.finish()
  }

  func fail(_ failure: CommandFailure) -> ExitStatus {
    let line = failure.message.split(whereSeparator: \.isNewline).joined(separator: " ")
    StandardError.write("\(program): \(line)\n")
    return failure.exitStatus
  }
}
