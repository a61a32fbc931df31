internal import Foundation
internal import LocomotionRecordings
internal import LocomotionSensing

#if canImport(FoundationXML)
  internal import FoundationXML
#endif

/// Receives the elements of an XML file, called by their names without a prefix.
protocol XMLElementReceiver: AnyObject {
  /// The name of the outermost element.
  var root: String { get }
  /// The limit for the text of an element, bytes; what is longer is cut.
  var longestText: Int { get }

  /// An element begins.
  func begin(
    _ element: String, _ attributes: [String: String], at line: Int
  ) throws(RecordingError)

  /// An element ends; `content` is the text since the last tag, trimmed.
  func end(_ element: String, _ content: String, at line: Int) throws(RecordingError)

  /// The file ends within its outermost element.
  ///
  /// - Returns: Whether there was anything before that.
  func endEarly(at line: Int) throws(RecordingError) -> Bool
}

extension XMLElementReceiver {
  var longestText: Int { 256 }
  func endEarly(at line: Int) throws(RecordingError) -> Bool { false }
}

/// Parses XML files behind ``XMLGuard``.
///
/// Elements are matched by their local names, so that those of any program are found, whatever
/// prefixes it has.
enum XMLElements {
  /// Parses a file and gives its elements to `receiver`.
  static func read(
    _ name: String, of source: ImportSource, to receiver: some XMLElementReceiver
  ) throws(RecordingError) {
    let path = source.displayPath(of: name)
    var filter = try XMLGuard(source.bytes(of: name))
    let parser =
      switch try filter.checked() {
      case .small(let bytes): XMLParser(data: Data(bytes))
      case .large where filter.isCompressed:
        throw .refused(path: path, reason: "compressed and large: unpack it first")
      case .large:
        if let stream = InputStream(fileAtPath: source.path(of: name)) {
          XMLParser(stream: stream)
        } else {
          throw .unreadable(path: path, reason: "cannot be opened")
        }
      }
    let delegate = XMLDelegate(receiver, path: path, ends: filter.ends)
    parser.delegate = delegate
    parser.shouldResolveExternalEntities = false
    let isWhole = parser.parse()
    if let failure = delegate.failure { throw failure }
    if delegate.hasRoot, filter.isCut, try receiver.endEarly(at: parser.lineNumber) { return }
    // The parser itself accepts a truncated file as complete.
    guard !isWhole || delegate.isClosed else {
      throw .malformed(
        path: path, place: "line \(parser.lineNumber)",
        expected: "the end of the \(receiver.root) element", found: "the end of the file")
    }
    guard isWhole, delegate.hasRoot else {
      throw .malformed(
        path: path, place: "line \(parser.lineNumber)",
        expected: isWhole ? "a \(receiver.root) element" : "well-formed XML",
        found: isWhole ? "none" : parser.parserError.map { "error \(($0 as NSError).code)" } ?? "")
    }
  }

  /// The number in a text; nil when there is none.
  static func number(_ text: String) -> Double? {
    let bytes = Array(text.utf8)
    return DecimalField(bytes, in: 0..<bytes.count).value.flatMap { $0.isNaN ? nil : $0 }
  }
}

private final class XMLDelegate: NSObject, XMLParserDelegate {
  private let receiver: any XMLElementReceiver
  private let path: String
  private(set) var failure: RecordingError?
  private(set) var hasRoot = false
  /// Whether every element that began has ended.
  var isClosed: Bool { depth == 0 }
  private var depth = 0
  /// The ends of elements that are still in the file: the parser also ends those that are open when
  /// the file does.
  private var ends: Int
  private var text = ""

  init(_ receiver: any XMLElementReceiver, path: String, ends: Int) {
    self.receiver = receiver
    self.path = path
    self.ends = ends
  }

  func parser(
    _ parser: XMLParser, didStartElement element: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    depth += 1
    text = ""
    let local = Self.local(element)
    if depth == 1 {
      guard local == receiver.root else {
        return fail(
          .malformed(
            path: path, place: "line \(parser.lineNumber)",
            expected: "a \(receiver.root) element", found: local),
          parser)
      }
      hasRoot = true
    }
    attempt(parser) { () throws(RecordingError) in
      try receiver.begin(local, attributes, at: parser.lineNumber)
    }
  }

  func parser(_ parser: XMLParser, foundCharacters characters: String) {
    let longest = receiver.longestText
    if text.utf8.count <= longest { text += characters.prefix(longest + 1) }
  }

  func parser(
    _ parser: XMLParser, didEndElement element: String, namespaceURI: String?,
    qualifiedName: String?
  ) {
    ends -= 1
    guard ends >= 0 else { return }
    depth -= 1
    let content = text.trimmingCharacters(in: .whitespacesAndNewlines)
    text = ""
    attempt(parser) { () throws(RecordingError) in
      try receiver.end(Self.local(element), content, at: parser.lineNumber)
    }
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
}

extension ImportSink {
  /// The instant of a text in ISO 8601; what lacks a zone is in UTC, which is noted.
  func time(of text: String) -> Timestamp? {
    guard let (time, hasZone) = CalendarTime.timestamp(text) else { return nil }
    if !hasZone { note("times without a zone are taken for UTC") }
    return time
  }

  /// Notes that a file was cut off behind its first points.
  func noteCut(_ path: String, at line: Int) {
    note("\(path): ends at line \(line) within a track; what is whole was read")
  }
}
