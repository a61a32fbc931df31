internal import LocomotionRecordings
internal import LocomotionSensing

/// A streaming parser of FIT, Garmin's protocol for the files of sport watches.
///
/// A file is a header of 12 or 14 bytes, messages, and a checksum; files may follow one another. A
/// definition message gives the fields of the data messages of one of sixteen local types: byte
/// order, sizes, and types. The time of a data message is its field 253, or the last such time with
/// its five lowest bits replaced, when its header is of the compressed kind.
///
/// Constant memory; every byte is checked against the header's size and the checksums. Description:
/// the FIT protocol as Garmin publishes it.
struct FITMessages {
  /// A data message: its integers by field number.
  struct Message {
    /// The global number of its kind.
    var number: UInt16
    /// Seconds since 1989-12-31T00:00:00Z; nil before the first known time.
    var time: UInt32?
    /// The integer fields that are there and not marked as invalid.
    var values: [UInt8: Int64] = [:]
    /// The position of the first byte, from 1.
    var position: Int

    /// The instant of the message; nil when it does not count from FIT's zero.
    var instant: Timestamp? { FITMessages.instant(time) }

    /// The number in the first of some fields that is there, of which `scale` make one.
    func number(_ fields: UInt8..., scale: Double = 1) -> Double? {
      fields.lazy.compactMap { values[$0] }.first.map { Double($0) / scale }
    }
  }

  /// The instant of a number of seconds since 1989-12-31; nil of those since the device was
  /// switched on.
  static func instant(_ seconds: UInt32?) -> Timestamp? {
    guard let seconds, seconds >= 0x1000_0000 else { return nil }
    return Timestamp(nanoseconds: (Int64(seconds) + 631_065_600) * 1_000_000_000)
  }

  private struct Field {
    var number: UInt8
    var size: Int
    /// The size of an integer of its type, negative for one with a sign; nil of another type.
    var integer: Int?
    /// Whether zero marks a value that isn't there; of other types it is the largest one.
    var isZeroInvalid: Bool

    /// The integer in the field, if it has one element; nil for the invalid value.
    func value(_ bytes: [UInt8], isBigEndian: Bool) -> Int64? {
      guard let integer, bytes.count == abs(integer) else { return nil }
      var value: Int64 = 0
      for index in bytes.indices {
        value = value << 8 | Int64(bytes[isBigEndian ? index : bytes.count - 1 - index])
      }
      let range = Int64(1) << (8 * bytes.count)
      let invalid = isZeroInvalid ? 0 : integer < 0 ? range / 2 - 1 : range - 1
      guard value != invalid else { return nil }
      return integer < 0 && value >= range / 2 ? value - range : value
    }
  }

  /// The sizes of the types of integers, negative for those with a sign.
  private static let integers: [UInt8: Int] = [
    0x00: 1, 0x01: -1, 0x02: 1, 0x0A: 1, 0x0D: 1, 0x83: -2, 0x84: 2, 0x8B: 2, 0x85: -4, 0x86: 4,
    0x8C: 4,
  ]

  private struct Definition {
    var number: UInt16
    var isBigEndian: Bool
    var fields: [Field]
    /// The size of all fields that developers of apps have added, bytes.
    var developerSize: Int
  }

  private static let timeField: UInt8 = 253
  /// The limit for a file, bytes: weeks of a record per second.
  private static let longest = 1 << 27

  private var input: ByteReader
  /// The bytes of messages that are left in the file.
  private var left = 0
  private var checksum: UInt16 = 0
  private var definitions = [Definition?](repeating: nil, count: 16)
  private var lastTime: UInt32?

  init(_ input: ByteReader) { self.input = input }

  /// The position of the next byte, from 1.
  var position: Int { input.offset + 1 }

  /// Whether these bytes begin a file.
  static func isStart(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 12 && (bytes[0] == 12 || bytes[0] == 14)
      && bytes[8..<12].elementsEqual(".FIT".utf8)
  }

  mutating func isAtFile() throws(RecordingError) -> Bool {
    guard try input.peek() != nil else { return false }
    return Self.isStart(try input.prefix(14))
  }

  mutating func isAtEnd() throws(RecordingError) -> Bool { try input.peek() == nil }

