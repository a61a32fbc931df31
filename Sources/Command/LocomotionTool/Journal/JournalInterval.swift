import Foundation
import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing

extension Arguments {
  /// The interval given by `--date`, or by `--from` and `--to`; nil without any of them.
  ///
  /// A day after `--to` belongs to the interval, an instant does not.
  func interval(_ calendar: Calendar) throws -> Range<Timestamp>? {
    guard has("from") || has("to") else {
      guard has("date") else { return nil }
      let day = try CivilDay(self, "date", nil, calendar)
      return day.start..<day.end
    }
    guard !has("date") else { throw UsageError("expected either '--date' or '--from' and '--to'") }
    let limit = Timestamp.limit
    var start = Timestamp(nanoseconds: -limit)
    if has("from") { start = try bound("from", calendar) { $0.start } }
    var end = Timestamp(nanoseconds: limit)
    if has("to") { end = try bound("to", calendar) { $0.end } }
    guard start < end else {
      throw UsageError("'--to \(value("to") ?? "")': expected an end after '--from'")
    }
    return start..<end
  }

  /// The interval as ``interval(_:)`` has it, or else all of the user's days.
  func interval(
    of user: UserJournal, _ store: String, _ calendar: Calendar
  ) throws -> Range<Timestamp> {
    guard let span = try user.daySpan() else {
      throw RecordingError.nothingUsable(path: store, reason: "\(user.name) has no data")
    }
    return try interval(calendar) ?? span.start..<span.end
  }

  /// An option's value as a day, of which `edge` is taken, or as an instant.
  private func bound(
    _ option: String, _ calendar: Calendar, _ edge: (CivilDay) -> Timestamp
  ) throws -> Timestamp {
    let isDay = value(option)?.wholeMatch(of: /\d+-\d+-\d+/) != nil
    return isDay ? edge(try CivilDay(self, option, nil, calendar)) : try instant(option)
  }
}
