internal import LocomotionRecordings
internal import LocomotionSensing

/// JSON, one object per line, as `locomotion record` reads it and as we export it.
///
/// `{"recording":…,"subject":…}` starts a recording, `{"label":…,"start":…,"end":…}` is an
/// interval, and `{"t":[…],"ax":[…],…,"fixes":[…]}` holds samples and fixes; so does
/// `{"t":[…],"pressure":[…]}` pressures.
enum LineJSONImporter {
  /// The largest size of an array, elements.
  private static let longestArray = 1 << 20

  static func read(_ source: ImportSource, into sink: ImportSink) throws(RecordingError) {
    for name in source.names {
      var stream = JSONStream(try source.bytes(of: name))
      var hasBegun = false
      while try stream.peek() != nil {
        var line = Line()
        try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
          try line.read(member, from: &stream)
        }
        if let recording = line.members["recording"]?.string {
          hasBegun = true
          try sink.begin(
            ImportedRecording(
              name: recording, subject: line.members["subject"]?.string,
              hasGyroscope: line.members["gyroscope"]?.isTrue ?? false,
              hasBarometer: line.members["barometer"]?.isTrue ?? false))
        } else if !hasBegun {
          hasBegun = true
          try sink.begin(
            ImportedRecording(
              name: source.stem, hasGyroscope: line.columns["gx"] != nil,
              hasBarometer: line.columns[SensorNames.pressures] != nil))
        }
        try line.give(to: sink, at: stream.place, source.displayPath(of: name))
      }
    }
  }

  private struct Line {
    /// What describes a recording or a label.
    var members: [String: JSONValue] = [:]
    var times: [Timestamp?] = []
    var columns: [String: [Float]] = [:]
    var fixes: [LocationFix?] = []

    mutating func read(
      _ member: String, from stream: inout JSONStream
    ) throws(RecordingError) {
      switch member {
      case "recording", "subject", "gyroscope", "barometer", "label", "start", "end":
        members[member] = try stream.value()
      case "t":
        times = try Self.array(&stream, of: "samples") { (stream) throws(RecordingError) in
          try stream.value(limit: 64).time
        }
      case _ where LineJSON.columns.contains(member):
        columns[member] = try Self.array(&stream, of: "samples") {
          (stream) throws(RecordingError) in
          try stream.value(limit: 64).number.map { Float($0) } ?? .nan
        }
      case "fixes":
        fixes = try Self.array(&stream, of: "fixes") { (stream) throws(RecordingError) in
          let fix = try stream.value()
          return fix["t"]?.time.map { time in LocationFix(at: time) { fix[$0]?.number } }
        }
      default: try stream.skip()
      }
    }

    private static func array<Element>(
      _ stream: inout JSONStream, of kind: String,
      _ element: (inout JSONStream) throws(RecordingError) -> Element
    ) throws(RecordingError) -> [Element] {
      try stream.elements { (stream, index) throws(RecordingError) in
        guard index < longestArray else { throw try stream.unexpected("fewer \(kind)") }
        return try element(&stream)
      }
    }

    func give(to sink: ImportSink, at place: String, _ path: String) throws(RecordingError) {
      for (name, column) in columns where column.count != times.count {
        throw .malformed(
          path: path, place: "the object before \(place)",
          expected: "\(times.count) numbers under \(name) as under t", found: "\(column.count)")
      }
      for names in [
        SensorNames.rotationRates, SensorNames.accelerations, [SensorNames.pressures],
      ] {
        let values = names.compactMap { columns[$0] }
        guard !values.isEmpty else { continue }
        guard values.count == names.count else {
          throw .malformed(
            path: path, place: "the object before \(place)",
            expected: names.joined(separator: ", "), found: "\(values.count) of them")
        }
        for (index, time) in times.enumerated() {
          guard let time else {
            sink.drop(.noTime)
            continue
          }
          let x = values[0][index]
          guard values.count == 3 else {
            try sink.append(pressure: Double(x), at: time)
            continue
          }
          let (y, z) = (values[1][index], values[2][index])
          if names == SensorNames.accelerations {
            try sink.append(Acceleration(x: x, y: y, z: z), at: time)
          } else {
            try sink.append(RotationRate(x: x, y: y, z: z), at: time)
          }
        }
      }
      for fix in fixes {
        if let fix { try sink.append(fix) } else { sink.drop(.noTime) }
      }
      guard ["label", "start", "end"].contains(where: { members[$0] != nil }) else { return }
      guard let start = members["start"]?.time, let end = members["end"]?.time else {
        return sink.drop(.noTime)
      }
      try sink.label(members["label"]?.string ?? "", from: start, to: end)
    }
  }
}

extension JSONValue {
  /// The instant of a number of seconds.
  var time: Timestamp? {
    if case .number(let field) = self { field.timestamp } else { nil }
  }
}
