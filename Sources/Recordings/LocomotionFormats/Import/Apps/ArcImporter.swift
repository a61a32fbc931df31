internal import LocomotionRecordings
internal import LocomotionSensing

/// An export of LocoKit2 or the Arc app: a folder of buckets, or a single file.
///
/// Samples become fixes. Activities that the user confirmed become labels: those of the samples or,
/// when no sample has one, those of the trips. Classified activities are the output of a model and
/// no labels; the visits and trips of the app are stated. Dates are ISO 8601 or, in older exports,
/// seconds since 1970 or 2001.
final class ArcImporter: FormatImporter {
  /// LocoKit2's numbers of activity types, with our names where there is one.
  private static let activities = [
    1: "stationary", 2: "walking", 3: "running", 4: "cycling", 5: "car", 6: "airplane",
    20: "train", 21: "bus", 22: "motorcycle", 23: "boat", 24: "tram", 25: "tractor",
    26: "tuk-tuk", 27: "songthaew", 28: "scooter", 29: "metro", 30: "cable car",
    31: "funicular", 32: "chairlift", 33: "ski lift", 34: "taxi", 50: "skateboarding",
    51: "inline skating", 52: "snowboarding", 53: "skiing", 54: "horseback", 55: "swimming",
    56: "golf", 57: "wheelchair", 58: "rowing", 59: "kayaking", 60: "surfing", 61: "hiking",
  ]
  private static let unixEpochOf2001 = 978_307_200.0
  /// Seconds since 2001 stay below this until 2039, those since 1970 are above it since 2008.
  private static let epochBorder = 1.2e9

  private var runs = LabelRuns(longestPause: 300)
  private var hasSampleLabels = false
  private var trips: [(label: String, start: Timestamp, end: Timestamp)] = []

  override func read() throws(RecordingError) {
    try sink.begin(ImportedRecording(name: source.stem))
    let json = source.names.filter { $0.lowercased().contains(".json") }
    let isBuckets = json.contains { $0.contains("samples/") }
    // Samples first: they decide whether the labels of the trips are needed.
    let groups = isBuckets ? ["samples/", "items/"] : [""]
    for group in groups {
      for file in json where group.isEmpty || file.contains(group) {
        try readLists(of: file, ["", "samples", "items"]) { (list, value) throws(RecordingError) in
          let name = list.isEmpty ? String(group.dropLast()) : list
          if name == "items" { try item(value) } else { try sample(value) }
        }
      }
    }
    try runs.finish(sink)
    if !hasSampleLabels {
      for trip in trips { try sink.label(trip.label, from: trip.start, to: trip.end) }
    }
  }

  private func sample(_ value: JSONValue) throws(RecordingError) {
    guard let time = time(value["date"]) else { return sink.drop(.noTime) }
    guard value["disabled"]?.isTrue != true else { return sink.drop(.disabled) }
    let code = value["confirmedActivityType"]?.number.flatMap { Int(exactly: $0) }
    let label = code.flatMap { Self.activities[$0] }
    if label != nil { hasSampleLabels = true }
    try runs.take(label, at: time, sink)
    var fix = LocationFix(at: time, SensorLoggerMessages.names, of: value)
    if let vertical = value["verticalAccuracy"]?.number, vertical < 0 { fix.altitude = nil }
    try sink.append(fix)
  }

  private func item(_ value: JSONValue) throws(RecordingError) {
    let base = value["base"]
    guard base?["deleted"]?.isTrue != true, base?["disabled"]?.isTrue != true,
      let start = time(base?["startDate"]), let end = time(base?["endDate"])
    else { return }
    if let visit = value["visit"], let latitude = visit["latitude"]?.number,
      let longitude = visit["longitude"]?.number
    {
      let radius = visit["radiusMean"]?.number.map { $0 + (visit["radiusSD"]?.number ?? 0) }
      sink.state(
        .visit(latitude: latitude, longitude: longitude, radius: radius), from: start, to: end,
        source: "Arc", place: visit["customTitle"]?.string)
    }
    guard let trip = value["trip"] else { return }
    func name(_ member: String) -> String? {
      trip[member]?.number.flatMap { Int(exactly: $0) }.flatMap { Self.activities[$0] }
    }
    let confirmed = name("confirmedActivityType")
    sink.state(
      .activity(
        name: confirmed ?? name("classifiedActivityType"), distance: trip["distance"]?.number),
      from: start, to: end, source: "Arc", probability: confirmed == nil ? nil : 1)
    guard trips.count < 1_000_000, let confirmed else { return }
    trips.append((confirmed, start, end))
  }

  private func time(_ value: JSONValue?) -> Timestamp? {
    if let text = value?.string { return CalendarTime.timestamp(text)?.time }
    guard let seconds = value?.number else { return nil }
    return Timestamp(seconds: seconds < Self.epochBorder ? seconds + Self.unixEpochOf2001 : seconds)
  }
}
