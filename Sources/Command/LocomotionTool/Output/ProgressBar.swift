import Foundation
import LocomotionReport
import LocomotionSync

/// A progress bar on a terminal; nothing elsewhere.
package struct ProgressBar {
  private let total: Int
  private var done: Int

  /// A bar of so many parts, some of which may be done.
  package init(total: Int, done: Int = 0) {
    self.total = total
    self.done = done
  }

  /// Shows that the part `name` begins.
  package mutating func advance(to name: String) {
    guard StandardError.isTerminal else { return }
    let width = 24
    let filled = width * done / max(1, total)
    let bar =
      String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    StandardError.control("\(Self.empty)\(bar) \(done)/\(total) \(name.plain)")
    done += 1
  }

  /// Shows what is being done, without a bar.
  package func show(_ text: String) {
    guard StandardError.isTerminal else { return }
    StandardError.control(Self.line(text))
  }

  /// Clears a line of a terminal.
  static let empty = "\r\u{1B}[K"
  /// Replaces a line of a terminal by what is being done.
  static func line(_ text: String) -> String { "\(empty)\(text.plain) …" }

  /// Clears the line for other text.
  package func clear() {
    guard StandardError.isTerminal else { return }
    StandardError.control(Self.empty)
  }
}

/// What a call that may last long is doing, on a terminal from its third second on; nothing
/// elsewhere.
package struct ProgressText: Sendable {
  /// The text; nil when the call is over.
  private let text: Locked<String?>

  /// Replaces the text, which is shown within half a second.
  package func set(_ text: String) { self.text.withLock { $0 = text } }

  /// Runs `body` while its text is shown.
  ///
  /// - Parameters:
  ///   - text: The first text.
  ///   - delay: The time after which the text is shown, seconds.
  ///   - isTerminal: Whether anything is shown.
  ///   - write: Writes to the terminal.
  ///   - body: The call.
  /// - Returns: What `body` returns, after the text was cleared.
  /// - Throws: The error of `body`.
  package static func during<Result>(
    _ text: String, after delay: Double = 2,
    isTerminal: Bool = StandardError.isTerminal,
    write: @escaping @Sendable (String) -> Void = StandardError.control,
    _ body: (ProgressText) throws -> Result
  ) rethrows -> Result {
    let progress = ProgressText(text: Locked(text))
    guard isTerminal else { return try body(progress) }
    // A thread of its own: `body` may block all those that tasks run on.
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: delay)
      // Under the lock, so that nothing is shown after the end.
      while progress.text.withLock({ text in
        if let text { write(ProgressBar.line(text)) }
        return text != nil
      }) {
        Thread.sleep(forTimeInterval: 0.5)
      }
    }
    defer {
      progress.text.withLock { $0 = nil }
      write(ProgressBar.empty)
    }
    return try body(progress)
  }
}
