package import Foundation
import LocomotionFormats
package import LocomotionPositioning
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

  /// Metres as "640 m", "3.2 km" or "128 km".
  package static func distance(_ metres: Double) -> String {
    if metres < 999.5 { return "\(fixed(metres, 0)) m" }
    return "\(metres < 99_950 ? fixed(metres / 1000, 1) : count(metres / 1000)) km"
  }

  /// A distance and its standard deviation, as "11.4 ± 0.9 km"; the distance alone where that is
  /// no estimate.
  package static func distance(_ metres: Double, deviation: Double?) -> String {
    guard let deviation, isEstimate(metres, deviation: deviation) else { return distance(metres) }
    if metres < 999.5 { return "\(fixed(metres, 0)) ± \(fixed(deviation, 0)) m" }
    let decimals = metres < 99_950 ? 1 : 0
    return "\(fixed(metres / 1000, decimals)) ± \(fixed(deviation / 1000, decimals)) km"
  }

  /// Whether a distance is to be shown with its standard deviation: one above 5 %.
  static func isEstimate(_ metres: Double, deviation: Double?) -> Bool {
    guard let deviation, deviation.isFinite else { return false }
    return deviation > 0.05 * metres && deviation >= 0.5
  }

  /// Metres per second as "5.2 km/h" or "47 km/h".
  package static func speed(_ metresPerSecond: Double) -> String {
    let speed = metresPerSecond * 3.6
    return "\(fixed(speed, abs(speed) < 9.95 ? 1 : 0)) km/h"
  }

  /// The time per kilometre at metres per second, as "6:05 /km"; "–" at a standstill.
  package static func pace(_ metresPerSecond: Double) -> String {
    let seconds = (1_000 / metresPerSecond).rounded()
    guard seconds.isFinite, seconds > 0, seconds < 36_000 else { return "–" }
    return "\(stopwatch(seconds)) /km"
  }

  /// Seconds as "6:05" or "1:02:09".
  package static func stopwatch(_ seconds: Double) -> String {
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

  /// What was climbed and descended with one standard deviation each, as "up 41 ± 24 m, down …";
  /// nil where neither is larger than that.
  package static func climb(_ change: AltitudeChange?) -> String? {
    guard let change else { return nil }
    let parts = [
      ("up", change.climb, change.climbDeviation),
      ("down", change.descent, change.descentDeviation),
    ].filter { $0.1 >= max(0.5, $0.2) }.map { name, metres, deviation in
      "\(name) \(fixed(metres, 0)) ± \(fixed(deviation, 0)) m"
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// An integer with at least two digits.
  package static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

  /// "A", "A and B", "A, B and C".
  package static func list(_ parts: [String]) -> String {
    guard parts.count > 1, let last = parts.last else { return parts.first ?? "" }
    return "\(parts.dropLast().joined(separator: ", ")) and \(last)"
  }

  /// "1 stay", "3 stays".
  package static func plural(_ count: Int, _ noun: String) -> String {
    "\(ReportFormatting.count(Double(count))) \(noun)\(count == 1 ? "" : "s")"
  }
}

/// Formats the instants of a recording: in a time zone when its clock is the Unix clock, else as
/// the time since its start.
package struct ReportClock: Sendable {
  /// The recording's first instant.
  let start: Timestamp
  /// Whether the clock is the Unix clock: the recording is then between the years 2000 and 2100.
  package let isCivil: Bool
  /// Whether times show seconds: the recording is then shorter than ten minutes.
  private let isFine: Bool
  private let zone: TimeZone

  package init(_ analysis: AnalysisResult) {
    self.init(start: analysis.start, end: analysis.end, zone: analysis.timeZone)
  }

  package init(start: Timestamp, end: Timestamp, zone: TimeZone = .gmt) {
    self.zone = zone
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

  /// The time of day "08:05", or the time since the start "0:05"; with seconds on request and in a
  /// short recording.
  package func time(_ instant: Timestamp, seconds: Bool = false) -> String {
    let shown = shown(instant)
    let second = isCivil ? ((shown % 86_400) + 86_400) % 86_400 : max(shown, 0)
    let hours = second / 3600
    let head = isCivil ? ReportFormatting.twoDigits(hours) : "\(hours)"
    let tail = seconds || isFine ? ":" + ReportFormatting.twoDigits(second % 60) : ""
    return "\(head):\(ReportFormatting.twoDigits(second / 60 % 60))\(tail)"
  }

  /// The time of an end: midnight is "24:00".
  package func end(_ instant: Timestamp) -> String {
    let isMidnight = isCivil && shown(instant) % 86_400 == 0 && instant > start
    return isMidnight ? "24:00" + (isFine ? ":00" : "") : time(instant)
  }

  /// The date as "20 November 2026"; nil without the Unix clock.
  package func day(_ instant: Timestamp) -> String? {
    guard isCivil else { return nil }
    let (year, month, day) = CalendarTime.civil(daysSince1970: shown(instant) / 86_400)
    return "\(day) \(Self.months[month - 1]) \(year)"
  }

  /// The date as "Fri 20 Nov 2026"; nil without the Unix clock.
  package func shortDay(_ instant: Timestamp) -> String? {
    guard isCivil else { return nil }
    let days = shown(instant) / 86_400
    let (year, month, day) = CalendarTime.civil(daysSince1970: days)
    // The first day of 1970 was a Thursday.
    let weekday = Self.weekdays[(days + 4) % 7].prefix(3)
    return "\(weekday) \(day) \(Self.months[month - 1].prefix(3)) \(year)"
  }

  /// The date as "Friday 20 November 2026"; nil without the Unix clock.
  package func longDay(_ instant: Timestamp) -> String? {
    day(instant).map { "\(Self.weekdays[(shown(instant) / 86_400 + 4) % 7]) \($0)" }
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
    guard zone.secondsFromGMT() != 0 || !["UTC", "GMT"].contains(zone.identifier) else {
      return "UTC"
    }
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
