internal import LocomotionRecordings

/// Reads the tags of an XML file of any size, one after another and in bounded memory.
///
/// For files of gigabytes of which little is needed. Comments, sections of CDATA, processing
/// instructions and a document type are passed over; entities are not resolved, so that no
/// declaration can do harm. Whether tags are balanced is not checked.
struct XMLTags {
  private var input: ByteReader
  private var tag: [UInt8] = []
  /// The limit for a tag.
  private static let longestTag = 1 << 20

  init(_ input: ByteReader) {
    self.input = input
  }

  /// The name of the tag, with a slash before it at an element's end.
  var name: String {
    String(decoding: tag.prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") }, as: UTF8.self)
  }

  /// Whether the element ends with this tag.
  var isEmpty: Bool { tag.last == UInt8(ascii: "/") }

  /// The value of an attribute; nil without one.
  func value(_ attribute: String) -> String? {
    guard let range = range(of: attribute) else { return nil }
    return String(decoding: tag[range], as: UTF8.self)
  }

  /// Whether an attribute has this value.
  func has(_ attribute: String, _ value: String) -> Bool {
    range(of: attribute).map { tag[$0].elementsEqual(value.utf8) } ?? false
  }

  private func range(of attribute: String) -> Range<Int>? {
    var index = tag.firstIndex { $0 <= 0x20 } ?? tag.count
    while true {
      while index < tag.count, tag[index] <= 0x20 { index += 1 }
      let start = index
      while index < tag.count, tag[index] > 0x20, tag[index] != UInt8(ascii: "=") { index += 1 }
      let name = start..<index
      while index < tag.count, tag[index] != UInt8(ascii: "\""), tag[index] != UInt8(ascii: "'") {
        index += 1
      }
      guard index < tag.count else { return nil }
      let mark = tag[index]
      index += 1
      let value = index
      while index < tag.count, tag[index] != mark { index += 1 }
      if tag[name].elementsEqual(attribute.utf8) { return value..<index }
      index += 1
    }
  }

  /// Advances to the next tag; false at the end of the file.
  mutating func next() throws(RecordingError) -> Bool {
    while let byte = try input.peek() {
      input.advance()
      guard byte == UInt8(ascii: "<") else { continue }
      switch try input.peek() {
      case UInt8(ascii: "?"): try pass(over: "?>")
      case UInt8(ascii: "!"): try passDeclaration()
      default:
        try readTag()
        return true
      }
    }
    return false
  }

  private mutating func readTag() throws(RecordingError) {
    let start = input.offset
    tag.removeAll(keepingCapacity: true)
    var mark: UInt8?
    while let byte = try input.peek() {
      input.advance()
      if mark == nil, byte == UInt8(ascii: ">") { return }
      if byte == mark {
        mark = nil
      } else if mark == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        mark = byte
      }
      tag.append(byte)
      guard tag.count <= Self.longestTag else {
        throw .refused(
          path: input.path, reason: "a tag of more than \(Self.longestTag) bytes at byte \(start)")
      }
    }
    throw unfinished("the end of a tag")
  }

  /// Passes over what begins with `<!`: a comment, a section, or a document type.
  private mutating func passDeclaration() throws(RecordingError) {
    input.advance()
    switch try input.peek() {
    case UInt8(ascii: "-"): try pass(over: "-->")
    case UInt8(ascii: "["): try pass(over: "]]>")
    default:
      // Declarations in brackets have ends of their own.
      var depth = 0
      while let byte = try input.peek() {
        input.advance()
        switch byte {
        case UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "]"): depth -= 1
        case UInt8(ascii: ">") where depth <= 0: return
        case UInt8(ascii: "<"):
          if try input.peek() == UInt8(ascii: "!") {
            input.advance()
            if try input.peek() == UInt8(ascii: "-") { try pass(over: "-->") }
          }
        default: break
        }
      }
      throw unfinished("the end of a document type")
    }
  }

  /// Passes over everything up to the end of `text`.
  private mutating func pass(over text: String) throws(RecordingError) {
    let end = Array(text.utf8)
    var last: [UInt8] = []
    while let byte = try input.peek() {
      input.advance()
      if last.count == end.count { last.removeFirst() }
      last.append(byte)
      if last == end { return }
    }
    throw unfinished(text)
  }

  private func unfinished(_ expected: String) -> RecordingError {
    .malformed(
      path: input.path, place: "byte \(input.offset + 1)", expected: expected,
      found: "the end of the file")
  }
}
