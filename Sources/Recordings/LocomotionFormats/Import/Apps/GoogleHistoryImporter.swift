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
/// the output of a model, and is left out unless it was confirmed.
enum GoogleHistoryImporter {
  static func read(_ source: ImportSource, into sink: ImportSink) throws(RecordingError) {
    let names = source.names.filter { $0.lowercased().hasSuffix(".json") }
    var history = History()
    try sink.begin(ImportedRecording(name: source.stem))
    for name in names.isEmpty ? source.names : names {
      var stream = JSONStream(try source.bytes(of: name))
      if try stream.peek() == UInt8(ascii: "[") {
        try history.segments(&stream, sink)
      } else {
        try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
          switch member {
          case "locations": try records(&stream, sink)
          case "timelineObjects": try history.timelineObjects(&stream, sink)
          case "semanticSegments": try history.segments(&stream, sink)
          case "rawSignals": try history.signals(&stream, sink)
          default: try stream.skip()
          }
        }
      }
      try stream.end()
    }
    try history.give(to: sink)
  }

  /// The fixes of `Records.json`, one by one: there may be millions.
  private static func records(
    _ stream: inout JSONStream, _ sink: ImportSink
  ) throws(RecordingError) {
    try stream.array { (stream: inout JSONStream) throws(RecordingError) in
      let value = try stream.value()
      guard let time = time("timestamp", of: value) else { return sink.drop(.noTime) }
      func number(_ name: String) -> Double? { value[name]?.number }
      try sink.append(
        LocationFix(
          timestamp: time, latitude: degrees(value["latitudeE7"]),
          longitude: degrees(value["longitudeE7"]), altitude: number("altitude"),
          horizontalAccuracy: number("accuracy"), verticalAccuracy: number("verticalAccuracy"),
          speed: number("velocity"), course: number("heading")))
    }
  }

  fileprivate static func time(_ value: JSONValue) -> Timestamp? {
    value.string.flatMap { CalendarTime.timestamp($0)?.time }
  }

  /// The time of an object: as text under a name, or as milliseconds under the name with "Ms".
  fileprivate static func time(_ name: String, of value: JSONValue?) -> Timestamp? {
    value?[name].flatMap(time)
      ?? value?[name + "Ms"]?.string.flatMap { Int64($0) }.map {
        Timestamp(nanoseconds: $0 &* 1_000_000)
      }
  }

  /// Degrees in units of 10⁻⁷; some exports have them wrapped at 2³².
  fileprivate static func degrees(_ value: JSONValue?) -> Double {
    guard let number = value?.number else { return .nan }
    return (number > 1.8e9 ? number - 4_294_967_296 : number) / 1e7
  }

  /// `48.85°, 2.35°` or `geo:48.85,2.35`.
  fileprivate static func point(_ text: String) -> (latitude: Double, longitude: Double)? {
    let numbers = text.replacing("geo:", with: "").split(separator: ",").map { part in
      Double(part.filter { !$0.isWhitespace && $0 != "°" })
    }
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
      return nil
    }
    return (latitude, longitude)
  }
}

/// What the journeys and visits of a history hold, in time order at the end.
private struct History {
  private var fixes: [LocationFix] = []
  private var labels: [(text: String, start: Timestamp, end: Timestamp)] = []
  private var unconfirmed = 0

  /// The largest journey, elements of its JSON.
  private static let longest = 1 << 20

  /// Our names of activities, where there is one; the others are given in lower case.
  private static let activities = [
    "in_passenger_vehicle": "car", "in_vehicle": "car", "in_taxi": "car",
    "motorcycling":
      "motorcycle", "in_bus": "bus", "in_train": "train", "in_subway": "metro", "in_tram": "tram",
    "on_foot": "walking", "still": "stationary",
  ]

  mutating func give(to sink: ImportSink) throws(RecordingError) {
    fixes.sort { $0.timestamp < $1.timestamp }
    for fix in fixes { try sink.append(fix) }
    for label in labels { try sink.label(label.text, from: label.start, to: label.end) }
    if unconfirmed > 0 {
      sink.note("activities that were not confirmed, and are left out: \(unconfirmed)")
    }
  }

  private mutating func add(
    _ latitude: Double, _ longitude: Double, at time: Timestamp?, _ sink: ImportSink
  ) {
    guard let time else { return sink.drop(.noTime) }
    fixes.append(LocationFix(timestamp: time, latitude: latitude, longitude: longitude))
  }

  private mutating func add(_ text: String?, at time: Timestamp?, _ sink: ImportSink) {
    guard let text else { return }
    guard let point = GoogleHistoryImporter.point(text) else { return sink.drop(.noPosition) }
    add(point.latitude, point.longitude, at: time, sink)
  }

  // MARK: Monthly files

