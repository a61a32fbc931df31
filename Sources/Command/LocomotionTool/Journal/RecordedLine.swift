import LocomotionFormats
package import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing

/// The error for a refused line of `record`: the position, what was expected, what was found.
package struct LineDefect: Error {
  package let reason: String

  init(_ place: String, expected: String, found: String) {
    reason = "\(place): expected \(expected), found \(found)"
  }

  /// What `reader` refused: a line has no lines, so that its bytes alone say where.
  init(_ error: RecordingError, in reader: JSONStream) {
    let here = "byte \(reader.position.byte)"
    switch error {
    case .malformed(_, let place, let expected, let found):
      let isSyntax = place == reader.place
      self.init(isSyntax ? here : place, expected: expected, found: Self.printable(found))
    default: self.init(here, expected: "JSON", found: "\(error)")
    }
  }

  /// The beginning of a text of the input, without control characters, for a log.
  private static func printable(_ text: String) -> String {
    text.unicodeScalars.prefix(24)
      .map { $0.value < 32 || $0.value == 127 ? "?" : "\($0)" }.joined()
  }
}

/// One line of JSON that `record` reads.
///
/// `{"t":[s…],"ax":[…],"ay":[…],"az":[…],"fixes":[{"t":s,"lat":°,"lon":°,…},…]}`: either part may
/// be missing, `gx`, `gy` and `gz` are optional, and so is `pressure`; other names are ignored.
/// Times are exact to the nanosecond, however many digits come before the point; components keep
/// every bit. A missing value is null or NaN.
package struct RecordedLine {
  package private(set) var batch = JournalBatch()

  package init(_ bytes: [UInt8]) throws(LineDefect) {
    var reader = JSONStream(ByteReader(bytes: bytes, name: "line"))
    do throws(RecordingError) {
      try read(&reader)
    } catch {
      throw LineDefect(error, in: reader)
    }
  }

  private mutating func read(_ reader: inout JSONStream) throws(RecordingError) {
    var times: [Timestamp]?
    var columns: [String: [Double]] = [:]
    var fixes: [LocationFix] = []
    try reader.object { (reader: inout JSONStream, name) throws(RecordingError) in
      switch name {
      case "t": times = try Self.array(&reader, called: name, Self.time)
      case _ where LineJSON.columns.contains(name):
        columns[name] = try Self.array(&reader, called: name, Self.number)
      case "fixes": fixes = try Self.array(&reader, called: name, Self.fix)
      default: try reader.skip()
      }
    }
    try reader.end()
    batch.fixes = fixes
    // Each of the sensors may be missing.
    let hasOthers = (SensorNames.rotationRates + [SensorNames.pressures]).contains {
      columns[$0] != nil
    }
    batch.accelerations = try Self.series(
      times, columns, SensorNames.accelerations, isNeeded: times != nil && !hasOthers)
    batch.rotationRates = try Self.series(
      times, columns, SensorNames.rotationRates, isNeeded: false)
    batch.pressures = try Self.pressures(times, columns)
  }

  private static func array<Element>(
    _ reader: inout JSONStream, called name: String,
    _ element: (inout JSONStream, String) throws(RecordingError) -> Element
  ) throws(RecordingError) -> [Element] {
    try reader.elements { (reader, index) throws(RecordingError) in
      try element(&reader, "\(name)[\(index)]")
    }
  }

  /// A number; NaN when it's missing.
  private static func number(
    _ reader: inout JSONStream, at place: String
  ) throws(RecordingError) -> Double {
    try field(&reader, at: place).value ?? .nan
  }

  private static func time(
    _ reader: inout JSONStream, at place: String
  ) throws(RecordingError) -> Timestamp {
    let field = try field(&reader, at: place)
    guard let time = field.timestamp else {
      throw defect(place, expected: "seconds within ±4.6e9", found: field.value.map { "\($0)" })
    }
    return time
  }

  /// A number beyond the range of Double is a value of the sensor that cannot be stored.
  private static func field(
    _ reader: inout JSONStream, at place: String
  ) throws(RecordingError) -> DecimalField {
    let value = try reader.value(limit: 1 << 10)
    switch value {
    case .null: return .missing
    case .number(let field) where field != .missing: return field
    default:
      throw defect(
        place, expected: "a number within ±1.8e308, null or NaN", found: value.briefDescription)
    }
  }

  private static func series(
    _ times: [Timestamp]?, _ columns: [String: [Double]], _ names: [String], isNeeded: Bool
  ) throws(RecordingError) -> SampleSeries {
    guard isNeeded || names.contains(where: { columns[$0] != nil }) else { return SampleSeries() }
    let (times, values) = try Self.values(times, columns, names)
    var series = SampleSeries()
    for (index, time) in times.enumerated() {
      series.append(x: values[0][index], y: values[1][index], z: values[2][index], at: time)
    }
    return series
  }

  /// The times, and the columns with these names, which are as long.
  private static func values(
    _ times: [Timestamp]?, _ columns: [String: [Double]], _ names: [String]
  ) throws(RecordingError) -> (times: [Timestamp], values: [[Double]]) {
    guard let times else { throw defect("t", expected: "an array of times", found: nil) }
    var values: [[Double]] = []
    for name in names {
      guard let column = columns[name] else {
        throw defect(name, expected: "an array of \(times.count) numbers", found: nil)
      }
      guard column.count == times.count else {
        throw defect(name, expected: "\(times.count) numbers as in t", found: "\(column.count)")
      }
      values.append(column)
    }
    return (times, values)
  }

  /// The pressures; the times at which there is none have been those of other sensors.
  private static func pressures(
    _ times: [Timestamp]?, _ columns: [String: [Double]]
  ) throws(RecordingError) -> SensorBatch.PressureSeries {
    var series = SensorBatch.PressureSeries()
    guard columns[SensorNames.pressures] != nil else { return series }
    let (times, values) = try Self.values(times, columns, [SensorNames.pressures])
    for (value, time) in zip(values[0], times) where !value.isNaN {
      series.append(Float(value), at: time)
    }
    return series
  }

  private static func fix(
    _ reader: inout JSONStream, at place: String
  ) throws(RecordingError) -> LocationFix {
    var time: Timestamp?
    var numbers: [String: Double] = [:]
    try reader.object { (reader: inout JSONStream, name) throws(RecordingError) in
      let inside = "\(place).\(name)"
      switch name {
      case "t": time = try Self.time(&reader, at: inside)
      case _ where LocationFix.quantityNames.contains(name):
        let value = try Self.number(&reader, at: inside)
        if !value.isNaN { numbers[name] = value }
      default: try reader.skip()
      }
    }
    guard let time else { throw defect("\(place).t", expected: "seconds", found: nil) }
    for (name, limit) in [("lat", 90.0), ("lon", 360.0)] {
      guard let value = numbers[name], abs(value) <= limit else {
        // The value is a location, which does not belong in a log.
        throw defect(
          "\(place).\(name)", expected: "degrees within ±\(Int(limit))",
          found: numbers[name] == nil ? nil : "another number")
      }
    }
    return LocationFix(at: time) { numbers[$0] }
  }

  private static func defect(
    _ place: String, expected: String, found: String?
  ) -> RecordingError {
    .malformed(path: "line", place: place, expected: expected, found: found ?? "none")
  }
}
