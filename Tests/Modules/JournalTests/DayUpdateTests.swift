import Foundation
import Locomotion
import LocomotionJournal
import LocomotionRecordings
import SensorSimulator
import TestSupport
import Testing

/// Updating often gives the days that updating once gives, and says what has changed.
@Suite struct DayUpdateTests {
  private let folder = ScratchFolder()

  /// A stay at home, a walk, a drive, a stay and a walk, in batches of ten seconds.
  static let batches: [SensorBatch] = {
    let scenario = Scenario(
      seed: 3, start: Timestamp(nanoseconds: 1_778_544_000_000_000_000), latitude: 48.137,
      longitude: 11.575
    )
    .rest(.minutes(12))
    .walk(.minutes(9), cadence: 112, speed: 1.45, heading: 75)
    .drive(.minutes(8), speed: 14, heading: 30)
    .walk(.minutes(3), cadence: 108, speed: 1.4, heading: 90)
    .rest(.minutes(25))
    .walk(.minutes(10), cadence: 115, speed: 1.5, heading: 200)
    .rest(.minutes(15))
    return Array(scenario.recording().batches(everySeconds: 10))
  }()

  /// Places aside, whose numbers depend on the updates.
  private func expectEqual(_ found: [TimelineItem], _ expected: [TimelineItem]) {
    // Not the values themselves in a message: they are many.
    let areEqual = found == expected
    #expect(areEqual)
    #expect(found.map(\.isPartial) == expected.map(\.isPartial))
  }

