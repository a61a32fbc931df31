import Locomotion
import LocomotionSensing
import SensorSimulator
import TestSupport
import Testing

/// Hindsight part by part gives what hindsight of the whole recording gives.
struct HindsightStreamTests {
  /// A day of errands: eleven hours with stays, walks and rides, and no fix for half an hour.
  private static let day = run(
    Scenario(seed: 31).rest(.minutes(150)).walk(.minutes(12)).rest(.minutes(95))
      .drive(.minutes(35)).rest(.minutes(130)).walk(.minutes(25)).ride(.minutes(20))
      .rest(.minutes(200)).recording().batches(everySeconds: 600))

  private static func stream(
    _ output: LocomotionOutput, portion: Int, reach: Double, pieces: Int
  ) -> (samples: [LocomotionSample], items: [TimelineItem]) {
    var settings = HindsightStream.Settings()
    (settings.portion, settings.fixesOfPortion) = (portion, portion)
    (settings.reach, settings.shortestReach) = (reach, min(reach, settings.shortestReach))
    var stream = HindsightStream(settings: settings)
    var samples: [LocomotionSample] = []
    let (seconds, fixes) = (output.samples, output.fixes)
    for piece in 0..<pieces {
      func range(_ count: Int) -> Range<Int> {
        count * piece / pieces..<count * (piece + 1) / pieces
      }
      var part = LocomotionOutput()
      part.samples += seconds[range(seconds.count)]
      part.fixes += fixes[range(fixes.count)]
      stream.append(part)
      samples += stream.takeSamples()
    }
    stream.finish()
    return (samples + stream.takeSamples(), stream.items)
  }

  /// The live samples with the cadences and steps of the whole recording.
  private static func counted(_ output: LocomotionOutput) -> [LocomotionSample] {
    var samples = output.samples
    Hindsight.smooth(&samples, reports: output.fixes)
    return zip(output.samples, samples).map { live, later in
      var sample = live
      (sample.cadence, sample.steps) = (later.cadence, later.steps)
      return sample
    }
  }

  private static func items(_ output: LocomotionOutput) -> [TimelineItem] {
    var samples = output.samples
    Hindsight.smooth(&samples, reports: output.fixes)
    return TimelineBuilder.items(of: samples)
  }

  @Test(arguments: [1, 40, 700])
  func cadencesAndStepsAreThoseOfTheWholeRecording(pieces: Int) {
    let found = Self.stream(Self.day, portion: 1_800, reach: 600, pieces: pieces)
    #expect(found.samples == Self.counted(Self.day))
  }

  @Test func oneLongPortionIsTheWholeRecording() {
    let found = Self.stream(Self.day, portion: 1_000_000, reach: 600, pieces: 11)
    #expect(found.items == Self.items(Self.day))
  }

  /// After four hours of fixes every second the places differ by less than 10⁻⁹ of a degree (a
  /// tenth of a millimetre), the distances by less than a millimetre; all else is equal.
  @Test(arguments: [900, 3_600])
  func itemsOfPartsAreThoseOfTheWhole(portion: Int) throws {
    let found = Self.stream(Self.day, portion: portion, reach: 14_400, pieces: 300).items
    let expected = Self.items(Self.day)
    try #require(found.count == expected.count && expected.count >= 7)
    for (one, other) in zip(found, expected) {
      #expect(one.start == other.start && one.end == other.end)
      switch (one, other) {
      case (.stay(let one), .stay(let other)):
        let (a, b) = (try #require(one.location), try #require(other.location))
        #expect(abs(a.latitude - b.latitude) < 1e-9 && abs(a.longitude - b.longitude) < 1e-9)
      case (.trip(let one), .trip(let other)):
        #expect(one.legs.map(\.activity) == other.legs.map(\.activity))
        #expect(one.steps == other.steps)
        #expect(abs((one.distance ?? -1) - (other.distance ?? -1)) < 0.001)
      case (.gap, .gap): break
      default: Issue.record("\(one) is not \(other)")
      }
    }
  }

  @Test func aClockThatIsSetBackLosesNoSecond() {
    var output = Self.day
    let later = run(
      Scenario(seed: 31).rest(.minutes(20)).recording().batches(everySeconds: 60))
    output.samples += later.samples
    output.fixes += later.fixes
    let found = Self.stream(output, portion: 1_800, reach: 600, pieces: 50)
    #expect(found.samples.count == output.samples.count)
    let end = output.samples.last.map { $0.end }
    #expect(found.items.last.map { $0.end } == end)
  }

  @Test func withoutSecondsThereIsNothing() {
    var stream = HindsightStream()
    stream.append(LocomotionOutput())
    stream.finish()
    #expect(stream.takeSamples().isEmpty && stream.items.isEmpty)
  }
}
