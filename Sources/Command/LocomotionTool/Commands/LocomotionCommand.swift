import CLocomotionStopRequest
import Foundation
import Locomotion
import LocomotionCollector
import LocomotionJournal
import LocomotionRecordings
import LocomotionServing
import LocomotionTraining

/// The `locomotion` command: data on standard output, diagnostics on standard error.
public enum LocomotionCommand {
  /// Runs one command line and returns its exit status; errors are one line on standard error.
  static func run(_ arguments: [String]) -> ExitStatus {
    do {
      guard let name = arguments.first, !["help", "--help", "-h"].contains(name) else {
        StandardError.write(Command.overview)
        return arguments.isEmpty ? .usage : .success
      }
      guard let named = Command.named(name) else {
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
      let (message, status) = failure(error)
      return fail(message, status)
    }
  }

  /// What the command says of an error, and the status with which it ends.
  package static func failure(_ error: any Error) -> (message: String, status: ExitStatus) {
    switch error {
    case let error as UsageError: (error.message, .usage)
    case let error as RecordingError:
      (error.description, error.isInputRejection ? .rejected : .inputOutput)
    case let error as ModelRejection: (error.description, .rejected)
    case let error as DatasetProblems: (error.description, .rejected)
    case let error as NothingLabelled: (error.description, .rejected)
    case let error as TrainingError:
      (error.words, error.isInputRejection ? .rejected : .failed)
    case let error as JournalError:
      (error.description, error.isInputRejection ? .rejected : .inputOutput)
    case let error as UnitError: (error.description, .rejected)
    case let error as DatabaseError:
      (error.description, error.isTemporary ? .inputOutput : .failed)
    case let error as ObjectStoreError:
      (error.description, error.isBusy ? .inputOutput : .rejected)
    case let error as IntakeError: (error.description, error.isFinal ? .rejected : .inputOutput)
    case let error as DerivationError: (error.description, .inputOutput)
    case let error as HTTPServerError:
      ("serve: \(error.description)", error.isInputRejection ? .rejected : .inputOutput)
    case let error as UnreadAcknowledgement: (error.description, .inputOutput)
    case let error as OutputError: (error.description, .inputOutput)
    default: ("\(error)", .failed)
    }
  }

  static func fail(_ message: String, _ status: ExitStatus) -> ExitStatus {
    let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    StandardError.write("locomotion: \(line)\n")
    return status
  }
}

extension TrainingError {
  fileprivate var words: String {
    switch self {
    case .empty: "the data sets hold no labelled window"
    case .singleClass(let activity):
      "every window of the data sets is labelled \(activity.name): nothing to tell apart"
    case .noWindows(let name):
      "no window is labelled '\(name)', which '--class' names"
    case .nothingOrdinary(let name, let activity):
      "no window is labelled \(activity?.name ?? "one of the six activities"), from which "
        + "'\(name)' could be told: add such recordings"
    case .tooManyAlike(let found, let limit):
      "\(found) classes behave like one activity, expected \(limit) at most"
    case .nothingToLeaveOut: "expected recordings of at least two people, found one"
    case .notPositiveDefinite(let order):
      "the features depend on one another (minor \(order)): train on more recordings"
    }
  }

  /// Whether the data sets caused the error, rather than the arithmetic.
  fileprivate var isInputRejection: Bool {
    if case .notPositiveDefinite = self { false } else { true }
  }
}

/// The exit status of the process.
package enum ExitStatus: Int32 {
  case success = 0
  case failed = 1
  case usage = 2
  /// The input was read and refused.
  case rejected = 3
  /// Reading or writing failed (EX_IOERR of sysexits).
  case inputOutput = 74
}