  @Test func aReaderBesideTheWriterSeesTheDaysOfNow() throws {
    let path = folder.path("journal")
    let journal = try Journal(path: path)
    let (ada, bob) = (try journal.user("ada"), try journal.user("bob"))
    let reader = try Journal(path: path, access: .reading)
    let (seen, others) = (try reader.user("ada"), try reader.user("bob"))
    // The same data, whose days the writer computes.
    let eve = try folder.user("eve", of: "whole")
    try bob.append(JournalBatch(Self.afternoon[0]))
    for (number, batch) in Self.afternoon.enumerated() {
      try ada.append(JournalBatch(batch))
      try eve.append(JournalBatch(batch))
      guard number % 40 == 39 || number == Self.afternoon.count - 1 else { continue }
      try eve.updateDays()
      // One that stays open, and one that is new each time.
      let fresh = try Journal(path: path, access: .reading).user("ada")
      for user in [seen, fresh] {
        try user.updateDays()
        expectEqual(try user.items(), try eve.items())
        #expect(try user.daySpan()?.end == eve.daySpan()?.end)
        #expect(try user.places().count == eve.places().count)
        let span = try #require(try eve.daySpan())
        let calendar = Calendar(identifier: .gregorian)
        #expect(
          try user.totals(by: .day, from: span.start, to: span.end, in: calendar)
            == eve.totals(by: .day, from: span.start, to: span.end, in: calendar))
      }
      try others.updateDays()
      #expect(try others.items().count == 1)
      // The writer has stored none of it, and what it does is seen.
      switch number {
      case 79:
        // One who was added since.
        try journal.user("carl").append(JournalBatch(Self.afternoon[1]))
        let carl = try reader.user("carl")
        try carl.updateDays()
        #expect(try carl.items().count == 1)
      case 119:
        #expect(try ada.daySpan() == nil)
        try ada.updateDays()
      case 159:
        let middle = try #require(try ada.items().first { $0.kind == "trip" })
        try ada.correctActivity(to: .train, from: middle.start, to: middle.end)
        try eve.correctActivity(to: .train, from: middle.start, to: middle.end)
      default: break
      }
    }
    #expect(reader.check().problems == [] && journal.check().problems == [])
  }

  /// Five hours of rests, walks, rides and pauses of the recording, in batches of a minute.
  static let afternoon: [SensorBatch] = {
    var scenario = Scenario(
      seed: 5, start: Timestamp(nanoseconds: 1_778_550_300_000_000_000), latitude: 48.137,
      longitude: 11.575)
    for round in stride(from: 0.0, to: 4, by: 1) {
      scenario =
        scenario.rest(.minutes(17 + round))
        .walk(.minutes(6), cadence: 112, speed: 1.45, heading: 75)
        .drive(.minutes(9), speed: 14, heading: 30)
        .walk(.minutes(4), cadence: 108, speed: 1.4, heading: 90)
        .rest(.minutes(34))
    }
    let batches = Array(scenario.recording().batches(everySeconds: 60))
    return batches.enumerated().filter { !(70..<95).contains($0.offset) }.map(\.element)
  }()

  /// The batches of the afternoon, some of them late or a second time.
  private func arrivals(_ random: inout SplitMix64) -> [JournalBatch] {
    var result: [JournalBatch] = []
    var late: [(batch: JournalBatch, at: Int)] = []
    for (index, sensors) in Self.afternoon.enumerated() {
      var batch = JournalBatch(sensors)
      switch random.next() % 10 {
      case 0:
        late.append((batch, index + Int(random.next() % 90)))
        continue
      case 1:
        var fixes = JournalBatch()
        fixes.fixes = batch.fixes
        batch.fixes = []
        late.append((fixes, index + Int(random.next() % 10)))
      case 2: late.append((batch, index + 2))
      case 3 where index % 25 == 0:
        // A clock that was wrong for a moment: two hours or three years ahead.
        guard let fix = batch.fixes.last else { break }
        let seconds: Int64 = random.next() % 2 == 0 ? 7_200 : 94_608_000
        batch.fixes.append(
          LocationFix(
            timestamp: fix.timestamp.advanced(byNanoseconds: seconds * 1_000_000_000),
            latitude: fix.latitude, longitude: fix.longitude,
            horizontalAccuracy: fix.horizontalAccuracy))
      default: break
      }
      result.append(batch)
      result += late.filter { $0.at == index }.map(\.batch)
      late.removeAll { $0.at <= index }
    }
    return result + late.map(\.batch)
  }

  @Test(arguments: 0..<TestLength.runs(1, long: 3) as Range<UInt64>)
  func daysDependOnTheRecordingAndNotOnWhenTheyAreUpdated(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let arrivals = arrivals(&random)
    let eve = try folder.user("eve", of: "whole")
    for batch in arrivals { try eve.append(batch) }
    try eve.updateDays()
    let expected = try eve.items()
    #expect(expected.count > 6)
    #expect(expected.contains { !$0.isPartial })

    let path = folder.path("journal")
    var (next, seen) = (0, [TimelineItem]())
    while next < arrivals.count {
      // Until the program is closed.
      let ada = try Journal(path: path).user("ada")
      for _ in 0..<Int(random.next() % 60) + 1 where next < arrivals.count {
        try ada.append(arrivals[next])
        next += 1
        guard random.next() % 4 == 0, let change = try ada.updateDays() else { continue }
        #expect(ada.takeDayChange() == change)
        // What lies before the change is what it was.
        let now = try ada.items()
        let before = { (items: [TimelineItem]) in
          items.filter { $0.end <= change.start }.map { item in
            var item = item
            item.isPartial = false
            return item
          }
        }
        #expect(before(now) == before(seen))
        seen = now
      }
    }
    let (journal, ada) = try openJournal(path)
    try ada.updateDays()
    expectEqual(try ada.items(), expected)
    #expect(journal.check().problems == [])
  }

  @Test func aSessionUpdatesWhileOthersAppendAndTellsWhatChanged() async throws {
    let session = try JournalSession(path: folder.path("journal"))
    let ada = try await session.user("ada")
    #expect(ada.name == "ada")
    let changes = await ada.dayChanges()
    for batch in Self.batches.dropLast(100) {
      try await ada.withJournal { try $0.append(JournalBatch(batch)) }
    }
    async let update = ada.updateDays()
    for batch in Self.batches.suffix(100) {
      try await ada.withJournal { try $0.append(JournalBatch(batch)) }
    }
    let first = try #require(try await update)
    try await ada.updateDays()
    let middle = first.start.advanced(byNanoseconds: 600_000_000_000)
    try await ada.withJournal { (journal) throws(JournalError) in
      try journal.correctActivity(
        to: .train, from: middle, to: middle.advanced(byNanoseconds: 60_000_000_000))
    }
    var found: [DayChange] = []
    for await change in changes {
      found.append(change)
      if change.start == middle { break }
    }
    #expect(found.first == first)
    let items = try await ada.withJournal { try $0.dayItems(from: middle, to: first.end) }
    #expect(items.first?.legs.first?.activity == .train)
  }

  private static let hour: Int64 = 3_600_000_000_000
  /// Where computations with times overflow, or their grids begin.
  private static let criticalTimes: [Int64] =
    [.min, -Timestamp.limit, -hour, 0, hour, 1_800_000_000_000_000_000, Timestamp.limit, .max]
    .flatMap { [$0 &- 1, $0, $0 &+ 1] }

  /// Whatever the times: what one step reads is never read again, so that there are no more steps
  /// than data.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func anUpdateOfAnyTimesEndsAfterAsManyStepsAsThereAreData(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (journal, ada) = try openJournal(folder.path("journal"))
    func time() -> Timestamp {
      let critical = Self.criticalTimes[Int(random.next() % UInt64(Self.criticalTimes.count))]
      let offset = Int64(bitPattern: random.next()) % (3 * Self.hour)
      switch random.next() % 4 {
      case 0: return Timestamp(nanoseconds: critical)
      case 1: return Timestamp(nanoseconds: critical &+ offset)
      case 2: return Timestamp(nanoseconds: Int64(bitPattern: random.next()))
      default: return Timestamp(nanoseconds: 1_800_000_000_000_000_000 + offset)
      }
    }
    var count = 0
    for _ in 0..<2 {
      var batch = JournalBatch()
      for _ in 0..<random.next() % 8 {
        batch.fixes.append(
          LocationFix(timestamp: time(), latitude: 48, longitude: 11, horizontalAccuracy: 5))
      }
      for _ in 0..<random.next() % 8 {
        batch.accelerations.append(x: 0, y: 0, z: 9.81, at: time())
      }
      count += batch.fixes.count + batch.accelerations.count
      // As an earlier version has stored them: this one takes no such times.
      try ada.appendUnchecked(batch)
      var steps = 1
      while !(try ada.updateDays(upTo: 1).isComplete) { steps += 1 }
      #expect(steps <= count + 1)
    }
    // One after the other, with nothing skipped and nothing twice.
    var (instant, items) = (Timestamp(nanoseconds: .min), 0)
    while let next = try ada.nextItem(from: instant) {
      #expect(next >= instant)
      instant = next.advanced(byNanoseconds: 86_400 * 1_000_000_000)
      items += 1
    }
    #expect(items <= count)
    #expect(journal.check().problems == [])
  }

  @Test func timesBeyondTheLimitsAreRefusedAndCounted() throws {
    try withJournal { _, ada in
      for time in [Timestamp.limit, .max, -Timestamp.limit, .min] as [Int64] {
        let time = Timestamp(nanoseconds: time)
        var batches = Array(repeating: JournalBatch(), count: 4)
        batches[0].accelerations.append(x: 0, y: 0, z: 9.81, at: time)
        batches[1].rotationRates.append(x: 0, y: 0, z: 0, at: time)
        batches[2].pressures.append(1_013, at: time)
        batches[3].fixes.append(LocationFix(timestamp: time, latitude: 48, longitude: 11))
        for batch in batches {
          #expect(throws: JournalError.implausibleTime) { try ada.append(batch) }
        }
        #expect(throws: JournalError.implausibleTime) { try ada.start("WALKING", at: time) }
        // A recorder leaves them out and goes on.
        var recorder = MeasurementRecorder(in: ada)
        try recorder.start("WALKING", at: Timestamp(nanoseconds: 0))
        var mixed = SensorBatch()
        for time in [Timestamp(nanoseconds: 1), time] {
          mixed.accelerations.append(x: 0, y: 0, z: 9.81, at: time)
          mixed.append(LocationFix(timestamp: time, latitude: 48, longitude: 11))
        }
        _ = try recorder.add(mixed)
        try recorder.stop(at: Timestamp(nanoseconds: 2))
        #expect(recorder.implausible == 2 && recorder.lost == 0)
      }
      let counts = try ada.counts()
      #expect((counts.samples, counts.fixes) == (4, 4))
    }
  }
}

