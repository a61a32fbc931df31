import Foundation
import Locomotion
import LocomotionRecordings
import TestSupport
import Testing

struct TimelineFinalityTests {
  /// The items tile the time at any moment; whatever follows, what was final stays as it was, and
  /// asking for it changes nothing.
  @Test(arguments: TimelineStreamTests.seeds, TimelineScript.Sensors.allCases)
  func whatIsFinalNeverChanges(seed: UInt64, sensors: TimelineScript.Sensors) throws {
    let script = TimelineStreamTests.chaos(seed: seed, sensors: sensors, pieces: 60)
    let first = try #require(script.samples.first)
    var builder = TimelineBuilder()
    var final: [TimelineItem] = []
    for (index, sample) in script.samples.enumerated() {
      builder.append(sample)
      guard index % 370 == 0 else { continue }
      let items = builder.items()
      TimelineStreamTests.expectTiling(items, from: first.start, to: sample.end, seed: seed)
      let changed = zip(items, final).first { $0 != $1 }
      #expect(changed == nil && items.count >= final.count, "seed \(seed), sample \(index)")
      guard let end = builder.finalEnd() else {
        #expect(final.isEmpty)
        continue
      }
      #expect(end <= sample.end)
      #expect(items.contains { $0.end == end }, "seed \(seed), sample \(index)")
      final = items.filter { $0.end <= end }
    }
    #expect(builder.items() == script.items(), "seed \(seed)")
  }

  @Test func aTripIsFinalSomeMinutesAfterItsEnd() throws {
    var script = TimelineScript().rest(3_600).walk(900).rest(290)
    func end() -> Timestamp? {
      var builder = TimelineBuilder()
      for sample in script.samples { builder.append(sample) }
      return builder.finalEnd()
    }
    #expect(end() == nil)
    script = script.rest(200)
    #expect(end() == Timestamp.at(4_500))
  }

  @Test func anErrandMayStillJoinTheStayUntilItIsTooLong() throws {
    let script = TimelineScript().rest(3_600).walk(60).rest(400)
    var builder = TimelineBuilder()
    for sample in script.samples { builder.append(sample) }
    // Next door: whoever comes back soon has never left.
    #expect(builder.finalEnd() == nil)
  }

  @Test func aClockThatWasSetBackStartsAnEpoch() throws {
    let script = TimelineScript().rest(600).walk(600)
    var builder = TimelineBuilder()
    for sample in script.samples { builder.append(sample) }
    let before = builder.items()
    // The same again, half an hour earlier: the first sample waits for the second.
    let back = script.samples.map { sample in
      var sample = sample
      sample.start = sample.start.advanced(byNanoseconds: -1_800_000_000_000)
      sample.end = sample.end.advanced(byNanoseconds: -1_800_000_000_000)
      return sample
    }
    builder.append(back[0])
    #expect(builder.items() == before)
    for sample in back.dropFirst() { builder.append(sample) }
    #expect(builder.rejectedSamples == 0)
    let items = builder.items()
    #expect(Array(items.prefix(before.count)) == before)
    #expect(items.map(\.duration) == before.map(\.duration) + before.map(\.duration))
    #expect(items.dropFirst(before.count).first?.start == back[0].start)
    #expect(builder.finalEnd() == nil)
  }

  @Test(arguments: [30.0, 200, 7_168].map { $0 * 86_400 })
  func monthsOfSilenceAreAGap(seconds: Double) throws {
    let script = TimelineScript().rest(600).silence(Int(seconds)).rest(600)
    let items = script.items()
    #expect(items.count == 3)
    let isGap = if case .gap = items[1] { true } else { false }
    #expect(isGap && items[1].duration == seconds, "\(items)")
  }
}

