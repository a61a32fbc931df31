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
      guard let name = arguments.first, !["help", "--help", "-h"].contains(name) else {
        StandardError.write(Command.overview(of: commands))
        return arguments.isEmpty ? .usage : .success
      }
      guard let named = commands.first(where: { $0.name == name }) else {
        throw UsageError(
          "there is no command '\(name)'; 'locomotion help' lists the commands")
      }
      let (command, rest) = named.resolved(Array(arguments.dropFirst()))
      if rest.contains("--help") || rest.contains("-h") {
        StandardError.write(command.help)
        return .success
      }
      if command.isGroup { throw UsageError(command.expectedSubcommand(rest.first)) }
      try command.run(Arguments(rest, for: command))
      return .success
    } catch {
      if (error as? OutputError)?.isClosedPipe == true { return .success }
      return fail(CommandFailure(error))
    }
  }

  func fail(_ failure: CommandFailure) -> ExitStatus {
    let line = failure.message.split(whereSeparator: \.isNewline).joined(separator: " ")
    StandardError.write("locomotion: \(line)\n")
    return failure.exitStatus
  }
}