/// The days of a journal are the timeline of the same data, however they came.
@Suite struct DayAgreementTests {
  /// The ways in which a recording comes into a journal.
  enum Arrival: String, CaseIterable {
    case atOnce, inMinutes, reopened, lateFixes, laterFirst

    func parts(_ batch: SensorBatch) -> [SensorBatch] {
      let all = batch.divided(every: 60)
      switch self {
      case .atOnce: return [batch]
      case .inMinutes, .reopened: return all
      case .lateFixes:
        // All fixes of half an hour after the accelerations of that time.
        return stride(from: 0, to: all.count, by: 30).flatMap { first in
          let half = all[first..<min(first + 30, all.count)]
          return half.map(\.withoutFixes) + half.map(\.onlyFixes)
        }
      case .laterFirst:
        let third = all.count / 3
        return Array(all[third..<2 * third] + all[..<third] + all[(2 * third)...])
      }
    }
  }

  /// When statements come: with the recording they are about, before it or after it.
  enum Telling: CaseIterable {
    case before, after, between
  }

  /// Statements about every item of a timeline: sessions with a pause and activities of trips,
  /// which begin and end otherwise than the items, and visits of stays.
  private static func statements(about items: [TimelineItem]) -> [StatedInterval] {
    items.enumerated().flatMap { number, item -> [StatedInterval?] in
      let (start, end) = (
        item.start.advanced(byNanoseconds: 200_000_000_000),
        item.end.advanced(byNanoseconds: -200_000_000_000)
      )
      let middle = item.start.advanced(byNanoseconds: item.end.nanoseconds(since: item.start) / 2)
      switch item {
      case .gap: return []
      case .stay:
        return [
          StatedInterval(
            .visit(latitude: 48, longitude: 11, radius: nil), from: start, to: end, source: "Phone")
        ]
      case .trip where number % 4 == 1:
        let kind = StatedInterval.Kind.activity(name: "cycling", distance: nil)
        return [
          StatedInterval(
            kind, from: start, to: item.end.advanced(byNanoseconds: 900_000_000_000),
            source: "Watch", basis: .chosen, totals: StatedTotals(distance: 9_000)),
          StatedInterval(
            .pause, from: middle, to: middle.advanced(byNanoseconds: 90_000_000_000),
            source: "Watch"),
        ]
      case .trip:
        return [
          StatedInterval(
            .activity(name: "bus", distance: 7_000), from: start, to: end, source: "Phone")
        ]
      }
    }.compactMap { $0 }
  }

