@_spi(Server) package import LocomotionTool

extension LocomotionCommand {
  /// `benchmark score`: what the package answers beside references and other methods.
  package static var score: LocomotionCommand {
    LocomotionCommand(
      name: "benchmark", summary: "what the package answers beside references and other methods",
      commands: [
        Command(
          name: "score", synopsis: "NAME [options]",
          summary: "Scores what the package answers beside references and other methods.",
          operandCount: 0...0, options: [],
          subcommands: [
            .scoreLocation, .scoreDays, .scoreCadence, .scoreMethods, .scoreCorrections,
            .scorePower,
          ]
        ) { _ in }
      ], notes: [], example: "benchmark score days --dataset DIRECTORY")
  }
}
