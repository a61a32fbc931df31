internal import Foundation
internal import LocomotionRecordings

/// Reads the tags of an XML file of any size, one after another and in bounded memory.
///
/// (Extensible Markup Language 1.0, fifth edition.) An element ends within the one around it, at
/// most 64 deep. Comments, processing instructions and a document type are passed over; of entities
/// only numbers and the five that XML has are resolved, so that no declaration can do harm. The
/// encoding is UTF-8, UTF-16, or Windows-1252, as which ISO 8859-1 is read, too (Encoding standard,
/// WHATWG).
struct XMLReader {
  enum Tag {
    case begin, end
  }

  private var input: ByteReader
  /// What stands between the brackets of the last tag.
  private var tag: [UInt8] = []
  /// Whether the last tag is that of an empty element, which is still to end.
  private var isEmptyElement = false
  /// The names of the open elements, one behind the other, and where each begins.
  private var names: [UInt8] = []
  private var starts: [Int] = []
  private var content: [UInt8] = []
  private var isSingleByte = false
  /// The most bytes of a text that are kept.
  var longestText = 256
  private(set) var line = 1
  /// Whether the file ended within an element or a tag.
  private(set) var isCut = false

  private static let longestTag = 1 << 20
  private static let deepest = 64

  init(_ input: ByteReader) throws(RecordingError) {
    self.input = input
    try checkStart()
  }

  /// The name of the tag without its prefix.
  var name: String {
    let name = tag.drop { $0 == UInt8(ascii: "/") }.prefix { !Self.endsName($0) }
    let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    return String(decoding: local, as: UTF8.self)
  }

  /// The text since the tag before, trimmed; cut behind ``longestText`` bytes.
  var text: String {
    resolved(content[...]).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The number in a text; nil when there is none.
  static func number(_ text: String) -> Double? {
    let bytes = Array(text.utf8)
    return DecimalField(bytes, in: 0..<bytes.count).value.flatMap { $0.isNaN ? nil : $0 }
  }

  /// The value of an attribute; nil without one.
  subscript(attribute: String) -> String? {
    var rest = tag[...].drop { !Self.endsName($0) }
    while true {
      rest = rest.drop { $0 <= 0x20 }
      let name = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: "=") }
      rest = rest.drop { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") }
      guard let mark = rest.popFirst() else { return nil }
      let value = rest.prefix { $0 != mark }
      if name.elementsEqual(attribute.utf8) { return resolved(value) }
      rest = rest.dropFirst(value.count + 1)
    }
  }

  /// Advances to the next tag; nil at the end of the file.
  mutating func next() throws(RecordingError) -> Tag? {
    content.removeAll(keepingCapacity: true)
    if isEmptyElement {
      isEmptyElement = false
      close()
      return .end
    }
    while let byte = try take() {
      guard byte == UInt8(ascii: "<") else {
        guard !starts.isEmpty || byte <= 0x20 || byte >= 0x80 else {
          throw malformed("a tag", String(decoding: [byte], as: UTF8.self))
        }
        keep(byte)
        continue
      }
      switch try input.peek() {
      case UInt8(ascii: "?"): try pass(over: "?>")
      case UInt8(ascii: "!"): try passDeclaration()
      default: if let tag = try readTag() { return tag }
      }
    }
    isCut = isCut || !starts.isEmpty
    return nil
  }

  // MARK: Parts of the file

  private mutating func take() throws(RecordingError) -> UInt8? {
    guard let byte = try input.peek() else { return nil }
    input.advance()
    if byte == UInt8(ascii: "\n") { line += 1 }
    return byte
  }

  private mutating func keep(_ byte: UInt8) {
    guard content.count <= longestText, byte != UInt8(ascii: "\r") else { return }
    if byte > 0x20 || !content.isEmpty { content.append(byte) }
  }

