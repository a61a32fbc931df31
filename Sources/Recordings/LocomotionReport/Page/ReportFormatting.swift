import Foundation
import LocomotionFormats
package import LocomotionSensing

/// Numbers, lengths and times formatted for people.
package enum ReportFormatting {
  /// `value` with a fixed number of decimals; "–" when it is not finite.
  package static func fixed(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite else { return "–" }
    let scale = pow(10, Double(decimals))
    let scaled = (abs(value) * scale).rounded()
    guard scaled < 9e15 else { return "\(value)" }
    let digits = String(Int64(scaled))
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return sign + digits }
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return "\(sign)\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
  }

  /// A whole number with commas between groups of three digits.
  package static func count(_ value: Double) -> String {
    let digits = fixed(value, 0)
    guard value.isFinite, abs(value) < 9e15 else { return digits }
    var grouped = ""
    for (index, digit) in digits.enumerated() {
      let left = digits.count - index
      if index > 0, left.isMultiple(of: 3), digits[digits.startIndex] != "-" || index > 1 {
        grouped += ","
      }
      grouped.append(digit)
    }
    return grouped
  }

  /// Seconds as "45 s", "12 min", "3 h 05 min" or "2 d 3 h".
  package static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, abs(seconds) < 1e15 else { return "–" }
    if seconds < 89.5 { return "\(fixed(seconds, 0)) s" }
    let minutes = Int((seconds / 60).rounded())
    if minutes < 60 { return "\(minutes) min" }
    let hours = minutes / 60
    if hours < 48 { return "\(hours) h \(twoDigits(minutes % 60)) min" }
    return "\(hours / 24) d \(hours % 24) h"
  }

  /// Seconds as "6:05" or "1:02:09".
  static func stopwatch(_ seconds: Double) -> String {
    guard seconds.isFinite, 0..<1e9 ~= seconds else { return "–" }
    let whole = Int(seconds.rounded())
    let minutes = whole / 60 % 60
    let head = whole >= 3_600 ? "\(whole / 3_600):\(twoDigits(minutes))" : "\(minutes)"
    return "\(head):\(twoDigits(whole % 60))"
  }

  /// A fraction as "96 %"; what is not zero is never "0 %".
  package static func percent(_ fraction: Double) -> String {
    fraction > 0 && fraction < 0.005 ? "<1 %" : "\(fixed(fraction * 100, 0)) %"
  }

  /// An integer with at least two digits.
  static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

  /// "1 stay", "3 stays".
  package static func plural(_ count: Int, _ noun: String) -> String {
    "\(ReportFormatting.count(Double(count))) \(noun)\(count == 1 ? "" : "s")"
  }
}

extension TimeZone {
  /// Whether it is that of coordinated universal time, by any of its common names.
  var isUTC: Bool {
    secondsFromGMT() == 0 && ["UTC", "GMT", "Etc/UTC", "Etc/GMT", "Zulu"].contains(identifier)
  }
}

