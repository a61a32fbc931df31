internal import Foundation
public import Locomotion

/// What an erasure took away.
public struct ErasureReport: Hashable, Sendable {
  /// The times of which nothing is told any more, in order: those that were asked for, and beside
  /// them those of which nothing was observed.
  public internal(set) var times: [Range<Timestamp>] = []
  /// The places that went with their stays.
  public internal(set) var places: [Place] = []

  mutating func add(_ time: Range<Timestamp>) {
    let sorted = (times + [time]).sorted { $0.lowerBound < $1.lowerBound }
    times = sorted.reduce(into: []) { joined, next in
      guard let last = joined.last, next.lowerBound <= last.upperBound else {
        return joined.append(next)
      }
      joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, next.upperBound)
    }
  }
}

/// The times of what remains in a recording.
struct ObservedTimes {
  /// What is no further apart than this was observed without a pause, nanoseconds.
  private static let pause: Int64 = 60_000_000_000
  private var runs: [ClosedRange<Timestamp>] = []

  mutating func add(_ times: some Sequence<Timestamp>) {
    for time in times {
      if let last = runs.last,
        time >= last.lowerBound.advanced(byNanoseconds: -Self.pause),
        time <= last.upperBound.advanced(byNanoseconds: Self.pause)
      {
        runs[runs.count - 1] = min(last.lowerBound, time)...max(last.upperBound, time)
      } else {
        runs.append(time...time)
      }
    }
  }

  /// Whether anything was observed in an interval.
  func reach(into start: Timestamp, _ end: Timestamp) -> Bool {
    runs.contains { $0.lowerBound < end && start <= $0.upperBound }
  }
}

/// What is to be erased of a user.
struct Erasure {
  var times: [Range<Timestamp>]
  /// Positions of samples and fixes, whatever their times.
  var samples: [Range<Int>] = []
  var fixes: [Range<Int>] = []
  /// The measurement that goes with all its events.
  var measurement: Int?

  func holds(_ time: Timestamp) -> Bool { times.contains { $0.contains(time) } }

  /// Whether a unit may hold something that is to be erased.
  func concerns(_ unit: UnitStatus) -> Bool {
    let own = unit.times
    let inTime = own.map { own in
      times.contains { $0.lowerBound <= own.upperBound && own.lowerBound < $0.upperBound }
    }
    let ranges = (
      unit.firstSample..<unit.firstSample + unit.samples, unit.firstFix..<unit.firstFix + unit.fixes
    )
    return inTime ?? true || samples.contains { $0.overlaps(ranges.0) }
      || fixes.contains { $0.overlaps(ranges.1) }
  }

  /// Whether a part of an interval is in the times.
  func reaches(into start: Timestamp, _ end: Timestamp) -> Bool {
    times.contains { $0.lowerBound < end && start < $0.upperBound }
  }

  /// The parts of an interval outside the times; an instant is an interval of no length.
  func outside(_ start: Timestamp, _ end: Timestamp) -> [(start: Timestamp, end: Timestamp)] {
    guard start < end else { return holds(start) ? [] : [(start, end)] }
    return times.reduce([(start, end)]) { parts, time in
      parts.flatMap { part in
        [
          (part.0, min(part.1, time.lowerBound)), (max(part.0, time.upperBound), part.1),
        ].filter { $0.0 < $0.1 }
      }
    }
  }

  /// The events that remain, none of them at an erased time.
  func kept(_ events: [MeasurementEvent]) -> [MeasurementEvent] {
    guard measurement == nil else { return events.filter { $0.measurement != measurement } }
    let groups = Dictionary(grouping: events, by: \.measurement)
    return events.compactMap { event in
      guard let time = times.first(where: { $0.contains(event.timestamp) }) else { return event }
      let own = groups[event.measurement] ?? []
      let isInside = own.allSatisfy { time.contains($0.timestamp) }
      guard event.kind != .note, !(isInside && own.last?.kind == .stop) else { return nil }
      let began = own.first.map { $0.timestamp < time.lowerBound } ?? false
      var moved = event
      moved.timestamp = began ? time.lowerBound : time.upperBound
      return moved
    }
  }
}

/// The positions that have been removed from the accelerations and the fixes.
typealias RemovedPositions = (samples: IndexSet, fixes: IndexSet)

extension IndexSet {
  /// Adds indices of a part of a series that begins at `first`.
  mutating func add(_ indices: IndexSet, from first: Int) {
    for range in indices.rangeView {
      insert(integersIn: first + range.lowerBound..<first + range.upperBound)
    }
  }

  /// Where a position of a series is without these; that of one of them is where the next one is.
  func position(_ old: Int) -> Int { old - count(in: 0..<old) }
}

extension JournalBatch {
  /// The samples that are not erased, and the indices of the accelerations that are.
  func kept(
    _ erasure: Erasure, firstSample: Int
  ) -> (rest: JournalBatch, removed: IndexSet, isChanged: Bool) {
    let times = accelerations.timestamps
    let gone = IndexSet(
      times.indices.filter { index in
        erasure.holds(times[index])
          || erasure.samples.contains { $0.contains(firstSample + index) }
      })
    var rest = filtered { !erasure.holds($0) }
    rest.accelerations = accelerations.samples(at: times.indices.filter { !gone.contains($0) })
    return (rest, gone, rest.count < count)
  }
}
