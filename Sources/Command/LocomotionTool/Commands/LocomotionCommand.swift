import LocomotionRecordings

/// The `locomotion` command: data on standard output, diagnostics on standard error.
package struct LocomotionCommand: Sendable {
  private let commands: [Command]

  /// The command with those subcommands that need libraries of their own, which come after `record`
  /// in the help.
  package init(with others: [Command]) {
    commands =
      [
        .locate, .cadence, .classify, .timeline, .analyze, .compare, .checkDataset, .train,
        .evaluate, .record,
      ] + others + [.sync, .journal, .places, .convert]
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
    let (command, rest) = named.resolved(arguments)
    if rest.prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) {
      return try show(command.help(width: HelpText.width))
    }
    if command.isGroup {
      throw UsageError(command.expectedSubcommand(rest.first { !$0.hasPrefix("-") }))
    }
    try command.run(Arguments(rest, for: command))
  }

  private func help(of words: [String]) throws -> String {
    guard let first = words.first else {
      return Command.overview(of: commands, width: HelpText.width)
    }
    let named = try command(first)
    let (command, rest) = named.resolved(Array(words.dropFirst()))
    if let word = rest.first { throw UsageError(command.expectedSubcommand(word)) }
    return command.help(width: HelpText.width)
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
    StandardError.write("locomotion: \(line)\n")
    return failure.exitStatus
  }
}
