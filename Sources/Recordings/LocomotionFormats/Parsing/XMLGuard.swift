internal import LocomotionRecordings

/// Scans an XML file before the parser does, and refuses what could make the parser do harm.
///
/// Entities can only be declared in a document type, which no file of a track needs. The scan looks
/// for it in bytes, so the encoding must be a superset of ASCII: UTF-8, or Windows-1252 or
/// ISO 8859-1, which are turned into UTF-8. Processing instructions, such as that of a style sheet,
/// are removed. The parser's time grows with the square of the attributes of a tag, and for each
/// tag with the namespaces declared around it: both are limited.
struct XMLGuard {
  enum Text {
    /// The whole text, in UTF-8.
    case small([UInt8])
    /// Too large to hold: the parser reads the file itself.
    case large
  }

  private var input: ByteReader
  private var bytes: [UInt8] = []
  private var isSmall = true
  /// The allowed continuations of a byte above 0x7F.
  private var rest: ArraySlice<ClosedRange<UInt8>> = []
  private var markup = XMLMarkup()
  private static let largestInMemory = 1 << 20
  /// The limit for a file that is not given to the parser as it is.
  private static let largestRewritten = 1 << 26
  /// Whether the bytes are of an encoding with one byte per character.
  private var isSingleByte = false
  /// Whether the parser must not read the file itself.
  private var isRewritten = false
  /// Whether the declaration of XML no longer holds, because the text was in UTF-16.
  private var isTranscoded = false
  /// Whether the bytes belong to a processing instruction, which is removed.
  private var isInstruction = false
  private var last: UInt8 = 0
  /// The limit for a tag, a comment or a text between tags, 1 MiB.
  private static let longestPiece = 1 << 20
  private static let deepest = 64
  /// The limit for the attributes of a tag and of the elements around it.
  private static let mostAttributes = 256
  private static let encodings = ["utf-8", "us-ascii", "ascii"]
  /// Encodings that are read as Windows-1252, as the Encoding standard (WHATWG) has it.
  private static let singleByteEncodings = [
    "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "windows-1252", "cp1252",
  ]

  /// Whether the file ends within an element or a tag, known once it was checked.
  var isCut: Bool { markup.depth > 0 || markup.isInTag }
  /// The number of elements that end in the file, known once it was checked.
  var ends: Int { markup.ends }

  /// Whether the bytes of the file are not its text, because it is compressed.
  var isCompressed: Bool { input.isCompressed }

  init(_ input: ByteReader) {
    self.input = input
  }

  mutating func checked() throws(RecordingError) -> Text {
    let mayDeclareXML = try checkStart()
    var isAfterOpening = false
    var isDeclaration = false
    while let byte = try input.peek() {
      input.advance()
      if !isSingleByte { try checkUTF8(byte) }
      // Foundation's parser on Linux traps on a processing instruction without data. The XML
      // declaration, at the very start, is not one; it is removed when it no longer holds.
      let isOpened = markup.isOpening && byte == UInt8(ascii: "?")
      if isOpened, isSingleByte || isTranscoded || !(input.offset <= 5 && mayDeclareXML) {
        beginInstruction()
      }
      if !isInstruction { markup.take(byte) }
      // The parser goes on behind text that is not well-formed, where this scan may be in another
      // part than it: nothing that looks like an instruction reaches it.
      let isHidden =
        !isInstruction && byte == UInt8(ascii: "?") && !(input.offset <= 5 && mayDeclareXML)
        && (last == UInt8(ascii: "<") || bytes.last == UInt8(ascii: "<"))
      if isHidden { isRewritten = true }
      try keep(isHidden ? UInt8(ascii: " ") : byte)
      if isDeclaration {
        // After `<!` a comment or CDATA continues with - or [, a declaration with a letter.
        guard byte == UInt8(ascii: "-") || byte == UInt8(ascii: "[") else {
          throw refusal("a document type or entity at byte \(input.offset); expected none")
        }
      }
      isDeclaration = isAfterOpening && byte == UInt8(ascii: "!")
      isAfterOpening = byte == UInt8(ascii: "<")
      try checkSizes()
    }
    guard rest.isEmpty else { throw notUTF8(0) }
    return isSmall
      && (isRewritten || isSingleByte || isTranscoded || isCompressed
        || bytes.count <= Self.largestInMemory)
      ? .small(bytes) : .large
  }

