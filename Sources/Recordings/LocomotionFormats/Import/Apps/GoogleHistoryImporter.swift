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
final class GoogleHistoryImporter: FormatImporter {
  override func read() throws(RecordingError) {
    let names = source.names.filter { $0.lowercased().hasSuffix(".json") }
    try sink.begin(ImportedRecording(name: source.stem))
    var passes: [(file: String, devices: DevicePasses)] = []
    for name in names.isEmpty ? source.names : names {
      var stream = JSONStream(try source.bytes(of: name))
      var devices = DevicePasses()
      if try stream.peek() == UInt8(ascii: "[") {
        try stream.values(limit: Self.longest, segment)
      } else {
        try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
          switch member {
          case "locations": try records(&stream, &devices)
          case "timelineObjects": try stream.values(limit: Self.longest, timelineObject)
          case "semanticSegments": try stream.values(limit: Self.longest, segment)
          case "rawSignals": try stream.values(signal)
          default: try stream.skip()
          }
        }
      }
      try stream.end()
      passes.append((name, devices))
    }
    try give()
    for pass in passes { try readOtherDevices(pass.file, pass.devices) }
  }

  /// Reads the fixes of all devices of a file but the first, each as a recording of its own.
  private func readOtherDevices(_ name: String, _ devices: DevicePasses) throws(RecordingError) {
    var devices = devices
    while devices.advance() {
      try sink.begin(devices.recording(ImportedRecording(name: source.stem)))
      var stream = JSONStream(try source.bytes(of: name))
      try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
        guard member == "locations" else { return try stream.skip() }
        try records(&stream, &devices)
      }
    }
  }

  /// The fixes of `Records.json` of one device, one by one: there may be millions.
  private func records(
    _ stream: inout JSONStream, _ devices: inout DevicePasses
  ) throws(RecordingError) {
    try stream.values { (value) throws(RecordingError) in
      let tag = value["deviceTag"]?.number.flatMap { Int64(exactly: $0) }.map(String.init) ?? ""
      guard devices.isOwn(tag) else { return }
      guard let time = Self.time("timestamp", of: value) else { return sink.drop(.noTime) }
      var fix = LocationFix(at: time, Self.names, of: value)
      (fix.latitude, fix.longitude) = Self.place(value)
      try sink.append(fix)
    }
  }

  private static func time(_ value: JSONValue) -> Timestamp? {
    value.string.flatMap { CalendarTime.timestamp($0)?.time }
  }

  /// The time of an object: as text under a name, or as milliseconds under the name with "Ms".
  private static func time(_ name: String, of value: JSONValue?) -> Timestamp? {
    value?[name].flatMap(time)
      ?? value?[name + "Ms"]?.string.flatMap { Int64($0) }.map {
        Timestamp(nanoseconds: $0 &* 1_000_000)
      }
  }

  /// A place in units of 10⁻⁷ degrees, as `latitudeE7` or `latE7`; unknown degrees are NaN.
  private static func place(_ value: JSONValue?) -> UntimedPath.Place {
    func degrees(_ name: String, _ shortName: String) -> Double {
      guard let number = (value?[name] ?? value?[shortName])?.number else { return .nan }
      // Some exports have them wrapped at 2³².
      return (number > 1.8e9 ? number - 4_294_967_296 : number) / 1e7
    }
    return (degrees("latitudeE7", "latE7"), degrees("longitudeE7", "lngE7"))
  }

  /// `48.85°, 2.35°` or `geo:48.85,2.35`.
  private static func point(_ text: String) -> UntimedPath.Place? {
    let numbers = text.replacing("geo:", with: "").split(separator: ",").map { part in
      Double(part.filter { !$0.isWhitespace && $0 != "°" })
    }
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
      return nil
    }
    return (latitude, longitude)
  }

  // MARK: Journeys and visits

  private var fixes: [LocationFix] = []
  private var labels: [(text: String, start: Timestamp, end: Timestamp)] = []
  private var unconfirmed = 0
  /// Places of journeys that are spread over their time.
  private var untimed = 0

  private static let service = "Google Timeline"

  /// The names of a fix's quantities but its place.
  private static let names = [
    "alt": ["altitude", "altitudeMeters"], "hacc": ["accuracy", "accuracyMeters"],
    "vacc": ["verticalAccuracy"], "speed": ["velocity", "speedMetersPerSecond"],
    "course": ["heading"],
  ]

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

  /// Gives what the journeys and visits hold, in time order.
  private func give() throws(RecordingError) {
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

  private func add(_ place: UntimedPath.Place, at time: Timestamp?) {
    guard let time else { return sink.drop(.noTime) }
    fixes.append(
      LocationFix(timestamp: time, latitude: place.latitude, longitude: place.longitude))
  }

  private func add(_ text: String?, at time: Timestamp?) {
    guard let text else { return }
    guard let point = Self.point(text) else { return sink.drop(.noPosition) }
    add(point, at: time)
  }

  /// States what has a start and an end.
  private func state(
    _ kind: StatedInterval.Kind, _ start: Timestamp?, _ end: Timestamp?, _ probability: Double?,
    place: String? = nil
  ) {
    guard let start, let end else { return }
    sink.state(
      kind, from: start, to: end, source: Self.service, probability: probability, place: place)
  }

  // MARK: Monthly files

  private func timelineObject(_ value: JSONValue) {
    if let journey = value["activitySegment"] {
      self.journey(journey)
    } else if let visit = value["placeVisit"] {
      self.visit(visit)
    } else {
      sink.drop(.otherKind)
    }
  }

  private static func times(_ value: JSONValue) -> (start: Timestamp?, end: Timestamp?) {
    let duration = value["duration"]
    return (
      Self.time("startTimestamp", of: duration),
      Self.time("endTimestamp", of: duration)
    )
  }

  private func addE7(_ place: JSONValue?, at time: Timestamp?) {
    guard let place, place["latitudeE7"] != nil || place["latE7"] != nil else { return }
    add(Self.place(place), at: time)
  }

  private func journey(_ journey: JSONValue) {
    let (start, end) = Self.times(journey)
    addE7(journey["startLocation"], at: start)
    let points = journey["simplifiedRawPath"]?["points"]?.array ?? []
    for point in points {
      addE7(point, at: Self.time("timestamp", of: point))
    }
    if points.isEmpty, let start, let end { addWaypoints(of: journey, from: start, to: end) }
    addE7(journey["endLocation"], at: end)
    let type = journey["activityType"]?.string
    let likely = journey["activities"]?.array?.first?["probability"]?.number
    state(
      .activity(name: type.map(Self.activity), distance: journey["distance"]?.number), start, end,
      likely.map { $0 / 100 })
    guard let type else { return }
    guard journey["editConfirmationStatus"]?.string == "CONFIRMED", let start, let end else {
      unconfirmed += 1
      return
    }
    labels.append((Self.activity(type), start, end))
  }

  /// The places of a journey that have no times of their own, at a constant speed between its ends.
  private func addWaypoints(of journey: JSONValue, from start: Timestamp, to end: Timestamp) {
    let places = (journey["waypointPath"]?["waypoints"]?.array ?? [])
      .map(Self.place)
    let ends = [journey["startLocation"], journey["endLocation"]].map(Self.place)
    let path = [ends[0]] + places + [ends[1]]
    let times = UntimedPath.times(of: path, from: start, to: end)
    for (place, time) in zip(places, times.dropFirst()) {
      add(place, at: time)
      untimed += 1
    }
  }

  private func visit(_ visit: JSONValue) {
    let (start, end) = Self.times(visit)
    let place = visit["location"]
    addE7(place, at: start)
    addE7(place, at: end)
    guard place?["latitudeE7"] != nil else { return }
    let (latitude, longitude) = Self.place(place)
    state(
      .visit(latitude: latitude, longitude: longitude, radius: nil), start, end,
      visit["visitConfidence"]?.number.map { $0 / 100 }, place: place?["name"]?.string)
  }

  // MARK: Files of a phone

  private func segment(_ value: JSONValue) {
    let start = value["startTime"].flatMap(Self.time)
    let end = value["endTime"].flatMap(Self.time)
    /// A point is a text, or an object with the text.
    func text(_ point: JSONValue?) -> String? { point?.string ?? point?["latLng"]?.string }
    let count = fixes.count
    for point in value["timelinePath"]?.array ?? [] {
      let minutes =
        point["durationMinutesOffsetFromStartTime"]?.string.flatMap { Double($0) }
        ?? point["durationMinutesOffsetFromStartTime"]?.number
      let time =
        point["time"].flatMap(Self.time)
        ?? minutes.flatMap { minutes in
          start?.advanced(byNanoseconds: Int64(min(max(minutes, 0), 1e6) * 6e10))
        }
      add(text(point["point"]), at: time)
    }
    if let activity = value["activity"] {
      add(text(activity["start"]), at: start)
      add(text(activity["end"]), at: end)
      let type = activity["topCandidate"]?["type"]?.string
      if type != nil { unconfirmed += 1 }
      state(
        .activity(name: type.map(Self.activity), distance: activity["distanceMeters"]?.number),
        start, end,
        (activity["topCandidate"]?["probability"] ?? activity["probability"])?.number)
    }
    if let visit = value["visit"] {
      let place = text(visit["topCandidate"]?["placeLocation"])
      add(place, at: start)
      add(place, at: end)
      // A visit within another one, to a shop of a mall, says nothing more of the day.
      let level = visit["hierarchyLevel"]?.number ?? 0
      if level == 0, let point = place.flatMap(Self.point) {
        state(
          .visit(latitude: point.latitude, longitude: point.longitude, radius: nil), start, end,
          visit["probability"]?.number,
          place: (visit["topCandidate"]?["semanticType"]?.string).flatMap {
            // "Inferred Home" on Apple's phones.
            Self.places[$0.uppercased().replacing(" ", with: "_")]
          })
      }
    }
    if fixes.count == count { sink.drop(.otherKind) }
  }

  private func signal(_ value: JSONValue) {
    guard let position = value["position"] else { return sink.drop(.otherKind) }
    guard let time = position["timestamp"].flatMap(Self.time) else { return sink.drop(.noTime) }
    guard let point = position["LatLng"]?.string.flatMap(Self.point) else {
      return sink.drop(.noPosition)
    }
    var fix = LocationFix(at: time, Self.names, of: position)
    (fix.latitude, fix.longitude) = point
    fixes.append(fix)
  }
}
