import Locomotion
import TestSupport
import Testing

/// Days of fixes alone, as recorders of many kinds keep them.
@Suite struct SparseDayTests {
  // MARK: Recorders

  @Test func aHeartbeatAtRestIsNoGap() {
    let day = FixScript(noise: 12, accuracy: 15).commute(resting: 900, moving: 45)
    day.expectCommute(within: 120)
  }

  @Test func aRecorderThatIsSilentAtRestTellsOfRest() {
    // Without a fix after it nothing tells of the last stay.
    let day = FixScript(noise: 8, accuracy: 10).commute(resting: nil, moving: 20).rest(1, every: 1)
    day.expectCommute(within: 180)
  }

  @Test func significantChangesTellOfPlacesAndTheWayBetween() throws {
    let items = FixScript(noise: 40, accuracy: 65).rest(5_400, every: 600)
      .travel(2_160, to: [0, 54_000], every: 360).rest(5_400, every: 600).items()
    #expect(items.stays.count == 2 && items.count == 3)
    let trip = try #require(items.trips.first)
    #expect(abs(trip.start.seconds - 5_400) < 360 && abs(trip.end.seconds - 7_560) < 360)
    #expect(abs((trip.distance ?? 0) - 54_000) < 1_080)
  }

  @Test(arguments: [60, 300])
  func regularFixesFindShortStays(interval: Int) {
    let day = FixScript(noise: 10, accuracy: 15).commute(resting: interval, moving: interval)
    day.expectCommute(within: Double(max(interval, 90)))
  }

  @Test func hourlyFixesTellOfTheLongStays() {
    let items = FixScript(noise: 20, accuracy: 25).commute(resting: 3_300, moving: 3_300).items()
    #expect(items.stays.filter { $0.end.seconds(since: $0.start) > 10_000 }.count >= 3)
    #expect(!items.contains { if case .gap = $0 { true } else { false } })
  }

  /// A month of 27 fixes a day.
  @Test func aMonthOfFewFixesIsToldAllThrough() {
    var script = FixScript(noise: 20, accuracy: 25)
    for _ in 0..<30 { script = script.commute(resting: 4_000, moving: 1_500) }
    let items = script.items()
    let gaps = items.reduce(0.0) { sum, item in
      guard case .gap = item else { return sum }
      return sum + item.duration
    }
    #expect(gaps < 0.02 * Double(script.seconds))
    #expect(items.stays.count >= 60 && items.stays.count <= 140)
  }

  // MARK: Bad habits

  @Test func aMetroOnCellTowersIsOneTrip() throws {
    var day = FixScript(noise: 10, accuracy: 20).rest(1_200, every: 30)
    let start = day.seconds
    // Towers every 900 m, of which one beside the way is heard at times; claims of 140 to 2,000 m.
    var random = SplitMix64(seed: 3)
    for step in 1...46 {
      let way = Double(step) * 450
      let tower = (way / 900).rounded() * 900 + (random.nextUniform() < 0.15 ? -1_800 : 0)
      day.append([tower, 250], accuracy: 140 + 1_800 * random.nextUniform(), after: 30)
    }
    let items = day.with(\.position, [20_700, 0]).rest(1_500, every: 30).items()
    #expect(items.stays.count == 2 && items.trips.count == 1)
    let trip = try #require(items.trips.first)
    #expect(abs(trip.start.seconds - Double(start)) < 90)
    #expect(abs(trip.end.seconds - Double(start) - 1_380) < 150)
    #expect(try #require(trip.distance) > 18_000 && trip.distance ?? 0 < 25_000)
  }

  @Test func aFlightWithoutSpeedsIsOneTrip() throws {
    let day = FixScript(noise: 10, accuracy: 30).rest(2_400, every: 60)
      .travel(8_700, to: [0, 1_980_000], every: 60).rest(2_400, every: 60)
    let items = day.items()
    #expect(items.stays.count == 2 && items.count == 3)
    let trip = try #require(items.trips.first)
    #expect(abs(trip.start.seconds - 2_400) < 120 && abs(trip.end.seconds - 11_100) < 120)
    #expect(abs((trip.distance ?? 0) / day.travelled - 1) < 0.02)
    #expect(trip.legs.map(\.name) == ["flight"])
  }

  @Test func aRecordingThatBeginsInTheAirBeginsWithATrip() {
    let day = FixScript(noise: 10, accuracy: 30).travel(3_600, to: [600_000, 600_000], every: 60)
      .rest(3_600, every: 60)
    #expect(day.items().map(\.isStay) == [false, true])
  }

  @Test func jumpsOfSingleFixesNeitherEndAStayNorLengthenATrip() throws {
    let day = FixScript(noise: 10, accuracy: 20).with(\.outliers, 0.02)
      .commute(resting: 60, moving: 60)
    day.expectCommute(within: 150)
    let distances = day.items().trips.compactMap(\.distance)
    #expect(distances.reduce(0, +) < 1.15 * day.travelled)
  }

