import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing

/// The error for a refused line of `record`: the position, what was expected, what was found.
struct LineDefect: Error {
  let reason: String

  init(_ place: String, expected: String, found: String) {
    reason = "\(place): expected \(expected), found \(found)"
  }
}

/// One line of JSON that `record` reads.
///
/// `{"t":[s…],"ax":[…],"ay":[…],"az":[…],"fixes":[{"t":s,"lat":°,"lon":°,…},…]}`: either part may
/// be missing, `gx`, `gy` and `gz` are optional, and other names are ignored. Times are exact to
/// the nanosecond, however many digits come before the point; components keep every bit. A missing
/// value is null or NaN.
struct RecordedLine {
  private(set) var batch = JournalBatch()
  private var reader: JSONScanner

  static let axes = ["ax", "ay", "az"]
  static let rates = ["gx", "gy", "gz"]

  init(_ bytes: [UInt8]) throws(LineDefect) {
    reader = JSONScanner(bytes)
    try read()
  }

  private mutating func read() throws(LineDefect) {
    var times: [Timestamp]?
    var columns: [String: [Double]] = [:]
    try reader.object(at: "line") { (reader: inout JSONScanner, name) throws(LineDefect) in
      switch name {
      case "t":
        var values: [Timestamp] = []
        try reader.array(at: name) { (reader: inout JSONScanner, place) throws(LineDefect) in
          values.append(try Self.time(&reader, at: place))
        }
        times = values
      case _ where (Self.axes + Self.rates).contains(name):
        var values: [Double] = []
        try reader.array(at: name) { (reader: inout JSONScanner, place) throws(LineDefect) in
          values.append(try reader.number(at: place).value ?? .nan)
        }
        columns[name] = values
      case "fixes":
        var fixes: [LocationFix] = []
        try reader.array(at: name) { (reader: inout JSONScanner, place) throws(LineDefect) in
          fixes.append(try Self.fix(&reader, at: place))
        }
        batch.fixes = fixes
      default: try reader.skip(at: name)
      }
    }
    try reader.end()
    // Either of the two sensors may be missing.
    let hasRates = Self.rates.contains { columns[$0] != nil }
    batch.accelerations = try Self.series(
      times, columns, Self.axes, isNeeded: times != nil && !hasRates)
    batch.rotationRates = try Self.series(times, columns, Self.rates, isNeeded: false)
  }

  private static func time(
    _ reader: inout JSONScanner, at place: String
  ) throws(LineDefect) -> Timestamp {
    let start = reader.position
    guard let time = try reader.number(at: place).timestamp else {
      throw LineDefect(
        place, expected: "seconds within ±4.6e9", found: reader.text(from: start))
    }
    return time
  }

  private static func series(
    _ times: [Timestamp]?, _ columns: [String: [Double]], _ names: [String], isNeeded: Bool
  ) throws(LineDefect) -> SampleSeries {
    guard isNeeded || names.contains(where: { columns[$0] != nil }) else { return SampleSeries() }
    guard let times else { throw LineDefect("t", expected: "an array of times", found: "none") }
    var values: [[Double]] = []
    for name in names {
      guard let column = columns[name] else {
        throw LineDefect(name, expected: "an array of \(times.count) numbers", found: "none")
      }
      guard column.count == times.count else {
        throw LineDefect(
          name, expected: "\(times.count) numbers as in t", found: "\(column.count)")
      }
      values.append(column)
    }
    var series = SampleSeries()
    for (index, time) in times.enumerated() {
      series.append(x: values[0][index], y: values[1][index], z: values[2][index], at: time)
    }
    return series
  }

  private static func fix(
    _ reader: inout JSONScanner, at place: String
  ) throws(LineDefect) -> LocationFix {
    var time: Timestamp?
    var numbers: [String: Double] = [:]
    try reader.object(at: place) { (reader: inout JSONScanner, name) throws(LineDefect) in
      let inside = "\(place).\(name)"
      switch name {
      case "t": time = try Self.time(&reader, at: inside)
      case "lat", "lon", "alt", "hacc", "vacc", "speed", "sacc", "course", "cacc":
        if let value = try reader.number(at: inside).value, !value.isNaN { numbers[name] = value }
      default: try reader.skip(at: inside)
      }
    }
    guard let time else { throw LineDefect("\(place).t", expected: "seconds", found: "none") }
    for (name, limit) in [("lat", 90.0), ("lon", 360.0)] {
      guard let value = numbers[name], abs(value) <= limit else {
        // The value is a location, which does not belong in a log.
        throw LineDefect(
          "\(place).\(name)", expected: "degrees within ±\(Int(limit))",
          found: numbers[name] == nil ? "none" : "another number")
      }
    }
    return LocationFix(
      timestamp: time, latitude: numbers["lat"] ?? .nan, longitude: numbers["lon"] ?? .nan,
      altitude: numbers["alt"], horizontalAccuracy: numbers["hacc"],
      verticalAccuracy: numbers["vacc"], speed: numbers["speed"], speedAccuracy: numbers["sacc"],
      course: numbers["course"], courseAccuracy: numbers["cacc"])
  }
}
