import Foundation
import Locomotion
import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

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

  private static func recording(_ path: String) throws -> SensorBatch {
    var reader = try RecordingReader(path: path)
    var (batch, all) = (SensorBatch(), SensorBatch())
    while try reader.read(into: &batch) { all.append(contentsOf: batch) }
    return all
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
    let span = try #require(try ada().daySpan())
    let found = try ada().dayItems(from: span.start, to: span.end)
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

  @Test(.enabled(if: TestFiles.datasets != nil), arguments: ["001", "003"], Telling.allCases)
  func aRecordedDayWithStatementsIsItsTimeline(day: String, telling: Telling) throws {
    let folder = try #require(TestFiles.datasets).appendingPathComponent("days").path
    let batch = try Self.recording("\(folder)/day\(day).gps.csv.gz")
    try expectAgreement(batch, .inMinutes, updating: 97, telling)
  }

  @Test(
    .enabled(if: TestFiles.datasets != nil), arguments: ["001", "002", "003", "005", "007", "010"])
  func aRecordedDayIsItsTimeline(day: String) throws {
    let folder = try #require(TestFiles.datasets).appendingPathComponent("days").path
    for name in ["day\(day).csv.gz", "day\(day).gps.csv.gz"] {
      let batch = try Self.recording("\(folder)/\(name)")
      try expectAgreement(batch, .inMinutes, updating: 97)
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
