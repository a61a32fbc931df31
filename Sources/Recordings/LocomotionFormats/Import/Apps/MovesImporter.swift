internal import LocomotionRecordings
internal import LocomotionSensing

/// A storyline of the Moves service or in its format: days of segments.
///
/// Track points become fixes, activities become labels; a place becomes a fix at its start and one
/// at its end, with the label `stationary`. Both are also stated.
final class MovesImporter: FormatImporter {
  private static let activities = [
    "wlk": "walking", "run": "running", "cyc": "cycling", "trp": "transport",
  ]

  /// The limit for a segment, bytes: a point per second for days.
  private static let longestSegment = 1 << 24

  override func read() throws(RecordingError) {
    try sink.begin(ImportedRecording(name: source.stem))
    // One day, or a list of days.
    for file in source.names {
      try readLists(of: file, ["segments"], limit: Self.longestSegment) {
        (_, value) throws(RecordingError) in try segment(value)
      }
    }
  }

  private func segment(_ segment: JSONValue) throws(RecordingError) {
    guard case .object = segment else { return sink.drop(.otherKind) }
    for activity in segment["activities"]?.array ?? [] { try take(activity) }
    guard segment["type"]?.string == "place", let (start, end) = span(of: segment) else { return }
    let location = segment["place"]?["location"]
    if let latitude = location?["lat"]?.number, let longitude = location?["lon"]?.number {
      for time in start == end ? [start] : [start, end] {
        try sink.append(LocationFix(timestamp: time, latitude: latitude, longitude: longitude))
      }
      sink.state(
        .visit(latitude: latitude, longitude: longitude, radius: nil), from: start, to: end,
        source: "Moves", place: segment["place"]?["name"]?.string)
    }
    try sink.label("stationary", from: start, to: end)
  }

  private func take(_ activity: JSONValue) throws(RecordingError) {
    for point in activity["trackPoints"]?.array ?? [] {
      guard let time = time(point["time"]) else {
        sink.drop(.noTime)
        continue
      }
      try sink.append(
        LocationFix(
          timestamp: time, latitude: point["lat"]?.number ?? .nan,
          longitude: point["lon"]?.number ?? .nan))
    }
    guard let (start, end) = span(of: activity) else { return }
    let name = activity["activity"]?.string.map { Self.activities[$0] ?? $0 }
    sink.state(
      .activity(name: name, distance: activity["distance"]?.number), from: start, to: end,
      source: "Moves")
    try sink.label(name ?? "unknown", from: start, to: end)
  }

  /// When something began and ended; nil, and counted, where that is not told.
  private func span(of value: JSONValue) -> (start: Timestamp, end: Timestamp)? {
    guard let start = time(value["startTime"]), let end = time(value["endTime"]) else {
      sink.drop(.noTime)
      return nil
    }
    return (start, end)
  }

  private func time(_ value: JSONValue?) -> Timestamp? { value?.string.flatMap(sink.time(of:)) }
}
