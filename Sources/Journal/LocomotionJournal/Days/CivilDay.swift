public import Foundation
public import LocomotionSensing

/// A day of a calendar, 23 to 25 hours.
public struct CivilDay: Sendable {
  /// The calendar with the person's time zone.
  public let calendar: Calendar
  /// The first instant of the day.
  public let start: Timestamp
  /// The first instant after the day.
  public let end: Timestamp

  /// The day that holds an instant; nil beyond the range of timestamps.
  public init?(holding instant: Timestamp, _ calendar: Calendar) {
    guard let day = calendar.dateInterval(of: .day, for: Date(instant)),
      let start = Timestamp(day.start), let end = Timestamp(day.end)
    else { return nil }
    (self.calendar, self.start, self.end) = (calendar, start, end)
  }

  /// The day written as `YYYY-MM-DD`; nil for another text or a date that does not exist.
  public init?(_ text: String, _ calendar: Calendar) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 3 else { return nil }
    var components = DateComponents()
    (components.year, components.month, components.day) = (parts[0], parts[1], parts[2])
    guard components.isValidDate(in: calendar),
      let instant = calendar.date(from: components).flatMap({ Timestamp($0) })
    else { return nil }
    self.init(holding: instant, calendar)
  }

  /// The day after this one; nil beyond the range of timestamps.
  public var next: CivilDay? { CivilDay(holding: end, calendar) }

  /// The date as `20261121`, or with a separator between its parts.
  public func date(_ separator: String = "") -> String {
    let format = ["yyyy", "MM", "dd"].joined(separator: separator.isEmpty ? "" : "'\(separator)'")
    return DateFormatter(format, calendar).text(start)
  }
}

extension DateFormatter {
  /// Writes and reads times as `20261121T080500+0100`, with `Z` in UTC.
  package static let stamp = "yyyyMMdd'T'HHmmssXX"

  /// Writes and reads times in a format of Unicode's, in a calendar and its time zone.
  package convenience init(_ format: String, _ calendar: Calendar) {
    self.init()
    self.calendar = calendar
    timeZone = calendar.timeZone
    locale = Locale(identifier: "en_US_POSIX")
    dateFormat = format
  }

  /// An instant, to the nearest second.
  func text(_ instant: Timestamp) -> String {
    string(from: Date(timeIntervalSince1970: instant.seconds.rounded()))
  }
}
