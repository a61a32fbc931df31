package import LocomotionRecordings
package import LocomotionSensing

/// One line of JSON, as `locomotion record` reads it and as we export it.
///
/// `{"recording":…,"subject":…}` starts a recording, `{"label":…,"start":…,"end":…}` is an
/// interval, and `{"journal":…}` begins what a journal exports, with `{"place":{…}}` and
/// `{"edit":{…}}`. `{"t":[s…],"ax":[…],"ay":[…],"az":[…],"fixes":[{"t":s,"lat":°,"lon":°,…},…]}`
/// holds samples and fixes: either part may be missing, `gx`, `gy` and `gz` are optional, and so is
/// `pressure`; other names are ignored. Times are exact to the nanosecond, however many digits come
/// before the point; components keep every bit. A missing value is null or NaN.
package struct LineJSON {
  /// The names of all columns beside that of times.
  static let columns =
    SensorNames.accelerations + SensorNames.rotationRates + [SensorNames.pressures]

  private static let descriptions: Set = [
    "recording", "subject", "gyroscope", "barometer", "label", "start", "end", "journal",
    "place", "edit",
  ]

  /// What describes a recording, a label, a place or an edit; nothing of it in a line of `record`.
  private(set) var members: [String: JSONValue] = [:]
  /// The fixes; nil for one without a time, of which a line of `record` has none.
  package private(set) var fixes: [LocationFix?] = []
  private var times: [Timestamp?]?
  private var values: [String: [Double]] = [:]
  private let path: String
  /// Where the object ends.
  private var end = ""
  /// Whether a value that is none is an error.
  private let isStrict: Bool

  /// The largest size of an array, elements.
  private static let longestArray = 1 << 20

  /// The next object of a file, whose bad values are those that are missing.
  init(_ stream: inout JSONStream, path: String) throws(RecordingError) {
    (self.path, isStrict) = (path, false)
    try read(&stream)
  }

  /// A line of `record`, all of whose values are sound.
  ///
  /// - Throws: `RecordingError.malformed` with the place of what was found: a value by its name, or
  ///   a byte.
  package init(recorded bytes: [UInt8]) throws(RecordingError) {
    (path, isStrict) = ("line", true)
    var stream = JSONStream(ByteReader(bytes: bytes, name: path))
    do {
      try read(&stream)
      try stream.end()
    } catch {
      // A line has no lines, so that its bytes alone say where.
      let here = "byte \(stream.position.byte)"
      guard case .malformed(_, let place, let expected, let found) = error else {
        throw .malformed(path: path, place: here, expected: "JSON", found: "\(error)")
      }
      // The beginning of a text of the input, without control characters, for a log.
      let start = found.unicodeScalars.prefix(24)
        .map { $0.value < 32 || $0.value == 127 ? "?" : "\($0)" }
      throw .malformed(
        path: path, place: place == stream.place ? here : place, expected: expected,
        found: start.joined())
    }
  }

  private mutating func read(_ stream: inout JSONStream) throws(RecordingError) {
    try stream.object { (stream: inout JSONStream, name) throws(RecordingError) in
      switch name {
      case _ where !isStrict && Self.descriptions.contains(name):
        members[name] = try stream.value()
      case "t": times = try elements(of: name, "samples", &stream, time)
      case _ where Self.columns.contains(name):
        values[name] = try elements(of: name, "samples", &stream, number)
      case "fixes": fixes = try elements(of: name, "fixes", &stream, fix)
      default: try stream.skip()
      }
    }
    end = stream.place
  }

  private func elements<Element>(
    of name: String, _ kind: String, _ stream: inout JSONStream,
    _ element: (JSONValue, () -> String) throws(RecordingError) -> Element
  ) throws(RecordingError) -> [Element] {
    try stream.elements { (stream, index) throws(RecordingError) in
      guard index < Self.longestArray else { throw try stream.unexpected("fewer \(kind)") }
      if isStrict, name == "fixes", try stream.peek() != UInt8(ascii: "{") {
        throw try stream.unexpected("'{'")
      }
      return try element(stream.value()) { "\(name)[\(index)]" }
    }
  }

  /// A number, or NaN when it's missing; one beyond the range of Double cannot be stored.
  private func number(_ value: JSONValue, at place: () -> String) throws(RecordingError) -> Double {
    switch value {
    case _ where !isStrict: return value.number ?? .nan
    case .null: return .nan
    case .number(let field) where field != .missing: return field.value ?? .nan
    default:
      throw malformed(
        place(), expected: "a number within ±1.8e308, null or NaN", found: value.briefDescription)
    }
  }

  private func time(
    _ value: JSONValue, at place: () -> String
  ) throws(RecordingError) -> Timestamp? {
    guard isStrict, value.time == nil else { return value.time }
    let number = try number(value, at: place)
    throw malformed(place(), expected: "seconds within ±4.6e9", found: "\(number)")
  }

  private func fix(
    _ value: JSONValue, at place: () -> String
  ) throws(RecordingError) -> LocationFix? {
    if isStrict, value["t"] == nil { throw malformed(place() + ".t", expected: "seconds") }
    let written = value["t"] ?? .null
    guard let time = try time(written, at: { place() + ".t" }) else { return nil }
    let quantities = try LocationFix.quantityNames.map { (name) throws(RecordingError) in
      try value[name].map { (value) throws(RecordingError) in
        try number(value) { "\(place()).\(name)" }
      }
    }
    for (index, limit) in [90.0, 360].enumerated() where isStrict {
      let degrees = quantities[index] ?? .nan
      guard abs(degrees) <= limit else {
        // The value is a location, which does not belong in a log.
        throw malformed(
          "\(place()).\(LocationFix.quantityNames[index])",
          expected: "degrees within ±\(Int(limit))",
          found: degrees.isNaN ? "none" : "another number")
      }
    }
    return LocationFix(at: time, quantities)
  }

  func has(_ column: String) -> Bool { values[column] != nil }

  /// The times and the columns with these names, which are as long; nil where there are none.
  package func samples(
    of names: [String]
  ) throws(RecordingError) -> (times: [Timestamp?], values: [[Double]])? {
    let found = names.compactMap { values[$0] }
    // Times that are of no sensor are those of accelerations.
    guard !found.isEmpty || isStrict && times != nil && values.isEmpty else { return nil }
    if isStrict, times == nil { throw malformed("t", expected: "an array of times") }
    let times = times ?? []
    for name in names where values[name]?.count != times.count {
      let count = values[name].map { "\($0.count)" }
      throw malformed(
        isStrict ? name : "\(name) of the object before \(end)",
        expected: count == nil
          ? "an array of \(times.count) numbers" : "\(times.count) numbers as in t",
        found: count ?? "none")
    }
    return (times, found)
  }

  private func malformed(
    _ place: String, expected: String, found: String = "none"
  ) -> RecordingError {
    .malformed(path: path, place: place, expected: expected, found: found)
  }
}

