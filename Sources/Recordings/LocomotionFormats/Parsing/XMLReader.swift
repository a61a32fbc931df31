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
  var text: String { resolved(content[...]).trimmed }

  /// The number in a text, also with a decimal comma; nil when there is none.
  static func number(_ text: String) -> Double? {
    let bytes = text.utf8.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
    return DecimalField(bytes, in: 0..<bytes.count).value.flatMap { $0.isNaN ? nil : $0 }
  }

  subscript(attribute: String) -> String? {
    var rest = tag[...].drop { !Self.endsName($0) }
    return value(of: attribute, in: &rest)
  }

  /// The value of the first attribute of a name in the rest of a tag, from which it is removed with
  /// all before.
  private func value(of attribute: String, in rest: inout ArraySlice<UInt8>) -> String? {
    while true {
      rest = rest.drop { $0 <= 0x20 }
      let name = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: "=") }
      rest = rest.drop { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") }
      guard let mark = rest.popFirst() else { return nil }
      let value = rest.prefix { $0 != mark }
      rest = rest.dropFirst(value.count + 1)
      if name.elementsEqual(attribute.utf8) { return resolved(value) }
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
  private mutating func pass(over text: String, isText: Bool = false) throws(RecordingError) {
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

  /// What Windows-1252 has in place of the control characters from 0x80 on.
  private static let windows = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

  private func resolved(_ bytes: ArraySlice<UInt8>) -> String {
    var text = String(decoding: bytes, as: UTF8.self)
    if isSingleByte, bytes.contains(where: { $0 >= 0x80 }) {
      text = bytes.reduce(into: "") { text, byte in
        let isWindows = 0x80..<0xA0 ~= byte
        text.unicodeScalars.append(
          isWindows ? Self.windows[Int(byte) - 0x80] : Unicode.Scalar(byte))
      }
    }
    guard bytes.contains(UInt8(ascii: "&")) else { return text }
    let parts = text.split(separator: "&", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: String(parts[0])) { text, part in
      guard let end = part.firstIndex(of: ";"), let character = Self.character(of: part[..<end])
      else { return text += "&" + part }
      text += String(character) + part[end...].dropFirst()
    }
  }

  /// The character of an entity; nil for one that XML does not have itself.
  private static func character(of entity: Substring) -> Character? {
    let named: [Substring: Character] = [
      "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
    ]
    if let character = named[entity] { return character }
    let isHexadecimal = entity.hasPrefix("#x")
    let digits = entity.dropFirst(isHexadecimal ? 2 : 1)
    guard entity.hasPrefix("#"), digits.first != "+", digits.first != "-",
      1...(isHexadecimal ? 6 : 7) ~= digits.utf8.count,
      let number = UInt32(digits, radix: isHexadecimal ? 16 : 10)
    else { return nil }
    return Character(Unicode.Scalar(number) ?? "\u{FFFD}")
  }

  /// Checks that the file begins as XML, in an encoding that is read.
  private mutating func checkStart() throws(RecordingError) {
    let start = try input.prefix(512)
    guard let first = start.first(where: { $0 > 0x20 }) else { throw .empty(path: input.path) }
    guard first == UInt8(ascii: "<"), !start.prefix(8).contains(0) else {
      throw malformed("XML in UTF-8", String(decoding: start.prefix(24), as: UTF8.self))
    }
    // A blank must follow: some processing instructions have names that start like this.
    guard start.starts(with: "<?xml".utf8), start.count > 5, start[5] <= 0x20 else { return }
    let ends = start.indices.dropFirst().first { start[($0 - 1)...$0].elementsEqual("?>".utf8) }
    guard let end = ends else {
      throw malformed(
        "a declaration of XML of up to 512 bytes",
        String(decoding: start.prefix(24), as: UTF8.self))
    }
    // The attributes of the declaration are found as those of a tag.
    let declaration = Array(String(decoding: start[..<end], as: UTF8.self).lowercased().utf8)
    var rest = declaration[...].drop { !Self.endsName($0) }
    while let encoding = value(of: "encoding", in: &rest) {
      switch encoding {
      case "utf-8", "us-ascii", "ascii": continue
      case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "windows-1252", "cp1252":
        isSingleByte = true
      case _ where input.isTranscoded && encoding.hasPrefix("utf-16"): continue
      default: throw malformed("the encoding UTF-8", encoding)
      }
    }
  }

  private func malformed(_ expected: String, _ found: String) -> RecordingError {
    .malformed(path: input.path, place: "line \(line)", expected: expected, found: found)
  }
}