  private static func samples(_ batch: SensorBatch) -> [LocomotionSample] {
    var pipeline = LocomotionPipeline()
    var output = LocomotionOutput()
    pipeline.ingest(batch, into: &output)
    pipeline.finish(into: &output)
    var samples = output.samples
    Hindsight.smooth(&samples, reports: output.fixes)
    return samples
  }

  private func expectAgreement(
    _ batch: SensorBatch, _ arrival: Arrival, updating period: Int = 40, _ telling: Telling? = nil
  ) throws {
    let samples = Self.samples(batch)
    var expected = TimelineBuilder.items(of: samples)
    let statements = telling == nil ? [] : Self.statements(about: expected)
    if let evidence = StatedEvidence(statements) {
      let weighed = evidence.weigh(expected, SampledTrack(samples))
      #expect(weighed.map(Self.recorded) != expected.map(Self.recorded))
      expected = weighed
    }
    try expect(expected, of: batch, arrival, updating: period, statements, telling)
  }

  private func expect(
    _ expected: [TimelineItem], of batch: SensorBatch, _ arrival: Arrival,
    updating period: Int = 40, _ statements: [StatedInterval], _ telling: Telling?
  ) throws {
    let folder = ScratchFolder()
    var journal: UserJournal? = try folder.user()
    func ada(reopening isReopened: Bool = false) throws -> UserJournal {
      if isReopened {
        journal = nil
        journal = try folder.user()
      }
      return try #require(journal)
    }
    if telling == .before { try ada().addStatements(statements) }
    let parts = arrival.parts(batch)
    for (index, part) in parts.enumerated() {
      try ada(reopening: arrival == .reopened).append(JournalBatch(part))
      if index.isMultiple(of: period) { try ada().updateDays() }
      if telling == .between, index == parts.count / 2 {
        try ada().addStatements(Array(statements.dropFirst(2).reversed()))
      }
    }
    try ada().updateDays()
    if telling != .before { try ada().addStatements(statements) }
    try ada().updateDays()
    let found = try ada().items()
    #expect(found.map(Self.recorded) == expected.map(Self.recorded), "\(arrival)")
  }

  /// The item without what a journal adds to it, and without the probabilities of modes, of which
  /// it keeps eight bits.
  private static func recorded(_ item: TimelineItem) -> TimelineItem {
    switch item {
    case .gap(let gap): return .gap(Gap(start: gap.start, end: gap.end))
    case .stay(var stay):
      (stay.place, stay.isPartial) = (nil, false)
      return .stay(stay)
    case .trip(let trip):
      var recorded = Trip(
        legs: trip.legs.map { leg in
          var leg = leg
          (leg.modes, leg.inference) = (nil, nil)
          return leg
        })
      recorded.stated = trip.stated
      return .trip(recorded)
    }
  }

