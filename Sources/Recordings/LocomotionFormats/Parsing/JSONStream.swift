internal import Foundation
package import LocomotionRecordings
internal import LocomotionSensing

/// A JSON value that is small enough to be held in memory.
package enum JSONValue: Equatable, Sendable {
  case object([String: JSONValue])
  case array([JSONValue])
  case string(String)
  case number(DecimalField)
  case bool(Bool)
  case null

  package subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The finite number, also when it is given as a string.
  package var number: Double? {
    switch self {
    case .number(let field): field.value.flatMap { $0.isNaN ? nil : $0 }
    case .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
    default: nil
    }
  }

  package var string: String? { if case .string(let text) = self { text } else { nil } }
  package var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
  package var isTrue: Bool { self == .bool(true) }

  /// The value as JSON for a message; of an object or an array only what it is.
  var briefDescription: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string(let text): "\"\(text)\""
    case .number(let field): field.value.map { "\($0)" } ?? "a number"
    case .bool(let isTrue): "\(isTrue)"
    case .null: "null"
    }
  }
}

extension LocationFix {
  /// A fix of the numbers of an object, which has them under one of the names of a quantity.
  init(at time: Timestamp, _ names: [String: [String]], of object: JSONValue) {
    self.init(at: time) { quantity in
      names[quantity]?.lazy.compactMap { object[$0]?.number }.first
    }
  }
}

