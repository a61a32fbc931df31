/// A progress bar on a terminal; nothing elsewhere.
struct ProgressBar {
  private let total: Int
  private var done: Int

  /// A bar of so many parts, some of which may be done.
  init(total: Int, done: Int = 0) {
    self.total = total
    self.done = done
  }

  /// Shows that the part `name` begins.
  mutating func advance(to name: String) {
    guard StandardError.isTerminal else { return }
    let width = 24
    let filled = width * done / max(1, total)
    let bar =
      String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    StandardError.write("\r\u{1B}[K\(bar) \(done)/\(total) \(name)")
    done += 1
  }

  /// Shows what is being done, without a bar.
  func show(_ text: String) {
    guard StandardError.isTerminal else { return }
    StandardError.write("\r\u{1B}[K\(text) …")
  }

  /// Clears the line for other text.
  func clear() {
    guard StandardError.isTerminal else { return }
    StandardError.write("\r\u{1B}[K")
  }
}
