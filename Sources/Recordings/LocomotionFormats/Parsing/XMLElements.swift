internal import Foundation
internal import LocomotionRecordings
internal import LocomotionSensing

/// Receives the elements of an XML file, called by their names without a prefix.
protocol XMLElementReceiver: AnyObject {
  /// The name of the outermost element.
  var root: String { get }
  /// The limit for the text of an element, bytes; what is longer is cut.
  var longestText: Int { get }

  /// An element begins.
  func begin(
    _ element: String, _ attributes: XMLReader, at line: Int
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

/// Gives the elements of XML files to receivers.
///
/// Elements are matched by their local names, so that those of any program are found, whatever
/// prefixes it has.
enum XMLElements {
  /// Reads a file and gives its elements to `receiver`.
  static func read(
    _ name: String, of source: ImportSource, to receiver: some XMLElementReceiver
  ) throws(RecordingError) {
    let path = source.displayPath(of: name)
    var reader = try XMLReader(source.bytes(of: name))
    reader.longestText = receiver.longestText
    var depth = 0
    var hasRoot = false
    func malformed(_ expected: String, _ found: String) -> RecordingError {
      .malformed(path: path, place: "line \(reader.line)", expected: expected, found: found)
    }
    while let tag = try reader.next() {
      let element = reader.name
      switch tag {
      case .begin:
        if depth == 0 {
          guard !hasRoot, element == receiver.root else {
            throw malformed(hasRoot ? "the end of the file" : "a \(receiver.root) element", element)
          }
          hasRoot = true
        }
        depth += 1
        try receiver.begin(element, reader, at: reader.line)
      case .end:
        depth -= 1
        try receiver.end(element, reader.text, at: reader.line)
      }
    }
    guard hasRoot else { throw malformed("a \(receiver.root) element", "none") }
    if reader.isCut {
      guard try receiver.endEarly(at: reader.line) else {
        throw malformed("the end of the \(receiver.root) element", "the end of the file")
      }
    }
  }

  /// The number in a text; nil when there is none.
  static func number(_ text: String) -> Double? {
    let bytes = Array(text.utf8)
    return DecimalField(bytes, in: 0..<bytes.count).value.flatMap { $0.isNaN ? nil : $0 }
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
