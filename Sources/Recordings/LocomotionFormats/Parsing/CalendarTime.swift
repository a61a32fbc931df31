package import LocomotionSensing

/// Dates in ISO 8601, in the Gregorian calendar and UTC.
package enum CalendarTime {
  /// The instant of a date and time in `text`, on the Unix clock.
  ///
  /// Accepts `2024-05-01T12:00:00.5Z`, `20240501T120000+0200`, a blank or nothing for the T, `/` in
  /// the date, and a time zone with or without a colon, or a blank before it. Without a time zone
  /// UTC is assumed, and `hasZone` is false. Nil for anything else, also for a date that the
  /// calendar does not have.
  package static func timestamp(_ text: String) -> (time: Timestamp, hasZone: Bool)? {
    var field = FieldReader(text)
    guard field.count <= 40, let days = date(&field) else { return nil }
    var (seconds, nanoseconds): (Int, Int64) = (0, 0)
    if !field.isAtEnd {
      guard let time = timeOfDay(&field) else { return nil }
      (seconds, nanoseconds) = time
    }
    guard let (offset, hasZone) = zone(&field), field.isAtEnd else { return nil }
    let whole = Int64(days) * 86_400 + Int64(seconds - offset)
    let (product, overflow) = whole.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return nil }
    let time = Timestamp(nanoseconds: product).advanced(byNanoseconds: nanoseconds)
    return time.isPlausible ? (time, hasZone) : nil
  }

  private static func date(_ field: inout FieldReader) -> Int? {
    guard let year = field.number(4, before: "-/"), let month = field.number(2, before: "-/"),
      let day = field.number(2)
    else { return nil }
    return days(year, month, day)
  }

  /// Reads a time of day, whose seconds may be missing.
  private static func timeOfDay(_ field: inout FieldReader) -> (seconds: Int, nanoseconds: Int64)? {
    field.take("Tt ")
    guard let hour = field.number(2, before: ":"), hour < 24,
      let minute = field.number(2, before: ":"), minute < 60
    else { return nil }
    var second = 0
    if !field.isAt("Zz+- ") && !field.isAtEnd {
      guard let value = field.number(2), value <= 60 else { return nil }
      second = value
    }
    let seconds = hour * 3600 + minute * 60 + second
    guard field.take(".,") != nil else { return (seconds, 0) }
    var (nanoseconds, place): (Int64, Int64) = (0, 100_000_000)
    guard field.isAt("0123456789") else { return nil }
    while let digit = field.number(1) {
      nanoseconds += Int64(digit) * place
      place /= 10
    }
    return (seconds, nanoseconds)
  }

  /// Reads what may stand at the end: Z, or an offset to UTC, seconds.
  private static func zone(_ field: inout FieldReader) -> (offset: Int, hasZone: Bool)? {
    field.take(" ")
    if field.take("Zz") != nil { return (0, true) }
    guard let sign = field.take("+-") else { return (0, false) }
    guard let hours = field.number(2, before: ":"), hours < 24 else { return nil }
    var minutes = 0
    if !field.isAtEnd {
      guard let value = field.number(2), value < 60 else { return nil }
      minutes = value
    }
    return ((sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60), true)
  }

  /// The instant in ISO 8601 with a Z, to the nanosecond, without zeros at the end.
  package static func text(_ time: Timestamp) -> String {
    let day: Int64 = 86_400_000_000_000
    let days = time.interval(of: day)
    let inDay = time.nanoseconds &- days &* day
    let (date, clock) = (civil(daysSince1970: Int(days)), Int(inDay / 1_000_000_000))
    var digits = padded(Int(inDay % 1_000_000_000), 9)
    while digits.last == "0" { digits.removeLast() }
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
      + "\(padded(clock / 3600, 2)):\(padded(clock / 60 % 60, 2)):\(padded(clock % 60, 2))"
      + (digits.isEmpty ? "Z" : ".\(digits)Z")
  }

  private static func padded(_ value: Int, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }

  /// Days since 1970-01-01; nil for a date that isn't in the calendar.
  ///
  /// Years start in March here, so that the leap day is the last (Hinnant, "chrono-compatible
  /// low-level date algorithms", 2013).
  static func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    guard 1...12 ~= month, 1...31 ~= day, 1...9999 ~= year else { return nil }
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    return civil(daysSince1970: days) == (year, month, day) ? days : nil
  }

  /// The Gregorian date of a day (Hinnant, "chrono-compatible low-level date algorithms", 2013).
  package static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let civil = month < 10 ? month + 3 : month - 9
    return (yearOfEra + era * 400 + (civil <= 2 ? 1 : 0), civil, day)
  }
}

/// Reads a date's fields from its text, one after another.
private struct FieldReader {
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var count: Int { bytes.count }
  var isAtEnd: Bool { index == bytes.count }

  /// Whether one of the characters comes next.
  func isAt(_ characters: String) -> Bool {
    index < bytes.count && characters.utf8.contains(bytes[index])
  }

  /// Passes over one of the characters, if it comes next, and returns it.
  @discardableResult
  mutating func take(_ characters: String) -> UInt8? {
    guard isAt(characters) else { return nil }
    defer { index += 1 }
    return bytes[index]
  }

  /// The number of so many digits, with a mark that may follow; nil, and nothing is read, when they
  /// don't come next.
  mutating func number(_ digits: Int, before marks: String = "") -> Int? {
    guard index + digits <= bytes.count else { return nil }
    var value = 0
    for byte in bytes[index..<index + digits] {
      guard 0x30...0x39 ~= byte else { return nil }
      value = value * 10 + Int(byte &- 0x30)
    }
    index += digits
    take(marks)
    return value
  }
}
