extension [UInt8] {
  /// Appends the low `byteCount` bytes of `number`, the lowest first.
  mutating func append(littleEndian number: UInt64, byteCount: Int) {
    for place in 0..<byteCount { append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
  }

  /// Appends `number` as a variable-length integer (LEB128), seven bits per byte, the lowest first.
  mutating func append(variable number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Appends a signed number as a variable-length integer after zigzag coding.
  mutating func append(signed number: Int64) {
    append(variable: zigzag(number))
  }
}

/// Zigzag coding, the sign in the lowest bit: 0, −1, 1, −2, … become 0, 1, 2, 3, ….
func zigzag(_ number: Int64) -> UInt64 {
  UInt64(bitPattern: (number << 1) ^ (number >> 63))
}

/// The inverse of ``zigzag(_:)``.
func unzigzag(_ number: UInt64) -> Int64 {
  Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
}

/// Reads a byte array that may be damaged; reading beyond its end throws ``UnitError``.
struct ByteReader {
  let bytes: [UInt8]
  private(set) var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var remaining: Int { bytes.count - position }

  mutating func byte() throws(UnitError) -> UInt8 {
    guard position < bytes.count else { throw .undecodable }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func littleEndian(byteCount: Int) throws(UnitError) -> UInt64 {
    guard remaining >= byteCount else { throw .undecodable }
    var result: UInt64 = 0
    for place in 0..<byteCount { result |= UInt64(bytes[position + place]) << (8 * place) }
    position += byteCount
    return result
  }

  mutating func variable() throws(UnitError) -> UInt64 {
    var result: UInt64 = 0
    var shift = 0
    while true {
      let next = try byte()
      guard shift < 63 || (shift == 63 && next <= 1) else { throw .undecodable }
      result |= UInt64(next & 0x7f) << shift
      if next < 0x80 { return result }
      shift += 7
    }
  }

  mutating func signed() throws(UnitError) -> Int64 { unzigzag(try variable()) }

  /// Reads a count and throws above `limit`, so that damage cannot cause a large allocation.
  mutating func count(limit: Int) throws(UnitError) -> Int {
    let number = try variable()
    guard number <= UInt64(limit) else { throw .undecodable }
    return Int(number)
  }

  mutating func take(_ count: Int) throws(UnitError) -> [UInt8] {
    guard count >= 0, remaining >= count else { throw .undecodable }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }
}

/// Writes bits into bytes, the lowest bit first.
struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var pending: UInt64 = 0
  private var pendingCount = 0

  /// Appends the low `count` bits of `value`; `count` is at most 32.
  mutating func write(_ value: UInt64, count: Int) {
    pending |= (value & ((1 << UInt64(count)) - 1)) << UInt64(pendingCount)
    pendingCount += count
    while pendingCount >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: pending))
      pending >>= 8
      pendingCount -= 8
    }
  }

  /// The bytes, the last one padded with zeros.
  consuming func finished() -> [UInt8] {
    if pendingCount > 0 { bytes.append(UInt8(truncatingIfNeeded: pending)) }
    return bytes
  }
}

/// Reads bits from bytes, the lowest bit first.
struct BitReader {
  private let bytes: [UInt8]
  private var next = 0
  private var pending: UInt64 = 0
  private var pendingCount = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  private mutating func fill() {
    while pendingCount <= 56, next < bytes.count {
      pending |= UInt64(bytes[next]) << UInt64(pendingCount)
      pendingCount += 8
      next += 1
    }
  }

  /// Reads the next `count` bits; `count` is at most 32.
  mutating func read(_ count: Int) throws(UnitError) -> UInt64 {
    if pendingCount < count { fill() }
    guard pendingCount >= count else { throw .undecodable }
    let value = pending & ((1 << UInt64(count)) - 1)
    pending >>= UInt64(count)
    pendingCount -= count
    return value
  }

  /// Reads a unary number: the count of ones before the next zero, at most `limit` (32 or less).
  ///
  /// The terminating zero is consumed too; after `limit` ones there is none.
  mutating func ones(limit: Int) throws(UnitError) -> Int {
    if pendingCount <= limit { fill() }
    let run = min((~pending).trailingZeroBitCount, limit)
    let length = run < limit ? run + 1 : limit
    guard pendingCount >= length else { throw .undecodable }
    pending >>= UInt64(length)
    pendingCount -= length
    return run
  }
}

extension String {
  /// A text from its bytes in UTF-8; nil when they are anything else.
  ///
  /// In place of `String(validating:as:)`, which iOS 17 and the other systems of its year lack.
  init?(validUTF8 bytes: [UInt8]) {
    // What is not UTF-8 is decoded to replacement characters, whose bytes are others.
    self.init(decoding: bytes, as: UTF8.self)
    guard utf8.elementsEqual(bytes) else { return nil }
  }
}

/// Bytes as hexadecimal digits in lower case, two for each.
package enum Hexadecimal {
  /// The digits of bytes.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  /// The bytes with these digits; nil unless they are digits in lower case of `count` bytes.
  package static func bytes(_ text: String, count: Int) -> [UInt8]? {
    let values = text.utf8.compactMap { digit -> UInt8? in
      switch digit {
      case 48...57: digit - 48
      case 97...102: digit - 87
      default: nil
      }
    }
    guard text.utf8.count == 2 * count, values.count == 2 * count else { return nil }
    return stride(from: 0, to: 2 * count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }
}
