/// Repeats a window that is not full, forwards, backwards, forwards … until it is.
///
/// The features of a time-reversed signal are similar, and no jump comes in where it turns.
struct MirroredWindow: Sendable {
  private var cells = ContiguousArray<SIMD4<Float>>(
    repeating: .zero, count: FeatureExtractor.windowLength)

  /// The full window made of `window`, in memory that ``putBack(_:)`` returns.
  ///
  /// - Precondition: `window` isn't empty.
  mutating func take(_ window: Span<SIMD4<Float>>) -> ContiguousArray<SIMD4<Float>> {
    var cells = cells
    self.cells = []  // So that `cells` is the only owner, and isn't copied.
    for index in cells.indices {
      let (turns, place) = index.quotientAndRemainder(dividingBy: window.count)
      cells[index] = window[turns.isMultiple(of: 2) ? place : window.count - 1 - place]
    }
    return cells
  }

  /// Returns the memory of the last ``take(_:)`` for the next.
  mutating func putBack(_ cells: ContiguousArray<SIMD4<Float>>) { self.cells = cells }
}
