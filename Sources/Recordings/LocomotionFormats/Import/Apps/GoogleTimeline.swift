internal import LocomotionRecordings
internal import LocomotionSensing

/// What the journeys and visits of a history hold, in time order at the end.
struct GoogleTimeline {
  private var fixes: [LocationFix] = []
  private var labels: [(text: String, start: Timestamp, end: Timestamp)] = []
  private var unconfirmed = 0
  /// Places of journeys that are spread over their time.
  private var untimed = 0

  private static let source = "Google Timeline"

  /// The largest journey, elements of its JSON.
  private static let longest = 1 << 20

  /// The names of the places that have one.
  private static let places = [
    "HOME": "Home", "INFERRED_HOME": "Home", "WORK": "Work", "INFERRED_WORK": "Work",
  ]
  /// Our names of activities, where there is one; the others are given in lower case.
  private static let activities = [
    "in_passenger_vehicle": "car", "in_vehicle": "car", "in_taxi": "car",
    "motorcycling": "motorcycle", "in_bus": "bus", "in_train": "train", "in_subway": "metro",
    "in_tram": "tram",
    "on_foot": "walking", "still": "stationary", "on_bicycle": "cycling", "flying": "airplane",
    "in_ferry": "boat", "boating": "boat", "sailing": "boat",
  ]

  /// Our name of a type, which the phones of one maker write with blanks.
  private static func activity(_ type: String) -> String {
    let name = type.lowercased().replacing(" ", with: "_")
    return activities[name] ?? name
  }

  mutating func give(to sink: ImportSink) throws(RecordingError) {
    fixes.sort { $0.timestamp < $1.timestamp }
    for fix in fixes { try sink.append(fix) }
    for label in labels { try sink.label(label.text, from: label.start, to: label.end) }
    if unconfirmed > 0 {
      sink.note("activities that were not confirmed, and are no labels: \(unconfirmed)")
    }
    if untimed > 0 {
      sink.note("places without times, spread over the time of their journey: \(untimed)")
    }
  }

  private mutating func add(
    _ place: UntimedPath.Place, at time: Timestamp?, _ sink: ImportSink
  ) {
    guard let time else { return sink.drop(.noTime) }
    fixes.append(
      LocationFix(timestamp: time, latitude: place.latitude, longitude: place.longitude))
  }

  private mutating func add(_ text: String?, at time: Timestamp?, _ sink: ImportSink) {
    guard let text else { return }
    guard let point = GoogleHistoryImporter.point(text) else { return sink.drop(.noPosition) }
    add(point, at: time, sink)
  }

  /// States what has a start and an end.
  private func state(
    _ kind: StatedInterval.Kind, _ start: Timestamp?, _ end: Timestamp?, _ probability: Double?,
    _ sink: ImportSink, place: String? = nil
  ) {
    guard let start, let end else { return }
    sink.state(
      kind, from: start, to: end, source: Self.source, probability: probability, place: place)
  }

  // MARK: Monthly files

  mutating func timelineObjects(
    _ stream: inout JSONStream, _ sink: ImportSink
  ) throws(RecordingError) {
    try stream.array { (stream: inout JSONStream) throws(RecordingError) in
      let value = try stream.value(limit: Self.longest)
      if let journey = value["activitySegment"] {
        self.journey(journey, sink)
      } else if let visit = value["placeVisit"] {
        self.visit(visit, sink)
      } else {
        sink.drop(.otherKind)
      }
    }
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
    add(GoogleHistoryImporter.place(place), at: time, sink)
  }

