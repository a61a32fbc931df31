import LocomotionRecordings

/// Parses JSON from bytes, value by value, without building a tree.
///
/// Memory is that of the bytes; nesting is limited, so that a hostile text cannot exhaust the
/// stack.
struct JSONScanner {
  private let bytes: [UInt8]
  private(set) var position = 0
  private static let deepest = 64

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Calls `body` before each value of an object, with its name.
  mutating func object(
    at place: String, _ body: (inout JSONScanner, String) throws(LineDefect) -> Void
  ) throws(LineDefect) {
    try expect("{", at: place)
    if take("}") { return }
    repeat {
      let name = try string(at: place)
      try expect(":", at: place)
      try body(&self, name)
    } while take(",")
    try expect("}", at: place)
  }

  /// Calls `body` before each value of an array, with its path.
  mutating func array(
    at place: String, _ body: (inout JSONScanner, String) throws(LineDefect) -> Void
  ) throws(LineDefect) {
    try expect("[", at: place)
    if take("]") { return }
    var index = 0
    repeat {
      try body(&self, "\(place)[\(index)]")
      index += 1
    } while take(",")
    try expect("]", at: place)
  }

  /// A number; missing for null and NaN.
  mutating func number(at place: String) throws(LineDefect) -> DecimalField {
    skipBlanks()
    let start = position
    while position < bytes.count, !Self.endsToken(bytes[position]) { position += 1 }
    let token = bytes[start..<position]
    if ["null", "NaN", "nan"].contains(where: { token.elementsEqual($0.utf8) }) { return .missing }
    // A number beyond the range of Double is a value of the sensor that cannot be stored.
    guard case .number = DecimalField(bytes, in: start..<position) else {
      throw defect(place, expected: "a number within ±1.8e308, null or NaN", from: start)
    }
    return DecimalField(bytes, in: start..<position)
  }

  /// Skips a value of any type.
  mutating func skip(at place: String) throws(LineDefect) {
    try skip(at: place, depth: 0)
  }

  private mutating func skip(at place: String, depth: Int) throws(LineDefect) {
    guard depth < Self.deepest else {
      throw LineDefect(place, expected: "at most \(Self.deepest) levels", found: "more")
    }
    skipBlanks()
    switch position < bytes.count ? bytes[position] : 0 {
    case UInt8(ascii: "{"):
      try object(at: place) { (scanner: inout JSONScanner, _) throws(LineDefect) in
        try scanner.skip(at: place, depth: depth + 1)
      }
    case UInt8(ascii: "["):
      try array(at: place) { (scanner: inout JSONScanner, _) throws(LineDefect) in
        try scanner.skip(at: place, depth: depth + 1)
      }
    case UInt8(ascii: "\""): _ = try string(at: place)
    default:
      let start = position
      while position < bytes.count, !Self.endsToken(bytes[position]) { position += 1 }
      guard position > start else { throw defect(place, expected: "a value", from: start) }
    }
  }

  /// Checks that only white space is left.
  mutating func end() throws(LineDefect) {
    skipBlanks()
    guard position == bytes.count else {
      throw defect("line", expected: "its end behind the object", from: position)
    }
  }

  /// The text from `start` to the current position, shortened.
  func text(from start: Int) -> String {
    let end = min(max(position, start + 1), bytes.count)
    guard start < end else { return "the end of the line" }
    let text = String(decoding: bytes[start..<end].prefix(24), as: UTF8.self)
    let printable = text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : "\($0)" }
    return "'" + printable.joined() + "'"
  }

  /// A name with its escapes unresolved: no name that is used here has one.
  private mutating func string(at place: String) throws(LineDefect) -> String {
    try expect("\"", at: place)
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < bytes.count else {
      throw LineDefect(place, expected: "a closing quotation mark", found: "the end of the line")
    }
    defer { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func expect(
    _ character: Unicode.Scalar, at place: String
  ) throws(LineDefect) {
    guard take(character) else { throw defect(place, expected: "'\(character)'", from: position) }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks() {
    while position < bytes.count, [0x20, 0x09, 0x0d, 0x0a].contains(bytes[position]) {
      position += 1
    }
  }

  private static func endsToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"), 0x20, 0x09,
      0x0d, 0x0a:
      true
    default: false
    }
  }

  private func defect(_ place: String, expected: String, from start: Int) -> LineDefect {
    LineDefect(place, expected: expected, found: text(from: start))
  }
}
