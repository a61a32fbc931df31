@_spi(Server) import LocomotionTool

/// `benchmark score`: what the package answers beside references and other methods.
package enum ScoreCommand {
  /// Runs the command line of this process, and ends it.
  package static func main() -> Never { command.main() }

  private static var command: LocomotionCommand {
    LocomotionCommand(
      name: "benchmark", summary: "what the package answers beside references and other methods",
      commands: [
        Command(
          name: "score", synopsis: "NAME [options]",
          summary: "Scores what the package answers beside references and other methods.",
          operandCount: 0...0, options: [],
          subcommands: [
            .scoreLocation, .scoreDays, .scoreCadence, .scoreMethods, .scoreCorrections,
            .scorePauses, .scorePower, .scoreFixes,
          ]
        ) { _ in }
      ], notes: [], example: "benchmark score days --dataset DIRECTORY")
  }
}