extension LineJSON {
  /// `Float` or `Double`.
  package typealias Number = BinaryFloatingPoint & CustomStringConvertible

  package static func line(_ members: [String]) -> String {
    "{" + members.joined(separator: ",") + "}\n"
  }

  /// The members of samples, if there are any: their times, seconds, and a column for each name,
  /// null where a value is not finite.
  package static func samples(
    _ timestamps: [Timestamp], _ names: [String], _ columns: [[some Number]]
  ) -> [String] {
    guard !timestamps.isEmpty else { return [] }
    return ["\"t\":[" + timestamps.map(seconds).joined(separator: ",") + "]"]
      + zip(names, columns).map { name, values in
        "\"\(name)\":[" + values.map { number($0) }.joined(separator: ",") + "]"
      }
  }

  /// Fixes, without what is not known of them.
  package static func fixes(_ fixes: [LocationFix]) -> String {
    let objects = fixes.map { fix in
      let known = zip(LocationFix.quantityNames, fix.quantities).compactMap { name, value in
        value.map { ",\"\(name)\":\(number($0))" }
      }
      return "{\"t\":\(seconds(fix.timestamp))\(known.joined())}"
    }
    return "\"fixes\":[" + objects.joined(separator: ",") + "]"
  }

  private static func number(_ value: some Number) -> String {
    value.isFinite ? value.description : "null"
  }

  /// An instant, seconds.
  package static func seconds(_ time: Timestamp) -> String {
    var text: [UInt8] = []
    text.append(time)
    return String(decoding: text, as: UTF8.self)
  }
}

