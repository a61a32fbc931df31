internal import LocomotionRecordings
internal import LocomotionSensing

/// KML 2.2 and 2.3 (OGC): the points of `Track`, `Point` with a `TimeStamp`, and placemarks with a
/// `TimeSpan`.
///
/// The times and places of a track stand in two lists, one after the other or in turn. A `Point` in
/// a span of time is a visit, and the points of a `LineString` are spread over it. Altitudes above
/// the ground are left out. Other geometries have no times: they are counted, and where there is
/// nothing else that is the error.
final class KMLElements: TrackElements {
  override static var root: String { "kml" }
  override static var longestText: Int { 1 << 20 }
  private var isTrack = false
  private var whens: [String] = []
  private var places: [(text: String, line: Int)] = []
  private var isAltitudeKnown = true
  private var isPoint = false
  private var isLine = false
  private var placemark = Placemark()

  private struct Placemark {
    var isOpen = false
    /// The time and place of one that is a point.
    var when = ""
    var point: (text: String, line: Int)?
    /// Its span of time, and the lines in it.
    var begin = ""
    var end = ""
    var lines: [(text: String, line: Int)] = []
  }

  /// The limit for the points of a track.
  private static let longestTrack = 1 << 21
  private static let timeless = ["Polygon", "LinearRing", "Model", "LineString"]

  override func take(_ tag: XMLReader.Tag, _ xml: XMLReader) throws(RecordingError) {
    let element = xml.name
    switch (tag, element) {
    case (.begin, "Placemark"):
      placemark = Placemark(isOpen: true)
      isAltitudeKnown = true
    case (.end, "Placemark"): try finishPlacemark()
    case (_, "Track"):
      isTrack = tag == .begin
      if !isTrack { try finishTrack(at: xml.line) }
    case (_, "Point"): isPoint = tag == .begin
    case (.begin, "LineString") where placemark.isOpen: isLine = true
    case (.end, "LineString"): isLine = false
    case (.begin, _) where Self.timeless.contains(element): dropTimeless(element, at: xml.line)
    case (.begin, _): break
    case (_, "when") where isTrack: try append(xml.text, to: &whens)
    case (_, "when"): placemark.when = xml.text
    case (_, "coord") where isTrack: try append((xml.text, xml.line), to: &places)
    case (_, "coordinates") where isPoint: placemark.point = (xml.text, xml.line)
    case (_, "coordinates") where isLine: try append((xml.text, xml.line), to: &placemark.lines)
    case (_, "begin"): placemark.begin = xml.text
    case (_, "end"): placemark.end = xml.text
    case (_, "altitudeMode"): isAltitudeKnown = xml.text == "absolute"
    default: break
    }
  }

  private func finishPlacemark() throws(RecordingError) {
    defer { placemark = Placemark() }
    try finishLines(of: placemark)
    guard let point = placemark.point else { return }
    guard placemark.when.isEmpty, !placemark.begin.isEmpty || !placemark.end.isEmpty else {
      return try give(point.text, placemark.when, at: point.line, separator: ",", .otherKind)
    }
    try finishVisit(point, of: placemark)
  }

  private func dropTimeless(_ element: String, at line: Int) {
    sink.drop(
      .otherKind, in: path, at: "line \(line)",
      expected: "a gx:Track, or Points with a TimeStamp, or a TimeSpan",
      found: "a \(element), which has no times")
  }

  private func append<Element>(
    _ element: Element, to list: inout [Element]
  ) throws(RecordingError) {
    guard list.count < Self.longestTrack else {
      throw .refused(path: path, reason: "a track of more than \(Self.longestTrack) points")
    }
    list.append(element)
  }

  override func endEarly(at line: Int) throws(RecordingError) -> Bool {
    if isTrack { try finishTrack(at: line) }
    return hasBegun
  }

  /// Gives a fix at each end of a span of time at a place, and states the visit.
  private func finishVisit(
    _ point: (text: String, line: Int), of visit: Placemark
  ) throws(RecordingError) {
    for time in [visit.begin, visit.end] where !time.isEmpty {
      try give(point.text, time, at: point.line, separator: ",", .noTime)
    }
    guard let place = Self.places(point.text).first else { return }
    sink.state(
      .visit(latitude: place.latitude, longitude: place.longitude, radius: nil),
      from: sink.time(of: visit.begin), to: sink.time(of: visit.end), source: "KML")
  }

  /// Spreads the points of the lines of a placemark over its span of time, and states the journey.
  private func finishLines(of journey: Placemark) throws(RecordingError) {
    guard let first = journey.lines.first else { return }
    let places = journey.lines.flatMap { Self.places($0.text) }
    guard let start = sink.time(of: journey.begin), let end = sink.time(of: journey.end),
      start <= end, places.count <= Self.longestTrack
    else { return dropTimeless("LineString", at: first.line) }
    try beginRecording()
    for (place, time) in zip(places, UntimedWay(along: places).times(from: start, to: end)) {
      try sink.append(
        LocationFix(timestamp: time, latitude: place.latitude, longitude: place.longitude))
    }
    sink.note("points of lines are spread over the span of time of their placemark")
    sink.state(.activity(name: nil, distance: nil), from: start, to: end, source: "KML")
  }

  /// The places of coordinates, with blanks between.
  private static func places(_ text: String) -> [UntimedWay.Place] {
    text.split(whereSeparator: \.isWhitespace).map { place($0, separator: ",").place }
  }

  /// A place of longitude, latitude and maybe altitude.
  private static func place(
    _ text: Substring, separator: Character
  ) -> (place: UntimedWay.Place, altitude: Double?) {
    let numbers = text.split(separator: separator).map { XMLReader.number(String($0)) ?? .nan }
    return (
      (numbers.count > 1 ? numbers[1] : .nan, numbers.first ?? .nan),
      numbers.count > 2 ? numbers[2] : nil
    )
  }

  private func finishTrack(at line: Int) throws(RecordingError) {
    for (place, when) in zip(places, whens) {
      try give(place.text, when, at: place.line, separator: " ", .noTime)
    }
    for _ in min(whens.count, places.count)..<max(whens.count, places.count) {
      sink.drop(
        whens.count > places.count ? .noPosition : .noTime, in: path, at: "line \(line)",
        expected: "as many times as places", found: "\(whens.count) and \(places.count)")
    }
    whens = []
    places = []
  }

  /// Gives a fix of longitude, latitude and maybe altitude.
  private func give(
    _ text: String, _ when: String, at line: Int, separator: Character, _ reason: DropReason
  ) throws(RecordingError) {
    let (place, altitude) = Self.place(text[...], separator: separator)
    try append(at: when, line: line, reason) { quantity in
      switch quantity {
      case "lat": place.latitude
      case "lon": place.longitude
      case "alt" where isAltitudeKnown: altitude
      default: nil
      }
    }
  }
}