  mutating func beginFile() throws(RecordingError) {
    let start = position
    guard try input.peek() != nil else { throw .empty(path: input.path) }
    checksum = 0
    definitions = [Definition?](repeating: nil, count: 16)
    lastTime = nil
    left = 14
    let size = try byte()
    guard size == 12 || size == 14 else {
      throw malformed(start, "a header of 12 or 14 bytes of FIT", "\(size)")
    }
    _ = try bytes(3)
    let count = try bytes(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    let magic = try bytes(4)
    guard magic.elementsEqual(".FIT".utf8) else {
      throw malformed(start + 8, "the letters .FIT", String(decoding: magic, as: UTF8.self))
    }
    if size == 14 {
      let sum = checksum
      let written = try number()
      // Zero says that there is none.
      guard written == 0 || written == sum else { throw wrong(sum, written, at: start + 12) }
    }
    guard count <= Self.longest else {
      throw .refused(
        path: input.path, reason: "messages of \(count) bytes, more than \(Self.longest)")
    }
    left = count
  }

  /// The next data message of the file; nil at its end, where its checksum is checked.
  mutating func next() throws(RecordingError) -> Message? {
    while left > 0 {
      let start = position
      let header = try byte()
      if header & 0x80 != 0 {
        let offset = UInt32(header & 0x1F)
        // Only an app's own mistake makes a time overflow.
        lastTime = lastTime.map { $0 &+ (offset &- $0 & 0x1F) & 0x1F }
        return try message(Int(header >> 5 & 0x3), at: start, hasTime: true)
      }
      guard header & 0x40 != 0 else {
        return try message(Int(header & 0xF), at: start, hasTime: false)
      }
      try define(Int(header & 0xF), hasDeveloperFields: header & 0x20 != 0)
    }
    let sum = checksum
    let start = position
    left = 2
    let written = try number()
    guard written == sum else { throw wrong(sum, written, at: start) }
    return nil
  }

  private mutating func define(_ local: Int, hasDeveloperFields: Bool) throws(RecordingError) {
    _ = try byte()
    let order = try byte()
    guard order <= 1 else { throw malformed(position - 1, "a byte order of 0 or 1", "\(order)") }
    let number = try number()
    var definition = Definition(
      number: order == 1 ? number.byteSwapped : number, isBigEndian: order == 1, fields: [],
      developerSize: 0)
    for _ in 0..<(try byte()) {
      let field = try bytes(3)
      definition.fields.append(
        Field(
          number: field[0], size: Int(field[1]), integer: Self.integers[field[2]],
          isZeroInvalid: 0xA...0xC ~= field[2] & 0x1F))
    }
    if hasDeveloperFields {
      for _ in 0..<(try byte()) { definition.developerSize += Int(try bytes(3)[1]) }
    }
    definitions[local] = definition
  }

  private mutating func message(
    _ local: Int, at start: Int, hasTime: Bool
  ) throws(RecordingError) -> Message {
    guard let definition = definitions[local] else {
      throw malformed(start, "a message whose type \(local) was defined", "no definition before it")
    }
    var message = Message(number: definition.number, position: start)
    for field in definition.fields {
      let bytes = try bytes(field.size)
      guard message.values[field.number] == nil else { continue }
      message.values[field.number] = field.value(bytes, isBigEndian: definition.isBigEndian)
    }
    _ = try bytes(definition.developerSize)
    if let time = message.values[Self.timeField].flatMap({ UInt32(exactly: $0) }), !hasTime {
      lastTime = time
      message.time = time
    } else if hasTime {
      message.time = lastTime
    }
    return message
  }

  /// The next byte of the header, the messages, or the checksum.
  private mutating func byte() throws(RecordingError) -> UInt8 {
    guard left > 0 else {
      throw malformed(position, "the end of a message before that of all", "more fields")
    }
    guard let byte = try input.peek() else {
      throw malformed(position, "\(left) more bytes", "the end of the file")
    }
    input.advance()
    left -= 1
    checksum = Self.updated(Self.updated(checksum, byte & 0xF), byte >> 4)
    return byte
  }

  private mutating func bytes(_ count: Int) throws(RecordingError) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<count { bytes.append(try byte()) }
    return bytes
  }

  /// An integer of two bytes, the lowest first.
  private mutating func number() throws(RecordingError) -> UInt16 {
    let bytes = try bytes(2)
    return UInt16(bytes[0]) | UInt16(bytes[1]) << 8
  }

  /// The checksum after four more bits: CRC-16 with the polynomial 0x8005, lowest bit first.
  private static func updated(_ checksum: UInt16, _ bits: UInt8) -> UInt16 {
    checksum >> 4 ^ remainders[Int((checksum ^ UInt16(bits)) & 0xF)]
  }

  private static let remainders: [UInt16] = (0..<16).map { (bits: UInt16) in
    (0..<4).reduce(bits) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xA001 : 0) }
  }

  private func wrong(_ sum: UInt16, _ written: UInt16, at position: Int) -> RecordingError {
    malformed(position, "the checksum \(sum)", "\(written)")
  }

  private func malformed(_ byte: Int, _ expected: String, _ found: String) -> RecordingError {
    .malformed(path: input.path, place: "byte \(byte)", expected: expected, found: found)
  }
}
