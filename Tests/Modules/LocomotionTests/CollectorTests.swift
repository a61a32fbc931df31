import Locomotion
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