  /// Checks the start of the file; returns whether it may have an XML declaration.
  private mutating func checkStart() throws(RecordingError) -> Bool {
    var start = try input.prefix(512)
    isTranscoded = input.isTranscoded
    if start.starts(with: [0xEF, 0xBB, 0xBF]) { start.removeFirst(3) }
    guard let first = start.first(where: { $0 > 0x20 }) else { throw .empty(path: input.path) }
    guard first == UInt8(ascii: "<"), !start.prefix(8).contains(0) else {
      throw .malformed(
        path: input.path, place: "line 1", expected: "XML in UTF-8",
        found: String(decoding: start.prefix(24), as: UTF8.self))
    }
    // A blank must follow: some processing instructions have names that start like this.
    guard start.starts(with: "<?xml".utf8), start.count > 5, start[5] <= 0x20 else { return false }
    guard let end = start.firstRange(of: Array("?>".utf8)) else {
      throw .malformed(
        path: input.path, place: "line 1", expected: "a declaration of XML of up to 512 bytes",
        found: String(decoding: start.prefix(24), as: UTF8.self))
    }
    try checkEncoding(in: start[..<end.lowerBound])
    return true
  }

  /// Notes an encoding of single bytes, and checks that no other one is declared, in whatever case.
  private mutating func checkEncoding(
    in declaration: ArraySlice<UInt8>
  ) throws(RecordingError) {
    let values = declaration.split(
      separator: Array("encoding".utf8), omittingEmptySubsequences: false)
    for value in values.dropFirst() {
      let quoted = value.drop { $0 <= 0x20 || $0 == UInt8(ascii: "=") }
      guard let mark = quoted.first else { continue }
      let name = String(decoding: quoted.dropFirst().prefix { $0 != mark }, as: UTF8.self)
      if Self.singleByteEncodings.contains(name.lowercased()), values.count == 2 {
        isSingleByte = true
        continue
      }
      if isTranscoded, name.lowercased().hasPrefix("utf-16") { continue }
      guard Self.encodings.contains(name.lowercased()) else {
        throw .malformed(
          path: input.path, place: "line 1", expected: "the encoding UTF-8", found: name)
      }
    }
  }

  /// Removes the opening that was kept, and what follows up to the instruction's end.
  private mutating func beginInstruction() {
    isInstruction = true
    isRewritten = true
    markup.endInstruction()
    if isSmall { bytes.removeLast() }
  }

  private mutating func keep(_ byte: UInt8) throws(RecordingError) {
    defer { last = byte }
    if isInstruction {
      isInstruction = !(last == UInt8(ascii: "?") && byte == UInt8(ascii: ">"))
      // So that lines keep their numbers.
      if isSmall, byte == UInt8(ascii: "\n") { bytes.append(byte) }
    } else if isSmall {
      if isSingleByte { append(singleByte: byte) } else { bytes.append(byte) }
    }
    if isSmall {
      // A file may turn out late to have an instruction: then it is still here.
      isSmall = bytes.count <= Self.largestRewritten
      if !isSmall { bytes = [] }
    }
    guard isSmall || !(isRewritten || isSingleByte || isTranscoded) else {
      throw refusal(
        "larger than \(Self.largestRewritten) bytes, and not plain UTF-8 without processing "
          + "instructions: convert it first")
    }
  }

