import Locomotion
import SensorSimulator
import Testing

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
    #expect(one.count == 60)
    #expect(await tracker.droppedSamples == 0)
  }

  @Test func itAnswersAsThePipelineDoes() async {
    let tracker = LocomotionTracker()
    var samples: [LocomotionSample] = []
    for batch in Self.batches { samples += await tracker.ingest(batch).samples }
    samples += await tracker.finish().samples
    #expect(samples == run(Self.batches).samples)
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