extension JSONValue {
  /// The instant of a number of seconds.
  package var time: Timestamp? {
    if case .number(let field) = self { field.timestamp } else { nil }
  }
}

/// JSON, one object per line, as ``LineJSON`` describes it.
final class LineJSONImporter: FormatImporter {
  override func read() throws(RecordingError) {
    for name in source.names {
      var stream = JSONStream(try source.bytes(of: name))
      var hasBegun = false
      while try stream.peek() != nil {
        let line = try LineJSON(&stream, path: source.displayPath(of: name))
        if let recording = line.members["recording"]?.string {
          hasBegun = true
          try sink.begin(
            ImportedRecording(
              name: recording, subject: line.members["subject"]?.string,
              hasGyroscope: line.members["gyroscope"]?.isTrue ?? false,
              hasBarometer: line.members["barometer"]?.isTrue ?? false))
        } else if !hasBegun {
          hasBegun = true
          var recording = ImportedRecording(
            name: source.stem, hasGyroscope: line.has("gx"),
            hasBarometer: line.has(SensorNames.pressures))
          recording.isOfJournal = line.members["journal"] != nil
          try sink.begin(recording)
        }
        sink.annotate(["place", "edit"].compactMap { line.members[$0] })
        try give(line)
      }
    }
  }

  private func give(_ line: LineJSON) throws(RecordingError) {
    for names in [SensorNames.rotationRates, SensorNames.accelerations, [SensorNames.pressures]] {
      guard let (times, values) = try line.samples(of: names) else { continue }
      for (index, time) in times.enumerated() {
        guard let time else {
          sink.drop(.noTime)
          continue
        }
        let row = values.map { Float($0[index]) }
        if row.count == 3 {
          try sink.append(SIMD3(row), isRate: names == SensorNames.rotationRates, at: time)
        } else {
          try sink.append(pressure: Double(row[0]), at: time)
        }
      }
    }
    for fix in line.fixes {
      if let fix { try sink.append(fix) } else { sink.drop(.noTime) }
    }
    guard ["label", "start", "end"].contains(where: { line.members[$0] != nil }) else { return }
    guard let start = line.members["start"]?.time, let end = line.members["end"]?.time else {
      return sink.drop(.noTime)
    }
    try sink.label(line.members["label"]?.string ?? "", from: start, to: end)
  }
}

/// JSON, one object per line, as `locomotion record` reads it; keeps every bit of every number.
///
/// Pressures, and rotation rates with times of their own, get a separate line. Fixes follow the
/// accelerations of their batch.
final class LineJSONExporter: RecordingExporter {
  private let file: OutputFile

  init(_ file: OutputFile) throws(RecordingError) { self.file = file }

  func take(_ event: ImportEvent) throws(RecordingError) {
    switch event {
    case .recording(let recording):
      try write([
        "\"recording\":\(JSONText.compact(recording.name))",
        "\"subject\":\(JSONText.compact(recording.subject))",
        "\"gyroscope\":\(recording.hasGyroscope)", "\"barometer\":\(recording.hasBarometer)",
      ])
    case .label(let start, let end, let text):
      try write([
        "\"label\":\(JSONText.compact(text))", "\"start\":\(LineJSON.seconds(start))",
        "\"end\":\(LineJSON.seconds(end))",
      ])
    case .batch(let batch): try write(batch)
    }
  }

  private func write(_ batch: SensorBatch) throws(RecordingError) {
    let (samples, rates, pressures) = (batch.accelerations, batch.rotationRates, batch.pressures)
    var (names, columns) = (SensorNames.accelerations, [samples.x, samples.y, samples.z])
    let rateColumns = [rates.x, rates.y, rates.z]
    if samples.timestamps == rates.timestamps {
      names += SensorNames.rotationRates
      columns += rateColumns
    } else {
      try write(LineJSON.samples(rates.timestamps, SensorNames.rotationRates, rateColumns))
    }
    try write(
      LineJSON.samples(pressures.timestamps, [SensorNames.pressures], [pressures.hectopascals]))
    try write(
      LineJSON.samples(samples.timestamps, names, columns)
        + (batch.fixes.isEmpty ? [] : [LineJSON.fixes(batch.fixes)]))
  }

  private func write(_ members: [String]) throws(RecordingError) {
    if !members.isEmpty { try file.write(LineJSON.line(members)) }
  }

  func finish() {}
}
