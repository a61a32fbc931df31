internal import Foundation
internal import LocomotionRecordings
internal import LocomotionSensing

#if canImport(FoundationXML)
  internal import FoundationXML
#endif

/// GPX 1.1 (Topografix, 2004): the points of all tracks, in the file's order.
///
/// Elements are told by their local names, so that extensions of any program are found: `speed`,
/// `course`, and our `hacc`, `vacc`, `sacc`, `cacc`. `hdop` is no accuracy and is passed over.
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
      // The parser itself takes a file that ends in the middle for a whole one.
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

/// Reads an XML file ahead of the parser and refuses what could make the parser do harm.
///
/// Entities can only be declared in a document type, which no GPX file needs. It is looked for in
/// bytes, so the encoding must be one in which ASCII stands for itself.
struct XMLGuard {
  enum Text {
    /// The whole file.
    case small([UInt8])
    /// More than fits: the parser reads the file itself.
    case large
  }

  private var input: ByteReader
  private static let largestInMemory = 1 << 20
  /// A tag or a text between two tags is at most 1 MiB long.
  private static let longestPiece = 1 << 20
  private static let encodings = ["utf-8", "us-ascii", "ascii"]

  /// Whether the file itself holds other bytes than its text.
  var isCompressed: Bool { input.isCompressed }

  init(_ input: ByteReader) {
    self.input = input
  }

  mutating func checked() throws(RecordingError) -> Text {
    var start = try input.prefix(512)
    if start.starts(with: [0xEF, 0xBB, 0xBF]) { start.removeFirst(3) }
    guard let first = start.first(where: { $0 > 0x20 }) else { throw .empty(path: input.path) }
    guard first == UInt8(ascii: "<"), !start.prefix(8).contains(0) else {
      throw .malformed(
        path: input.path, place: "line 1", expected: "XML in UTF-8",
        found: String(decoding: start.prefix(24), as: UTF8.self))
    }
    let head = String(decoding: start, as: UTF8.self).lowercased()
    if let match = head.firstMatch(of: #/<\?xml[^>]*encoding\s*=\s*["']([^"']*)["']/#),
      !Self.encodings.contains(String(match.1))
    {
      throw .malformed(
        path: input.path, place: "line 1", expected: "the encoding UTF-8", found: String(match.1))
    }
    var bytes: [UInt8] = []
    var isSmall = true
    var piece = 0
    var afterBracket = 0
    var rest: ArraySlice<ClosedRange<UInt8>> = []
    while let byte = try input.peek() {
      input.advance()
      if isSmall {
        bytes.append(byte)
        if bytes.count > Self.largestInMemory {
          isSmall = false
          bytes = []
        }
      }
      // Foundation's parser on Linux traps on names that are not UTF-8.
      if let allowed = rest.popFirst() ?? (byte < 0x80 ? 0...0x7F : nil) {
        guard allowed.contains(byte) else { throw notUTF8(byte) }
      } else {
        rest = try continuation(of: byte)
      }
      piece += 1
      if byte == UInt8(ascii: "<") {
        piece = 0
        afterBracket = 1
      } else if byte == UInt8(ascii: ">") {
        piece = 0
        afterBracket = 0
      } else if afterBracket == 1 {
        // Foundation's parser on Linux traps on an instruction without data; the declaration of
        // XML itself, at the very start, is none.
        guard byte != UInt8(ascii: "?") || (input.offset <= 5 && head.hasPrefix("<?xml ")) else {
          throw .refused(
            path: input.path,
            reason: "a processing instruction at byte \(input.offset); expected none")
        }
        afterBracket = byte == UInt8(ascii: "!") ? 2 : 0
      } else if afterBracket == 2 {
        // A comment or CDATA goes on with - or [, a declaration with a letter.
        guard byte == UInt8(ascii: "-") || byte == UInt8(ascii: "[") else {
          throw .refused(
            path: input.path,
            reason: "a document type or entity at byte \(input.offset); expected none")
        }
        afterBracket = 0
      }
      guard piece <= Self.longestPiece else {
        throw .refused(
          path: input.path,
          reason: "more than \(Self.longestPiece) bytes without a tag at byte \(input.offset)")
      }
    }
    guard rest.isEmpty else { throw notUTF8(0) }
    return isSmall ? .small(bytes) : .large
  }

  /// What may follow a byte above 0x7F (RFC 3629, section 4).
  private func continuation(
    of byte: UInt8
  ) throws(RecordingError) -> ArraySlice<ClosedRange<UInt8>> {
    switch byte {
    case 0xC2...0xDF: [0x80...0xBF]
    case 0xE0: [0xA0...0xBF, 0x80...0xBF]
    case 0xED: [0x80...0x9F, 0x80...0xBF]
    case 0xE1...0xEF: [0x80...0xBF, 0x80...0xBF]
    case 0xF0: [0x90...0xBF, 0x80...0xBF, 0x80...0xBF]
    case 0xF1...0xF3: [0x80...0xBF, 0x80...0xBF, 0x80...0xBF]
    case 0xF4: [0x80...0x8F, 0x80...0xBF, 0x80...0xBF]
    default: throw notUTF8(byte)
    }
  }

  private func notUTF8(_ byte: UInt8) -> RecordingError {
    .malformed(
      path: input.path, place: "byte \(input.offset)", expected: "UTF-8",
      found: "the byte \(byte)")
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

  private static let deepest = 64
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
    guard depth <= Self.deepest else {
      fail(.refused(path: path, reason: "XML of more than \(Self.deepest) levels"), parser)
      return
    }
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
    case "ele", "speed", "course", "hacc", "vacc", "sacc", "cacc":
      if let number = Self.number(content) { point?.numbers[local] = number }
    default: break
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

  private static func local(_ element: String) -> String {
    element.split(separator: ":").last.map(String.init) ?? element
  }

  private static func number(_ text: String) -> Double? {
    let bytes = Array(text.utf8)
    return DecimalField(bytes, in: 0..<bytes.count).value.flatMap { $0.isNaN ? nil : $0 }
  }
}
