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
      var part = LocomotionOutput()
      part.samples +=
        seconds[
          seconds.count * piece / pieces..<seconds.count * (piece + 1) / pieces]
      part.fixes += fixes[fixes.count * piece / pieces..<fixes.count * (piece + 1) / pieces]
      stream.append(part)
      samples += stream.takeSamples()
    }
    stream.finish()
    return (samples + stream.takeSamples(), stream.items)
  }

  private static func lagged(_ output: LocomotionOutput) -> [LocomotionSample] {
    var samples = output.samples
    Hindsight.lagCadences(of: &samples)
    return samples
  }

  private static func items(_ output: LocomotionOutput) -> [TimelineItem] {
    var samples = output.samples
    Hindsight.smooth(&samples, reports: output.fixes)
    return TimelineBuilder.items(of: samples)
  }

  @Test(arguments: [1, 40, 700])
  func cadencesAreThoseOfTheWholeRecording(pieces: Int) {
    let found = Self.stream(Self.day, portion: 1_800, reach: 600, pieces: pieces)
    #expect(found.samples == Self.lagged(Self.day))
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

  /// A walk of two hours is held whole: its cadences depend on each other.
  @Test func aWalkLongerThanAllowedIsCut() {
    let output = run(Scenario(seed: 32).walk(.minutes(30)).recording().batches(everySeconds: 60))
    var settings = HindsightStream.Settings()
    settings.longestWalk = 300
    var stream = HindsightStream(settings: settings)
    var counts: [Int] = []
    for sample in output.samples {
      var part = LocomotionOutput()
      part.samples.append(sample)
      stream.append(part)
      counts.append(stream.takeSamples().count)
    }
    stream.finish()
    #expect(counts.max() ?? 0 > 200 && counts.max() ?? 0 <= 301)
    #expect(counts.reduce(0, +) + stream.takeSamples().count == output.samples.count)
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
