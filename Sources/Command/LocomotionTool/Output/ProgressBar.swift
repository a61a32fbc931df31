import LocomotionRecordings

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
    StandardError.control("\(Self.empty)\(bar) \(done)/\(total) \(printable(name))")
    done += 1
  }

  /// Shows what is being done, without a bar.
  package func show(_ text: String) {
    guard StandardError.isTerminal else { return }
    StandardError.control("\(Self.empty)\(printable(text)) …")
  }

  /// Clears a line of a terminal.
  private static let empty = "\r\u{1B}[K"

  /// Clears the line for other text.
  package func clear() {
    guard StandardError.isTerminal else { return }
    StandardError.control(Self.empty)
  }
}
