internal import LocomotionRecordings
internal import LocomotionSensing

/// Google's history of locations, in the forms of its exports.
///
/// - `Records.json`: every fix under `locations`, in units of 10⁻⁷ degrees.
/// - Monthly files of `timelineObjects`: journeys and visits. A journey that the user confirmed
///   becomes a label.
/// - `Timeline.json` of a phone: `semanticSegments` and `rawSignals`, points as `"48.8°, 2.3°"`; on
///   iOS a bare array with points as `"geo:48.8,2.3"`.
///
/// The points of journeys and visits have no accuracy. What the service takes an activity for is
/// the output of a model, and no label unless it was confirmed; it is stated, as visits are.
enum GoogleHistoryImporter {
  static func read(_ source: ImportSource, into sink: ImportSink) throws(RecordingError) {
    let names = source.names.filter { $0.lowercased().hasSuffix(".json") }
    var history = GoogleTimeline()
    try sink.begin(ImportedRecording(name: source.stem))
    var passes: [(file: String, devices: DevicePasses)] = []
    for name in names.isEmpty ? source.names : names {
      var stream = JSONStream(try source.bytes(of: name))
      var devices = DevicePasses()
      if try stream.peek() == UInt8(ascii: "[") {
        try history.segments(&stream, sink)
      } else {
        try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
          switch member {
          case "locations": try records(&stream, &devices, sink)
          case "timelineObjects": try history.timelineObjects(&stream, sink)
          case "semanticSegments": try history.segments(&stream, sink)
          case "rawSignals": try history.signals(&stream, sink)
          default: try stream.skip()
          }
        }
      }
      try stream.end()
      passes.append((name, devices))
    }
    try history.give(to: sink)
    for pass in passes { try readOtherDevices(pass.file, of: source, pass.devices, sink) }
  }

  /// Reads the fixes of all devices of a file but the first, each as a recording of its own.
  private static func readOtherDevices(
    _ name: String, of source: ImportSource, _ devices: DevicePasses, _ sink: ImportSink
  ) throws(RecordingError) {
    var devices = devices
    while devices.advance() {
      try sink.begin(devices.recording(ImportedRecording(name: source.stem)))
      var stream = JSONStream(try source.bytes(of: name))
      try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
        guard member == "locations" else { return try stream.skip() }
        try records(&stream, &devices, sink)
      }
    }
  }

  /// The fixes of `Records.json` of one device, one by one: there may be millions.
  private static func records(
    _ stream: inout JSONStream, _ devices: inout DevicePasses, _ sink: ImportSink
  ) throws(RecordingError) {
    try stream.array { (stream: inout JSONStream) throws(RecordingError) in
      let value = try stream.value()
      let tag = value["deviceTag"]?.number.flatMap { Int64(exactly: $0) }.map(String.init) ?? ""
      guard devices.isOwn(tag) else { return }
      guard let time = time("timestamp", of: value) else { return sink.drop(.noTime) }
      func number(_ name: String) -> Double? { value[name]?.number }
      let place = place(value)
      try sink.append(
        LocationFix(
          timestamp: time, latitude: place.latitude, longitude: place.longitude,
          altitude: number("altitude"),
          horizontalAccuracy: number("accuracy"), verticalAccuracy: number("verticalAccuracy"),
          speed: number("velocity"), course: number("heading")))
    }
  }

  static func time(_ value: JSONValue) -> Timestamp? {
    value.string.flatMap { CalendarTime.timestamp($0)?.time }
  }

  /// The time of an object: as text under a name, or as milliseconds under the name with "Ms".
  static func time(_ name: String, of value: JSONValue?) -> Timestamp? {
    value?[name].flatMap(time)
      ?? value?[name + "Ms"]?.string.flatMap { Int64($0) }.map {
        Timestamp(nanoseconds: $0 &* 1_000_000)
      }
  }

  /// A place in units of 10⁻⁷ degrees, as `latitudeE7` or `latE7`; unknown degrees are NaN.
  static func place(_ value: JSONValue?) -> UntimedPath.Place {
    func degrees(_ name: String, _ shortName: String) -> Double {
      guard let number = (value?[name] ?? value?[shortName])?.number else { return .nan }
      // Some exports have them wrapped at 2³².
      return (number > 1.8e9 ? number - 4_294_967_296 : number) / 1e7
    }
    return (degrees("latitudeE7", "latE7"), degrees("longitudeE7", "lngE7"))
  }

  /// `48.85°, 2.35°` or `geo:48.85,2.35`.
  static func point(_ text: String) -> UntimedPath.Place? {
    let numbers = text.replacing("geo:", with: "").split(separator: ",").map { part in
      Double(part.filter { !$0.isWhitespace && $0 != "°" })
    }
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
      return nil
    }
    return (latitude, longitude)
  }
}
