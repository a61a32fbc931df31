/// The windows of many epochs, which a replay analyses on other threads.
///
/// Windows overlap by five sixths: of each epoch only the cells that the one before lacks are
/// kept.
package struct WindowLog: WindowProcessor, Sendable {
  /// An epoch and where its windows are.
  package struct Entry: Sendable {
    /// The epoch.
    package var epoch: EpochContext
    /// The place of its sample among those of the pipeline's output.
    package var sample: Int
    fileprivate var window: Range<Int>
    fileprivate var rotation: Range<Int>
  }

  /// The epochs, in order.
  package private(set) var entries: [Entry] = []
  private var cells: ContiguousArray<SIMD4<Float>> = []
  private var rates: ContiguousArray<SIMD4<Float>> = []

  /// An empty log, with room for as much as another one.
  package init(asLongAs other: WindowLog? = nil) {
    guard let other else { return }
    entries.reserveCapacity(other.entries.count)
    cells.reserveCapacity(other.cells.count)
    rates.reserveCapacity(other.rates.count)
  }

  /// Calls `body` with the windows of accelerations and rotation rates of an epoch.
  func withWindows<Result>(
    of entry: Entry, _ body: (Span<SIMD4<Float>>, Span<SIMD4<Float>>) -> Result
  ) -> Result {
    body(cells.span.extracting(entry.window), rates.span.extracting(entry.rotation))
  }

  /// Adds the windows of an epoch.
  package mutating func process(
    _ epoch: EpochContext, ofSample number: Int, accelerations: Span<SIMD4<Float>>,
    rotation: Span<SIMD4<Float>>, into sample: inout LocomotionSample
  ) {
    let length = accelerations.count
    var missing = length
    if let last = entries.last?.epoch, !epoch.beginsStretch {
      missing = Int(min(epoch.end - last.end, Int64(length)))
    }
    for index in length - missing..<length { cells.append(accelerations[index]) }
    let firstRate = rates.count
    for index in rotation.indices { rates.append(rotation[index]) }
    entries.append(
      Entry(
        epoch: epoch, sample: number, window: cells.count - length..<cells.count,
        rotation: firstRate..<rates.count))
  }
}
