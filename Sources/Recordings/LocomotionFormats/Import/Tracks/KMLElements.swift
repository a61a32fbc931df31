internal import LocomotionRecordings
internal import LocomotionSensing

/// KML 2.2 and 2.3 (OGC): the points of `Track`, and `Point` with a `TimeStamp`.
///
/// The times and places of a track stand in two lists, one after the other or in turn. Altitudes
/// above the ground are left out. Other geometries have no times: they are counted, and where there
/// is nothing else that is the error.
final class KMLElements: XMLElementReceiver {
  let root = "kml"
  private let sink: ImportSink
  private let recording: ImportedRecording
  private let path: String
  private var hasBegun = false
  private var isTrack = false
  private var whens: [String] = []
  private var places: [(text: String, line: Int)] = []
  private var isAltitudeKnown = true
  /// The time and place of a placemark that is a point.
  private var when = ""
  private var isPoint = false
  private var point: (text: String, line: Int)?

  /// The limit for the points of a track.
  private static let longestTrack = 1 << 21
  private static let timeless = ["LineString", "Polygon", "LinearRing", "Model"]

  init(_ sink: ImportSink, _ recording: ImportedRecording, path: String) {
    self.sink = sink
    self.recording = recording
    self.path = path
  }

  func begin(
    _ element: String, _ attributes: [String: String], at line: Int
  ) throws(RecordingError) {
    switch element {
    case "Placemark":
      when = ""
      point = nil
      isAltitudeKnown = true
    case "Track": isTrack = true
    case "Point": isPoint = true
    case _ where Self.timeless.contains(element):
      sink.drop(
        .otherKind,
        .malformed(
          path: path, place: "line \(line)", expected: "a gx:Track, or Points with a TimeStamp",
          found: "a \(element), which has no times"))
    default: break
    }
  }

  func end(_ element: String, _ content: String, at line: Int) throws(RecordingError) {
    switch element {
    case "when" where isTrack: try append(content, to: &whens)
    case "when": when = content
    case "coord" where isTrack: try append((content, line), to: &places)
    case "coordinates" where isPoint: point = (content, line)
    case "altitudeMode": isAltitudeKnown = content == "absolute"
    case "Point": isPoint = false
    case "Track":
      isTrack = false
      try finishTrack(at: line)
    case "Placemark":
      guard let point else { return }
      try give(point.text, when, at: point.line, separator: ",", .otherKind)
      self.point = nil
    default: break
    }
  }

  private func append<Element>(
    _ element: Element, to list: inout [Element]
  ) throws(RecordingError) {
    guard list.count < Self.longestTrack else {
      throw .refused(path: path, reason: "a track of more than \(Self.longestTrack) points")
    }
    list.append(element)
  }

  private func finishTrack(at line: Int) throws(RecordingError) {
    let count = min(whens.count, places.count)
    for index in 0..<count {
      try give(places[index].text, whens[index], at: places[index].line, separator: " ", .noTime)
    }
    for _ in count..<max(whens.count, places.count) {
      sink.drop(
        whens.count > places.count ? .noPosition : .noTime,
        .malformed(
          path: path, place: "line \(line)", expected: "as many times as places",
          found: "\(whens.count) and \(places.count)"))
    }
    whens = []
    places = []
  }

  /// Gives a fix of longitude, latitude and maybe altitude.
  private func give(
    _ text: String, _ when: String, at line: Int, separator: Character, _ reason: DropReason
  ) throws(RecordingError) {
    guard let time = sink.time(of: when) else {
      return sink.drop(
        reason,
        .malformed(
          path: path, place: "line \(line)", expected: "a time in ISO 8601", found: when))
    }
    let numbers = text.split(separator: separator).map {
      XMLElements.number(String($0)) ?? .nan
    }
    if !hasBegun { try sink.begin(recording) }
    hasBegun = true
    try sink.append(
      LocationFix(
        timestamp: time, latitude: numbers.count > 1 ? numbers[1] : .nan,
        longitude: numbers.first ?? .nan,
        altitude: numbers.count > 2 && isAltitudeKnown ? numbers[2] : nil))
  }
}
