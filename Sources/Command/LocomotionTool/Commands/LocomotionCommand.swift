import CLocomotionStopRequest
import Foundation
import LocomotionRecordings

/// A command with subcommands: data on standard output, diagnostics on standard error.
@_spi(Server) public struct LocomotionCommand: Sendable {
  /// What is typed to call it.
  let name: String
  /// What it is for, in a line.
  let summary: String
  let commands: [Command]
  /// Paragraphs of the overview, after the list of the subcommands.
  let notes: [String]
  let example: String
  /// Where commands of earlier versions are now, by the words that called them.
  private var moved: [String: String] = [:]
  private let status: @Sendable (any Error) -> Int32?

  /// A command from its parts; `status` gives the exit status of an error that this module does not
  /// know.
  public init(
    name: String, summary: String, commands: [Command], notes: [String], example: String,
    status: @escaping @Sendable (any Error) -> Int32? = { _ in nil }
  ) {
    (self.name, self.summary, self.commands) = (name, summary, commands)
    (self.notes, self.example, self.status) = (notes, example, status)
  }

  /// How what is readable of a damaged journal is copied.
  static let recovery = "'sqlite3 FILE .recover | sqlite3 NEW'"

  /// The `locomotion` command.
  package static var locomotion: LocomotionCommand {
    var command = LocomotionCommand(
      name: "locomotion",
      summary: "where a person was and what they did, from a phone's sensors",
      commands: [
        .locate, .cadence, .classify, .timeline, .analyze, .checkDataset, .train,
        .evaluate, .record, .sync, .journal, .places, .convert, .map, .formats,
      ],
      notes: [
        """
        A recording is X.csv or X.csv.gz (t,ax,ay,az[,gx,gy,gz]: seconds, m/s² with gravity, rad/s) \
        with X.gps.csv[.gz] beside it (t,lat,lon,alt,hacc,speed,course), or X.gps.csv[.gz] alone; \
        or any that 'convert' reads. 'locomotion help COMMAND' says more of a command.
        """,
        """
        LOCOMOTION_STORE, LOCOMOTION_USER, LOCOMOTION_TIME_ZONE, LOCOMOTION_UNITS, \
        LOCOMOTION_CLOCK and LOCOMOTION_TOWNS of the environment stand for the options of these \
        names where they are left out.
        """,
      ],
      example: "locomotion analyze walk.csv.gz --out report")
    for word in ["serve", "collect", "archive"] {
      command.moved[word] = "'locomotion-server \(word)', of the package in Sources/Server"
    }
    for word in ["location", "days", "cadence", "corrections", "power", "pauses", "fixes"] {
      for spelling in [word, "--" + word] {
        command.moved["evaluate " + spelling] =
          "'benchmark score \(word)', of the package's repository"
      }
    }
    command.moved["journal salvage"] = "\(recovery), of SQLite's own program"
    return command
  }

  /// Runs one command line and returns its exit status; errors are one line on standard error.
  func run(_ arguments: [String]) -> ExitStatus {
    do {
      guard let first = arguments.first else {
        StandardError.write(overview(width: HelpText.width))
        return .usage
      }
      let rest = Array(arguments.dropFirst())
      switch first {
      case "help", "--help", "-h": try TextOutput.print(help(of: rest))
      case "--version", "version": try TextOutput.print("\(name) \(LocomotionVersion.number)\n")
      case "manual": try TextOutput.print(CommandCompletions(program: self).manual)
      case "completions": try TextOutput.print(completions(for: rest.first))
      default:
        try refuseMoved(arguments)
        try run(command(first), rest)
      }
      return .success
    } catch {
      if (error as? CommandFailure)?.exitStatus == .success { return .success }
      let known = status(error).flatMap { ExitStatus(rawValue: $0) }
      return fail(known.map { CommandFailure("\(error)", $0) } ?? CommandFailure(error))
    }
  }

  private func run(_ named: Command, _ arguments: [String]) throws {
    let (command, rest) = named.resolved(arguments)
    if rest.prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) {
      return try TextOutput.print(command.help(of: name, width: HelpText.width))
    }
    if !command.subcommands.isEmpty {
      throw UsageError(command.expectedSubcommand(rest.first { !$0.hasPrefix("-") }))
    }
    try command.run(Arguments(rest, for: command, of: name))
  }

  private func help(of words: [String]) throws -> String {
    guard let first = words.first else { return overview(width: HelpText.width) }
    try refuseMoved(words)
    let named = try command(first)
    let (command, rest) = named.resolved(Array(words.dropFirst()))
    if let word = rest.first { throw UsageError(command.expectedSubcommand(word)) }
    return command.help(of: name, width: HelpText.width)
  }

  private func completions(for shellName: String?) throws -> String {
    guard let shell = shellName.flatMap({ CommandCompletions.Shell(rawValue: $0) }) else {
      let names = CommandCompletions.Shell.allCases.names
      throw UsageError("'completions\(shellName.map { " " + $0 } ?? "")': expected one of \(names)")
    }
    return CommandCompletions(program: self).script(for: shell)
  }

  private func command(_ word: String) throws(UsageError) -> Command {
    if let command = commands.first(where: { $0.name == word }) { return command }
    let nearest = Spelling.nearest(to: word, among: commands.map(\.name))
    throw UsageError(
      "there is no command '\(word)'"
        + (nearest.map { ": did you mean '\($0)'?" } ?? "; '\(name) help' lists the commands"))
  }

  private func refuseMoved(_ words: [String]) throws(UsageError) {
    for count in 1...2 {
      let words = words.prefix(count).joined(separator: " ")
      if let place = moved[words] { throw UsageError("'\(words)' is now \(place)") }
    }
  }

  func fail(_ failure: CommandFailure) -> ExitStatus {
    let line = failure.message.split(whereSeparator: \.isNewline).joined(separator: " ")
    StandardError.write("\(name): \(line)\n")
    return failure.exitStatus
  }
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
