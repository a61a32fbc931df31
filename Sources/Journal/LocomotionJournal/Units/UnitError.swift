internal import LocomotionSensing

/// Bytes that are not an upload unit: what is wrong, where, and what was expected.
///
/// ``description`` is one line without any content of the unit.
public struct UnitError: Error, Hashable, Sendable {
  /// What is wrong, such as `"the checksum"`.
  public let what: String
  /// The byte at which it shows, counted from 0.
  public let offset: Int
  /// What was expected there.
  public let expected: String
}

extension UnitError: CustomStringConvertible {
  /// The error in one line.
  public var description: String {
    "not an upload unit: \(what) at byte \(offset): expected \(expected)"
  }
}

/// Reads a unit's bytes and says where they are wrong.
struct UnitReader {
  private var reader: ByteReader
  /// Where the content ends; the checksum follows.
  let end: Int

  init(_ bytes: [UInt8], from start: Int, to end: Int) throws(UnitError) {
    reader = ByteReader(bytes)
    self.end = end
    _ = try take(start, "the header")
  }

  var remaining: Int { end - reader.position }

  func error(_ what: String, _ expected: String) -> UnitError {
    UnitError(what: what, offset: reader.position, expected: expected)
  }

  private mutating func reading<Value>(
    _ what: String, _ body: (inout ByteReader) throws(BlockDefect) -> Value
  ) throws(UnitError) -> Value {
    let start = reader.position
    do throws(BlockDefect) {
      let value = try body(&reader)
      guard reader.position <= end else { throw BlockDefect() }
      return value
    } catch {
      throw UnitError(what: what, offset: start, expected: "more bytes or a smaller number")
    }
  }

  mutating func byte(_ what: String, upTo largest: UInt8) throws(UnitError) -> UInt8 {
    let value = try reading(what) { reader throws(BlockDefect) in try reader.byte() }
    guard value <= largest else { throw error(what, "at most \(largest)") }
    return value
  }

  mutating func fixed(_ what: String, byteCount: Int) throws(UnitError) -> UInt64 {
    try reading(what) { reader throws(BlockDefect) in
      try reader.littleEndian(byteCount: byteCount)
    }
  }

  /// An instant that a journal takes.
  mutating func time(_ what: String) throws(UnitError) -> Timestamp {
    let time = Timestamp(nanoseconds: Int64(bitPattern: try fixed(what, byteCount: 8)))
    guard time.isPlausible else { throw error(what, "a time inside ±2^62 ns before it") }
    return time
  }

  /// A number from 0 up to `limit`, by default what a position may be.
  mutating func count(
    _ what: String, limit: Int = 1 << Int(StoreFormat.indexBits) - 1
  ) throws(UnitError) -> Int {
    try reading(what) { reader throws(BlockDefect) in try reader.count(limit: limit) }
  }

  /// A number of things each of which takes at least `size` bytes, so that none is allocated that
  /// cannot be there.
  mutating func count(_ what: String, ofSize size: Int) throws(UnitError) -> Int {
    try count(what, limit: remaining / size)
  }

  /// The number of things of which a journal keeps each in a row of its own.
  mutating func rows(_ what: String, ofSize size: Int) throws(UnitError) -> Int {
    let count = try count(what, ofSize: size)
    guard count <= UploadUnit.largestRowCount else {
      throw error(what, "at most \(UploadUnit.largestRowCount) before it")
    }
    return count
  }

  mutating func signed(_ what: String) throws(UnitError) -> Int64 {
    try reading(what) { reader throws(BlockDefect) in try reader.signed() }
  }

  mutating func take(_ count: Int, _ what: String) throws(UnitError) -> [UInt8] {
    try reading(what) { reader throws(BlockDefect) in try reader.take(count) }
  }

  /// A text without NUL, at which the journal's own texts would end.
  mutating func text(_ what: String) throws(UnitError) -> String {
    let bytes = try take(count(what, ofSize: 1), what)
    guard !bytes.contains(0), let text = String(validUTF8: bytes) else {
      throw error(what, "UTF-8 without NUL before it")
    }
    return text
  }

  /// A number as SQLite stores it: not NaN, and zero without a sign.
  mutating func number(_ what: String) throws(UnitError) -> Double {
    let bits = try fixed(what, byteCount: 8)
    let value = Double(bitPattern: bits)
    guard !value.isNaN, value != 0 || bits == 0 else {
      throw error(what, "a number that a journal stores before it")
    }
    return value
  }
}

extension [UInt8] {
  mutating func append(text: String) {
    append(variable: UInt64(text.utf8.count))
    append(contentsOf: text.utf8)
  }

  mutating func append(count: Int) { append(variable: UInt64(count)) }

  mutating func append(time: Timestamp) {
    append(littleEndian: UInt64(bitPattern: time.nanoseconds), byteCount: 8)
  }

  mutating func append(number: Double) { append(littleEndian: number.bitPattern, byteCount: 8) }
}
