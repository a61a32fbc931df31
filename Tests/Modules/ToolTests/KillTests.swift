import Foundation
import TestSupport
import Testing

/// The program as `Tests/Checks/kill-commands.py` uses it.
@Suite struct KillTests {
  /// Whether Python is available.
  private static let canRun = (try? ToolRun(shell: "python3 --version"))?.status == 0

  @Test(.enabled(if: canRun, "needs python3"))
  func killedCommandsLeaveNothingThatTheNextOneDoesNotRemove() throws {
    let script = TestFiles.packageRoot.appendingPathComponent("Tests/Checks/kill-commands.py").path
    let run = try ToolRun(shell: "python3 \"$1\" \"$0\" 6 2>&1", script)
    #expect(run.status == 0, "\(run.output)")
    #expect(run.lines.count == 3)
  }
}
