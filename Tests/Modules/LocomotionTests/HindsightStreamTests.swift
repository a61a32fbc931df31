import Locomotion
import LocomotionSensing
import SensorSimulator
import TestSupport
import Testing

/// Hindsight of a recording while it comes depends on the recording alone.
struct HindsightStreamTests {
  /// A day of errands: eleven hours with stays, walks and rides, and no fix for half an hour.
  private static let day = Scenario(seed: 31).rest(.minutes(150)).walk(.minutes(12))
    .rest(.minutes(95)).drive(.minutes(35)).rest(.minutes(130)).walk(.minutes(25))
    .ride(.minutes(20)).rest(.minutes(200)).recording()

  /// What a pipeline says of the day in parts of so many seconds.
  private static func outputs(every seconds: Double) -> [LocomotionOutput] {
    var pipeline = LocomotionPipeline()
    var outputs = day.batches(everySeconds: seconds).map { pipeline.ingest($0) }
    var last = LocomotionOutput()
    pipeline.finish(into: &last)
    outputs.append(last)
    return outputs
  }

  private static let atOnce: (samples: [LocomotionSample], items: [TimelineItem]) = {
    var stream = HindsightStream()
    stream.append(run(day.batches(everySeconds: 600)))
    stream.finish()
    return (stream.takeSamples(), stream.items)
  }()

  @Test(arguments: [1.0, 47, 3_600, 20_000])
  func partsOfAnyLengthGiveTheSame(length: Double) {
    var stream = HindsightStream()
    var (samples, items): ([LocomotionSample], [TimelineItem]) = ([], [])
    for output in Self.outputs(every: length) {
      stream.append(output)
      samples += stream.takeSamples()
      items += stream.takeFinalItems()
    }
    stream.finish()
    #expect(samples + stream.takeSamples() == Self.atOnce.samples)
    #expect(items + stream.items == Self.atOnce.items)
    #expect(items.count > 3)
  }

  /// Restored states go on when they are told again what they held.
  @Test func aRestoredStreamGoesOnTheSame() throws {
    let outputs = Self.outputs(every: 300)
    var stream = HindsightStream()
    var items: [TimelineItem] = []
    for (index, output) in outputs.enumerated() {
      if index % 23 == 7 {
        stream = try restored(HindsightStream(), from: stream)
        let start = stream.restartTime ?? Timestamp(nanoseconds: .min)
        for earlier in outputs[..<index]
        where (earlier.samples.last.map { $0.end > start }) ?? false {
          stream.append(earlier)
        }
      }
      stream.append(output)
      items += stream.takeFinalItems()
    }
    stream.finish()
    #expect(items + stream.items == Self.atOnce.items)
  }

  @Test func smoothingAnArrayIsTheSame() {
    let samples = hindsight(of: Self.day.batches(everySeconds: 600))
    #expect(samples == Self.atOnce.samples)
    #expect(TimelineBuilder.items(of: samples) == Self.atOnce.items)
  }

  /// An hour of hindsight is what all of it is: places differ by less than 10⁻⁶ of a degree (a
  /// tenth of a metre), distances by less than a metre; times and names are equal.
  @Test func anHourOfHindsightIsAsGoodAsAll() throws {
    var settings = HindsightStream.Settings()
    (settings.reach, settings.portion) = (86_400, 86_400)
    var stream = HindsightStream(settings: settings)
    for output in Self.outputs(every: 600) { stream.append(output) }
    stream.finish()
    let (expected, found) = (stream.items, Self.atOnce.items)
    try #require(found.count == expected.count && expected.count >= 7)
    for (one, other) in zip(found, expected) {
      #expect(one.start == other.start && one.end == other.end)
      switch (one, other) {
      case (.stay(let one), .stay(let other)):
        let (a, b) = (try #require(one.location), try #require(other.location))
        #expect(abs(a.latitude - b.latitude) < 1e-6 && abs(a.longitude - b.longitude) < 1e-6)
      case (.trip(let one), .trip(let other)):
        #expect(one.legs.map(\.activity) == other.legs.map(\.activity))
        #expect(one.steps == other.steps)
        #expect(abs((one.distance ?? -1) - (other.distance ?? -1)) < 1)
      case (.gap, .gap): break
      default: Issue.record("\(one) is not \(other)")
      }
    }
  }

  @Test func aClockThatIsSetBackLosesNoSecond() {
    let later = run(
      Scenario(seed: 31).rest(.minutes(20)).recording().batches(everySeconds: 60))
    var (stream, count) = (HindsightStream(), 0)
    for output in Self.outputs(every: 600) + [later] {
      stream.append(output)
      count += output.samples.count
    }
    stream.finish()
    #expect(stream.takeSamples().count == count)
    #expect(stream.items.last?.end == later.samples.last?.end)
  }

  @Test func withoutSecondsThereIsNothing() {
    var stream = HindsightStream()
    stream.append(LocomotionOutput())
    stream.finish()
    #expect(stream.takeSamples().isEmpty && stream.items.isEmpty)
  }
}
