import Foundation
import LocomotionSync
import LocomotionTool
import Testing

/// What long calls show on a terminal.
@Suite struct ProgressTests {
  /// What was written, and a signal per text.
  private final class Screen: Sendable {
    let written = Locked<[String]>([])
    let signal = DispatchSemaphore(value: 0)

    func write(_ text: String) {
      written.withLock { $0.append(text) }
      signal.signal()
    }

    var texts: [String] { written.withLock { $0 } }
  }

  @Test func aTerminalShowsTheLatestTextAndIsClearedAtTheEnd() {
    let screen = Screen()
    let result = ProgressText.during(
      "reading a.csv", after: 0, isTerminal: true, write: screen.write
    ) { progress in
      screen.signal.wait()
      progress.set("analyzing a.csv")
      // The text before may have been on its way.
      screen.signal.wait()
      screen.signal.wait()
      return 7
    }
    #expect(result == 7)
    let texts = screen.texts
    #expect(texts.first == "\r\u{1B}[Kreading a.csv …")
    #expect(texts.dropLast().last == "\r\u{1B}[Kanalyzing a.csv …")
    #expect(texts.last == "\r\u{1B}[K")
  }

  @Test func aCallThatFailsClearsItsText() {
    struct Failure: Error {}
    let screen = Screen()
    #expect(throws: Failure.self) {
      try ProgressText.during("reading", after: 0, isTerminal: true, write: screen.write) { _ in
        screen.signal.wait()
        throw Failure()
      }
    }
    #expect(screen.texts.last == "\r\u{1B}[K")
  }

  @Test func aPipeGetsNothing() {
    let screen = Screen()
    ProgressText.during("reading", after: 0, isTerminal: false, write: screen.write) {
      $0.set("analyzing")
    }
    #expect(screen.texts.isEmpty)
  }
}