  /// Appends a character of Windows-1252 in UTF-8.
  private mutating func append(singleByte byte: UInt8) {
    let scalar =
      0x80...0x9F ~= byte ? Self.windows1252[Int(byte) - 0x80] : UInt32(byte)
    bytes += Character(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8
  }

  /// The scalars of the bytes 0x80 to 0x9F; U+FFFD where there is none.
  private static let windows1252: [UInt32] = [
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178,
  ]

  private func checkSizes() throws(RecordingError) {
    guard markup.pieceLength <= Self.longestPiece else {
      throw refusal(
        "a tag or text of more than \(Self.longestPiece) bytes at byte \(input.offset)")
    }
    guard markup.depth <= Self.deepest else {
      throw refusal("XML of more than \(Self.deepest) levels")
    }
    guard markup.attributeCount <= Self.mostAttributes else {
      throw refusal(
        "more than \(Self.mostAttributes) attributes in a tag and those around it at byte "
          + "\(input.offset)")
    }
  }

  // Foundation's parser on Linux traps on names that are not UTF-8.
  private mutating func checkUTF8(_ byte: UInt8) throws(RecordingError) {
    if let allowed = rest.popFirst() ?? (byte < 0x80 ? 0...0x7F : nil) {
      guard allowed.contains(byte) else { throw notUTF8(byte) }
    } else {
      rest = try continuation(of: byte)
    }
  }

  /// The allowed bytes after a byte above 0x7F (RFC 3629, section 4).
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

  private func refusal(_ reason: String) -> RecordingError {
    .refused(path: input.path, reason: reason)
  }

  private func notUTF8(_ byte: UInt8) -> RecordingError {
    .malformed(
      path: input.path, place: "byte \(input.offset)", expected: "UTF-8",
      found: "the byte \(byte)")
  }
}

/// Which part of an XML text its bytes belong to, as far as sizes depend on it.
///
/// The result holds for well-formed text. A parser stops where the text ceases to be well-formed.
private struct XMLMarkup {
  private enum Part: Equatable {
    case text
    /// After `<`.
    case opening
    case tag
    case endTag
    /// A value in a tag, up to this quotation mark.
    case value(UInt8)
    /// After `<!`: a comment or a section, not yet known which.
    case declaration
    case comment
    case section
  }

  private var part = Part.text
  /// The last two bytes, the newest in the lower half.
  private var last: UInt16 = 0
  /// The attributes of each open element.
  private var open: [Int] = []
  /// The attributes of the tag that is being read.
  private var own = 0
  /// The attributes of all open elements.
  private var outer = 0
  /// The bytes of this tag, comment or text so far.
  private(set) var pieceLength = 0

  /// Whether the last byte opened a tag or an instruction.
  var isOpening: Bool { part == .opening }

  /// Goes on as if an instruction, whose first byte was taken, had not been there.
  mutating func endInstruction() { begin(.text) }

  /// The number of elements that have ended.
  private(set) var ends = 0

  /// Whether the last byte is in a tag.
  var isInTag: Bool { part != .text }

  /// The number of open elements.
  var depth: Int { open.count }
  /// The attributes of the tag that is being read and of all elements around it.
  var attributeCount: Int { outer + own }

  mutating func take(_ byte: UInt8) {
    pieceLength += 1
    switch (part, byte) {
    case (.text, UInt8(ascii: "<")): begin(.opening)
    case (.opening, UInt8(ascii: "/")): part = .endTag
    case (.opening, UInt8(ascii: "!")): part = .declaration
    case (.opening, _): part = .tag
    case (.tag, UInt8(ascii: "\"")), (.tag, UInt8(ascii: "'")):
      own += 1
      part = .value(byte)
    case (.tag, UInt8(ascii: ">")): endTag(isEmpty: "/?".utf8.contains(UInt8(last & 0xFF)))
    case (.endTag, UInt8(ascii: ">")):
      outer -= open.popLast() ?? 0
      ends += 1
      begin(.text)
    case (.value(let mark), _) where byte == mark: part = .tag
    case (.declaration, _): part = byte == UInt8(ascii: "-") ? .comment : .section
    case (.comment, UInt8(ascii: ">")) where last == 0x2D2D && pieceLength >= 6: begin(.text)
    case (.section, UInt8(ascii: ">")) where last == 0x5D5D: begin(.text)
    default: break
    }
    last = last << 8 | UInt16(byte)
  }

  private mutating func begin(_ part: Part) {
    self.part = part
    pieceLength = 0
    own = 0
  }

  private mutating func endTag(isEmpty: Bool) {
    if isEmpty {
      // The declaration of XML is no element.
      if last & 0xFF == UInt16(UInt8(ascii: "/")) { ends += 1 }
    } else {
      open.append(own)
      outer += own
    }
    begin(.text)
  }
}
