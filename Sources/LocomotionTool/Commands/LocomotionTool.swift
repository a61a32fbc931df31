import CLocomotionStopRequest
import Foundation
import Locomotion
import LocomotionJournal
import LocomotionRecordings
import LocomotionTraining

/// The `locomotion` command: data on standard output, diagnostics on standard error.
@main
struct LocomotionTool {
  static func main() {
    locomotion_open_standard_files()
    signal(SIGPIPE, SIG_IGN)
    // The size limit of a file is an error to report, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    do {
      exit(run(try CommandLineText.arguments()).rawValue)
    } catch {
      exit(fail((error as? UsageError)?.message ?? "\(error)", .usage).rawValue)
    }
  }

  /// Runs one command line and returns its exit status; errors are one line on standard error.
  static func run(_ arguments: [String]) -> ExitStatus {
    do {
      guard let name = arguments.first, !["help", "--help", "-h"].contains(name) else {
        StandardError.write(Command.overview)
        return arguments.isEmpty ? .usage : .success
      }
      guard let command = Command.named(name) else {
        throw UsageError(
          "there is no command '\(name)'; 'locomotion help' lists the commands")
      }
      let rest = Array(arguments.dropFirst())
      if rest.contains("--help") || rest.contains("-h") {
        StandardError.write(command.help)
        return .success
      }
      try command.run(Arguments(rest, for: command))
      return .success
    } catch let error as UsageError {
      return fail(error.message, .usage)
    } catch let error as RecordingError {
      return fail(error.description, error.isInputRejection ? .rejected : .inputOutput)
    } catch let error as ModelRejection {
      return fail(error.description, .rejected)
    } catch let error as DatasetProblems {
      return fail(error.description, .rejected)
    } catch let error as NothingLabelled {
      return fail(error.description, .rejected)
    } catch let error as TrainingError {
      return fail(error.words, error.isInputRejection ? .rejected : .failed)
    } catch let error as JournalError {
      return fail(error.description, error.isInputRejection ? .rejected : .inputOutput)
    } catch let error as HTTPServerError {
      return fail("serve: \(error.description)", error.isInputRejection ? .rejected : .inputOutput)
    } catch let error as UnreadAcknowledgement {
      return fail(error.description, .inputOutput)
    } catch let error as OutputError {
      return error.isClosedPipe ? .success : fail(error.description, .inputOutput)
    } catch {
      return fail("\(error)", .failed)
    }
  }

  private static func fail(_ message: String, _ status: ExitStatus) -> ExitStatus {
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
enum ExitStatus: Int32 {
  case success = 0
  case failed = 1
  case usage = 2
  /// The input was read and refused.
  case rejected = 3
  /// Reading or writing failed (EX_IOERR of sysexits).
  case inputOutput = 74
}
