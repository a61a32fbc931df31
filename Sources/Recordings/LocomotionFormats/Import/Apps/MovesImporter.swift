internal import LocomotionRecordings
internal import LocomotionSensing

/// A storyline of the Moves service or in its format: days of segments.
///
/// Track points become fixes, activities become labels; a place becomes a fix at its start and one
/// at its end, with the label `stationary`. Both are also stated.
enum MovesImporter {
  private static let activities = [
    "wlk": "walking", "walking": "walking", "run": "running", "running": "running",
    "cyc": "cycling", "cycling": "cycling", "trp": "transport", "transport": "transport",
  ]

  static func read(_ source: ImportSource, into sink: ImportSink) throws(RecordingError) {
    try sink.begin(ImportedRecording(name: source.stem))
    for file in source.names {
      var stream = JSONStream(try source.bytes(of: file))
      // A list of days, a list of segments, or one day.
      if try stream.peek() == UInt8(ascii: "{") {
        try day(&stream, sink)
      } else {
        try stream.array { (stream: inout JSONStream) throws(RecordingError) in
          try day(&stream, sink)
        }
      }
      try stream.end()
    }
  }

  private static func day(_ stream: inout JSONStream, _ sink: ImportSink) throws(RecordingError) {
    try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
      guard member == "segments", try stream.peek() == UInt8(ascii: "[") else {
        return try stream.skip()
      }
      try stream.array { (stream: inout JSONStream) throws(RecordingError) in
        try segment(&stream, sink)
      }
    }
  }

  private static func segment(
    _ stream: inout JSONStream, _ sink: ImportSink
  ) throws(RecordingError) {
    let members = try members(
      &stream, named: ["type", "startTime", "endTime", "place"], list: "activities"
    ) { (stream: inout JSONStream) throws(RecordingError) in
      try activity(&stream, sink)
    }
    guard members["type"]?.string == "place" else { return }
    guard let start = time(members["startTime"], sink), let end = time(members["endTime"], sink)
    else {
      sink.drop(.noTime)
      return
    }
    let location = members["place"]?["location"]
    if let latitude = location?["lat"]?.number, let longitude = location?["lon"]?.number {
      for time in start == end ? [start] : [start, end] {
        try sink.append(
          LocationFix(timestamp: time, latitude: latitude, longitude: longitude))
      }
      sink.state(
        .visit(latitude: latitude, longitude: longitude, radius: nil), from: start, to: end,
        source: "Moves")
    }
    try sink.label("stationary", from: start, to: end)
  }

  private static func activity(
    _ stream: inout JSONStream, _ sink: ImportSink
  ) throws(RecordingError) {
    let members = try members(
      &stream, named: ["activity", "startTime", "endTime", "distance"], list: "trackPoints"
    ) { (stream: inout JSONStream) throws(RecordingError) in
      let point = try stream.value()
      guard let time = time(point["time"], sink) else {
        sink.drop(.noTime)
        return
      }
      try sink.append(
        LocationFix(
          timestamp: time, latitude: point["lat"]?.number ?? .nan,
          longitude: point["lon"]?.number ?? .nan))
    }
    guard let start = time(members["startTime"], sink), let end = time(members["endTime"], sink)
    else {
      sink.drop(.noTime)
      return
    }
    let name = members["activity"]?.string ?? "unknown"
    sink.state(
      .activity(
        name: members["activity"]?.string.map { activities[$0] ?? $0 },
        distance: members["distance"]?.number), from: start, to: end, source: "Moves")
    try sink.label(activities[name] ?? name, from: start, to: end)
  }

  /// Reads an object: the members called `names`, and each element of its array called `list`.
  private static func members(
    _ stream: inout JSONStream, named names: [String], list: String,
    _ element: (inout JSONStream) throws(RecordingError) -> Void
  ) throws(RecordingError) -> [String: JSONValue] {
    var members: [String: JSONValue] = [:]
    try stream.object { (stream: inout JSONStream, name) throws(RecordingError) in
      if name == list, try stream.peek() == UInt8(ascii: "[") {
        try stream.array(element)
      } else if names.contains(name) {
        members[name] = try stream.value()
      } else {
        try stream.skip()
      }
    }
    return members
  }

  private static func time(_ value: JSONValue?, _ sink: ImportSink) -> Timestamp? {
    value?.string.flatMap(sink.time(of:))
  }
}
