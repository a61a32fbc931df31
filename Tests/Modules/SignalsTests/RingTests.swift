import LocomotionSignals
import TestSupport
import Testing

@Suite struct SampleRingTests {
  @Test func everyWindowHoldsTheNewestSamples() {
    withEveryLayout { ring, samples, layout in
      #expect(ring.capacity == layout.capacity, "\(layout)")
      #expect(ring.count == samples.count, "\(layout)")
      for length in 0...samples.count {
        #expect(ring.latest(length) == samples.suffix(length), "\(layout), length \(length)")
      }
    }
  }

  @Test func oneMoreSamplePushesOutTheOldest() {
    withEveryLayout { ring, samples, layout in
      var ring = ring
      var oracle = samples
      for index in 0..<2 * layout.capacity {
        let sample = RingLayout.sample(100 + index)
        ring.append(sample)
        oracle = (oracle + [sample]).suffix(layout.capacity)
        #expect(ring.samples == oracle, "\(layout), sample \(index)")
      }
    }
  }

  @Test func theArchiveDependsOnTheSamplesAlone() throws {
    try withEveryLayout { ring, samples, layout in
      var straight = SampleRing(capacity: layout.capacity)
      for sample in samples { straight.append(sample) }
      #expect(archived(ring) == archived(straight), "\(layout)")
      let copy = try restored(SampleRing(capacity: 1), from: ring)
      #expect(copy.capacity == ring.capacity && copy.samples == ring.samples, "\(layout)")
    }
  }

  @Test(arguments: [(0, 0), (-3, 0), (.max, 0), (1, 2)] as [(Int, Int)])
  func aDamagedArchiveIsRefused(capacity: Int, count: Int) {
    let samples = [SIMD4<Float>](repeating: SIMD4(1, 2, 3, 4), count: count)
    let bytes = archived(Int64(capacity)) + archived(samples)
    #expect(throws: DamagedArchive.self) { try restored(SampleRing(capacity: 4), from: bytes) }
  }

  @Test func anEmptiedRingHasNoOldSamples() {
    withEveryLayout { ring, _, layout in
      var ring = ring
      ring.removeAll()
      #expect(ring.count == 0, "\(layout)")
      #expect(archived(ring) == archived(SampleRing(capacity: layout.capacity)), "\(layout)")
      ring.append(RingLayout.sample(400))
      #expect(ring.samples == [RingLayout.sample(400)], "\(layout)")
    }
  }
}

/// One layout of a ring in its memory.
struct RingLayout: CustomStringConvertible {
  let capacity: Int
  /// The index of the first sample written.
  let start: Int
  let count: Int

  var description: String { "capacity \(capacity), start \(start), count \(count)" }

  static let all: [RingLayout] = [1, 2, 3, 5, 8, 13].flatMap { capacity in
    (0..<capacity).flatMap { start in
      (0...capacity).map { RingLayout(capacity: capacity, start: start, count: $0) }
    }
  }

  /// A ring in this layout, and its samples.
  func ring() -> (ring: SampleRing, samples: [SIMD4<Float>]) {
    var ring = SampleRing(capacity: capacity)
    for _ in 0..<start { ring.append(SIMD4(repeating: -1)) }
    ring.removeAll()
    let samples = (0..<count).map(RingLayout.sample)
    for sample in samples { ring.append(sample) }
    return (ring, samples)
  }

  /// A sample whose lanes are unique to its index.
  static func sample(_ index: Int) -> SIMD4<Float> {
    SIMD4(Float(index), Float(index) + 0.25, Float(index) + 0.5, Float(index) + 0.75)
  }
}

/// Calls `body` with a ring in every layout, its samples, and the layout's description.
func withEveryLayout(
  _ body: (_ ring: SampleRing, _ samples: [SIMD4<Float>], _ layout: RingLayout) throws -> Void
) rethrows {
  for layout in RingLayout.all {
    let (ring, samples) = layout.ring()
    try body(ring, samples, layout)
  }
}

extension SampleRing {
  /// The newest `length` samples, oldest first.
  func latest(_ length: Int) -> [SIMD4<Float>] {
    withLatest(length) { window in window.indices.map { window[$0] } }
  }

  /// All samples, oldest first.
  var samples: [SIMD4<Float>] { latest(count) }
}

@Suite struct ResampledWindowTests {
  /// Four seconds, a gap of five seconds, and four seconds.
  private static let samples =
    walk(hertz: 104, from: 3_000_000, seconds: 4)
    + walk(hertz: 104, from: 9_003_000_000, seconds: 4)

  private static let series = {
    var series = SensorBatch.Series()
    for sample in samples {
      let (value, time) = (sample.value, Timestamp(nanoseconds: sample.nanoseconds))
      series.append(x: value.x, y: value.y, z: value.z, at: time)
    }
    return series
  }()

  @Test func aWindowEndsBeforeTheGivenCell() {
    var grid = UniformResampler(capacity: 300)
    let (series, count) = (Self.series, 417)
    for index in 0..<count {
      _ = grid.take(
        x: series.x[index], y: series.y[index], z: series.z[index], at: series.timestamps[index])
    }
    let cells = Resampling(Array(Self.samples.prefix(count))).stretches[0].cells
    #expect(grid.count == 300)
    for beyond in [0, 1, 120, 299, 300] {
      let (end, held) = (grid.nextCell - Int64(beyond), cells.suffix(300).dropLast(beyond))
      #expect(grid.count(before: end) == held.count)
      for length in [0, 1, 150, 1_000] {
        let window = grid.withCells(before: end, atMost: length) { span in
          span.indices.map { span[$0] }
        }
        #expect(window == Array(held.suffix(length)))
      }
    }
    #expect(grid.count(before: grid.nextCell - 301) == 0)
    #expect(grid.count(before: grid.nextCell + 7) == 300)
  }

  @Test func aSeriesHasTheStretchesOfTheResampler() {
    var gridded = GriddedSeries()
    gridded.append(Self.series)
    let expected = Resampling(Self.samples).stretches
    #expect(gridded.stretches.count == 2)
    #expect(gridded.stretches.map(\.firstCell) == expected.map(\.firstCell))
    #expect(gridded.stretches.map(\.samples) == expected.map(\.cells))
  }
}
