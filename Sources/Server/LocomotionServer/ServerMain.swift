@_spi(Server) import LocomotionTool

/// The executable `locomotion-server`.
@main
struct ServerMain {
  static func main() {
    LocomotionCommand(
      name: "locomotion-server", summary: "takes what phones record, for one person or a study",
      commands: [.serve, .collect, .archive],
      notes: [
        """
        LOCOMOTION_STORE, LOCOMOTION_USER and LOCOMOTION_TIME_ZONE of the environment stand for \
        the options of these names where they are left out.
        """
      ],
      example: "locomotion-server serve --store journal --token-file tokens", status: status
    ).main()
  }

  /// The exit status of an error of this package; nil for another one.
  private static func status(of error: any Error) -> Int32? {
    switch error {
    case let error as ServerError: error.status
    case let error as DatabaseError: error.isTemporary ? 74 : 1
    case let error as ObjectStoreError: error.isBusy ? 74 : 3
    case let error as IntakeError: error.isFinal ? 3 : 74
    case is DerivationError: 74
    default: nil
    }
  }
}
