internal import LocomotionRecordings
internal import LocomotionSensing

/// TCX 2 (Garmin, 2007): the points of activities, each a recording.
///
/// An activity's sport is its label, within each of its tracks: a new track follows a pause. It is
/// also stated, with the sums over the laps. The
/// points of courses are plans, with times that nobody was there. A point without a position is no
/// point of a track; of several positions the first one is taken.
final class TCXElements: TrackElements {
  override static var root: String { "TrainingCenterDatabase" }
  private var activities = 0
  private var isCourse = false
  /// The sport as the file has it.
  private var sport = ""
  /// The sums over the laps.
  private var totals: (seconds: Double?, distance: Double?)
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

  override func begin(
    _ element: String, _ attributes: XMLReader, at line: Int
  ) throws(RecordingError) {
    switch element {
    case "Activity":
      activities += 1
      hasBegun = false
      sport = attributes["Sport"]?.lowercased() ?? ""
      totals = (nil, nil)
      spans = TrackSpans()
    case "Course": isCourse = true
    case "Track": spans.pause()
    case "Trackpoint": point = Point(line: line)
    case "Position": point?.positions += 1
    default: break
    }
  }

  override func end(_ element: String, _ content: String, at line: Int) throws(RecordingError) {
    switch element {
    case "Trackpoint":
      guard let point else { return }
      self.point = nil
      try finish(point)
    case "Time": point?.time = content
    case "LatitudeDegrees" where point?.positions == 1:
      point?.latitude = XMLReader.number(content)
    case "LongitudeDegrees" where point?.positions == 1:
      point?.longitude = XMLReader.number(content)
    case "AltitudeMeters": point?.altitude = XMLReader.number(content)
    case "Speed": point?.speed = XMLReader.number(content)
    case "TotalTimeSeconds": Self.add(content, to: &totals.seconds)
    // Within a point it is the way up to there.
    case "DistanceMeters" where point == nil: Self.add(content, to: &totals.distance)
    case "Course": isCourse = false
    case "Activity":
      try finishActivity()
    default: break
    }
  }

  override func endEarly(at line: Int) throws(RecordingError) -> Bool {
    guard hasBegun || activities > 1 else { return false }
    try finishActivity()
    return true
  }

  private static func add(_ content: String, to sum: inout Double?) {
    if let number = XMLReader.number(content) { sum = (sum ?? 0) + number }
  }

  /// Labels the activity and states what the file says of it.
  private func finishActivity() throws(RecordingError) {
    guard hasBegun else { return }
    hasBegun = false
    try spans.label(label.text(own: Self.labels[sport]), sink)
    guard let whole = spans.whole else { return }
    let stated = label.statement(own: SportWords.sport(in: sport), .chosen)
    sink.state(
      .activity(name: stated.sport, distance: nil), from: whole.lowerBound, to: whole.upperBound,
      source: "TCX", basis: stated.basis,
      totals: StatedTotals(distance: totals.distance, movingSeconds: totals.seconds))
    spans.statePauses("TCX", sink)
  }

  private func finish(_ point: Point) throws(RecordingError) {
    guard !isCourse, activities > 0, point.positions > 0 else { return sink.drop(.otherKind) }
    guard let time = sink.time(of: point.time) else {
      return drop(.noTime, at: point.line, expected: "a Time in ISO 8601", found: point.time)
    }
    try beginRecording(activities > 1 ? "_\(activities)" : "")
    let isKept = try sink.append(
      LocationFix(
        timestamp: time, latitude: point.latitude ?? .nan, longitude: point.longitude ?? .nan,
        altitude: point.altitude, speed: point.speed))
    if isKept { spans.take(time) }
    sink.leaveOut("further positions of a point", count: point.positions - 1)
  }
}
