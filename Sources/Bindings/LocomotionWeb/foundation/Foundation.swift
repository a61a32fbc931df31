// What the report uses of Foundation, where there is none: the module has the name of Foundation,
// so that the same sources are compiled in Embedded Swift. `build.sh` alone builds it.

@_exported public import CLocomotionMath
internal import LocomotionFormats

/// The binary logarithm.
public func log2(_ value: Double) -> Double { log(value) / log(2) }

/// An instant of the Unix clock.
public struct Date: Sendable {
  /// Seconds since the beginning of 1970 in UTC.
  public var timeIntervalSince1970: Double

  /// An instant by its seconds since the beginning of 1970 in UTC.
  public init(timeIntervalSince1970: Double) {
    self.timeIntervalSince1970 = timeIntervalSince1970
  }

  /// The instant so many seconds later.
  public func addingTimeInterval(_ seconds: Double) -> Date {
    Date(timeIntervalSince1970: timeIntervalSince1970 + seconds)
  }
}

/// A time zone as its offsets to UTC in the time of a recording, which the browser knows.
public struct TimeZone: Sendable {
  /// The name, as "Europe/Berlin".
  public let identifier: String
  /// From when on there is which offset to UTC, seconds, in order of time; the first holds before
  /// it, too.
  private let offsets: [(from: Double, seconds: Int)]

  /// A time zone of these offsets; UTC without one.
  public init(identifier: String, offsets: [(from: Double, seconds: Int)]) {
    self.identifier = identifier
    self.offsets = offsets
  }

  /// Universal time.
  public static let gmt = TimeZone(identifier: "GMT", offsets: [])

  /// The offset to UTC at an instant, seconds.
  public func secondsFromGMT(for date: Date) -> Int {
    let last = offsets.last { $0.from <= date.timeIntervalSince1970 }
    return (last ?? offsets.first)?.seconds ?? 0
  }

  /// The first offset to UTC, seconds.
  public func secondsFromGMT() -> Int { offsets.first?.seconds ?? 0 }
}

/// The Gregorian calendar in a time zone.
public struct Calendar: Sendable {
  /// The calendars that there are.
  public enum Identifier: Sendable {
    /// The Gregorian calendar.
    case gregorian
  }

  /// The parts of a date.
  public enum Component: Sendable {
    /// A part.
    case year, month, day
  }

  /// The time zone in which days begin.
  public var timeZone = TimeZone.gmt

  /// A calendar in universal time.
  public init(identifier: Identifier) {}

  /// The first instant of a day: its midnight, or that to which the clocks jumped over it.
  public func startOfDay(for date: Date) -> Date {
    let day = daysSince1970(date)
    let midnight = 86_400 * Double(day)
    // Of the offsets around midnight that with which the clocks show it, the earlier one first.
    let around = [-43_200, 43_200].map { shift in
      timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: midnight + Double(shift)))
    }
    let starts = around.map { Date(timeIntervalSince1970: midnight - Double($0)) }
    return starts.first { daysSince1970($0) == day } ?? starts[0]
  }

  /// The date of an instant.
  public func dateComponents(_: Set<Component>, from date: Date) -> DateComponents {
    let (year, month, day) = CalendarTime.civil(daysSince1970: daysSince1970(date))
    return DateComponents(year: year, month: month, day: day)
  }

  private func daysSince1970(_ date: Date) -> Int {
    let shown = date.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: date))
    return Int((shown / 86_400).rounded(.down))
  }
}

/// A date.
public struct DateComponents: Sendable {
  /// A part of the date.
  public var year, month, day: Int?
}

extension String {
  /// The text with each occurrence of a part replaced by another.
  public func replacing(_ part: String, with other: String) -> String {
    let (bytes, wanted) = (Array(utf8), Array(part.utf8))
    var (result, place): ([UInt8], Int) = ([], 0)
    while place < bytes.count {
      if !wanted.isEmpty, bytes[place...].starts(with: wanted) {
        result += other.utf8
        place += wanted.count
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
