/// One sensor on the uniform grid: its resampler and the newest cells, of which windows are cut.
package struct WindowGrid: Sendable, Hashable {
  private var resampler: UniformResampler
  private var ring: SampleRing

  /// A grid without cells that holds up to `capacity` of them.
  package init(settings: UniformResampler.Settings = .init(), capacity: Int = 1024) {
    resampler = UniformResampler(settings: settings)
    ring = SampleRing(capacity: capacity)
  }

  /// The counts of the samples so far.
  package var counts: IntakeCounts { resampler.counts }
  /// When the held first sample of a new stretch was taken.
  package var heldTimestamp: Timestamp? { resampler.heldTimestamp }

  /// Cells that can be held; when set, those that are held are forgotten.
  package var capacity: Int {
    get { ring.capacity }
    set { ring = SampleRing(capacity: newValue) }
  }

  /// The first cell that isn't complete.
  package var end: Int64 { resampler.nextCell }
  /// The number of cells that are held, all just before ``end``.
  package var count: Int { ring.count }

  /// The number of cells that are held before the cell `end`.
  package func count(before end: Int64) -> Int {
    Int(max(0, Int64(ring.count) - max(0, resampler.nextCell - end)))
  }

  /// Calls `body` with the newest cells before the cell `end`, as many as are held up to `length`.
  package func withCells<Result>(
    before end: Int64, atMost length: Int, _ body: (Span<SIMD4<Float>>) -> Result
  ) -> Result {
    let available = count(before: end)
    let count = min(length, available)
    return ring.withLatest(count + ring.count - available) { body($0.extracting(first: count)) }
  }

  // MARK: Samples

  /// Validates one sample and counts it: see `UniformResampler.validate(x:y:z:at:)`.
  package mutating func validate(
    x: Float, y: Float, z: Float, at timestamp: Timestamp
  ) -> UniformResampler.Verdict {
    resampler.validate(x: x, y: y, z: z, at: timestamp)
  }

  /// Begins a new stretch at the held sample.
  package mutating func beginStretch() { resampler.beginStretch(in: &ring) }

  /// Fills the gap before the held sample, and returns the cells that are filled.
  package mutating func bridge() -> Range<Int64> { resampler.bridge(in: &ring) }

  /// Adds the cells that end at or before `timestamp`, the time of the sample.
  package mutating func append(x: Float, y: Float, z: Float, at timestamp: Timestamp) {
    resampler.append(x: x, y: y, z: z, at: timestamp, to: &ring)
  }

  /// Adds the cells of the samples of `series` from `first` on, for as long as each continues the
  /// one before it and is earlier than `limit`; returns the number of those samples.
  package mutating func appendRun(
    of series: SensorBatch.Series, from first: Int, before limit: Timestamp
  ) -> Int {
    let range = first..<series.count
    return resampler.appendRun(
      x: series.x[range].span, y: series.y[range].span, z: series.z[range].span,
      at: series.timestamps[range].span, before: limit, to: &ring)
  }

  /// Validates a sample and, when it is used, adds the cells that it completes.
  package mutating func take(
    x: Float, y: Float, z: Float, at timestamp: Timestamp
  ) -> UniformResampler.Verdict {
    resampler.resample(x: x, y: y, z: z, at: timestamp, into: &ring)
  }

  /// Drops the cells and keeps the counts.
  package mutating func reset() {
    resampler.reset()
    ring.removeAll()
  }
}

extension WindowGrid: StateArchivable {
  /// All but the settings, which are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&resampler, &ring)
  }
}

/// The end of the last window on the sampling grid, so that the next one, which overlaps it, can
/// reuse results of common samples.
///
/// Cells of the grid are numbered without gaps. A cursor belongs to one analysis: it moves with
/// every window of that analysis, and is reset when the next window is of another stream.
package struct WindowCursor: Sendable, Hashable {
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