  mutating func timelineObjects(
    _ stream: inout JSONStream, _ sink: ImportSink
  ) throws(RecordingError) {
    var inner = self
    try stream.array { (stream: inout JSONStream) throws(RecordingError) in
      let value = try stream.value(limit: Self.longest)
      if let journey = value["activitySegment"] {
        inner.journey(journey, sink)
      } else if let visit = value["placeVisit"] {
        inner.visit(visit, sink)
      } else {
        sink.drop(.otherKind)
      }
    }
    self = inner
  }

  private static func times(_ value: JSONValue) -> (start: Timestamp?, end: Timestamp?) {
    let duration = value["duration"]
    return (
      GoogleHistoryImporter.time("startTimestamp", of: duration),
      GoogleHistoryImporter.time("endTimestamp", of: duration)
    )
  }

  private mutating func addE7(_ place: JSONValue?, at time: Timestamp?, _ sink: ImportSink) {
    guard let place, place["latitudeE7"] != nil || place["latE7"] != nil else { return }
    add(
      GoogleHistoryImporter.degrees(place["latitudeE7"] ?? place["latE7"]),
      GoogleHistoryImporter.degrees(place["longitudeE7"] ?? place["lngE7"]), at: time, sink)
  }

  private mutating func journey(_ journey: JSONValue, _ sink: ImportSink) {
    let (start, end) = Self.times(journey)
    addE7(journey["startLocation"], at: start, sink)
    for point in journey["simplifiedRawPath"]?["points"]?.array ?? [] {
      addE7(point, at: GoogleHistoryImporter.time("timestamp", of: point), sink)
    }
    addE7(journey["endLocation"], at: end, sink)
    guard let type = journey["activityType"]?.string else { return }
    guard journey["editConfirmationStatus"]?.string == "CONFIRMED", let start, let end else {
      unconfirmed += 1
      return
    }
    let name = type.lowercased()
    labels.append((Self.activities[name] ?? name, start, end))
  }

  private mutating func visit(_ visit: JSONValue, _ sink: ImportSink) {
    let (start, end) = Self.times(visit)
    addE7(visit["location"], at: start, sink)
    addE7(visit["location"], at: end, sink)
  }

  // MARK: Files of a phone

  mutating func segments(
    _ stream: inout JSONStream, _ sink: ImportSink
  ) throws(RecordingError) {
    var inner = self
    try stream.array { (stream: inout JSONStream) throws(RecordingError) in
      inner.segment(try stream.value(limit: Self.longest), sink)
    }
    self = inner
  }

  private mutating func segment(_ value: JSONValue, _ sink: ImportSink) {
    let start = value["startTime"].flatMap(GoogleHistoryImporter.time)
    let end = value["endTime"].flatMap(GoogleHistoryImporter.time)
    /// A point is a text, or an object with the text.
    func text(_ point: JSONValue?) -> String? { point?.string ?? point?["latLng"]?.string }
    let count = fixes.count
    for point in value["timelinePath"]?.array ?? [] {
      let minutes =
        point["durationMinutesOffsetFromStartTime"]?.string.flatMap { Double($0) }
        ?? point["durationMinutesOffsetFromStartTime"]?.number
      let time =
        point["time"].flatMap(GoogleHistoryImporter.time)
        ?? minutes.flatMap { minutes in
          start?.advanced(byNanoseconds: Int64(min(max(minutes, 0), 1e6) * 6e10))
        }
      add(text(point["point"]), at: time, sink)
    }
    if let activity = value["activity"] {
      add(text(activity["start"]), at: start, sink)
      add(text(activity["end"]), at: end, sink)
      if activity["topCandidate"]?["type"]?.string != nil { unconfirmed += 1 }
    }
    if let visit = value["visit"] {
      let place = text(visit["topCandidate"]?["placeLocation"])
      add(place, at: start, sink)
      add(place, at: end, sink)
    }
    if fixes.count == count { sink.drop(.otherKind) }
  }

  mutating func signals(_ stream: inout JSONStream, _ sink: ImportSink) throws(RecordingError) {
    var inner = self
    try stream.array { (stream: inout JSONStream) throws(RecordingError) in
      let value = try stream.value()
      guard let position = value["position"] else { return sink.drop(.otherKind) }
      guard let time = position["timestamp"].flatMap(GoogleHistoryImporter.time) else {
        return sink.drop(.noTime)
      }
      guard let point = position["LatLng"]?.string.flatMap(GoogleHistoryImporter.point) else {
        return sink.drop(.noPosition)
      }
      inner.fixes.append(
        LocationFix(
          timestamp: time, latitude: point.latitude, longitude: point.longitude,
          altitude: position["altitudeMeters"]?.number,
          horizontalAccuracy: position["accuracyMeters"]?.number,
          speed: position["speedMetersPerSecond"]?.number))
    }
    self = inner
  }
}
