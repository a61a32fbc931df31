/// The newest samples of a four-lane signal, always readable as one contiguous window.
///
/// Lane = channel: three axes and a fourth channel derived from them (usually the norm), so that
/// one vector instruction works on all channels of a sample.
///
/// Samples are written consecutively into memory a quarter larger than the capacity. At its end the
/// newest move to its beginning, so that they are always contiguous: a window is never copied and
/// never split.
///
/// - Complexity: `append` is O(1) per sample on average and allocates nothing; a copy of the ring
///   shares memory until either side changes.
public struct SampleRing: Sendable, StateArchivable {
  /// The number of samples that are kept.
  public let capacity: Int
  /// The number of samples that are held, at most ``capacity``.
  public private(set) var count = 0
  /// The index after the newest sample.
  private var end = 0
  private var storage: ContiguousArray<SIMD4<Float>>

  /// An empty ring.
  ///
  /// - Precondition: `capacity` is positive.
  public init(capacity: Int) {
    precondition(capacity > 0, "expected a positive capacity, got \(capacity)")
    self.capacity = capacity
    self.storage = ContiguousArray(repeating: .zero, count: capacity + (capacity + 3) / 4)
  }

  /// Adds one sample; the oldest leaves when the ring is full.
  public mutating func append(_ sample: SIMD4<Float>) {
    if end == storage.count { moveToFront(min(count, capacity - 1)) }
    storage[end] = sample
    end += 1
    count = min(count + 1, capacity)
  }

  /// Adds what `body` writes to the span that it is given, from the index that it is given on, as
  /// many samples as it returns.
  ///
  /// For many samples: uniqueness of the storage is checked once. There is room for at least
  /// `room`, which is at most a quarter of ``capacity``.
  mutating func append(room: Int, _ body: (inout MutableSpan<SIMD4<Float>>, Int) -> Int) {
    if storage.count - end < room { moveToFront(count) }
    let first = end
    var memory = storage.mutableSpan
    let added = body(&memory, first)
    end += added
    count = min(count + added, capacity)
  }

  /// Moves the newest `kept` samples to the beginning of the memory.
  private mutating func moveToFront(_ kept: Int) {
    let first = end - kept
    var span = storage.mutableSpan
    // Checked once here rather than for each sample.
    precondition(first >= 0 && first + kept <= span.count, "more samples than there is memory")
    for index in 0..<kept { span[index] = span[first &+ index] }
    end = kept
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
    return body(storage.span.extracting(end - length..<end))
  }

  /// The capacity and the held samples, oldest first.
  package mutating func pass(through archive: inout StateArchive) {
    var (capacity, samples) = (capacity, Array(storage[end - count..<end]))
    archive.pass(&capacity, in: 1...Self.largestArchivedCapacity)
    archive.pass(&samples)
    archive.require(samples.count <= capacity)
    guard archive.isReading, !archive.isDamaged else { return }
    if capacity != self.capacity { self = SampleRing(capacity: capacity) }
    removeAll()
    // Not by a span: on 32 bits that of an empty array of vectors traps in Swift 6.3, since the
    // storage that all empty arrays share isn't aligned for them.
    for sample in samples { append(sample) }
  }

  /// Bounds the memory that a damaged archive can request, 1 MB.
  private static let largestArchivedCapacity = 1 << 16
}
