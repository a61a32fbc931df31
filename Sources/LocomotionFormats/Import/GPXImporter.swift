internal import Foundation
internal import LocomotionRecordings
internal import LocomotionSensing

#if canImport(FoundationXML)
  internal import FoundationXML
#endif

/// GPX 1.1 (Topografix, 2004): the points of all tracks, in the file's order.
///
/// Elements are matched by their local names, so that the extensions of any program are found:
/// `speed`, `course`, and our `hacc`, `vacc`, `sacc`, `cacc`. `hdop` is not an accuracy and is
/// ignored.
enum GPXImporter {
  static func read(_ source: ImportSource, into sink: ImportSink) throws(RecordingError) {
    let names = source.names.filter { $0.lowercased().hasSuffix(".gpx") }
    for name in names.isEmpty ? source.names : names {
      var filter = try XMLGuard(source.bytes(of: name))
      let text = try filter.checked()
      let delegate = GPXDelegate(
        sink: sink, name: ImportSource.stem(source.names.count > 1 ? name : source.path),
        path: source.displayPath(of: name))
      let parser =
        switch text {
        case .small(let bytes): XMLParser(data: Data(bytes))
        case .large where filter.isCompressed:
          throw .refused(
            path: source.displayPath(of: name), reason: "compressed and large: unpack it first")
        case .large:
          if let stream = InputStream(fileAtPath: source.path(of: name)) {
            XMLParser(stream: stream)
          } else {
            throw .unreadable(path: source.displayPath(of: name), reason: "cannot be opened")
          }
        }
      parser.delegate = delegate
      parser.shouldResolveExternalEntities = false
      let isWhole = parser.parse()
      if let failure = delegate.failure { throw failure }
      // The parser itself accepts a truncated file as complete.
      guard !isWhole || delegate.isClosed else {
        throw .malformed(
          path: source.displayPath(of: name), place: "line \(parser.lineNumber)",
          expected: "the end of the gpx element", found: "the end of the file")
      }
      guard isWhole, delegate.isGPX else {
        throw .malformed(
          path: source.displayPath(of: name), place: "line \(parser.lineNumber)",
          expected: isWhole ? "a gpx element" : "well-formed XML",
          found: isWhole ? "none" : parser.parserError.map { "error \(($0 as NSError).code)" } ?? ""
        )
      }
    }
  }
}

private final class GPXDelegate: NSObject, XMLParserDelegate {
  let sink: ImportSink
  let name: String
  let path: String
  var failure: RecordingError?
  private(set) var isGPX = false
  /// Whether every element that began has ended.
  var isClosed: Bool { depth == 0 }
  private var depth = 0
  private var text: String?
  private var point: Point?

  private static let longestText = 256

  private struct Point {
    var line: Int
    var latitude: Double
    var longitude: Double
    var time = ""
    var numbers: [String: Double] = [:]
  }

  init(sink: ImportSink, name: String, path: String) {
    self.sink = sink
    self.name = name
    self.path = path
  }

  func parser(
    _ parser: XMLParser, didStartElement element: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    depth += 1
    let local = Self.local(element)
    switch local {
    case "gpx" where depth == 1:
      isGPX = true
      attempt(parser) { () throws(RecordingError) in
        try sink.begin(ImportedRecording(name: name))
      }
    case _ where !isGPX:
      fail(
        .malformed(
          path: path, place: "line \(parser.lineNumber)", expected: "a gpx element", found: local),
        parser)
    case "trkpt":
      point = Point(
        line: parser.lineNumber, latitude: attributes["lat"].flatMap(Self.number) ?? .nan,
        longitude: attributes["lon"].flatMap(Self.number) ?? .nan)
    case "wpt", "rtept":
      sink.drop(.otherKind)
    default: break
    }
    text = point == nil ? nil : ""
  }

  func parser(_ parser: XMLParser, foundCharacters characters: String) {
    if let known = text, known.utf8.count <= Self.longestText {
      text = known + characters.prefix(Self.longestText + 1)
    }
  }

  func parser(
    _ parser: XMLParser, didEndElement element: String, namespaceURI: String?,
    qualifiedName: String?
  ) {
    depth -= 1
    let local = Self.local(element)
    let content = (text ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    text = nil
    switch local {
    case "trkpt":
      guard let point else { return }
      self.point = nil
      attempt(parser) { () throws(RecordingError) in try finish(point) }
    case "time": point?.time = content
    default:
      guard let name = Self.quantities[local.lowercased()], let number = Self.number(content)
      else { return }
      point?.numbers[name] = number
    }
  }

  private func finish(_ point: Point) throws(RecordingError) {
    guard let (time, hasZone) = CalendarTime.timestamp(point.time) else {
      sink.drop(
        .noTime,
        .malformed(
          path: path, place: "line \(point.line)", expected: "a time in ISO 8601",
          found: point.time))
      return
    }
    if !hasZone { sink.note("times without a zone are taken for UTC") }
    let numbers = point.numbers
    try sink.append(
      LocationFix(
        timestamp: time, latitude: point.latitude, longitude: point.longitude,
        altitude: numbers["ele"], horizontalAccuracy: numbers["hacc"],
        verticalAccuracy: numbers["vacc"], speed: numbers["speed"],
        speedAccuracy: numbers["sacc"], course: numbers["course"], courseAccuracy: numbers["cacc"]))
  }

  private func attempt(_ parser: XMLParser, _ body: () throws(RecordingError) -> Void) {
    guard failure == nil else { return }
    do throws(RecordingError) { try body() } catch { fail(error, parser) }
  }

  private func fail(_ error: RecordingError, _ parser: XMLParser) {
    if failure == nil { failure = error }
    parser.abortParsing()
  }

  /// The quantities of a point by the names that programs give them, in lower case.
  private static let quantities = [
    "ele": "ele", "speed": "speed", "course": "course", "hacc": "hacc", "vacc": "vacc",
    "sacc": "sacc", "cacc": "cacc", "accuracy": "hacc", "accuracy_horizontal": "hacc",
    "horizontalaccuracy": "hacc", "horizontal_accuracy": "hacc", "accuracy_vertical": "vacc",
    "verticalaccuracy": "vacc", "vertical_accuracy": "vacc",
  ]

  private static func local(_ element: String) -> String {
    element.split(separator: ":").last.map(String.init) ?? element
  }

  private static func number(_ text: String) -> Double? {
    let bytes = Array(text.utf8)
    return DecimalField(bytes, in: 0..<bytes.count).value.flatMap { $0.isNaN ? nil : $0 }
  }
}
