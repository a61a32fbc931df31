internal import LocomotionSignals

/// The windows of many seconds, which a replay analyzes away from the pipeline.
///
/// Windows overlap by five sixths: of each second only the cells that the one before lacks are
/// kept.
package struct WindowLog: Sendable {
  /// A second and where its windows are.
  package struct Entry: Sendable {
    /// The second.
    package var second: WindowSecond
    /// The place of its sample among those of the pipeline's output.
    package var sample: Int
    fileprivate var window: Range<Int>
    fileprivate var rotation: Range<Int>
  }

  /// The seconds, in order.
  package private(set) var entries: [Entry] = []
  private var cells: [SIMD4<Float>] = []
  private var rates: [SIMD4<Float>] = []

  /// An empty log.
  package init() {}

  /// Removes all seconds and keeps the memory.
  package mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    rates.removeAll(keepingCapacity: true)
  }

  /// Calls `body` with the windows of accelerations and rotation rates of a second.
  package func withWindows<Result>(
    of entry: Entry, _ body: (Span<SIMD4<Float>>, Span<SIMD4<Float>>) -> Result
  ) -> Result {
    body(cells.span.extracting(entry.window), rates.span.extracting(entry.rotation))
  }

  /// Adds a second whose windows end before the newest `beyond` cells of `ring`.
  mutating func append(
    _ second: WindowSecond, ofSample sample: Int, from ring: SampleRing, available: Int,
    beyond: Int, _ rotation: RotationGrid
  ) {
    let length = min(WindowStages.longestWindow, available)
    var missing = length
    if let last = entries.last?.second, !second.beginsStretch {
      missing = Int(min(second.end - last.end, Int64(length)))
    }
    ring.withLatest(missing + beyond) { newest in
      for index in 0..<missing { cells.append(newest[index]) }
    }
    let firstRate = rates.count
    rotation.withWindow(before: second.end) { window in
      for index in window.indices { rates.append(window[index]) }
    }
    entries.append(
      Entry(
        second: second, sample: sample, window: cells.count - length..<cells.count,
        rotation: firstRate..<rates.count))
  }
}
