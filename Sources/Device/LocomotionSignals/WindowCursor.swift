/// The end of the last window on the sampling grid, so that the next one, which overlaps it, can
/// reuse results of common samples.
///
/// Cells of the grid are numbered without gaps. A cursor belongs to one analysis: it moves with
/// every window of that analysis, and is reset when the next window is of another stream.
package struct WindowCursor: Sendable {
  private var end: Int64?

  /// A cursor before the first window.
  package init() {}

  /// Moves to a window that ends before the cell `end`; nil when that isn't known.
  ///
  /// Returns the hop: the number of cells by which the window's end moved since the last window;
  /// nil when either end isn't known.
  package mutating func advance(to end: Int64?) -> Int? {
    defer { self.end = end }
    guard let end, let last = self.end else { return nil }
    return Int(end - last)
  }

  /// Resets to before the first window.
  package mutating func reset() { end = nil }
}
