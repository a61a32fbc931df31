internal import LocomotionRecordings
internal import LocomotionSensing

/// TCX 2 (Garmin, 2007): the points of activities, each a recording.
///
/// An activity's sport is its label, within each of its tracks: a new track follows a pause. It is
/// also stated, with the sums over the laps, and so is each lap. The
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
  private var lap: (start: Timestamp?, seconds: Double?, distance: Double?)

  /// The elements of a point's quantities; of several positions the first one is taken.
  private static let quantities = [
    "LatitudeDegrees": "lat", "LongitudeDegrees": "lon", "AltitudeMeters": "alt", "Speed": "speed",
    // Of a point the only value is that of its heart rate.
    "Value": "hr", "Cadence": "cad", "RunCadence": "cad", "Watts": "power",
  ]

  /// The sports of the schema, and what some programs write instead.
  private static let labels = [
    "running": "running", "biking": "cycling", "cycling": "cycling", "walking": "walking",
  ]

  override func take(_ tag: XMLReader.Tag, _ xml: XMLReader) throws(RecordingError) {
    let element = xml.name
    switch (tag, element) {
    case (.begin, "Activity"):
      activities += 1
      hasBegun = false
      sport = xml["Sport"]?.lowercased() ?? ""
      totals = (nil, nil)
      spans = TrackSpans()
    case (.end, "Activity"): try finishActivity()
    case (_, "Course"): isCourse = tag == .begin
    case (.begin, "Lap"): lap = (xml["StartTime"].flatMap { sink.time(of: $0) }, nil, nil)
    case (.end, "Lap") where !isCourse:
      sink.addLap(from: lap.start, StatedTotals(distance: lap.distance, movingSeconds: lap.seconds))
    case (.begin, "Track"): spans.pause()
    case (.begin, "Trackpoint"): point = Point(line: xml.line)
    case (.end, "Trackpoint"):
      guard let point else { return }
      self.point = nil
      try finish(point)
    case (.begin, "Position"): point?.positions += 1
    case (.begin, _): break
    case (_, "Time"): point?.time = xml.text
    case (_, "TotalTimeSeconds"):
      Self.add(xml.text, to: &totals.seconds)
      Self.add(xml.text, to: &lap.seconds)
    // Within a point it is the way up to there.
    case (_, "DistanceMeters") where point == nil:
      Self.add(xml.text, to: &totals.distance)
      Self.add(xml.text, to: &lap.distance)
    default:
      guard let name = Self.quantities[element], point?.numbers[name] == nil else { return }
      point?.numbers[name] = XMLReader.number(xml.text)
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
    spans.statePauses("TCX", sink, within: whole)
  }

  private func finish(_ point: Point) throws(RecordingError) {
    guard !isCourse, activities > 0, point.positions > 0 else { return sink.drop(.otherKind) }
    let time = try append(
      at: point.time, line: point.line, called: "Time",
      suffix: activities > 1 ? "_\(activities)" : ""
    ) { point.numbers[$0] }
    if let time { measureBody(point, at: time) }
    sink.leaveOut("further positions of a point", count: point.positions - 1)
  }
}
