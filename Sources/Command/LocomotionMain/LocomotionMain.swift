@_spi(Server) import LocomotionTool

/// The executable, which is the command and nothing else.
@main
struct LocomotionMain {
  static func main() {
    LocomotionCommand.locomotion.main()
  }
}
