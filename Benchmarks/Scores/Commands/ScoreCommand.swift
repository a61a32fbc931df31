package import LocomotionTool

extension LocomotionCommand {
  /// `benchmark score`: what the package answers beside references and other methods.
  package static var score: LocomotionCommand {
    LocomotionCommand(
      "benchmark",
      [
        Command(
          name: "score", synopsis: "NAME [options]",
          summary: "Scores what the package answers beside references and other methods.",
          operandCount: 0...0, options: [],
          subcommands: [
            .scoreLocation, .scoreDays, .scoreCadence, .scoreMethods, .scoreCorrections,
            .scorePower,
          ]
        ) { _ in }
      ])
  }
}
