import Locomotion
import LocomotionSensing
import TestSupport
import Testing

/// Totals of parts of a timeline add up to those of the whole.
@Suite struct TotalsTests {
  /// Rest with steps about the place, walks, a ride, and time without a sample.
  private static let script = TimelineScript().with(\.altitude, 400).rest(1_200)
    .move(40, speed: 0.5, .walking, steps: 1.4)
    .move(40, speed: 0.5, .walking, course: [-1, 0], steps: 1.4)
    .rest(1_800).walk(900).drive(600).walk(120).rest(2_400)
    .silence(200_000).with(\.position, [60_000, 0]).rest(1_200)

  @Test(arguments: TimelineScript.Sensors.allCases)
  func stepsOfStaysAndTripsAreThoseOfTheSamples(sensors: TimelineScript.Sensors) throws {
    let script = TimelineScript(sensors).rest(1_200)
      .move(40, speed: 0.5, .walking, steps: 1.4).rest(1_800).walk(900).rest(2_400)
    let items = script.items()
    let totals = Totals(
      of: items, from: try #require(items.first).start, to: try #require(items.last).end)
    let steps = script.samples.reduce(0) { $0 + Double($1.steps) }
    #expect(abs(totals.known.steps - steps) < 0.05)
    if sensors != .location { #expect(totals[.stay].steps > 50 && totals.travel.steps > 1_500) }
  }

  @Test func theSumOfPartsIsTheTotalOfTheWhole() throws {
    let items = Self.script.items()
    let (start, end) = (try #require(items.first).start, try #require(items.last).end)
    let whole = Totals(of: items, from: start, to: end)
    #expect(whole.stays >= 3 && whole.trips >= 1 && whole[.gap].seconds > 40_000)
    var random = SplitMix64(seed: 3)
    for _ in 0..<50 {
      let length = UInt64(end.nanoseconds(since: start))
      let cuts = (0..<6).map { _ in
        start.advanced(byNanoseconds: Int64(random.next() % length))
      }.sorted()
      let edges = [start] + cuts + [end]
      let parts = zip(edges, edges.dropFirst()).map { from, to in
        Totals(of: items.compactMap { $0.cut(from: from, to: to) }, from: from, to: to)
      }
      let sum = try #require(Totals.sum(parts))
      #expect((sum.stays, sum.trips) == (whole.stays, whole.trips))
      #expect(sum.start == start && sum.end == end && abs(sum.seconds - whole.seconds) < 1e-6)
      #expect(sum.parts.keys == whole.parts.keys)
      for (kind, part) in whole.parts {
        let other = sum[kind]
        #expect(abs(other.seconds - part.seconds) < 1e-6 && abs(other.steps - part.steps) < 1e-6)
        #expect(abs((other.distance ?? -1) - (part.distance ?? -1)) < 1e-6)
        #expect(abs(other.distanceVariance - part.distanceVariance) < 1e-6)
        #expect(
          abs((other.altitudeChange?.climb ?? -1) - (part.altitudeChange?.climb ?? -1)) < 1e-6)
      }
    }
  }

  @Test func withoutItemsNothingIsKnown() {
    let (start, end) = (Timestamp(nanoseconds: 0), Timestamp(nanoseconds: 60_000_000_000))
    let totals = Totals(of: [], from: start, to: end)
    #expect(totals.unknownSeconds == 60 && totals.known == Totals.Part())
    #expect(Totals.sum([]) == nil)
  }
}
