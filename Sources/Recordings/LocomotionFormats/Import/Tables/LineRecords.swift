/// Lines that are neither a table nor JSON, each with what it says of a fix by names: sentences of
/// receivers (NMEA 0183), records of flights (IGC), and pairs of names and values (Huawei's
/// HiTrack).
///
/// Sentences of one time are a row, of several receivers that of `GN`, which combines them. A clock
/// that falls is that of the next day, unless a sentence tells the date.
struct LineRecords {
  typealias Row = [String: String]
  private enum Form {
    case sentences, flight, pairs
  }

  private let form: Form
  /// Days since 1970; nil where nothing has told them.
  private var day: Int?
  /// The row of the sentences of one time, and that time.
  private var row: Row = [:]
  private var clock = ""

  /// Looks at the first lines; nil where they are in none of the forms.
  init?(_ start: some Collection<UInt8>) {
    let lines = String(decoding: start, as: UTF8.self).split { $0.isNewline }
    let sentences = lines.compactMap(Self.sentence)
    if !sentences.isEmpty {
      form = .sentences
      day = sentences.lazy.compactMap(Self.date).first
    } else if lines.contains(where: { $0.hasPrefix("HFDTE") }) {
      form = .flight
    } else if lines.contains(where: { Self.pairs($0)["lat"] != nil }) {
      form = .pairs
    } else {
      return nil
    }
  }

  /// The row that is complete with a line.
  mutating func take(_ line: Substring) -> Row? {
    switch form {
    case .flight: return takeRecord(line)
    case .pairs:
      let row = Self.pairs(line)
      // HiTrack writes 90 at a pause.
      return row["lat"].flatMap(Double.init) == 90 ? nil : row
    case .sentences:
      guard let fields = Self.sentence(line) else { return nil }
      return Self.isSound(line) ? take(fields) : ["time": "a wrong checksum", "lat": "", "lon": ""]
    }
  }

  /// The row that is left at the end.
  mutating func finish() -> Row? {
    defer { row = [:] }
    return row.isEmpty ? nil : row.merging(["time": time]) { $1 }
  }

  private static func pairs(_ line: Substring) -> Row {
    let pairs = line.split(separator: ";").map { $0.split(separator: "=", maxSplits: 1) }
    guard pairs.count > 2, pairs.allSatisfy({ $0.count == 2 }) else { return [:] }
    return Row(pairs.map { ($0[0].lowercased(), String($0[1])) }) { first, _ in first }
  }

  // MARK: NMEA 0183

  /// The fields of a sentence with a position; nil for any other line.
  private static func sentence(_ line: Substring) -> [Substring]? {
    let text = line.drop { $0 != "$" }.prefix { $0 != "*" }
    let fields = text.split(separator: ",", omittingEmptySubsequences: false)
    guard let first = fields.first, first.count == 6, fields.count > 9 else { return nil }
    return ["RMC", "GGA", "GNS"].contains(first.suffix(3)) ? fields : nil
  }

  /// Whether a sentence has the checksum that it tells, the exclusive or of its bytes.
  private static func isSound(_ line: Substring) -> Bool {
    let parts = line.drop { $0 != "$" }.dropFirst().split(separator: "*", maxSplits: 1)
    guard parts.count == 2, let told = UInt8(parts[1].prefix(2), radix: 16) else { return true }
    return parts[0].utf8.reduce(0, ^) == told
  }

  /// The date of the sentence that tells one, `ddmmyy`, as days since 1970.
  private static func date(_ fields: [Substring]) -> Int? {
    fields[0].hasSuffix("RMC") ? day(fields[9]) : nil
  }

  private mutating func take(_ fields: [Substring]) -> Row? {
    let isMinimum = fields[0].hasSuffix("RMC")
    let first = isMinimum ? 3 : 2
    let isValid = isMinimum ? fields[2] != "V" : !["", "0", "N", "NN"].contains(fields[6])
    guard isValid, fields[1].count >= 6 else { return nil }
    let complete = Self.clock(fields[1]) == clock ? nil : finish()
    advance(to: fields[1])
    day = Self.date(fields) ?? day
    var new: Row = [
      "lat": Self.degrees(fields[first], fields[first + 1]),
      "lon": Self.degrees(fields[first + 2], fields[first + 3]),
    ]
    if isMinimum {
      (new["speed_knots"], new["course"]) = (String(fields[7]), String(fields[8]))
    } else {
      (new["hdop"], new["alt"]) = (String(fields[8]), String(fields[9]))
    }
    row.merge(new) { fields[0].hasPrefix("$GN") ? $1 : $0 }
    return complete
  }

  // MARK: Times and places

  /// The date, if it is known, and the time of day.
  private var time: String {
    guard let day else { return clock }
    let date = CalendarTime.civil(daysSince1970: day)
    return "\(date.year)-\(date.month)-\(date.day) \(clock)Z"
  }

  private mutating func advance(to digits: Substring) {
    let next = Self.clock(digits)
    if next.prefix(2) < clock.prefix(2) { day = day.map { $0 + 1 } }
    clock = next
  }

  /// `hhmmss.ss` as a time of day, without zeros behind the point.
  private static func clock(_ text: Substring) -> String {
    let parts = text.dropFirst(4).split(separator: ".")
    let isWhole = parts.count < 2 || parts[1].allSatisfy { $0 == "0" }
    return "\(text.prefix(2)):\(text.dropFirst(2).prefix(2)):"
      + (isWhole ? parts.first ?? "00" : text.dropFirst(4))
  }

  private static func day(_ text: Substring) -> Int? {
    guard text.count == 6, let number = Int(text) else { return nil }
    let year = number % 100
    return CalendarTime.days(year + (year < 80 ? 2000 : 1900), number / 100 % 100, number / 10_000)
  }

  /// `dddmm.mmmm` and a letter as degrees.
  private static func degrees(_ text: Substring, _ letter: Substring) -> String {
    guard let number = Double(text) else { return "" }
    let whole = (number / 100).rounded(.towardZero)
    return "\((whole + (number - whole * 100) / 60) * ("SW".contains(letter) ? -1 : 1))"
  }

  // MARK: IGC

  /// A record of a flight: its date, or a fix with thousandths of minutes.
  private mutating func takeRecord(_ line: Substring) -> Row? {
    if line.hasPrefix("HFDTE") { day = Self.day(line.filter(\.isNumber).prefix(6)[...]) }
    let text = Array(line)
    guard text.first == "B", text.count >= 35 else { return nil }
    func part(_ from: Int, _ count: Int) -> Substring { Substring(text[from..<(from + count)]) }
    advance(to: part(1, 6))
    return [
      "time": time, "lat": Self.degrees(part(7, 4) + "." + part(11, 3), part(14, 1)),
      "lon": Self.degrees(part(15, 5) + "." + part(20, 3), part(23, 1)),
      "alt": text[24] == "A" ? String(part(30, 5)) : "",
    ]
  }
}
