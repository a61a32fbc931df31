import Foundation
import TestSupport
import Testing

/// The program as scripts of `Tests/Checks` use it: `serve` with real requests, and kills.
@Suite struct ServeTests {
  /// Whether Python is available to send them, and the program has a server.
  private static let canRun: Bool = {
    let help = try? run(["python3", "--version"])
    let server = try? ToolRun(["serve", "--store", "/", "--user", "a", "--token", "a"])
    return help?.status == 0 && server?.errors.contains("there is no command") == false
  }()

  private static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  @Test(.enabled(if: canRun, "needs python3"))
  func killedCommandsLeaveNothingThatTheNextOneDoesNotRemove() throws {
    let script = TestFiles.packageRoot.appendingPathComponent("Tests/Checks/kill-commands.py").path
    let run = try Self.run(["python3", script, ToolRun.program.path, "6"])
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.split(separator: "\n").count == 3)
  }

  @Test(
    // Some of them measure response times.
    .serialized,
    .enabled(if: canRun, "needs python3 and a program with the trait Serve"),
    arguments: [
      "overland", "sensorlogger", "sessions", "tokens", "tokenfile", "errors", "heads",
      "halfclose", "hangup", "descriptors", "share", "bodies", "times", "dropped", "rate", "slow",
      "crowd", "kill", "stop", "full", "moved", "ahead",
      "day", "tls", "load", "page", "usage",
    ])
  func requestsAreAnsweredAndTheirDataStored(name: String) throws {
    let script = TestFiles.packageRoot.appendingPathComponent("Tests/Checks/serve-requests.py").path
    let run = try Self.run(["python3", script, ToolRun.program.path, name])
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("\(name): as expected"))
    // Measurements.
    if run.output.split(separator: "\n").count > 1 { print(run.output) }
  }
}
