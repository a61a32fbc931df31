internal import LocomotionTool

#if Serve
  internal import LocomotionServer
#endif
#if Collect
  internal import LocomotionArchiveCommands
#endif

/// The `locomotion` command with all that the traits of this build add.
package enum LocomotionProgram {
  fileprivate static var command: LocomotionCommand {
    var others: [Command] = []
    #if Serve
      others.append(.serve)
    #endif
    #if Collect
      others += [.collect, .archive]
    #endif
    return LocomotionCommand(with: others)
  }

  /// Runs the command line of the process, and ends the process with its status.
  package static func main() -> Never { command.main() }
}

/// Runs a command line of `count` words, the first of which is the program's name, for the Python
/// package; returns the exit status.
@c(locomotion_python_command)
public func run(
  _ count: Int32, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  unsafe LocomotionProgram.command.main(count, arguments)
}