/// A streaming JSON parser (RFC 8259) in bounded memory.
///
/// Nesting is limited to 128 levels and a string to 64 KiB. The caller limits the length of a value
/// that is built in memory.
package struct JSONStream {
  private var input: ByteReader
  private var depth = 0
  private var text: [UInt8] = []
  private var line = 1

  static let deepest = 128
  static let longestString = 1 << 16

  package init(_ input: ByteReader) { self.input = input }

  /// The first byte of the next token, or nil at the end.
  package mutating func peek() throws(RecordingError) -> UInt8? {
    while let byte = try input.peek() {
      switch byte {
      case 0x0A:
        line += 1
        input.advance()
      case 0x20, 0x09, 0x0D, 0x1E: input.advance()
      default: return byte
      }
    }
    return nil
  }

  /// Calls `body` before each member's value, with its name; it must read or skip the value.
  package mutating func object(
    _ body: (inout JSONStream, String) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    try list("{", "}") { (stream: inout JSONStream) throws(RecordingError) in
      let name = try stream.string()
      try stream.expect(":")
      try body(&stream, name)
    }
  }

  /// Calls `body` before each value of an array; it must read or skip the value.
  package mutating func array(
    _ body: (inout JSONStream) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    try list("[", "]", body)
  }

  /// Calls `body` before each of the parts between two brackets.
  private mutating func list(
    _ open: Unicode.Scalar, _ close: Unicode.Scalar,
    _ body: (inout JSONStream) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    try expect(open)
    depth += 1
    guard depth <= Self.deepest else {
      throw .refused(path: input.path, reason: "JSON of more than \(Self.deepest) levels, \(place)")
    }
    if try !take(close) {
      repeat { try body(&self) } while try take(",")
      try expect(close)
    }
    depth -= 1
  }

  /// Calls `body` with each value of an array, of at most `limit` bytes of text.
  mutating func values(
    limit: Int = 1 << 16, _ body: (JSONValue) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    try array { (stream: inout JSONStream) throws(RecordingError) in
      try body(stream.value(limit: limit))
    }
  }

  /// The elements of an array; `body` must read or skip each, and is given its index.
  mutating func elements<Element>(
    _ body: (inout JSONStream, Int) throws(RecordingError) -> Element
  ) throws(RecordingError) -> [Element] {
    var elements: [Element] = []
    try array { (stream: inout JSONStream) throws(RecordingError) in
      elements.append(try body(&stream, elements.count))
    }
    return elements
  }

  /// Parses the next value, at most `limit` bytes of text, into memory.
  package mutating func value(limit: Int = 1 << 16) throws(RecordingError) -> JSONValue {
    try value(before: input.offset + limit, limit)
  }

  private mutating func value(before end: Int, _ limit: Int) throws(RecordingError) -> JSONValue {
    guard input.offset <= end else {
      throw .refused(path: input.path, reason: "a value of more than \(limit) bytes, \(place)")
    }
    switch try peek() {
    case UInt8(ascii: "{"):
      var members: [String: JSONValue] = [:]
      try object { (stream: inout JSONStream, name) throws(RecordingError) in
        members[name] = try stream.value(before: end, limit)
      }
      return .object(members)
    case UInt8(ascii: "["):
      return .array(
        try elements { (stream, _) throws(RecordingError) in try stream.value(before: end, limit) })
    case UInt8(ascii: "\""): return .string(try string())
    default: return try scalar()
    }
  }

  /// Skips the next value, of any length.
  mutating func skip() throws(RecordingError) {
    switch try peek() {
    case UInt8(ascii: "{"):
      // A name may be longer than a string that is held.
      try list("{", "}") { (stream: inout JSONStream) throws(RecordingError) in
        try stream.skipString()
        try stream.expect(":")
        try stream.skip()
      }
    case UInt8(ascii: "["):
      try array { (stream: inout JSONStream) throws(RecordingError) in try stream.skip() }
    case UInt8(ascii: "\""): try skipString()
    default: _ = try scalar()
    }
  }

  /// Checks that only white space is left.
  mutating func end() throws(RecordingError) {
    if let byte = try peek() { throw defect("the end of the file", byte) }
  }

  /// A position in a file, formatted only when it is shown.
  struct Position: CustomStringConvertible {
    let line: Int
    let byte: Int

    var description: String { "line \(line), byte \(byte)" }
  }

  var position: Position { Position(line: line, byte: input.offset + 1) }

  /// The read position, for messages.
  var place: String { position.description }

  /// An error that gives what was expected here instead of the next value.
  mutating func unexpected(_ expected: String) throws(RecordingError) -> RecordingError {
    defect(expected, try peek())
  }

  private func defect(_ expected: String, _ found: UInt8?) -> RecordingError {
    .malformed(
      path: input.path, place: place, expected: expected,
      found: found.map { String(decoding: [$0], as: UTF8.self) } ?? "the end of the file")
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(RecordingError) {
    guard try take(character) else { throw defect("'\(character)'", try peek()) }
  }

  private mutating func take(_ character: Unicode.Scalar) throws(RecordingError) -> Bool {
    guard try peek() == UInt8(ascii: character) else { return false }
    input.advance()
    return true
  }

  /// A number, `true`, `false` or `null`.
  private mutating func scalar() throws(RecordingError) -> JSONValue {
    let first = try peek()
    text.removeAll(keepingCapacity: true)
    scan: while let byte = try input.peek(), text.count < 512 {
      switch Unicode.Scalar(byte) {
      case "0"..."9", "a"..."z", "A"..."Z", "+", "-", ".": text.append(byte)
      default: break scan
      }
      input.advance()
    }
    switch text.first {
    case nil: throw defect("a value", first)
    case UInt8(ascii: "t") where text.elementsEqual("true".utf8): return .bool(true)
    case UInt8(ascii: "f") where text.elementsEqual("false".utf8): return .bool(false)
    case UInt8(ascii: "n") where text.elementsEqual("null".utf8): return .null
    // No JSON, but what several programs write where a number is missing.
    case UInt8(ascii: "N") where text.elementsEqual("NaN".utf8): return .null
    case UInt8(ascii: "n") where text.elementsEqual("nan".utf8): return .null
    default:
      let field = DecimalField(text, in: 0..<text.count)
      guard field != .text else {
        throw .malformed(
          path: input.path, place: place, expected: "a value",
          found: String(decoding: text.prefix(48), as: UTF8.self))
      }
      return .number(field)
    }
  }

  private mutating func skipString() throws(RecordingError) {
    try expect("\"")
    while let byte = try input.peek() {
      input.advance()
      if byte == UInt8(ascii: "\"") { return }
      if byte == UInt8(ascii: "\\"), try input.peek() != nil { input.advance() }
    }
    throw defect("a closing quotation mark", nil)
  }

  /// A string with its escapes resolved.
  mutating func string() throws(RecordingError) -> String {
    try expect("\"")
    text.removeAll(keepingCapacity: true)
    while let byte = try input.peek() {
      guard byte >= 0x20 else { throw defect("no control character in a string", byte) }
      input.advance()
      if byte == UInt8(ascii: "\"") {
        let result = String(decoding: text, as: UTF8.self)
        guard result.utf8.elementsEqual(text) else {
          throw .malformed(
            path: input.path, place: place, expected: "UTF-8",
            found: String(decoding: text.prefix(48), as: UTF8.self))
        }
        return result
      }
      if byte == UInt8(ascii: "\\") { try escape() } else { text.append(byte) }
      guard text.count <= Self.longestString else {
        throw .refused(
          path: input.path, reason: "a string of more than \(Self.longestString) bytes, \(place)")
      }
    }
    throw defect("a closing quotation mark", nil)
  }

  private mutating func escape() throws(RecordingError) {
    let byte = try input.peek()
    if byte != nil { input.advance() }
    switch byte {
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "u"):
      var unit = UInt32(try hexadecimal())
      if 0xD800..<0xDC00 ~= unit, try input.peek() == UInt8(ascii: "\\") {
        input.advance()
        guard try input.peek() == UInt8(ascii: "u") else {
          throw defect("a low surrogate", try input.peek())
        }
        input.advance()
        let low = UInt32(try hexadecimal())
        unit = 0xDC00..<0xE000 ~= low ? 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00) : 0xFFFD
      }
      // Half of a surrogate pair is no character.
      text += String(Unicode.Scalar(unit) ?? "\u{FFFD}").utf8
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte ?? 0)
    default: throw defect("an escape of JSON", byte)
    }
  }

  private mutating func hexadecimal() throws(RecordingError) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      let byte = try input.peek()
      guard let byte, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw defect("four hexadecimal digits", byte)
      }
      value = value << 4 | UInt16(digit)
      input.advance()
    }
    return value
  }
}
