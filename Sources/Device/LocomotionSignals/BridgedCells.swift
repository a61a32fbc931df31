/// Which of the newest cells of a grid were filled and not observed.
package struct BridgedCells: Sendable, StateArchivable {
  private var ranges: [Range<Int64>] = []

  /// More than there can be in a window: a gap is longer than a quarter of a second.
  private static let capacity = 48

  /// No gap so far.
  package init() { ranges.reserveCapacity(Self.capacity) }

  /// Adds the cells of a gap, which are newer than all others.
  package mutating func append(_ cells: Range<Int64>) {
    if ranges.count == Self.capacity { ranges.removeFirst() }
    ranges.append(cells)
  }

  /// Forgets all gaps.
  package mutating func removeAll() { ranges.removeAll(keepingCapacity: true) }

  /// The number of filled cells among `cells`.
  package func count(in cells: Range<Int64>) -> Int {
    ranges.reduce(0) { $0 + $1.clamped(to: cells).count }
  }

  /// Whether `cell` was filled.
  package func contains(_ cell: Int64) -> Bool {
    ranges.contains { $0.contains(cell) }
  }

  package mutating func pass(through archive: inout StateArchive) {
    var bounds = ranges.map { SIMD2($0.lowerBound, $0.upperBound) }
    archive.pass(&bounds)
    archive.require(bounds.count <= Self.capacity && bounds.allSatisfy { $0.x <= $0.y })
    guard archive.isReading, !archive.isDamaged else { return }
    removeAll()
    for cells in bounds { append(cells.x..<cells.y) }
  }
}
