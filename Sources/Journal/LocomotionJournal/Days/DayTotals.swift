public import Foundation
internal import Locomotion
public import LocomotionActivityRecognition
public import LocomotionSensing

/// How long, how far and in how many steps, by activity, over an interval.
public struct DayTotals: Hashable, Sendable, Codable {
  /// The totals of the legs of one activity.
  public struct Travel: Hashable, Sendable, Codable {
    /// The time in them, seconds.
    public var duration = 0.0
    /// The distance of those that know theirs, metres; nil when none does.
    public var distance: Double?
    /// The steps in them.
    public var steps = 0.0

    mutating func add(_ leg: Trip.Leg) {
      duration += leg.end.seconds(since: leg.start)
      if let more = leg.distance { distance = (distance ?? 0) + more }
      steps += leg.steps
    }
  }

  /// The first instant of the interval.
  public let start: Timestamp
  /// The first instant after the interval.
  public let end: Timestamp
  /// The travel by activity; an activity without a leg is missing.
  public private(set) var travel: [Activity: Travel] = [:]
  /// The travel whose activity is unknown.
  public private(set) var unknownTravel = Travel()
  /// The travel by custom activity, which is part of the travel by what it behaves like, or of the
  /// unknown travel.
  public private(set) var customTravel: [CustomActivity: Travel] = [:]
  /// The time in stays, seconds.
  public private(set) var stayDuration = 0.0
  /// The number of stays, of which parts count.
  public private(set) var stays = 0
  /// The number of trips, of which parts count.
  public private(set) var trips = 0

  /// The travel by the name of its activity, `unknown` for travel without one, in the order of the
  /// names, so that sums are the same bit by bit each time.
  public var parts: [(name: String, travel: Travel)] {
    let unknown = unknownTravel.duration > 0 ? [("unknown", unknownTravel)] : []
    return (travel.map { ($0.key.name, $0.value) } + unknown).sorted { $0.0 < $1.0 }
  }

  /// The time that is not in gaps, seconds.
  public var knownDuration: Double { parts.reduce(stayDuration) { $0 + $1.travel.duration } }

  /// The time about which nothing is known, seconds: what the items don't cover, and gaps.
  public var unknownDuration: Double { max(0, end.seconds(since: start) - knownDuration) }

  /// The steps of all travel.
  public var steps: Double { parts.reduce(0) { $0 + $1.travel.steps } }

  /// The distance of all travel that knows its own, metres; nil when none does.
  public var distance: Double? {
    let known = parts.compactMap(\.travel.distance)
    return known.isEmpty ? nil : known.reduce(0, +)
  }

  /// The totals of items that are cut at the ends of the interval.
  init(of items: [TimelineItem], from start: Timestamp, to end: Timestamp) {
    self.start = start
    self.end = end
    for item in items {
      switch item {
      case .gap: break
      case .stay:
        stays += 1
        stayDuration += item.duration
      case .trip(let trip):
        trips += 1
        for leg in trip.legs {
          if let activity = leg.activity {
            travel[activity, default: Travel()].add(leg)
          } else {
            unknownTravel.add(leg)
          }
          if let custom = leg.customActivity { customTravel[custom, default: Travel()].add(leg) }
        }
      }
    }
  }
}

/// Steps in an interval, in the form that Apple Health and Health Connect take.
///
/// Intervals do not overlap and counts are whole, as `HKQuantitySample` of the type `stepCount` and
/// `StepsRecord` want them.
public struct StepInterval: Hashable, Sendable, Codable {
  /// The first instant of it.
  public let start: Date
  /// The first instant after it.
  public let end: Date
  /// The steps in it, 1 or more.
  public let count: Int
}

/// A period of a calendar.
public enum CalendarPeriod: String, CaseIterable, Hashable, Sendable, Codable {
  /// A day, 23 to 25 hours where the clocks are changed.
  case day
  /// A week that begins on the calendar's first weekday.
  case week
  /// A month.
  case month

  fileprivate var component: Calendar.Component {
    switch self {
    case .day: .day
    case .week: .weekOfYear
    case .month: .month
    }
  }
}

extension UserJournal {
  /// The totals of an interval.
  ///
  /// Legs that the interval cuts count with the part of their distance and steps inside it.
  ///
  /// - Throws: ``JournalError/invalidInterval``.
  public func totals(from start: Timestamp, to end: Timestamp) throws(JournalError) -> DayTotals {
    guard start < end else { throw .invalidInterval }
    return DayTotals(of: try dayItems(from: start, to: end), from: start, to: end)
  }

  /// The totals of each day, week or month that overlaps an interval.
  ///
  /// - Parameters:
  ///   - period: The length of each.
  ///   - start: An instant in the first period.
  ///   - end: The first instant after the interval.
  ///   - calendar: It has the person's time zone and first weekday.
  /// - Returns: One total per period, whole ones at both ends, in the order of time.
  /// - Throws: ``JournalError/invalidInterval``.
  public func totals(
    by period: CalendarPeriod, from start: Timestamp, to end: Timestamp, in calendar: Calendar
  ) throws(JournalError) -> [DayTotals] {
    guard start < end, start.isPlausible, end.isPlausible else { throw .invalidInterval }
    var result: [DayTotals] = []
    var instant = Date(start)
    while instant < Date(end) {
      guard let interval = calendar.dateInterval(of: period.component, for: instant),
        let from = Timestamp(interval.start), let to = Timestamp(interval.end), from < to
      else { throw .invalidInterval }
      result.append(try totals(from: from, to: to))
      instant = interval.end
    }
    return result
  }

  /// The steps of an interval, one entry per leg with any.
  ///
  /// What rounding leaves of a leg's steps is added to the next one's, so that the sum is right.
  /// Send only what is final, up to the first item with `isPartial`: both stores add up
  /// what they are given.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  public func stepIntervals(
    from start: Timestamp, to end: Timestamp
  ) throws(JournalError) -> [StepInterval] {
    var result: [StepInterval] = []
    var rest = 0.0
    for item in try dayItems(from: start, to: end) {
      guard case .trip(let trip) = item else { continue }
      for leg in trip.legs where leg.steps.isFinite {
        rest += leg.steps
        guard let count = Int(exactly: rest.rounded()), count > 0 else { continue }
        rest -= Double(count)
        result.append(StepInterval(start: Date(leg.start), end: Date(leg.end), count: count))
      }
    }
    return result
  }
}

extension Timestamp {
  /// An instant of a clock that counts from the Unix epoch, to the nearest nanosecond.
  ///
  /// Nil for a date that is more than 146 years from the epoch.
  public init?(_ date: Date) {
    self.init(seconds: date.timeIntervalSince1970)
  }
}

extension Date {
  /// The date of an instant of a clock that counts from the Unix epoch.
  public init(_ timestamp: Timestamp) {
    self.init(timeIntervalSince1970: timestamp.seconds)
  }
}
