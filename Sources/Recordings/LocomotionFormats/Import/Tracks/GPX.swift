internal import LocomotionRecordings
internal import LocomotionSensing

/// GPX 1.1 (Topografix, 2004): the points of all tracks, in the file's order.
///
/// Besides the schema's elements the extensions of any program are found: `speed`, `course`, and
/// our `hacc`, `vacc`, `sacc`, `cacc`. Without an accuracy a dilution of precision tells it, and of
/// a position by cells and networks (`src`) that it is a rough one. A label comes from another file
/// only, and ends with each segment. What a track's type says, or else its name, and Garmin's
/// `TrackStatsExtension` are stated.
final class GPXElements: TrackElements {
  override static var root: String { "gpx" }
  /// What the file says of the track that is open, and its own segments; nil outside one.
  private var track: Track?

  private struct Track {
    var name = ""
    var type = ""
    var isInStatistics = false
    var statistics: [String: Double] = [:]
    var spans = TrackSpans()
  }

  /// The radius of probability 0.68 of a point, metres; nil where nothing tells of it.
  private static func accuracy(of point: Point) -> Double? {
    if let own = point.numbers["hacc"] { return own }
    if ["network", "cell"].contains(point.source) { return networkAccuracy }
    return (point.numbers["hdop"] ?? point.numbers["pdop"]).map { $0 * Self.rangeError }
  }

  override func take(_ tag: XMLReader.Tag, _ xml: XMLReader) throws(RecordingError) {
    let element = xml.name
    switch (tag, element) {
    case (.begin, Self.root): try beginRecording()
    case (.end, Self.root): try spans.label(label.text(own: nil), sink)
    case (.begin, "trk"):
      track = Track()
      sink.beginTrack()
      spans.untimed.name = ""
    case (.begin, "rte"): spans.untimed.name = ""
    case (.end, "trk"): finishTrack()
    case (.begin, "trkseg"):
      spans.pause()
      track?.spans.pause()
    case (_, "TrackStatsExtension"): track?.isInStatistics = tag == .begin
    case (.begin, "trkpt"), (.begin, "rtept"):
      point = Point(line: xml.line)
      for name in ["lat", "lon"] { point?.numbers[name] = xml[name].flatMap(XMLReader.number) }
    case (.end, "trkpt"), (.end, "rtept"):
      guard let point else { return }
      self.point = nil
      try finish(point, isPlanned: element == "rtept")
    case (.begin, "wpt"): sink.drop(.otherKind)
    case (.begin, _): break
    case (_, "time"): point?.time = xml.text
    case (_, "src"): point?.source = xml.text.lowercased()
    case (_, "name") where point == nil:
      track?.name = xml.text
      spans.untimed.name = xml.text
    case (_, "type") where point == nil: track?.type = xml.text
    case _ where track?.isInStatistics == true:
      track?.statistics[element] = XMLReader.number(xml.text)
    default:
      guard point != nil, let name = Self.quantities[element.lowercased()],
        let number = XMLReader.number(xml.text)
      else { return }
      point?.numbers[name] = number
    }
  }

  override func endEarly(at line: Int) throws(RecordingError) -> Bool {
    guard !spans.spans.isEmpty else { return false }
    try spans.label(label.text(own: nil), sink)
    finishTrack()
    return true
  }

  /// States what the file says of the track; one without a sport may be days of a logger, of which
  /// only its pauses are known.
  private func finishTrack() {
    guard let track, let whole = track.spans.whole else { return }
    self.track = nil
    track.spans.statePauses("GPX", sink, within: whole)
    sink.name(track.name, from: whole.lowerBound)
    let type = SportWords.sport(ofType: track.type)
    let stated = label.statement(
      own: type ?? SportWords.sport(in: track.name), type == nil ? .named : .chosen)
    let numbers = track.statistics
    let totals = StatedTotals(
      distance: numbers["Distance"], movingSeconds: numbers["MovingTime"] ?? numbers["TimerTime"],
      elapsedSeconds: numbers["TotalElapsedTime"], climb: numbers["Ascent"],
      descent: numbers["Descent"])
    guard stated.sport != nil || totals != nil else { return }
    sink.state(
      .activity(name: stated.sport, distance: nil), from: whole.lowerBound, to: whole.upperBound,
      source: "GPX", basis: stated.basis, totals: totals)
  }

  /// Takes a point; one of a route was planned, whatever time it has.
  private func finish(_ point: Point, isPlanned: Bool) throws(RecordingError) {
    if isPlanned || point.time.isEmpty { takePlace(of: point) }
    guard !isPlanned else { return sink.drop(.otherKind) }
    let time = try append(at: point.time, line: point.line) {
      $0 == "hacc" ? Self.accuracy(of: point) : point.numbers[$0]
    }
    guard let time else { return }
    takePlace(of: point, at: time)
    track?.spans.take(time)
    measureBody(point, at: time)
  }

  private func takePlace(of point: Point, at time: Timestamp? = nil) {
    guard let latitude = point.numbers["lat"], let longitude = point.numbers["lon"] else { return }
    spans.untimed.take((latitude, longitude), point.numbers["alt"], at: time)
  }

  /// What a dilution of precision is multiplied by, metres: the error of a phone's ranges.
  static let rangeError = 5.0
  /// The accuracy of a position by cells and networks that tells none, metres.
  private static let networkAccuracy = 500.0

  /// The quantities of a point by the names that programs give them, in lower case.
  private static let quantities = [
    "ele": "alt", "speed": "speed", "course": "course", "hacc": "hacc", "vacc": "vacc", "hr": "hr",
    "sacc": "sacc", "cacc": "cacc", "hdop": "hdop", "pdop": "pdop", "accuracy": "hacc",
    "accuracy_horizontal": "hacc", "horizontalaccuracy": "hacc", "horizontal_accuracy": "hacc",
    "accuracy_vertical": "vacc", "verticalaccuracy": "vacc", "vertical_accuracy": "vacc",
    "heartrate": "hr", "cad": "cad", "cadence": "cad", "power": "power", "powerinwatts": "power",
  ]
}
