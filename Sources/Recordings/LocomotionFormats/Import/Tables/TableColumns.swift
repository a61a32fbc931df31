internal import Foundation
public import LocomotionRecordings
internal import LocomotionSensing

/// The columns of a table by their names in the tidy form, and its units, where its header does not
/// tell them.
///
/// ```swift
/// let columns = try TableColumns(["t=timestamp_ms", "ax=x", "ay=y", "az=z"], units: ["g"])
/// ```
public struct TableColumns: Sendable, Hashable {
  /// A unit of a table's values.
  public enum Unit: String, CaseIterable, Sendable {
    /// Seconds, and parts of them.
    case seconds = "s"
    /// Milliseconds.
    case milliseconds = "ms"
    /// Microseconds.
    case microseconds = "us"
    /// Nanoseconds.
    case nanoseconds = "ns"
    /// Metres per second squared, with gravity.
    case metresPerSecondSquared = "m/s2"
    /// Standard gravity, 9.80665 m/s², in Android's sign: flat with the screen up z is +1.
    case standardGravity = "g"
    /// A thousandth of it.
    case milligravity = "mg"
    /// Standard gravity in Apple's sign: flat with the screen up z is −1.
    case appleGravity = "-g"
    /// Radians per second.
    case radiansPerSecond = "rad/s"
    /// Degrees per second.
    case degreesPerSecond = "deg/s"
    /// Metres per second, of the speeds of fixes.
    case metresPerSecond = "m/s"
    /// Kilometres per hour, of the speeds of fixes.
    case kilometresPerHour = "km/h"
    /// Miles per hour, of the speeds of fixes.
    case milesPerHour = "mph"
    /// Nautical miles per hour, of the speeds of fixes.
    case knots = "kn"
    /// Feet, of altitudes.
    case feet = "ft"
    /// Days since the end of 1899, as spreadsheets count them, or as MATLAB or astronomers do.
    case days = "d"
  }

  /// What the columns of a table can hold: time, acceleration, rotation rate, pressure, and the
  /// parts of a fix, by the names of the tidy form; `point`, both coordinates as text (WKT, or
  /// latitude and longitude); `arrival` and `departure` of a visit; and the `device`.
  public static let quantities =
    ["t"] + SensorNames.accelerations + SensorNames.rotationRates + [
      SensorNames.pressures,
      "lat", "lon", "alt", "hacc", "vacc", "speed", "course", "point", "arrival", "departure",
      "device",
    ]

  /// The names of columns in lower case, by quantity.
  let names: [String: String]
  let units: Set<Unit>
  /// The zone of times that tell none, such as `Europe/Berlin`; nil for UTC.
  public var zone: String?

  /// Nothing but what the header tells.
  public init() {
    names = [:]
    units = []
  }

  /// Columns and units from texts.
  ///
  /// - Parameters:
  ///   - names: `quantity=column`, one or several to a text with commas between them.
  ///   - units: Units by their raw values, also several to a text.
  /// - Throws: `RecordingError.malformed` for a quantity or a unit that there is not, or one named
  ///   twice; its place is the text in quotation marks.
  public init(_ names: [String], units: [String] = []) throws(RecordingError) {
    func invalid(_ text: Substring, _ expected: String, _ known: [String]) -> RecordingError {
      .malformed(
        path: "columns and units", place: "'\(text)'",
        expected: expected + known.joined(separator: ", "), found: String(text))
    }
    var columns: [String: String] = [:]
    for text in names.flatMap({ $0.split(separator: ",") }) {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, Self.quantities.contains(parts[0]), columns[parts[0]] == nil else {
        throw invalid(text, "QUANTITY=COLUMN, once each of ", Self.quantities)
      }
      columns[parts[0]] = parts[1].lowercased()
    }
    var known: Set<Unit> = []
    for text in units.flatMap({ $0.split(separator: ",") }) {
      guard let unit = Unit(rawValue: String(text)) else {
        throw invalid(text, "units of ", Unit.allCases.map { $0.rawValue })
      }
      known.insert(unit)
    }
    self.names = columns
    self.units = known
  }

  /// Whether nothing is said but what the header tells.
  public var isEmpty: Bool { names.isEmpty && units.isEmpty }
}

extension TableColumns.Unit {
  /// What makes a value in metres per second squared, radians per second, metres per second or
  /// metres of one in this unit.
  var scale: Double {
    switch self {
    case .standardGravity: Acceleration.standardGravity
    case .milligravity: Acceleration.standardGravity / 1_000
    case .appleGravity: -Acceleration.standardGravity
    case .degreesPerSecond: .pi / 180
    case .kilometresPerHour: 1 / 3.6
    case .milesPerHour: 0.44704
    case .knots: 1852 / 3600
    case .feet: 0.3048
    default: 1
    }
  }
}