/// Formats the instants of a recording: in a time zone when its clock is the Unix clock, else as
/// the time since its start.
package struct ReportClock: Sendable {
  /// The recording's first instant.
  let start: Timestamp
  /// Whether the clock is the Unix clock: the recording is then between the years 2000 and 2100.
  let isCivil: Bool
  /// Whether times show seconds: the recording is then shorter than ten minutes.
  private let isFine: Bool
  private let zone: TimeZone
  /// How the hours of a day are counted.
  let hours: Hours

  /// How the hours of a day are counted: to 24, or twice to 12 as "8:05 AM".
  package enum Hours: String, CaseIterable, Sendable {
    case twentyFour = "24"
    case twelve = "12"
  }

  init(_ analysis: AnalysisResult) {
    self.init(start: analysis.start, end: analysis.end, locale: analysis.locale)
  }

  package init(start: Timestamp, end: Timestamp, locale: ReportLocale = ReportLocale()) {
    zone = locale.timeZone
    hours = locale.hours
    self.start = start
    isFine = end.seconds(since: start) < 600
    isCivil = start.seconds > 946_684_800 && start.seconds < 4_102_444_800
  }

  /// The offset of the time zone from UTC, seconds; 0 without the Unix clock.
  func offset(_ instant: Timestamp) -> Int {
    isCivil ? zone.secondsFromGMT(for: Date(timeIntervalSince1970: instant.seconds)) : 0
  }

  /// The displayed time in whole seconds.
  private func shown(_ instant: Timestamp) -> Int {
    let time = isCivil ? instant : Timestamp(nanoseconds: instant.nanoseconds(since: start))
    return Int(time.interval(of: 1_000_000_000)) + offset(instant)
  }

  /// The time of day "08:05" or "8:05 AM", or the time since the start "0:05"; with seconds on
  /// request and in a short recording.
  package func time(_ instant: Timestamp, seconds: Bool = false) -> String {
    let shown = shown(instant)
    let second = isCivil ? ((shown % 86_400) + 86_400) % 86_400 : max(shown, 0)
    let hour = second / 3600
    let seconds = seconds || isFine ? ":" + ReportFormatting.twoDigits(second % 60) : ""
    let tail = ":\(ReportFormatting.twoDigits(second / 60 % 60))\(seconds)"
    guard isCivil else { return "\(hour)\(tail)" }
    guard isOfTwelve else { return ReportFormatting.twoDigits(hour) + tail }
    return "\((hour + 11) % 12 + 1)\(tail) \(hour < 12 ? "AM" : "PM")"
  }

  /// Whether times say before or after noon.
  var isOfTwelve: Bool { isCivil && hours == .twelve }

  /// The time of an end: midnight is "24:00", or "12:00 AM".
  package func end(_ instant: Timestamp) -> String {
    let isMidnight = isCivil && !isOfTwelve && shown(instant) % 86_400 == 0 && instant > start
    return isMidnight ? "24:00" + (isFine ? ":00" : "") : time(instant)
  }

  /// The number of the day of an instant: since the beginning of 1970, or since the start of the
  /// recording.
  func dayNumber(_ instant: Timestamp) -> Int {
    Int((Double(shown(instant)) / 86_400).rounded(.down))
  }

  /// The first instant of a day: its midnight, or that to which the clocks jumped over it.
  func startOfDay(_ number: Int) -> Timestamp {
    let midnight = Timestamp(nanoseconds: Int64(number) * 86_400_000_000_000)
    guard isCivil else { return start.advanced(byNanoseconds: midnight.nanoseconds) }
    // Of the offsets around midnight that with which the clocks show it, the earlier one first.
    let starts = [Int64(-43_200), 43_200].map { shift in
      let offset = offset(midnight.advanced(byNanoseconds: shift * 1_000_000_000))
      return midnight.advanced(byNanoseconds: -Int64(offset) * 1_000_000_000)
    }
    return starts.first { dayNumber($0) == number } ?? starts[0]
  }

  /// The date of a day without separators; its number from 1 without the Unix clock.
  func key(ofDay number: Int) -> String {
    guard isCivil else { return "\(number + 1)" }
    let (year, month, day) = CalendarTime.civil(daysSince1970: number)
    return "\(year * 10_000 + month * 100 + day)"
  }

  /// The date of an instant; nil without the Unix clock.
  func date(_ instant: Timestamp) -> (weekday: String, day: Int, month: String, year: Int)? {
    guard isCivil else { return nil }
    let number = dayNumber(instant)
    let (year, month, day) = CalendarTime.civil(daysSince1970: number)
    // The first day of 1970 was a Thursday.
    return (Self.weekdays[(number + 4) % 7], day, Self.months[month - 1], year)
  }

  /// The date as "Fri 20 Nov 2026"; nil without the Unix clock.
  package func shortDay(_ instant: Timestamp) -> String? {
    date(instant).map { "\($0.weekday.prefix(3)) \($0.day) \($0.month.prefix(3)) \($0.year)" }
  }

  /// The date as "Friday 20 November 2026"; nil without the Unix clock.
  package func longDay(_ instant: Timestamp) -> String? {
    date(instant).map { "\($0.weekday) \($0.day) \($0.month) \($0.year)" }
  }

  /// ISO 8601 in UTC, to the second; nil without the Unix clock.
  package func iso(_ instant: Timestamp) -> String? {
    guard isCivil else { return nil }
    let seconds = Int(instant.seconds.rounded(.down))
    let (year, month, day) = CalendarTime.civil(daysSince1970: seconds / 86_400)
    let two = ReportFormatting.twoDigits
    let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map(two)
    return "\(year)-\(two(month))-\(two(day))T\(clock.joined(separator: ":"))Z"
  }

  /// An explanation of the displayed times.
  package var note: String {
    isCivil
      ? "Times are \(zoneName)."
      : "Times count from the start of the recording, second "
        + "\(ReportFormatting.fixed(start.seconds, 1)) of its own clock."
  }

  /// "UTC", or "those of Europe/Berlin (UTC+01:00)".
  private var zoneName: String {
    if zone.isUTC { return "UTC" }
    let offset = offset(start) / 60
    let two = ReportFormatting.twoDigits
    let ahead = "\(offset < 0 ? "−" : "+")\(two(abs(offset) / 60)):\(two(abs(offset) % 60))"
    return "those of \(zone.identifier) (UTC\(ahead))"
  }

  private static let weekdays = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
}
