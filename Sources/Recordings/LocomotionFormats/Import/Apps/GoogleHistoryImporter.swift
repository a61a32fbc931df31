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
  /// The devices of the file that is read.
  private var devices = DevicePasses()

  override func read() throws(RecordingError) {
    let names = source.names.filter { $0.lowercased().hasSuffix(".json") }
    try sink.begin(ImportedRecording(name: source.stem))
    var passes: [(file: String, devices: DevicePasses)] = []
    for name in names.isEmpty ? source.names : names {
      devices = DevicePasses()
      try readLists(
        of: name, ["", "locations", "timelineObjects", "semanticSegments", "rawSignals"],
        limit: Self.longest
      ) { (list, value) throws(RecordingError) in
        switch list {
        case "locations": try record(value)
        case "timelineObjects": timelineObject(value)
        case "rawSignals": signal(value)
        default: segment(value)
        }
      }
      passes.append((name, devices))
    }
    try give()
    // The fixes of all devices of a file but the first, each as a recording of its own.
    for pass in passes {
      devices = pass.devices
      while devices.advance() {
        try sink.begin(devices.recording(ImportedRecording(name: source.stem)))
        try readLists(of: pass.file, ["locations"], limit: Self.longest) {
          (_, value) throws(RecordingError) in try record(value)
        }
      }
    }
  }

  /// A fix of `Records.json`, of which there may be millions.
  private func record(_ value: JSONValue) throws(RecordingError) {
    let tag = value["deviceTag"]?.number.flatMap { Int64(exactly: $0) }.map(String.init) ?? ""
    guard devices.isOwn(tag) else { return }
    guard let time = Self.time("timestamp", of: value) else { return sink.drop(.noTime) }
    var fix = LocationFix(at: time, Self.names, of: value)
    (fix.latitude, fix.longitude) = Self.place(value) ?? (.nan, .nan)
    try sink.append(fix)
  }

  /// The time of an object: as text under a name, or as milliseconds under the name with "Ms".
  private static func time(_ name: String, of value: JSONValue?) -> Timestamp? {
    value?[name]?.string.flatMap { CalendarTime.timestamp($0)?.time }
      ?? value?[name + "Ms"]?.string.flatMap { Int64($0) }.map {
        Timestamp(nanoseconds: $0 &* 1_000_000)
      }
  }

  /// A place: `48.85°, 2.35°` or `geo:48.85,2.35`, also under `latLng`, or units of 10⁻⁷ degrees
  /// under `latitudeE7` or `latE7`, of which a missing one is NaN.
  private static func place(_ value: JSONValue?) -> UntimedWay.Place? {
    if let text = text(value) { return PlaceText.point(text.replacing("geo:", with: "")) }
    func degrees(_ written: JSONValue?) -> Double {
      guard let number = written?.number else { return .nan }
      // Some exports have them wrapped at 2³².
      return (number > 1.8e9 ? number - 4_294_967_296 : number) / 1e7
    }
    guard let latitude = value?["latitudeE7"] ?? value?["latE7"] else { return nil }
    return (degrees(latitude), degrees(value?["longitudeE7"] ?? value?["lngE7"]))
  }

  private static func text(_ value: JSONValue?) -> String? {
    value?.string ?? value?["latLng"]?.string
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

  /// Adds a fix at a place, if there is one; a text that is none is counted.
  private func add(_ value: JSONValue?, at time: Timestamp?) {
    guard let place = Self.place(value) else {
      if Self.text(value) != nil { sink.drop(.noPosition) }
      return
    }
    guard let time else { return sink.drop(.noTime) }
    fixes.append(LocationFix(timestamp: time, latitude: place.latitude, longitude: place.longitude))
  }

  /// Adds the ends of a visit and states it.
  private func addVisit(
    to value: JSONValue?, _ start: Timestamp?, _ end: Timestamp?, _ probability: Double?,
    isStated: Bool = true, called name: String?
  ) {
    add(value, at: start)
    add(value, at: end)
    guard isStated, let (latitude, longitude) = Self.place(value) else { return }
    sink.state(
      .visit(latitude: latitude, longitude: longitude, radius: nil), from: start, to: end,
      source: Self.service, probability: probability, place: name)
  }

  /// States a journey, in our name of its type, which the phones of one maker write with blanks.
  ///
  /// - Returns: That name.
  @discardableResult private func state(
    _ type: String?, _ distance: JSONValue?, _ start: Timestamp?, _ end: Timestamp?,
    _ probability: Double?
  ) -> String? {
    let plain = type?.lowercased().replacing(" ", with: "_")
    let name = plain.map { Self.activities[$0] ?? $0 }
    sink.state(
      .activity(name: name, distance: distance?.number), from: start, to: end,
      source: Self.service, probability: probability)
    return name
  }

  // MARK: Monthly files

  private func timelineObject(_ value: JSONValue) {
    let object = value["activitySegment"] ?? value["placeVisit"]
    let duration = object?["duration"]
    let start = Self.time("startTimestamp", of: duration)
    let end = Self.time("endTimestamp", of: duration)
    if let journey = value["activitySegment"] {
      addJourney(journey, start, end)
    } else if let visit = object {
      let place = visit["location"]
      addVisit(
        to: place, start, end, visit["visitConfidence"]?.number.map { $0 / 100 },
        called: place?["name"]?.string)
    } else {
      sink.drop(.otherKind)
    }
  }

  private func addJourney(_ journey: JSONValue, _ start: Timestamp?, _ end: Timestamp?) {
    add(journey["startLocation"], at: start)
    let points = journey["simplifiedRawPath"]?["points"]?.array ?? []
    for point in points { add(point, at: Self.time("timestamp", of: point)) }
    if points.isEmpty, let start, let end {
      // Places that have no times of their own, at a constant speed between the ends.
      let waypoints = journey["waypointPath"]?["waypoints"]?.array ?? []
      let path = [journey["startLocation"]] + waypoints + [journey["endLocation"]]
      let places = path.map { Self.place($0) ?? (.nan, .nan) }
      let times = UntimedWay(along: places).times(from: start, to: end)
      for (place, time) in zip(places, times).dropFirst().dropLast() {
        fixes.append(
          LocationFix(timestamp: time, latitude: place.latitude, longitude: place.longitude))
        untimed += 1
      }
    }
    add(journey["endLocation"], at: end)
    let likely = journey["activities"]?.array?.first?["probability"]?.number
    let name = state(
      journey["activityType"]?.string, journey["distance"], start, end, likely.map { $0 / 100 })
    guard let name else { return }
    guard journey["editConfirmationStatus"]?.string == "CONFIRMED", let start, let end else {
      unconfirmed += 1
      return
    }
    labels.append((name, start, end))
  }

  // MARK: Files of a phone

  private func segment(_ value: JSONValue) {
    let (start, end) = (Self.time("startTime", of: value), Self.time("endTime", of: value))
    let count = fixes.count
    for point in value["timelinePath"]?.array ?? [] {
      let minutes =
        point["durationMinutesOffsetFromStartTime"]?.string.flatMap { Double($0) }
        ?? point["durationMinutesOffsetFromStartTime"]?.number
      let time =
        Self.time("time", of: point)
        ?? minutes.flatMap { minutes in
          start?.advanced(byNanoseconds: Int64(min(max(minutes, 0), 1e6) * 6e10))
        }
      add(point["point"], at: time)
    }
    if let activity = value["activity"] {
      add(activity["start"], at: start)
      add(activity["end"], at: end)
      let likely = activity["topCandidate"]
      if likely?["type"]?.string != nil { unconfirmed += 1 }
      state(
        likely?["type"]?.string, activity["distanceMeters"], start, end,
        (likely?["probability"] ?? activity["probability"])?.number)
    }
    if let visit = value["visit"] {
      let likely = visit["topCandidate"]
      let place = likely?["placeLocation"]
      // A visit within another one, to a shop of a mall, says nothing more of the day.
      let isWithin = visit["hierarchyLevel"]?.number ?? 0 != 0
      // "Inferred Home" on Apple's phones.
      let name = likely?["semanticType"]?.string?.uppercased().replacing(" ", with: "_")
      addVisit(
        to: place, start, end, visit["probability"]?.number, isStated: !isWithin,
        called: name.flatMap { Self.places[$0] })
    }
    if fixes.count == count { sink.drop(.otherKind) }
  }

  private func signal(_ value: JSONValue) {
    guard let position = value["position"] else { return sink.drop(.otherKind) }
    guard let time = Self.time("timestamp", of: position) else { return sink.drop(.noTime) }
    guard let point = Self.place(position["LatLng"]) else { return sink.drop(.noPosition) }
    var fix = LocationFix(at: time, Self.names, of: position)
    (fix.latitude, fix.longitude) = point
    fixes.append(fix)
  }
}
