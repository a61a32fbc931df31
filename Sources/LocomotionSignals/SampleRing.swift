/// The newest samples of a four-lane signal, always readable as one contiguous window.
///
/// Lane = channel: three axes and a fourth channel derived from them (usually the norm), so that
/// one vector instruction works on all channels of a sample.
///
/// Every sample is written twice, at `slot` and `slot + capacity`. Whatever the write position is,
/// the newest n ≤ capacity samples end at `slot + capacity` and lie side by side: a window is
/// never copied and never split.
///
/// - Complexity: `append` is O(1) per sample and allocates nothing; a copy of the ring shares
///   memory until either side changes.
public struct SampleRing: Sendable, Hashable, Codable {
  /// The number of samples that are kept.
  public let capacity: Int
  /// The number of samples that are held, at most ``capacity``.
  public private(set) var count = 0
  /// Where the next sample goes, 0 ..< capacity.
  private var slot = 0
  private var storage: [SIMD4<Float>]

  /// An empty ring.
  ///
  /// - Precondition: `capacity` is positive.
  public init(capacity: Int) {
    precondition(capacity > 0, "expected a positive capacity, got \(capacity)")
    self.capacity = capacity
    self.storage = Array(repeating: .zero, count: 2 * capacity)
  }

  /// Adds one sample; the oldest leaves when the ring is full.
  public mutating func append(_ sample: SIMD4<Float>) {
    let (slot, copy) = (slot, slot + capacity)
    var span = storage.mutableSpan
    span[slot] = sample
    span[copy] = sample
    self.slot = slot + 1 == capacity ? 0 : slot + 1
    count = min(count + 1, capacity)
  }

  /// Adds samples in order; of a batch longer than the ring only the newest stay.
  public mutating func append(contentsOf samples: Span<SIMD4<Float>>) {
    for index in max(0, samples.count - capacity)..<samples.count {
      append(samples[index])
    }
  }

  /// Removes every sample and keeps the memory.
  public mutating func removeAll() {
    count = 0
  }

  /// Calls `body` with the newest `length` samples, oldest first.
  ///
  /// - Precondition: 0 ≤ `length` ≤ ``count``.
  public func withLatest<Result>(
    _ length: Int, _ body: (Span<SIMD4<Float>>) -> Result
  ) -> Result {
    precondition(
      length >= 0 && length <= count, "expected at most \(count) samples, got \(length)")
    let end = slot + capacity
    return body(storage.span.extracting(end - length..<end))
  }

  /// Whether both rings have the same capacity and hold the same samples.
  public static func == (lhs: SampleRing, rhs: SampleRing) -> Bool {
    guard lhs.capacity == rhs.capacity, lhs.count == rhs.count else { return false }
    return (1..<(lhs.count + 1)).allSatisfy {
      lhs.storage[lhs.slot + lhs.capacity - $0] == rhs.storage[rhs.slot + rhs.capacity - $0]
    }
  }

  /// Restores a ring from its capacity and its samples.
  ///
  /// Throws `DecodingError.dataCorrupted` when they do not fit together.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let capacity = try container.decode(Int.self, forKey: .capacity)
    let samples = try container.decode([SIMD4<Float>].self, forKey: .samples)
    guard capacity > 0, capacity <= Self.largestStoredCapacity, samples.count <= capacity else {
      throw DecodingError.dataCorruptedError(
        forKey: .capacity, in: container,
        debugDescription: "\(samples.count) samples for a capacity of \(capacity)")
    }
    self.init(capacity: capacity)
    append(contentsOf: samples.span)
  }

  /// Stores the capacity and the held samples, oldest first.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(capacity, forKey: .capacity)
    let end = slot + capacity
    try container.encode(Array(storage[end - count..<end]), forKey: .samples)
  }

  private enum CodingKeys: CodingKey { case capacity, samples }

  /// Keeps a damaged file from asking for all memory; 46 hours at 100 Hz.
  private static let largestStoredCapacity = 1 << 24

  /// Feeds the held samples, oldest first, to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(capacity)
    for index in (slot + capacity - count)..<(slot + capacity) {
      hasher.combine(storage[index])
    }
  }
}
