internal import LocomotionSensing

/// Passes the fields of a unit in their order: writes them into bytes, or reads them and says where
/// the bytes are wrong.
struct UnitCoder {
  /// What was written.
  private(set) var bytes: [UInt8] = []
  private var isReading = false
  private var reader = ByteReader([])
  /// Where the content ends that is read; the checksum follows.
  private var end = 0

  init() {}

  init(reading bytes: [UInt8], from start: Int, to end: Int) throws(UnitError) {
    isReading = true
    reader = ByteReader(bytes)
    self.end = end
    var header: [UInt8] = []
    try pass(bytes: &header, count: start, "the header")
  }

  var remaining: Int { end - reader.position }

  /// Throws when what was read does not meet a condition.
  func require(
    _ condition: @autoclosure () -> Bool, _ what: String, _ expected: String
  ) throws(UnitError) {
    guard isReading, !condition() else { return }
    throw UnitError(what: what, offset: reader.position, expected: expected)
  }

  private mutating func pass<Value>(
    _ value: inout Value, _ what: String, writing write: (inout [UInt8], Value) -> Void,
    reading read: (inout ByteReader) throws(UnitError) -> Value
  ) throws(UnitError) {
    guard isReading else { return write(&bytes, value) }
    let start = reader.position
    do throws(UnitError) {
      value = try read(&reader)
      guard reader.position <= end else { throw .undecodable }
    } catch {
      throw UnitError(what: what, offset: start, expected: error.expected)
    }
  }

  mutating func pass(
    byte: inout UInt8, _ what: String, upTo largest: UInt8 = .max
  ) throws(UnitError) {
    try pass(&byte, what, writing: { $0.append($1) }) { reader throws(UnitError) in
      try reader.byte()
    }
    try require(byte <= largest, what, "at most \(largest)")
  }

  /// Whether something follows; written as given.
  mutating func pass(mark isThere: Bool, _ what: String) throws(UnitError) -> Bool {
    var byte: UInt8 = isThere ? 1 : 0
    try pass(byte: &byte, what, upTo: 1)
    return byte == 1
  }

  mutating func pass(fixed number: inout UInt64, byteCount: Int, _ what: String) throws(UnitError) {
    try pass(&number, what, writing: { $0.append(littleEndian: $1, byteCount: byteCount) }) {
      reader throws(UnitError) in try reader.littleEndian(byteCount: byteCount)
    }
  }

  /// An instant that a journal takes.
  mutating func pass(time: inout Timestamp, _ what: String) throws(UnitError) {
    var bits = UInt64(bitPattern: time.nanoseconds)
    try pass(fixed: &bits, byteCount: 8, what)
    time = Timestamp(nanoseconds: Int64(bitPattern: bits))
    try require(time.isPlausible, what, "a time inside ±2^62 ns before it")
  }

  /// A number from 0 up to `limit`, by default what a position may be.
  mutating func pass(
    count: inout Int, _ what: String, limit: Int = 1 << Int(StoreFormat.indexBits) - 1
  ) throws(UnitError) {
    try pass(&count, what, writing: { $0.append(variable: UInt64($1)) }) {
      reader throws(UnitError) in try reader.count(limit: limit)
    }
  }

  /// The same, or nil.
  mutating func pass(optionalCount count: inout Int?, _ what: String) throws(UnitError) {
    var next = count.map { $0 + 1 } ?? 0
    try pass(count: &next, what)
    count = next == 0 ? nil : next - 1
  }

  mutating func pass(signed number: inout Int64, _ what: String) throws(UnitError) {
    try pass(&number, what, writing: { $0.append(signed: $1) }) { reader throws(UnitError) in
      try reader.signed()
    }
  }

  mutating func pass(bytes: inout [UInt8], count: Int, _ what: String) throws(UnitError) {
    try pass(&bytes, what, writing: { $0 += $1 }) { reader throws(UnitError) in
      try reader.take(count)
    }
  }

  /// The number of bytes, and the bytes.
  mutating func pass(
    countedBytes bytes: inout [UInt8], _ countName: String, _ what: String
  ) throws(UnitError) {
    var count = bytes.count
    try pass(count: &count, countName, limit: remaining)
    try pass(bytes: &bytes, count: count, what)
  }

  /// A text without NUL, at which the journal's own texts would end.
  mutating func pass(text: inout String, _ what: String) throws(UnitError) {
    var bytes = Array(text.utf8)
    try pass(countedBytes: &bytes, what, what)
    let read = bytes.contains(0) ? nil : String(validUTF8: bytes)
    try require(read != nil, what, "UTF-8 without NUL before it")
    text = read ?? text
  }

  /// A number as SQLite stores it: not NaN, and zero without a sign.
  mutating func pass(number: inout Double, _ what: String) throws(UnitError) {
    var bits = number == 0 ? 0 : number.bitPattern
    try pass(fixed: &bits, byteCount: 8, what)
    number = Double(bitPattern: bits)
    try require(
      !number.isNaN && (number != 0 || bits == 0), what,
      "a number that a journal stores before it")
  }

  /// Things of which a journal keeps each in a row of its own.
  ///
  /// Each takes at least `size` bytes, so that none is allocated that cannot be there.
  mutating func pass<Row>(
    rows: inout [Row], _ what: String, ofSize size: Int, blank: Row,
    _ body: (inout UnitCoder, inout Row) throws(UnitError) -> Void
  ) throws(UnitError) {
    var count = rows.count
    try pass(count: &count, what, limit: remaining / size)
    let limit = UploadUnit.largestRowCount
    try require(count <= limit, what, "at most \(limit) before it")
    for index in 0..<count {
      var row = isReading ? blank : rows[index]
      try body(&self, &row)
      if isReading { rows.append(row) }
    }
  }
}

/// What is in a unit or in a row as bytes, each of its fields named once.
protocol UnitCodable {
  /// Nothing, to be read into.
  init()
  /// Writes or reads the fields in their order.
  ///
  /// - Throws: ``UnitError`` when what is read is wrong; never while writing.
  mutating func pass(through coder: inout UnitCoder) throws(UnitError)
}

extension UnitCodable {
  func encoded() -> [UInt8] {
    var (copy, coder) = (self, UnitCoder())
    try? copy.pass(through: &coder)
    return coder.bytes
  }

  init(decoding bytes: [UInt8]) throws(UnitError) {
    self.init()
    var coder = try UnitCoder(reading: bytes, from: 0, to: bytes.count)
    try pass(through: &coder)
  }
}

/// Bytes that are not an upload unit, or not a block of samples in one: what is wrong, where, and
/// what was expected.
///
/// ``description`` is one line without any content of the unit.
public struct UnitError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, such as `"the checksum"`.
  public let what: String
  /// The byte at which it shows, counted from 0.
  public let offset: Int
  /// What was expected there.
  public let expected: String

  /// Bytes of a field that are cut off, out of range, or have a wrong checksum; whoever knows the
  /// field names it.
  static let undecodable = UnitError(
    what: "a field", offset: 0, expected: "more bytes or a smaller number")

  /// The error in one line.
  public var description: String {
    "not an upload unit: \(what) at byte \(offset): expected \(expected)"
  }
}
