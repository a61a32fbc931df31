import Foundation
import TestSupport
import Testing

/// The program as `Tests/Checks/kill-commands.py` uses it.
@Suite struct KillTests {
  /// Whether Python is available.
  private static let canRun = (try? run(["python3", "--version"]))?.status == 0

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
}
