internal import Foundation
internal import LocomotionSensing

/// Dates as spreadsheets and programs of a language write them: the order of day and month is found
/// in the dates themselves.
///
/// `01-May-2024 12:00:00.5`, `May 1, 2024 7:05 PM`, `1.5.2024 12:00`, `5/13/24 07:05:10` and
/// `2024-5-1 7:05` are read; what ``CalendarTime`` reads already is left to it.
struct DateText {
  /// Whether the month is before the day, where both are numbers between slashes.
  private(set) var isMonthFirst = false
  /// Whether the dates do not show it.
  private(set) var isAmbiguous = false

  /// How the names of months begin, without accents.
  private static let months = [
    "jan gen ene sty", "feb fev lut", "mar mrt mrz", "apr abr avr kwi", "may mai mag mei maj",
    "jun juin giu cze", "jul juil lug lip", "aug aou ago sie", "sep set wrz", "oct okt ott out paz",
    "nov lis", "dec dez dic gru",
  ].map { $0.split(separator: " ") }

  /// Whether a text is a date without a time of day.
  static func isDate(_ text: String) -> Bool {
    text.contains { "-./".contains($0) }
      && split(text + " 0:00").map { $0.date.count == 3 } ?? false
  }

  /// Whether a text is a time of day.
  static func isTimeOfDay(_ text: String) -> Bool {
    let hour = text.prefix { $0 != ":" }
    return hour.count < min(3, text.count) && Int(hour).map { 0..<24 ~= $0 } ?? false
  }

  /// The order that dates have: that in which all of them exist, and with AM or PM the month first.
  init(_ texts: [String]) {
    let pairs = texts.compactMap(Self.split).compactMap { parts -> (Int, Int)? in
      guard parts.separator != ".", parts.date.count == 3, parts.date[0].count <= 2,
        let first = Int(parts.date[0]), let second = Int(parts.date[1])
      else { return nil }
      return (first, second)
    }
    guard !pairs.isEmpty else { return }
    if pairs.contains(where: { $0.0 > 12 }) { return }
    isMonthFirst = pairs.contains { $0.1 > 12 } || texts.contains { $0.uppercased().hasSuffix("M") }
    isAmbiguous = !isMonthFirst
  }

  /// The date and time in ISO 8601; nil for any other text.
  func iso(_ text: String) -> String? {
    guard let parts = Self.split(text), parts.date.count == 3 else { return nil }
    var (year, month, day): (Int?, Int?, Int?) = (nil, nil, nil)
    let numbers = parts.date.map { Int($0) }
    if let word = numbers.firstIndex(of: nil) {
      let name = parts.date[word].lowercased().folding(options: .diacriticInsensitive, locale: nil)
      month = Self.months.firstIndex { $0.contains { name.hasPrefix($0) } }.map { $0 + 1 }
      let others = numbers.indices.filter { $0 != word }
      (day, year) = (numbers[others[0]], numbers[others[1]])
      if let first = day, first > 31 { swap(&day, &year) }
    } else if parts.date[0].count == 4 {
      (year, month, day) = (numbers[0], numbers[1], numbers[2])
    } else {
      let isMonthFirst = isMonthFirst && parts.separator != "."
      (month, day) = isMonthFirst ? (numbers[0], numbers[1]) : (numbers[1], numbers[0])
      year = numbers[2]
    }
    guard let month, let day, var year else { return nil }
    if year < 100 { year += 2000 }
    guard let time = Self.time(parts.time) else { return nil }
    return String(format: "%04d-%02d-%02dT", year, month, day) + time
  }

  /// The three parts of a date, and what follows it.
  private static func split(
    _ text: String
  ) -> (date: [String], separator: Character, time: [Substring])? {
    let words = text.split { $0.isWhitespace || $0 == "," }
    guard let clock = words.firstIndex(where: { $0.contains(":") }), clock > 0 else { return nil }
    var date = words[..<clock].flatMap { $0.split { "-/.".contains($0) } }.map(String.init)
    var time = words[clock...]
    // `Mon May 6 08:00:00 UTC 2024` and `Mon, 6 May 2024 08:00:00 GMT`.
    if time.count > 1, let year = time.last, year.count == 4, Int(year) != nil {
      date.append(String(time.removeLast()))
    }
    if date.count == 4, date[0].allSatisfy(\.isLetter) { date.removeFirst() }
    let separator = words[0].first { "-/.".contains($0) } ?? " "
    guard date.allSatisfy({ $0.count <= 12 }) else { return nil }
    return (date, separator, Array(time))
  }

  /// A time of day of 24 hours from one with or without AM or PM, and a zone.
  private static func time(_ words: [Substring]) -> String? {
    guard let clock = words.first else { return nil }
    var parts = clock.split(separator: ":", omittingEmptySubsequences: false)
    guard 2...3 ~= parts.count, var hour = Int(parts.removeFirst()), 0..<24 ~= hour else {
      return nil
    }
    var rest = words.dropFirst()
    if let half = rest.first?.uppercased(), ["AM", "PM"].contains(half) {
      hour = hour % 12 + (half == "PM" ? 12 : 0)
      rest = rest.dropFirst()
    }
    let zone = rest.joined()
    return String(format: "%02d:", hour) + parts.joined(separator: ":")
      + (["UTC", "GMT"].contains(zone.uppercased()) ? "Z" : zone)
  }
}

/// Positions as text: of one axis with its hemisphere, or of both.
enum PlaceText {
  /// The degrees of an angle such as `47.3N`, `W 8.1`, `47°18'0"N` or `47 18.5`; nil for any other
  /// text.
  static func degrees(_ text: String) -> Double? {
    var sign = 1.0
    var plain = text.trimmingCharacters(in: .whitespaces)
    for (letters, factor) in [("NnEe", 1.0), ("SsWw", -1.0)] {
      if let last = plain.last, letters.contains(last) {
        plain.removeLast()
        sign = factor
      } else if let first = plain.first, letters.contains(first) {
        plain.removeFirst()
        sign = factor
      }
    }
    let parts = plain.split { " °º'′\"″".contains($0) }.map { Double($0.replacing(",", with: ".")) }
    guard 1...3 ~= parts.count, !parts.contains(nil) else { return nil }
    let numbers = parts.compactMap(\.self)
    guard numbers.allSatisfy(\.isFinite), numbers.dropFirst().allSatisfy({ 0..<60 ~= $0 }) else {
      return nil
    }
    let size = zip(numbers, [1.0, 60, 3600]).reduce(0) { $0 + abs($1.0) / $1.1 }
    return numbers[0] < 0 ? -sign * size : sign * size
  }

  /// A point of WKT (OGC 06-103r4), whose longitude is first, or `latitude, longitude`.
  static func point(_ text: String) -> (latitude: Double, longitude: Double)? {
    let upper = text.uppercased()
    if let start = upper.range(of: "POINT"),
      let open = upper[start.upperBound...].firstIndex(of: "(")
    {
      let numbers = upper[upper.index(after: open)...].prefix { $0 != ")" }
        .split(separator: " ").map { Double($0) }
      guard 2...4 ~= numbers.count, let longitude = numbers[0], let latitude = numbers[1] else {
        return nil
      }
      return (latitude, longitude)
    }
    let parts = text.split { ",;".contains($0) }.map { degrees($0.filter { !"()[]".contains($0) }) }
    guard 2...3 ~= parts.count, let latitude = parts[0], let longitude = parts[1] else {
      return nil
    }
    return (latitude, longitude)
  }
}
