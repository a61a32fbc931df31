public import Foundation
public import Locomotion

extension UserJournal {
  /// The totals of an interval.
  ///
  /// What the interval cuts counts with the part of its distance and steps inside it.
  ///
  /// - Throws: ``JournalError/invalidInterval``.
  public func totals(from start: Timestamp, to end: Timestamp) throws(JournalError) -> Totals {
    guard start < end else { throw .invalidInterval }
    return Totals(of: try dayItems(from: start, to: end), from: start, to: end)
  }

  /// The totals of each day, week or month that overlaps an interval.
  ///
  /// - Parameters:
  ///   - period: The length of each, such as a day, 23 to 25 hours where the clocks are changed, a
  ///     week of the year, which begins on the calendar's first weekday, or a month.
  ///   - start: An instant in the first period.
  ///   - end: The first instant after the interval.
  ///   - calendar: It has the person's time zone and first weekday.
  /// - Returns: One total per period, whole ones at both ends, in the order of time.
  /// - Throws: ``JournalError/invalidInterval``.
  public func totals(
    by period: Calendar.Component, from start: Timestamp, to end: Timestamp, in calendar: Calendar
  ) throws(JournalError) -> [Totals] {
    guard start < end, start.isPlausible, end.isPlausible else { throw .invalidInterval }
    var result: [Totals] = []
    var instant = Date(start)
    while instant < Date(end) {
      guard let interval = calendar.dateInterval(of: period, for: instant),
        let from = Timestamp(interval.start), let to = Timestamp(interval.end), from < to
      else { throw .invalidInterval }
      result.append(try totals(from: from, to: to))
      instant = interval.end
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