extension TableColumns {
  /// The error for a table without what was named, or without enough of it.
  func missing(in rows: TableRows) -> RecordingError {
    let named = names.map { "\($0)=\($1)" }.sorted().joined(separator: ",")
    let time = named.isEmpty ? "of a time and of" : named + " and of a time, and"
    return rows.badHeader([time + " accelerations or positions"])
  }
}

/// The names that the columns of tables commonly have, in the languages of `columns.txt`.
enum ColumnNames {
  private static let words: [String: [String]] = WordList.columns.reduce(into: [:]) { words, line in
    words[String(line.key), default: []] += line.words.split(separator: " ").map { String($0) }
  }

  /// Names without accents and what is not a letter or digit, by quantity, in the order of
  /// preference.
  static let common: [String: [String]] = {
    var names = words.filter { TableColumns.quantities.contains($0.key) }
    let (accelerations, rotations) = (words["acceleration"] ?? [], words["rotation"] ?? [])
    for axis in ["x", "y", "z"] {
      names["a" + axis] =
        accelerations.map { $0 + axis } + ["\(axis)acc", "\(axis)axis", axis]
        + accelerations.dropFirst(2).map { axis + $0 }
      names["g" + axis] = rotations.map { $0 + axis }
    }
    return names
  }()

  /// Names of dates that stand beside a time of day.
  static let dates = words["date"] ?? []
  /// What may stand before or behind a name and says nothing of the quantity.
  private static let qualifiers = words["qualifier"] ?? []
  /// Words for a column of anything.
  private static let unspecific = words["anything"] ?? []

  /// The name without what says nothing of its quantity.
  static func core(_ name: String) -> String {
    var name = name
    while name.count > 3 {
      if let word = qualifiers.first(where: { name.hasPrefix($0) && name != $0 }) {
        name.removeFirst(word.count)
      } else if let word = qualifiers.first(where: { name.hasSuffix($0) && name != $0 }) {
        name.removeLast(word.count)
      } else {
        return name
      }
    }
    return name
  }

  /// Whether a name tells nothing of what its column holds.
  static func saysNothing(_ column: String) -> Bool {
    let letters = column.filter { $0.isLetter }
    return letters.count <= 2 || unspecific.contains(letters)
  }

  private static let known = Set(common.values.joined())

  /// The units that the end of a name tells; nil for those of the tidy form, and of none.
  private static let endings: [(text: String, unit: TableColumns.Unit?)] = {
    let table: [(TableColumns.Unit?, String)] = [
      (.milliseconds, "ms millis msec milliseconds"), (.microseconds, "us µs μs usec micros"),
      (.nanoseconds, "ns nanos nsec nanoseconds"), (.seconds, "s sec seconds sek secs"),
      (.days, "days"),
      (.metresPerSecondSquared, "m/s2 m/s^2 m/s² ms2 m/s/s m/s**2 mps2 ms^2 ms-2"),
      (.standardGravity, "g"), (.milligravity, "mg milli-g"), (.radiansPerSecond, "rad/s rads"),
      (.degreesPerSecond, "deg/s °/s dps degs"), (.kilometresPerHour, "km/h kmh kph kmph"),
      (.milesPerHour, "mph mi/h"), (.knots, "kn knots kt kts"), (.feet, "ft feet"),
      (nil, "m/s mps m meters metres hpa mbar deg ° degrees counts lsb raw"),
    ]
    return table.flatMap { unit, texts in texts.split(separator: " ").map { (String($0), unit) } }
  }()

  /// A column's name without its unit, accents and what is not a letter or digit, and the unit.
  ///
  /// The unit stands in brackets, behind a blank or an underscore, or at the end of a name that is
  /// known without it: `timestampMs`.
  static func parts(of column: String) -> (name: String, unit: TableColumns.Unit?) {
    var text = column
    var unit: TableColumns.Unit? =
      switch column {
      case "milliseconds", "millis": .milliseconds
      case "seconds": .seconds
      default: nil
      }
    let brackets: [(Character, String)] = [
      ("(", ")"), ("[", "]"), ("<", ">"), ("{", "}"), ("_", ""), (" ", ""), (",", ""),
    ]
    for (open, close) in brackets {
      guard let start = text.lastIndex(of: open), text.hasSuffix(close) else { continue }
      let ending = text[start...].dropFirst().dropLast(close.count).trimmed
      guard let found = endings.first(where: { $0.text == ending }) else { continue }
      unit = found.unit
      text = String(text[..<start])
      if text.hasSuffix(" in") { text = String(text.dropLast(3)) }
      break
    }
    let plain = text.folding(options: .diacriticInsensitive, locale: nil)
    let name = String(plain.filter { $0.isLetter || $0.isNumber }.map { $0 == "ł" ? "l" : $0 })
    guard unit == nil, !known.contains(name) else { return (name, unit) }
    for ending in endings where name.hasSuffix(ending.text) {
      let rest = String(name.dropLast(ending.text.count))
      if known.contains(rest) { return (rest, ending.unit) }
    }
    return (name, nil)
  }
}
