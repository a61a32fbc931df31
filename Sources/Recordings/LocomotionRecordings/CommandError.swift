/// The exit status of the command, which the functions of the Python package return as well.
package enum ExitStatus: Int32 {
  case success = 0
  case failed = 1
  case usage = 2
  /// The input was read and refused.
  case rejected = 3
  /// Reading or writing failed (EX_IOERR of sysexits).
  case inputOutput = 74
}

/// An error that tells with which words and which status the command ends.
package protocol CommandError: Error {
  /// One line for the person who called the command.
  var message: String { get }
  var exitStatus: ExitStatus { get }
}

extension CommandError where Self: CustomStringConvertible {
  package var message: String { description }
}

/// What the command says at its end, and the status with which it ends.
package struct CommandFailure: CommandError {
  package let message: String
  package let exitStatus: ExitStatus

  /// The end with these words.
  package init(_ message: String, _ exitStatus: ExitStatus = .failed) {
    self.message = message
    self.exitStatus = exitStatus
  }

  /// The end by any error.
  package init(_ error: any Error) {
    let known = error as? any CommandError
    message = known?.message ?? "\(error)"
    exitStatus = known?.exitStatus ?? .failed
  }
}

/// An invalid command line, or an invalid argument of a function.
package struct UsageError: CommandError {
  package let message: String
  package let exitStatus = ExitStatus.usage

  /// An error with its words.
  package init(_ message: String) {
    self.message = message
  }
}

extension RecordingError: CommandError {
  package var exitStatus: ExitStatus { isInputRejection ? .rejected : .inputOutput }
}
