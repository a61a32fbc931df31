import Foundation
import TestSupport
import Testing

/// One run of the `locomotion` program, as a user would start it, or of another one.
struct ToolRun {
  let status: Int32
  let output: String
  let errors: String

  /// The program beside the test bundle.
  static var program: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("locomotion")
  }

  /// Runs the program in UTC, or as `environment` says; its standard input is the file at `input`,
  /// or nothing.
  init(
    _ arguments: [String], program: URL = Self.program, input: String? = nil,
    environment: [String: String] = ["TZ": "UTC"]
  ) throws {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput =
      if let input { try FileHandle(forReadingFrom: URL(fileURLWithPath: input)) } else {
        FileHandle.nullDevice
      }
    try process.run()
    // Errors are one line, far below a pipe's capacity, so that they can be read last.
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let messages = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    status = process.terminationStatus
    self.output = String(decoding: data, as: UTF8.self)
    self.errors = String(decoding: messages, as: UTF8.self)
  }

  /// Runs a line of the shell, in which $0 is the program and $1, $2, … are the arguments.
  init(shell line: String, _ arguments: String...) throws {
    try self.init(
      ["-c", line, Self.program.path] + arguments, program: URL(fileURLWithPath: "/bin/sh"))
  }

  /// Runs the program and expects that it succeeds.
  @discardableResult
  static func done(
    _ arguments: [String], environment: [String: String] = ["TZ": "UTC"],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ToolRun {
    let run = try ToolRun(arguments, environment: environment)
    #expect(run.status == 0, "\(run.errors)", sourceLocation: sourceLocation)
    return run
  }

  /// Runs the program and expects that it fails with `status` and a line that holds `words`.
  static func expectRefusal(
    _ arguments: [String], status: Int32, naming words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try ToolRun(arguments).expectRefusal(status, words, sourceLocation)
  }

  /// Expects that the run failed with `status` and a line that holds `words`, never a trace.
  func expectRefusal(
    _ status: Int32, _ words: [String], _ sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(self.status == status, "\(errors)", sourceLocation: sourceLocation)
    let lines = errors.split(separator: "\n")
    #expect(lines.count == 1, "\(errors)", sourceLocation: sourceLocation)
    #expect(lines.first?.count ?? 0 < 400, sourceLocation: sourceLocation)
    let traces = ["Fatal", "Thread 0", "Stack", "0x0"]
    #expect(
      words.allSatisfy(errors.contains) && !traces.contains(where: errors.contains), "\(errors)",
      sourceLocation: sourceLocation)
  }

  /// The lines of the output, the header first.
  var lines: [Substring] { output.split(separator: "\n") }

  /// The fields of the lines below the header.
  var rows: [[Substring]] {
    lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
  }

  /// The output as an object of JSON.
  func object() throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
  }
}

/// The program as `Tests/Checks/kill-commands.py` uses it.
@Suite struct KillTests {
  /// Whether Python is available.
  private static let canRun = (try? ToolRun(shell: "python3 --version"))?.status == 0

  @Test(.enabled(if: canRun, "needs python3"))
  func killedCommandsLeaveNothingThatOthersMayRead() throws {
    let script = TestFiles.packageRoot.appendingPathComponent("Tests/Checks/kill-commands.py").path
    let run = try ToolRun(shell: "python3 \"$1\" \"$0\" 6 2>&1", script)
    #expect(run.status == 0, "\(run.output)")
    #expect(run.lines.count == 2)
  }
}
