package import LocomotionRecordings
package import LocomotionSensing

/// GeoJSON points with a time, as the Overland app sends them and as we export them, or as Dawarich
/// does: `timestamp` in seconds since 1970, `accuracy` and `velocity`.
///
/// Features are read from `locations` (Overland) or `features` (GeoJSON); all other members at the
/// top level are ignored. −1 means unknown. A line with the times of its points is read, too, by
/// `coordTimes` or `coordinateProperties.times`, as converters of tracks write them. Each device is
/// a recording, unless the points name their recordings.
final class FeatureImporter: FormatImporter {
  /// The limit for a feature, bytes: a line of some hundred thousand points.
  private static let longestFeature = 1 << 22

  /// The names of a fix's quantities besides its coordinates; the first ones are those of Overland,
  /// which are exported.
  static let names = [
    "alt": ["altitude"], "hacc": ["horizontal_accuracy", "accuracy"], "vacc": ["vertical_accuracy"],
    "speed": ["speed", "velocity"], "sacc": ["speed_accuracy"], "course": ["course"],
    "cacc": ["course_accuracy"],
  ]

  private static let axes = ["lon", "lat", "alt"]

  override func read() throws(RecordingError) {
    for name in source.names {
      var devices = DevicePasses()
      repeat {
        try read(name, &devices)
      } while devices.advance()
    }
  }

  /// Reads the points of one device of a file.
  private func read(_ name: String, _ devices: inout DevicePasses) throws(RecordingError) {
    let (path, stem) = (source.displayPath(of: name), source.stem)
    var stream = JSONStream(try source.bytes(of: name))
    guard try stream.peek() == UInt8(ascii: "{") else {
      throw try stream.unexpected("an object with the points under locations or features")
    }
    var current: String?
    var isFound = false
    // A file may hold several batches, one after another.
    while try stream.peek() != nil {
      try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
        guard member == "locations" || member == "features" else { return try stream.skip() }
        isFound = true
        try stream.array { (stream: inout JSONStream) throws(RecordingError) in
          let value = try stream.value(limit: Self.longestFeature)
          let properties = value["properties"]
          let own = properties?["recording"]?.string
          let device = (properties?["device_id"] ?? properties?["tracker_id"])?.string
          guard devices.isOwn(own == nil ? device ?? "" : "") else { return }
          let position = stream.position
          guard case .object = value else {
            return sink.drop(.otherKind, in: path, at: position, expected: "a Point", found: "none")
          }
          if own ?? stem != current {
            current = own ?? stem
            try sink.begin(
              devices.recording(
                ImportedRecording(name: own ?? stem, subject: properties?["device_id"]?.string)))
          }
          try take(value, at: position, of: path)
        }
      }
    }
    guard isFound else {
      throw .malformed(
        path: path, place: "the whole file",
        expected: "points under locations or features", found: "neither")
    }
  }

  private func take(
    _ value: JSONValue, at position: JSONStream.Position, of path: String
  ) throws(RecordingError) {
    // The times of a line's points, or of those of each of several lines.
    let all = value["properties"]
    if let times = (all?["coordTimes"] ?? all?["coordinateProperties"]?["times"])?.array {
      return try takeLine(value["geometry"], times, at: position, of: path)
    }
    guard value["geometry"]?["type"]?.string == "Point" else {
      return sink.drop(
        .otherKind, in: path, at: position, expected: "a Point, or a line with coordTimes",
        found: value["geometry"]?["type"]?.string ?? "none")
    }
    let properties = all ?? .null
    guard let time = time(properties) else {
      return sink.drop(
        .noTime, in: path, at: position,
        expected: "a timestamp in ISO 8601 or seconds since 1970",
        found: properties["timestamp"]?.briefDescription ?? "none")
    }
    var fix = fix(at: time, value["geometry"]?["coordinates"], properties)
    // Overland gives an unknown altitude as −1, and its accuracy too.
    if (properties["vertical_accuracy"]?.number ?? 0) < 0 { fix.altitude = nil }
    try sink.append(fix)
  }

  /// The fix of a position of longitude, latitude and maybe altitude, and of what else is known.
  private func fix(
    at time: Timestamp, _ position: JSONValue?, _ properties: JSONValue = .null
  ) -> LocationFix {
    let numbers = (position?.array ?? []).map { $0.number }
    return LocationFix(at: time) { quantity in
      Self.names[quantity]?.lazy.compactMap { properties[$0]?.number }.first
        ?? zip(Self.axes, numbers).first { $0.0 == quantity }?.1
    }
  }

  private func time(_ properties: JSONValue) -> Timestamp? {
    let names = ["timestamp", "time", "datetime", "date_time", "when", "date", "recorded_at"]
    return names.lazy.compactMap { [self] in properties[$0].flatMap { time(of: $0) } }.first
  }

  /// The instant of a text in ISO 8601, or of a number of seconds or milliseconds.
  private func time(of value: JSONValue) -> Timestamp? {
    if let text = value.string { return sink.time(of: text) }
    guard let number = value.number, abs(number) >= 1e11 else { return value.time }
    return Timestamp(seconds: number / 1_000)
  }

  private func takeLine(
    _ geometry: JSONValue?, _ times: [JSONValue], at position: JSONStream.Position, of path: String
  ) throws(RecordingError) {
    func flat(_ values: [JSONValue], isList: (JSONValue) -> Bool) -> [JSONValue] {
      values.flatMap { isList($0) ? $0.array ?? [] : [$0] }
    }
    let points = flat(geometry?["coordinates"]?.array ?? []) { $0.array?.first?.array != nil }
    let times = flat(times) { $0.array != nil }
    for (point, value) in zip(points, times) {
      guard let time = time(of: value) else {
        sink.drop(.noTime)
        continue
      }
      try sink.append(fix(at: time, point))
    }
    for _ in min(points.count, times.count)..<max(points.count, times.count) {
      sink.drop(
        points.count > times.count ? .noTime : .noPosition, in: path, at: position,
        expected: "as many times as points", found: "\(times.count) and \(points.count)")
    }
  }
}

