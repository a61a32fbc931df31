import LocomotionTool

/// The program `locomotion`, which is its command and nothing else.
@main
struct LocomotionMain {
  static func main() {
    LocomotionCommand.main()
  }
}