  @Test(arguments: Arrival.allCases) func aScriptedDayIsItsTimeline(arrival: Arrival) throws {
    var batch = SensorBatch()
    batch.append(DayScript.batch(from: 0, to: 30_000).fixes)
    try expectAgreement(batch, arrival)
  }

  @Test(arguments: Arrival.allCases) func aSimulatedDayIsItsTimeline(arrival: Arrival) throws {
    var batch = SensorBatch()
    for part in DayUpdateTests.batches { batch.append(contentsOf: part) }
    try expectAgreement(batch, arrival)
  }

  @Test(arguments: Arrival.allCases, Telling.allCases)
  func aDayWithStatementsIsItsTimeline(arrival: Arrival, telling: Telling) throws {
    var batch = SensorBatch()
    // A third of the drive's ends is not observed, so that statements move them.
    for fix in DayScript.batch(from: 0, to: 30_000).fixes {
      let second = fix.timestamp.seconds - DayScript.midnight
      if !(3_000..<3_800 ~= second || 4_300..<5_000 ~= second) { batch.append(fix) }
    }
    try expectAgreement(batch, arrival, telling)
  }

  @Test(arguments: Arrival.allCases, Telling.allCases)
  func aDayOfTwoRecordingsIsTheirTimelines(arrival: Arrival, telling: Telling) throws {
    func batch(_ fixes: [LocationFix]) -> SensorBatch {
      var batch = SensorBatch()
      batch.append(fixes)
      return batch
    }
    func items(_ fixes: [LocationFix]) -> [TimelineItem] {
      TimelineBuilder.items(of: Self.samples(batch(fixes)))
    }
    let parts = [DayScript.fixes(from: 0, to: 4_300), DayScript.fixes(from: 5_200, to: 30_000)]
    let (before, after) = (items(parts[0]), items(parts[1]))
    let gap = try Gap(start: #require(before.last).end, end: #require(after.first).start)
    let ends = (try #require(parts[0].last).timestamp, try #require(parts[1].first).timestamp)
    let silence = try #require(
      StatedInterval(.unrecorded, from: ends.0, to: ends.1, source: "import"))
    try expect(
      before + [.gap(gap)] + after, of: batch(parts[0] + parts[1]), arrival, [silence], telling)
    // Where it was recorded after all, the statement is of no account.
    let whole = DayScript.fixes(from: 0, to: 30_000)
    try expect(items(whole), of: batch(whole), arrival, [silence], telling)
  }

  @Test(.enabled(if: TestFiles.datasets != nil), arguments: ["001", "003"], Telling.allCases)
  func aRecordedDayWithStatementsIsItsTimeline(day: String, telling: Telling) throws {
    try expectAgreement(recording("days/day\(day).gps.csv.gz"), .inMinutes, updating: 97, telling)
  }

  @Test(
    .enabled(if: TestFiles.datasets != nil), arguments: ["001", "002", "003", "005", "007", "010"])
  func aRecordedDayIsItsTimeline(day: String) throws {
    for name in ["day\(day).csv.gz", "day\(day).gps.csv.gz"] {
      try expectAgreement(recording("days/\(name)"), .inMinutes, updating: 97)
    }
  }
}

extension SensorBatch {
  fileprivate var withoutFixes: SensorBatch {
    var part = self
    part.fixes.removeAll()
    return part
  }

  fileprivate var onlyFixes: SensorBatch {
    var part = SensorBatch()
    part.append(fixes)
    return part
  }

  /// The parts of the batch in each interval of so many seconds that has any.
  fileprivate func divided(every seconds: Int64) -> [SensorBatch] {
    var parts: [Int64: SensorBatch] = [:]
    func number(_ time: Timestamp) -> Int64 { time.interval(of: seconds * 1_000_000_000) }
    for (index, time) in accelerations.timestamps.enumerated() {
      let value = Acceleration(
        x: accelerations.x[index], y: accelerations.y[index], z: accelerations.z[index])
      parts[number(time), default: SensorBatch()].append(value, at: time)
    }
    for (index, time) in rotationRates.timestamps.enumerated() {
      let rate = RotationRate(
        x: rotationRates.x[index], y: rotationRates.y[index], z: rotationRates.z[index])
      parts[number(time), default: SensorBatch()].append(rate, at: time)
    }
    for fix in fixes { parts[number(fix.timestamp), default: SensorBatch()].append(fix) }
    return parts.sorted { $0.key < $1.key }.map(\.value)
  }
}