/// GeoJSON points, one fix per line, under `features` or, in the form of Overland, `locations`.
///
/// Numbers keep every bit. Accelerations, rotation rates and labels are not exported.
final class FeatureExporter: FixExporter {
  private var features: FeatureCollection
  /// The properties that tell the recording of a fix.
  private var origin: [String] = []

  init(_ file: OutputFile, isOverland: Bool) throws(RecordingError) {
    features = try FeatureCollection(
      file, head: isOverland ? "{\"locations\":[\n" : FeatureCollection.head)
  }

  func begin(_ recording: ImportedRecording) {
    let values = [("recording", recording.name), ("device_id", recording.subject)]
    origin = values.map { "\"\($0)\":\(JSONText.compact($1))" }
  }

  func write(_ fix: LocationFix) throws(RecordingError) {
    var properties = ["\"timestamp\":\"\(CalendarTime.text(fix.timestamp))\""]
    for (quantity, value) in zip(LocationFix.quantityNames, fix.quantities) {
      guard let value, let name = FeatureImporter.names[quantity]?.first else { continue }
      properties.append("\"\(name)\":\(value)")
    }
    try features.write(
      FeatureCollection.geometry("Point", FeatureCollection.position(of: fix)),
      properties + origin)
  }

  func finish() throws(RecordingError) { try features.finish() }
}

/// A file of features of GeoJSON (RFC 7946), one per line.
package struct FeatureCollection {
  /// What a collection begins with.
  static let head = "{\"type\":\"FeatureCollection\",\"features\":[\n"

  private let file: OutputFile
  private var isFirst = true

  package init(_ file: OutputFile, head: String = FeatureCollection.head) throws(RecordingError) {
    self.file = file
    try file.write(head)
  }

  /// Writes a feature with a geometry and members of its properties.
  package mutating func write(_ geometry: String, _ properties: [String]) throws(RecordingError) {
    try file.write(
      "\(isFirst ? "" : ",\n"){\"type\":\"Feature\",\"geometry\":\(geometry),"
        + "\"properties\":{\(properties.joined(separator: ","))}}")
    isFirst = false
  }

  package func finish() throws(RecordingError) { try file.write("\n]}\n") }

  package static func geometry(_ type: String, _ coordinates: String) -> String {
    "{\"type\":\"\(type)\",\"coordinates\":\(coordinates)}"
  }

  /// The coordinates of a fix, all digits, longitude first.
  package static func position(of fix: LocationFix) -> String {
    "[\(fix.longitude),\(fix.latitude)\(fix.altitude.map { ",\($0)" } ?? "")]"
  }
}
