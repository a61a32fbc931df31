/// The hashes of the latest values, at eight bytes each: at least `capacity` of them, and at most
/// an eighth more.
struct RecentKeys {
  /// Sorted chunks, the oldest first.
  private var chunks: [[UInt64]] = []
  private var newest: Set<UInt64> = []
  private let chunkSize: Int
  private static let chunkCount = 8

  init(capacity: Int) {
    chunkSize = max(1, (capacity + Self.chunkCount - 1) / Self.chunkCount)
  }

  func contains(_ key: UInt64) -> Bool {
    newest.contains(key) || chunks.contains { Self.contains(key, in: $0) }
  }

  mutating func insert(_ key: UInt64) {
    newest.insert(key)
    guard newest.count == chunkSize else { return }
    chunks.append(newest.sorted())
    newest.removeAll(keepingCapacity: true)
    if chunks.count > Self.chunkCount { chunks.removeFirst() }
  }

  private static func contains(_ key: UInt64, in sorted: [UInt64]) -> Bool {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count && sorted[low] == key
  }
}
