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
    case atOnce, inMinutes, lateFixes, laterFirst

    func parts(_ batch: SensorBatch) -> [SensorBatch] {
      let all = batch.divided(every: 60)
      switch self {
      case .atOnce: return [batch]
      case .inMinutes: return all
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

  private static func timeline(_ batch: SensorBatch) -> [TimelineItem] {
    var pipeline = LocomotionPipeline()
    var output = LocomotionOutput()
    pipeline.ingest(batch, into: &output)
    pipeline.finish(into: &output)
    var samples = output.samples
    Hindsight.smooth(&samples, reports: output.fixes)
    return TimelineBuilder.items(of: samples)
  }

  private static func recording(_ path: String) throws -> SensorBatch {
    var reader = try RecordingReader(path: path)
    var (batch, all) = (SensorBatch(), SensorBatch())
    while try reader.read(into: &batch) { all.append(contentsOf: batch) }
    return all
  }

  private func expectAgreement(
    _ batch: SensorBatch, _ arrival: Arrival, updating period: Int = 40
  ) throws {
    let expected = Self.timeline(batch)
    try withJournal { _, ada in
      for (index, part) in arrival.parts(batch).enumerated() {
        try ada.append(JournalBatch(part))
        if index.isMultiple(of: period) { try ada.updateDays() }
      }
      try ada.updateDays()
      let span = try #require(try ada.daySpan())
      let found = try ada.dayItems(from: span.start, to: span.end)
      #expect(found.map(Self.recorded) == expected.map(Self.recorded), "\(arrival)")
    }
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
      return .trip(
        Trip(
          legs: trip.legs.map { leg in
            var leg = leg
            (leg.modes, leg.inference) = (nil, nil)
            return leg
          }))
    }
  }

  @Test(arguments: Arrival.allCases) func aScriptedDayIsItsTimeline(arrival: Arrival) throws {
    var batch = SensorBatch()
    batch.append(DayScript.batch(from: 0, to: 30_000).fixes)
    try expectAgreement(batch, arrival)
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