  /// Reads a tag behind its bracket; nil where the file ends in it.
  private mutating func readTag() throws(RecordingError) -> Tag? {
    let start = input.offset
    tag.removeAll(keepingCapacity: true)
    var mark: UInt8?
    while let byte = try take() {
      if mark == nil, byte == UInt8(ascii: ">") { return try finishTag() }
      if byte == mark {
        mark = nil
      } else if mark == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        mark = byte
      } else if mark == nil, byte == UInt8(ascii: "<") {
        throw malformed("the end of a tag", "<")
      }
      tag.append(byte)
      guard tag.count <= Self.longestTag else {
        throw .refused(
          path: input.path, reason: "a tag of more than \(Self.longestTag) bytes at byte \(start)")
      }
    }
    isCut = true
    return nil
  }

  private mutating func finishTag() throws(RecordingError) -> Tag {
    if tag.first == UInt8(ascii: "/") {
      let name = tag.dropFirst().prefix { !Self.endsName($0) }
      guard let start = starts.last, names[start...].elementsEqual(name) else {
        let open = starts.last.map { "</\(String(decoding: names[$0...], as: UTF8.self))>" }
        throw malformed(
          open ?? "the end of the file", "<\(String(decoding: tag.prefix(40), as: UTF8.self))>")
      }
      close()
      return .end
    }
    let name = tag.prefix { !Self.endsName($0) }
    guard !name.isEmpty else { throw malformed("the name of an element", "none") }
    guard starts.count < Self.deepest else {
      throw .refused(path: input.path, reason: "XML of more than \(Self.deepest) levels")
    }
    starts.append(names.count)
    names += name
    isEmptyElement = tag.last == UInt8(ascii: "/")
    return .begin
  }

  private mutating func close() {
    if let start = starts.popLast() { names.removeSubrange(start...) }
  }

  private static func endsName(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == UInt8(ascii: "/") }

  /// Passes over what begins with `<!`: a comment or a document type; a section is text.
  private mutating func passDeclaration() throws(RecordingError) {
    input.advance()
    switch try input.peek() {
    case UInt8(ascii: "-"):
      for _ in "--" { _ = try take() }
      try pass(over: "-->")
    case UInt8(ascii: "["):
      for _ in "[CDATA[" { _ = try take() }
      try pass(over: "]]>", isText: true)
    default: try passDocumentType()
    }
  }

  private mutating func passDocumentType() throws(RecordingError) {
    // Declarations in brackets have ends of their own.
    var depth = 0
    while let byte = try take() {
      switch byte {
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ">") where depth <= 0: return
      case UInt8(ascii: "<"):
        guard try input.peek() == UInt8(ascii: "!") else { continue }
        input.advance()
        if try input.peek() == UInt8(ascii: "-") { try pass(over: "-->") }
      default: break
      }
    }
    isCut = true
  }

  /// Passes over everything up to the end of `text`.
  private mutating func pass(
    over text: String, isText: Bool = false
  ) throws(RecordingError) {
    let end = Array(text.utf8)
    var last: [UInt8] = []
    while let byte = try take() {
      last.append(byte)
      if last == end { return }
      guard last.count == end.count else { continue }
      let first = last.removeFirst()
      guard isText else { continue }
      keep(first)
      // It is no entity.
      if first == UInt8(ascii: "&") { for byte in "amp;".utf8 { keep(byte) } }
    }
    isCut = true
  }

  // MARK: Characters

  private func resolved(_ bytes: ArraySlice<UInt8>) -> String {
    var text = String(decoding: bytes, as: UTF8.self)
    if isSingleByte, bytes.contains(where: { $0 >= 0x80 }) {
      // Windows-1252 has five bytes without a character.
      text =
        String(bytes: bytes, encoding: .windowsCP1252) ?? String(bytes: bytes, encoding: .isoLatin1)
        ?? text
    }
    guard bytes.contains(UInt8(ascii: "&")) else { return text }
    return text.replacing(#/&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));/#) {
      match in
      switch match.1 {
      case "amp": return "&"
      case "lt": return "<"
      case "gt": return ">"
      case "quot": return "\""
      case "apos": return "'"
      default:
        let number = match.2.flatMap { UInt32($0) } ?? match.3.flatMap { UInt32($0, radix: 16) }
        return String(Character(number.flatMap(Unicode.Scalar.init) ?? "\u{FFFD}"))
      }
    }
  }

  /// Checks that the file begins as XML, in an encoding that is read.
  private mutating func checkStart() throws(RecordingError) {
    var start = try input.prefix(512)
    if start.starts(with: [0xEF, 0xBB, 0xBF]) {
      start.removeFirst(3)
      for _ in 0..<3 { input.advance() }
    }
    guard let first = start.first(where: { $0 > 0x20 }) else { throw .empty(path: input.path) }
    guard first == UInt8(ascii: "<"), !start.prefix(8).contains(0) else {
      throw malformed("XML in UTF-8", String(decoding: start.prefix(24), as: UTF8.self))
    }
    // A blank must follow: some processing instructions have names that start like this.
    guard start.starts(with: "<?xml".utf8), start.count > 5, start[5] <= 0x20 else { return }
    guard let end = start.firstRange(of: Array("?>".utf8)) else {
      throw malformed(
        "a declaration of XML of up to 512 bytes",
        String(decoding: start.prefix(24), as: UTF8.self))
    }
    let declaration = String(decoding: start[..<end.lowerBound], as: UTF8.self).lowercased()
    for match in declaration.matches(of: #/encoding\s*=\s*["']([^"']*)/#) {
      switch String(match.1) {
      case "utf-8", "us-ascii", "ascii": continue
      case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "windows-1252", "cp1252":
        isSingleByte = true
      case let name where input.isTranscoded && name.hasPrefix("utf-16"): continue
      case let name: throw malformed("the encoding UTF-8", name)
      }
    }
  }

  private func malformed(_ expected: String, _ found: String) -> RecordingError {
    .malformed(path: input.path, place: "line \(line)", expected: expected, found: found)
  }
}
