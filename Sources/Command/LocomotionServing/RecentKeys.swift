internal import LocomotionSensing

/// The hashes of the latest values, at eight bytes each: at least `capacity` of them, and at most
/// an eighth more.
package struct RecentKeys {
  /// Sorted chunks, the oldest first.
  private var chunks: [[UInt64]] = []
  private var newest: Set<UInt64> = []
  private let chunkSize: Int
  private static let chunkCount = 8

  package init(capacity: Int) {
    chunkSize = max(1, (capacity + Self.chunkCount - 1) / Self.chunkCount)
  }

  package func contains(_ key: UInt64) -> Bool {
    newest.contains(key) || chunks.contains { Self.contains(key, in: $0) }
  }

  package mutating func insert(_ key: UInt64) {
    newest.insert(key)
    guard newest.count == chunkSize else { return }
    chunks.append(newest.sorted())
    newest.removeAll(keepingCapacity: true)
    if chunks.count > Self.chunkCount { chunks.removeFirst() }
  }

  private static func contains(_ key: UInt64, in sorted: [UInt64]) -> Bool {
    let index = sorted.partitioningIndex { $0 >= key }
    return index < sorted.count && sorted[index] == key
  }
}
