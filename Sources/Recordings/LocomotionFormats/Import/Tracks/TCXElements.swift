internal import LocomotionRecordings
internal import LocomotionSensing

/// TCX 2 (Garmin, 2007): the points of activities, each a recording.
///
/// An activity's sport is its label, within each of its tracks: a new track follows a pause. The
/// points of courses are plans, with times that nobody was there. A point without a position is no
/// point of a track; of several positions the first one is taken.
final class TCXElements: XMLElementReceiver {
  let root = "TrainingCenterDatabase"
  private let sink: ImportSink
  private let recording: ImportedRecording
  private let label: TrackLabel
  private let path: String
  private var activities = 0
  private var hasBegun = false
  private var isCourse = false
  private var sport: String?
  private var spans = TrackSpans()
  private var point: Point?

  private struct Point {
    var line: Int
    var time = ""
    var positions = 0
    var latitude: Double?
    var longitude: Double?
    var altitude: Double?
    var speed: Double?
  }

  /// The sports of the schema, and what some programs write instead.
  private static let labels = [
    "running": "running", "biking": "cycling", "cycling": "cycling", "walking": "walking",
  ]

  init(_ sink: ImportSink, _ recording: ImportedRecording, _ label: TrackLabel, path: String) {
    self.sink = sink
    self.recording = recording
    self.label = label
    self.path = path
  }

  func begin(
    _ element: String, _ attributes: [String: String], at line: Int
  ) throws(RecordingError) {
    switch element {
    case "Activity":
      activities += 1
      hasBegun = false
      sport = Self.labels[attributes["Sport"]?.lowercased() ?? ""]
      spans = TrackSpans()
    case "Course": isCourse = true
    case "Track": spans.pause()
    case "Trackpoint": point = Point(line: line)
    case "Position": point?.positions += 1
    default: break
    }
  }

  func end(_ element: String, _ content: String, at line: Int) throws(RecordingError) {
    switch element {
    case "Trackpoint":
      guard let point else { return }
      self.point = nil
      try finish(point)
    case "Time": point?.time = content
    case "LatitudeDegrees" where point?.positions == 1:
      point?.latitude = XMLElements.number(content)
    case "LongitudeDegrees" where point?.positions == 1:
      point?.longitude = XMLElements.number(content)
    case "AltitudeMeters": point?.altitude = XMLElements.number(content)
    case "Speed": point?.speed = XMLElements.number(content)
    case "Course": isCourse = false
    case "Activity":
      if hasBegun { try spans.label(label.text(own: sport), sink) }
      hasBegun = false
    default: break
    }
  }

  func endEarly(at line: Int) throws(RecordingError) -> Bool {
    guard hasBegun || activities > 1 else { return false }
    if hasBegun { try spans.label(label.text(own: sport), sink) }
    sink.noteCut(path, at: line)
    return true
  }

  private func finish(_ point: Point) throws(RecordingError) {
    guard !isCourse, activities > 0, point.positions > 0 else { return sink.drop(.otherKind) }
    guard let time = sink.time(of: point.time) else {
      return sink.drop(
        .noTime,
        .malformed(
          path: path, place: "line \(point.line)", expected: "a Time in ISO 8601",
          found: point.time))
    }
    if !hasBegun {
      var recording = recording
      if activities > 1 { recording.name += "_\(activities)" }
      try sink.begin(recording)
      hasBegun = true
    }
    let isKept = try sink.append(
      LocationFix(
        timestamp: time, latitude: point.latitude ?? .nan, longitude: point.longitude ?? .nan,
        altitude: point.altitude, speed: point.speed))
    if isKept { spans.take(time) }
    sink.leaveOut("further positions of a point", count: point.positions - 1)
  }
}
