internal import LocomotionRecordings
internal import LocomotionSensing

/// GeoJSON points with a time, as the Overland app sends them and as we export them, or as Dawarich
/// does: `timestamp` in seconds since 1970, `accuracy` and `velocity`.
///
/// Features are read from `locations` (Overland) or `features` (GeoJSON); all other members at the
/// top level are ignored. −1 means unknown.
enum FeatureImporter {
  static func read(_ source: ImportSource, into sink: ImportSink) throws(RecordingError) {
    let stem = source.stem
    for name in source.names {
      let path = source.displayPath(of: name)
      var stream = JSONStream(try source.bytes(of: name))
      var current: String?
      guard try stream.peek() == UInt8(ascii: "{") else {
        throw try stream.unexpected("an object with the points under locations or features")
      }
      var isFound = false
      // A file may hold several batches, one after another.
      while try stream.peek() != nil {
        try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
          guard member == "locations" || member == "features" else { return try stream.skip() }
          isFound = true
          try stream.array { (stream: inout JSONStream) throws(RecordingError) in
            let value = try stream.value()
            guard case .object = value else {
              let position = stream.position
              return sink.drop(
                .otherKind,
                .malformed(path: path, place: "\(position)", expected: "a Point", found: "none"))
            }
            let properties = value["properties"]
            let recording = properties?["recording"]?.string ?? stem
            if recording != current {
              current = recording
              try sink.begin(
                ImportedRecording(name: recording, subject: properties?["device_id"]?.string))
            }
            try take(value, at: stream.position, of: path, sink)
          }
        }
      }
      guard isFound else {
        throw .malformed(
          path: path, place: "the whole file",
          expected: "points under locations or features", found: "neither")
      }
    }
  }

  private static func take(
    _ value: JSONValue, at position: JSONStream.Position, of path: String, _ sink: ImportSink
  ) throws(RecordingError) {
    guard value["geometry"]?["type"]?.string == "Point" else {
      sink.drop(
        .otherKind,
        .malformed(
          path: path, place: "\(position)", expected: "a Point",
          found: value["geometry"]?["type"]?.string ?? "none"))
      return
    }
    let properties = value["properties"] ?? .null
    guard let time = time(properties, sink) else {
      sink.drop(
        .noTime,
        .malformed(
          path: path, place: "\(position)",
          expected: "a timestamp in ISO 8601 or seconds since 1970",
          found: properties["timestamp"]?.briefDescription ?? "none"))
      return
    }
    let coordinates = value["geometry"]?["coordinates"]?.array ?? []
    func number(_ names: String...) -> Double? {
      names.lazy.compactMap { properties[$0]?.number }.first
    }
    let altitude = number("altitude") ?? (coordinates.count > 2 ? coordinates[2].number : nil)
    try sink.append(
      LocationFix(
        timestamp: time,
        latitude: coordinates.count > 1 ? coordinates[1].number ?? .nan : .nan,
        longitude: coordinates.first?.number ?? .nan,
        // Overland gives an unknown altitude as −1, and its accuracy too.
        altitude: number("vertical_accuracy").map { $0 < 0 } ?? false ? nil : altitude,
        horizontalAccuracy: number("horizontal_accuracy", "accuracy"),
        verticalAccuracy: number("vertical_accuracy"), speed: number("speed", "velocity"),
        speedAccuracy: number("speed_accuracy"), course: number("course"),
        courseAccuracy: number("course_accuracy")))
  }

  private static func time(_ properties: JSONValue, _ sink: ImportSink) -> Timestamp? {
    if let seconds = properties["timestamp"]?.time { return seconds }
    guard let text = properties["timestamp"]?.string ?? properties["time"]?.string,
      let (time, hasZone) = CalendarTime.timestamp(text)
    else { return nil }
    if !hasZone { sink.note("times without a zone are taken for UTC") }
    return time
  }
}
