import LocomotionProgram

/// The executable, which is the command and nothing else.
@main
struct LocomotionMain {
  static func main() {
    LocomotionProgram.main()
  }
}