/// What is stored of the probabilities of modes is what was said of them.
@Suite struct ModeProbabilityTests {
  @Test func storedProbabilitiesAreReadAsTheyWere() throws {
    var random = SplitMix64(seed: 11)
    for round in 0..<2_000 {
      let power = Float(round % 8)
      var weights: [Float] = []
      for _ in Activity.allCases {
        let uniform = Float(random.next() >> 40) / Float(1 << 24)
        weights.append((0..<Int(power)).reduce(1) { product, _ in product * uniform })
      }
      let exact = ActivityProbabilities(weights: { $0 == .stationary ? 0 : weights[$0.rawValue] })
      let stored = try #require(ActivityProbabilities(modeBits: exact.modeBits))
      #expect(stored.modeBits == exact.modeBits)
      for mode in Activity.allCases {
        #expect(abs(stored[mode] - exact[mode]) < 0.017, "\(exact)")
      }
      #expect(stored[.stationary] == 0)
    }
  }

  @Test func twoLegsAsOneHaveTheMeanOfTheirProbabilities() {
    for item in TimelineScript().rest(1_200).walk(900).rest(1_200).items() {
      guard case .trip(let trip) = item, let leg = trip.legs.first else { continue }
      var sum = leg
      sum.extend(by: leg)
      #expect(sum.modes == leg.modes && leg.probability ?? 0 > 0.5)
      var corrected = leg
      corrected.isCorrected = true
      #expect(corrected.probability == nil)
    }
  }
}

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

/// Walks into two buildings that end on a known floor, with a barometer and fixes alone, and hikes
/// of the fixes of a watch.
struct ClimbRecordingTests {
  @Test(
    .enabled(
      if: TestFiles.datasets != nil, "the data sets are not here: set LOCOMOTION_DATASETS"))
  func climbsIndoorsAreTold() throws {
    let folder = try #require(TestFiles.datasets).appendingPathComponent("floors")
    let lines = try String(
      contentsOf: folder.appendingPathComponent("climbs.csv"), encoding: .utf8
    ).split(separator: "\n").dropFirst()
    #expect(lines.count == 24)
    var right = 0
    for line in lines {
      let fields = line.split(separator: ",")
      let metres = try #require(Double(fields[3]))
      let told = try climb(of: folder.appendingPathComponent("\(fields[0]).csv.gz").path)
      right += abs(told - metres) <= max(2, 0.08 * metres) ? 1 : 0
    }
    #expect(right >= 22, "\(right) of 24")
  }

  /// A watch gives times, positions and altitudes, rounded to 0.2 m, without any accuracy.
  @Test(arguments: [1, 5, 10, 30]) func aHikeOfAWatchIsToldAtAnyRate(step: Int) throws {
    // GIVEN a straight walk over six hills of 50 m in an hour
    var random = SplitMix64(seed: 7)
    var batch = SensorBatch()
    for second in stride(from: 0, through: 3_600, by: step) {
      let altitude = 325 - 25 * cos(Double(second) / 600 * 2 * Double.pi)
      batch.fixes.append(
        LocationFix(
          timestamp: .at(1_700_000_000 + second),
          latitude: 48 + 1.4 * Double(second) / 111_200, longitude: 11,
          altitude: ((altitude + 0.2 * random.nextNormal()) * 5).rounded() / 5))
    }
    // WHEN the timeline is made of them
    let items = TimelineBuilder.items(of: run([batch]).samples)
    // THEN it tells the way up and down, and between which altitudes
    let change = try #require(altitudeChange(of: items))
    #expect(abs(change.climb - 300) < min(30, change.climbDeviation), "\(change.climb)")
    #expect(abs(change.descent - 300) < min(30, change.descentDeviation), "\(change.descent)")
    #expect(abs((change.highest?.altitude ?? 0) - 350) < 3)
    #expect(abs((change.lowest?.altitude ?? 0) - 300) < 3)
  }

  /// That of all items.
  private func altitudeChange(of items: [TimelineItem]) -> AltitudeChange? {
    guard let first = items.first, let last = items.last else { return nil }
    return Totals(of: items, from: first.start, to: last.end).known.altitudeChange
  }

  /// What the items of a recording's timeline have climbed, metres.
  private func climb(of path: String) throws -> Double {
    var reader = try RecordingReader(path: path)
    var (batch, all) = (SensorBatch(), [SensorBatch]())
    while try reader.read(into: &batch) { all.append(batch) }
    let items = TimelineBuilder.items(of: run(all).samples)
    return altitudeChange(of: items)?.climb ?? 0
  }
}
