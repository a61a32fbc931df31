import Locomotion
import SensorSimulator
import TestSupport
import Testing

@Suite struct StretchCollectorTests {
  private func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64(1_000e9) + Int64(seconds * 1e9))
  }

  /// A walk-like signal at 100 Hz, `seconds` long, without the samples of `hole`.
  private func batch(_ seconds: Int, hole: Range<Int> = 0..<0) -> SensorBatch {
    var random = SplitMix64(seed: 1)
    var batch = SensorBatch()
    for index in 0..<seconds * 100 {
      let swing = index % 50 < 25 ? 2.0 : -2.0
      let noise = random.nextNormal() * 0.3
      guard !hole.contains(index) else { continue }
      batch.append(
        Acceleration(x: Float(noise), y: 0.5, z: Float(9.8 + swing)), at: time(Double(index) / 100))
    }
    return batch
  }

  @Test func windowsLieInsideTheStretch() {
    let (start, end) = (time(20), time(80))
    var collector = StretchCollector(from: start, to: end)
    collector.ingest(batch(100))
    let windows = collector.finish()
    #expect(windows.count == LabelledStretch.mostWindows)
    for window in windows {
      #expect(window.start >= start && window.end <= end)
      #expect(window.end.nanoseconds(since: window.start) == 3_840_000_000)
      #expect(window.features.count == FeatureExtractor.schema.count)
    }
    for (window, next) in zip(windows, windows.dropFirst()) { #expect(window.end < next.end) }
  }

  @Test func aStretchShorterThanAWindowHasNone() {
    var collector = StretchCollector(from: time(20), to: time(23))
    collector.ingest(batch(60))
    #expect(collector.finish().isEmpty)
  }

  @Test func windowsWithAHoleAreLeftOut() {
    var collector = StretchCollector(from: time(20), to: time(60))
    collector.ingest(batch(100, hole: 3_000..<3_700))
    let windows = collector.finish()
    #expect(!windows.isEmpty)
    for window in windows { #expect(window.end <= time(30) || window.start >= time(37)) }
  }

  @Test func anyChunkingGivesTheSame() {
    let whole = batch(60)
    var one = StretchCollector(from: time(5), to: time(55))
    one.ingest(whole)
    var many = StretchCollector(from: time(5), to: time(55))
    for part in cut(events(of: whole), seed: 1, largest: 37) { many.ingest(part) }
    #expect(one.finish() == many.finish())
  }
}

/// The actor around the pipeline: its own streams, bounded, with a count of what they lost.
@Suite struct TrackerTests {
  private static let batches = Array(
    Scenario(seed: 5).walk(.seconds(60)).recording().batches(everySeconds: 5))

  @Test func everySubscriberGetsEverySample() async {
    let tracker = LocomotionTracker()
    let (first, second) = (await tracker.samples(), await tracker.samples())
    var expected: [LocomotionSample] = []
    for batch in Self.batches { expected += await tracker.ingest(batch).samples }
    expected += await tracker.finish().samples
    var (one, two): ([LocomotionSample], [LocomotionSample]) = ([], [])
    for await sample in first { one.append(sample) }
    for await sample in second { two.append(sample) }
    #expect(one == expected)
    #expect(two == expected)
    #expect(one.count == 60 && one == run(Self.batches).samples)
    #expect(await tracker.droppedSamples == 0)
  }

  @Test func aSlowSubscriberLosesTheOldestAndTheLossIsCounted() async {
    let tracker = LocomotionTracker()
    let stream = await tracker.samples(bufferingNewest: 10)
    var all: [LocomotionSample] = []
    for batch in Self.batches { all += await tracker.ingest(batch).samples }
    all += await tracker.finish().samples
    var received: [LocomotionSample] = []
    for await sample in stream { received.append(sample) }
    #expect(received == Array(all.suffix(10)))
    #expect(await tracker.droppedSamples == all.count - 10)
  }

  @Test func aSubscriberThatLeavesDoesNotEndTheOthers() async {
    let tracker = LocomotionTracker()
    let staying = await tracker.samples()
    do {
      let leaving = await tracker.samples()
      _ = leaving
    }
    var count = 0
    for batch in Self.batches { count += await tracker.ingest(batch).samples.count }
    count += await tracker.finish().samples.count
    var received = 0
    for await _ in staying { received += 1 }
    #expect(received == count)
  }

  @Test func itGoesOnFromARestoredPipeline() async {
    var pipeline = LocomotionPipeline()
    var output = LocomotionOutput()
    for batch in Self.batches.prefix(6) { pipeline.ingest(batch, into: &output) }
    let tracker = LocomotionTracker(pipeline: pipeline)
    for batch in Self.batches.dropFirst(6) { output.samples += await tracker.ingest(batch).samples }
    output.samples += await tracker.finish().samples
    #expect(output.samples == run(Self.batches).samples)
  }
}
