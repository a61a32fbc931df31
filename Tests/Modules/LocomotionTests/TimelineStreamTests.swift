import Locomotion
import TestSupport
import Testing

@Suite struct TimelineStreamTests {
  /// A day of random rests, ways, silences, jumps and senseless values.
  static func chaos(seed: UInt64, sensors: TimelineScript.Sensors, pieces: Int) -> TimelineScript {
    var random = SplitMix64(seed: seed)
    var day = TimelineScript(sensors, seed: seed).with(\.noise, 10 * random.nextUniform())
    for _ in 0..<pieces {
      let length = Int(3 + 900 * random.nextUniform() * random.nextUniform())
      let course = SIMD2(random.nextNormal(), random.nextNormal())
      let activity = Activity.allCases[Int(random.next() % 6)]
      let interval = 1 + Int(random.next() % 3) * Int(random.next() % 20)
      switch random.next() % 8 {
      case 0...2: day = (consume day).rest(length, every: interval, activity: activity)
      case 3...5:
        let speed = 20 * random.nextUniform()
        day = (consume day).move(
          length, speed: speed, activity, course: course, every: interval, steps: 1)
      case 6: day = (consume day).silence(length * 2)
      default:
        day = (consume day).know(nothing: length).leap(course * 500)
      }
    }
    return day
  }

  static let seeds = Array(UInt64(1)...40)

  static func expectTiling(
    _ items: [TimelineItem], from start: Timestamp, to end: Timestamp, seed: UInt64
  ) {
    #expect(items.first?.start == start, "seed \(seed)")
    #expect(items.last?.end == end, "seed \(seed)")
    for (item, next) in zip(items, items.dropFirst()) {
      #expect(item.end == next.start, "seed \(seed)")
    }
    for item in items {
      #expect(item.start < item.end, "seed \(seed)")
      guard case .trip(let trip) = item else { continue }
      for (leg, next) in zip(trip.legs, trip.legs.dropFirst()) {
        #expect(leg.end == next.start, "seed \(seed)")
        #expect(leg.activity != next.activity, "seed \(seed)")
      }
      for leg in trip.legs {
        #expect(leg.start < leg.end, "seed \(seed)")
        #expect(leg.activity != .stationary, "seed \(seed)")
        #expect(leg.distance.map { $0.isFinite && $0 >= 0 } ?? true, "seed \(seed)")
      }
    }
  }

  /// A builder whose bytes are behind a checksum, as those of all saved states are: it takes what
  /// it restores for what a builder can have seen.
  private struct Sealed: StateArchivable {
    var builder = TimelineBuilder()

    mutating func pass(through archive: inout StateArchive) {
      archive.pass(&builder)
      let own = Int64(checksum(of: archived(builder)))
      var checksum = own
      archive.pass(&checksum)
      archive.require(checksum == own)
    }
  }

  @Test(arguments: seeds.prefix(8)) func aBuilderIsAStage(seed: UInt64) {
    let samples = Self.chaos(seed: seed, sensors: .both, pieces: 30).samples
    let broken = checkStage(
      Sealed(), samples, into: [TimelineItem](), finish: { $1 = $0.builder.items() },
      reset: { $0.builder.reset() }
    ) { sealed, samples, _ in
      for sample in samples { sealed.builder.append(sample) }
    }
    #expect(broken == [])
  }

  @Test func emptyAndSingleSamplesHaveATimeline() {
    #expect(TimelineBuilder().items().isEmpty)
    let nothing = TimelineScript().know(nothing: 1)
    #expect(nothing.story() == "gap 0 1")
    for sensors in TimelineScript.Sensors.allCases {
      let rest = TimelineScript(sensors).rest(1)
      #expect(rest.story() == "stay 0 1")
      let walk = TimelineScript(sensors).walk(120)
      #expect(walk.story() == "trip 0 120")
    }
  }

  @Test func samplesOutOfOrderAreCountedAndRefused() {
    let day = TimelineScript().rest(400)
    var builder = TimelineBuilder()
    for sample in day.samples { builder.append(sample) }
    let items = builder.items()
    builder.append(day.samples[100])
    builder.append(day.samples[399])
    var backwards = day.samples[399]
    backwards.start = Timestamp.at(500)
    builder.append(backwards)
    #expect(builder.rejectedSamples == 3)
    #expect(builder.items() == items)
  }

  @Test func senselessValuesLeaveFiniteItems() throws {
    var builder = TimelineBuilder()
    let bad = [Double.nan, .infinity, -.infinity, 1e300, -1e300, 0, 90, -90, 180]
    var random = SplitMix64(seed: 9)
    for second in 0..<5000 {
      var sample = LocomotionSample(start: .at(second), end: .at(second + 1))
      sample.movingState = MovingState.allCases[Int(random.next() % 3)]
      sample.steps = [Float.nan, .infinity, -1, 1][Int(random.next() % 4)]
      sample.location = LocationEstimate(
        timestamp: sample.end, latitude: bad[Int(random.next() % 9)],
        longitude: bad[Int(random.next() % 9)], radius68: bad[Int(random.next() % 9)],
        speed: .nan, speedDeviation: nil, course: nil)
      builder.append(sample)
    }
    let items = builder.items()
    Self.expectTiling(items, from: .at(0), to: .at(5000), seed: 9)
    #expect(items.trips.allSatisfy { $0.steps.isFinite })
    for place in items.stays.compactMap(\.location) {
      #expect(abs(place.latitude) <= 90 && abs(place.longitude) <= 180)
      #expect(place.radius68.isFinite)
    }
    // The state must be able to travel: an archive with NaN or infinity is damaged.
    #expect(throws: Never.self) { try restored(TimelineBuilder(), from: builder) }
  }

  @Test func aDayOfConstantChangeStaysBelowAMegabyte() throws {
    var builder = TimelineBuilder()
    var sample = LocomotionSample(start: .at(0), end: .at(1))
    var random = SplitMix64(seed: 3)
    for second in 0..<86_400 {
      sample.start = Timestamp.at(second)
      sample.end = Timestamp.at(second + 1)
      // Kinds change every 1 to 40 s: the worst for runs of at least 20 s.
      if random.next() % 20 == 0 {
        sample.movingState = random.next() % 2 == 0 ? .stationary : .moving
        let activity = Activity.allCases[Int(random.next() % 6)]
        sample.activity = ActivityDecision(
          activity: activity, probabilities: ActivityProbabilities { $0 == activity ? 1 : 0 })
      }
      sample.location = LocationEstimate(
        timestamp: sample.end, latitude: 48, longitude: 11 + Double(second % 600) * 1e-4,
        radius68: 5, speed: nil, speedDeviation: nil, course: nil)
      builder.append(sample)
    }
    #expect((10_000..<1_000_000).contains(archived(builder).count))
  }

  @Test func itemsAreArchived() throws {
    let items = Self.chaos(seed: 12, sensors: .both, pieces: 30).items()
    #expect(try restored([], from: items) == items)
  }
}