  /// An SD of 25 m that wanders with a time constant of twenty seconds, no accuracies, no speeds.
  @Test func driftIndoorsIsNoTravel() {
    let day = FixScript(noise: 25, accuracy: nil).with(\.wandering, 20).rest(14_400, every: 1)
      .travel(1_200, to: [1_600, 0], every: 1).rest(7_200, every: 1)
    #expect(day.items().map(\.isStay) == [true, false, true])
  }

  @Test func aSpeedOfZeroWithEveryFixSaysNothing() {
    let day = FixScript(noise: 10, accuracy: 15).with(\.speed, 0).commute(resting: 60, moving: 60)
    day.expectCommute(within: 150)
  }

  // MARK: A function of the recording
}

extension TimelineItem {
  fileprivate var isStay: Bool { if case .stay = self { true } else { false } }
}

/// Writes the fixes of an invented day.
private struct FixScript {
  /// One standard deviation of the fixes per axis, metres.
  var noise: Double
  var accuracy: Double?
  /// What every fix reports, m/s; nil for none.
  var speed: Double?
  /// The time constant of the errors, seconds; 0 for independent ones.
  var wandering = 0.0
  /// The share of fixes that lie kilometres off.
  var outliers = 0.0
  /// Metres east and north of the start.
  var position: SIMD2<Double> = .zero
  private(set) var seconds = 0
  /// The length of the ways so far, metres.
  private(set) var travelled = 0.0
  private(set) var fixes: [LocationFix] = []
  /// The ends of the stays of ``commute(resting:moving:)``.
  private var ends: [(start: Int, end: Int)] = []
  private var error: SIMD2<Double> = .zero
  private var isOutlier = false
  private var random = SplitMix64(seed: 11)

  init(noise: Double, accuracy: Double?) {
    self.noise = noise
    self.accuracy = accuracy
  }

  /// A fix where something else than the person is.
  mutating func append(_ place: SIMD2<Double>, accuracy: Double?, after duration: Int) {
    seconds += duration
    let north = 111_190.3
    let latitude = 48 + place.y / north
    fixes.append(
      LocationFix(
        timestamp: .at(seconds), latitude: latitude,
        longitude: 11 + place.x / 74_625.4, horizontalAccuracy: accuracy, speed: speed))
  }

  private mutating func observe() {
    let own = SIMD2(random.nextNormal(), random.nextNormal()) * noise
    // An autoregressive process with steps of a second.
    let memory = wandering > 0 ? 1 - 1 / wandering : 0
    error = error * memory + own * (1 - memory * memory).squareRoot()
    var place = position + error
    // Single ones: two of them in turn are a place.
    isOutlier = random.nextUniform() < outliers && !isOutlier
    if isOutlier { place += [6_000, -4_000] }
    append(place, accuracy: accuracy, after: 0)
  }

  consuming func with<Value>(_ part: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
    self[keyPath: part] = value
    return self
  }

  consuming func rest(_ duration: Int, every interval: Int?) -> Self {
    let start = seconds
    var next = 0
    for second in 0..<duration {
      if second == next, let interval {
        observe()
        next += interval
      }
      seconds += 1
    }
    if duration > 60 { ends.append((start, seconds)) }
    return self
  }

  consuming func travel(
    _ duration: Int, to goal: SIMD2<Double>, every interval: Int
  ) -> Self {
    let step = (goal - position) / Double(duration)
    travelled += ((goal - position) * (goal - position)).sum().squareRoot()
    for second in 0..<duration {
      if second.isMultiple(of: interval) { observe() }
      position += step
      seconds += 1
    }
    // The recorder notices the arrival.
    observe()
    return self
  }

  /// Home, work, lunch, work, home.
  consuming func commute(resting: Int?, moving: Int) -> Self {
    let home = position
    for (rest, travel, place) in [
      (25_200, 1_800, [7_000, 9_000]), (12_600, 900, [7_200, 9_560]),
      (2_700, 900, [7_000, 9_000]), (13_500, 1_800, .zero),
    ] as [(Int, Int, SIMD2<Double>)] {
      observe()
      self = self.rest(rest, every: resting).travel(travel, to: home + place, every: moving)
    }
    observe()
    return rest(20_000, every: resting)
  }

  func samples(batch size: Int? = nil) -> [LocomotionSample] {
    let size = size ?? fixes.count
    return hindsight(
      of: stride(from: 0, to: fixes.count, by: size).map { first in
        SensorBatch(fixes[first...].prefix(size).map(Event.fix))
      })
  }

  func items(batch size: Int? = nil) -> [TimelineItem] {
    TimelineBuilder.items(of: samples(batch: size))
  }

  /// Expects the stays of commutes, each end within a tolerance, and nothing but trips between.
  func expectCommute(within tolerance: Double, at location: SourceLocation = #_sourceLocation) {
    let items = items()
    let found = items.stays
    #expect(found.count == ends.count, sourceLocation: location)
    #expect(items.count == 2 * ends.count - 1, sourceLocation: location)
    for (stay, (start, end)) in zip(found, ends) {
      #expect(abs(stay.start.seconds - Double(start)) <= tolerance, sourceLocation: location)
      // A recorder that is silent at rest never tells of the end of the last.
      guard end < seconds - 60 else { continue }
      #expect(abs(stay.end.seconds - Double(end)) <= tolerance, sourceLocation: location)
    }
  }
}