  private mutating func journey(_ journey: JSONValue, _ sink: ImportSink) {
    let (start, end) = Self.times(journey)
    addE7(journey["startLocation"], at: start, sink)
    let points = journey["simplifiedRawPath"]?["points"]?.array ?? []
    for point in points {
      addE7(point, at: GoogleHistoryImporter.time("timestamp", of: point), sink)
    }
    if points.isEmpty, let start, let end { addWaypoints(of: journey, from: start, to: end, sink) }
    addE7(journey["endLocation"], at: end, sink)
    let type = journey["activityType"]?.string
    let likely = journey["activities"]?.array?.first?["probability"]?.number
    state(
      .activity(name: type.map(Self.activity), distance: journey["distance"]?.number), start, end,
      likely.map { $0 / 100 }, sink)
    guard let type else { return }
    guard journey["editConfirmationStatus"]?.string == "CONFIRMED", let start, let end else {
      unconfirmed += 1
      return
    }
    labels.append((Self.activity(type), start, end))
  }

  /// The places of a journey that have no times of their own, at a constant speed between its ends.
  private mutating func addWaypoints(
    of journey: JSONValue, from start: Timestamp, to end: Timestamp, _ sink: ImportSink
  ) {
    let places = (journey["waypointPath"]?["waypoints"]?.array ?? [])
      .map(GoogleHistoryImporter.place)
    let ends = [journey["startLocation"], journey["endLocation"]].map(GoogleHistoryImporter.place)
    let path = [ends[0]] + places + [ends[1]]
    let times = UntimedPath.times(of: path, from: start, to: end)
    for (place, time) in zip(places, times.dropFirst()) {
      add(place, at: time, sink)
      untimed += 1
    }
  }

  private mutating func visit(_ visit: JSONValue, _ sink: ImportSink) {
    let (start, end) = Self.times(visit)
    let place = visit["location"]
    addE7(place, at: start, sink)
    addE7(place, at: end, sink)
    guard place?["latitudeE7"] != nil else { return }
    let (latitude, longitude) = GoogleHistoryImporter.place(place)
    state(
      .visit(latitude: latitude, longitude: longitude, radius: nil), start, end,
      visit["visitConfidence"]?.number.map { $0 / 100 }, sink,
      place: place?["name"]?.string)
  }

  // MARK: Files of a phone

  mutating func segments(
    _ stream: inout JSONStream, _ sink: ImportSink
  ) throws(RecordingError) {
    try stream.array { (stream: inout JSONStream) throws(RecordingError) in
      segment(try stream.value(limit: Self.longest), sink)
    }
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
      let type = activity["topCandidate"]?["type"]?.string
      if type != nil { unconfirmed += 1 }
      state(
        .activity(name: type.map(Self.activity), distance: activity["distanceMeters"]?.number),
        start, end,
        (activity["topCandidate"]?["probability"] ?? activity["probability"])?.number, sink)
    }
    if let visit = value["visit"] {
      let place = text(visit["topCandidate"]?["placeLocation"])
      add(place, at: start, sink)
      add(place, at: end, sink)
      // A visit within another one, to a shop of a mall, says nothing more of the day.
      let level = visit["hierarchyLevel"]?.number ?? 0
      if level == 0, let point = place.flatMap(GoogleHistoryImporter.point) {
        state(
          .visit(latitude: point.latitude, longitude: point.longitude, radius: nil), start, end,
          visit["probability"]?.number,
          sink, place: Self.places[visit["topCandidate"]?["semanticType"]?.string ?? ""])
      }
    }
    if fixes.count == count { sink.drop(.otherKind) }
  }

  mutating func signals(_ stream: inout JSONStream, _ sink: ImportSink) throws(RecordingError) {
    try stream.array { (stream: inout JSONStream) throws(RecordingError) in
      let value = try stream.value()
      guard let position = value["position"] else { return sink.drop(.otherKind) }
      guard let time = position["timestamp"].flatMap(GoogleHistoryImporter.time) else {
        return sink.drop(.noTime)
      }
      guard let point = position["LatLng"]?.string.flatMap(GoogleHistoryImporter.point) else {
        return sink.drop(.noPosition)
      }
      fixes.append(
        LocationFix(
          timestamp: time, latitude: point.latitude, longitude: point.longitude,
          altitude: position["altitudeMeters"]?.number,
          horizontalAccuracy: position["accuracyMeters"]?.number,
          speed: position["speedMetersPerSecond"]?.number))
    }
  }
}
