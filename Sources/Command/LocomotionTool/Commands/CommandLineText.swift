import CLocomotionStopRequest
import Foundation
import LocomotionRecordings

extension LocomotionCommand {
  /// Runs the command line of the process, and ends the process with its status.
  ///
  /// The finalizers of libraries do not run: they would free what a thread that is just ending
  /// still uses, as one that closes a journal or a connection.
  @_spi(Server) public func main() -> Never {
    let status = unsafe main(CommandLine.argc, CommandLine.unsafeArgv)
    fflush(nil)
    _exit(status)
  }

  /// Runs a command line in a process that does nothing else.
  ///
  /// - Parameters:
  ///   - count: The number of words.
  ///   - words: The program's name, and the command's arguments.
  /// - Returns: The exit status.
  package func main(
    _ count: Int32, _ words: UnsafePointer<UnsafeMutablePointer<CChar>?>?
  ) -> Int32 {
    locomotion_open_standard_files()
    signal(SIGPIPE, SIG_IGN)
    // The size limit of a file is an error to report, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    defer { TemporaryPaths.shared.deleteAllForExit() }
    do {
      guard let words = unsafe words else { return ExitStatus.usage.rawValue }
      return run(try unsafe Self.arguments(count, words)).rawValue
    } catch {
      return fail(CommandFailure(error)).rawValue
    }
  }

  /// The arguments as text.
  ///
  /// - Throws: An error when one of them is not valid UTF-8. Swift would replace the bytes by
  ///   U+FFFD, and two names of users, or of files, could become the same.
  private static func arguments(
    _ count: Int32, _ words: UnsafePointer<UnsafeMutablePointer<CChar>?>
  ) throws(UsageError) -> [String] {
    var result: [String] = []
    for index in 1..<max(Int(count), 1) {
      guard let argument = unsafe words[index],
        let text = unsafe String(validatingCString: argument)
      else {
        throw UsageError("argument \(index): expected valid UTF-8, found other bytes")
      }
      result.append(text)
    }
    return result
  }
}
