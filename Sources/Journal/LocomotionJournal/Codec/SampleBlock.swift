internal import LocomotionSensing

/// A compressed block of samples with a checksum.
///
/// ## Format
///
/// The magic bytes `LJB1`; the key of the batch, 8 bytes; the length of what follows, 4 bytes; the
/// accelerations; the rotation rates; the pressures, if there are any; the CRC-32 of everything
/// before it, 4 bytes. Numbers are little-endian. The key keeps one block from being taken for
/// another.
///
/// A series is its count and, unless that is 0, a flag, the times and the three axes. The flag is
/// one byte: 1 when the times are those of the accelerations and left out, else 0. Times are an
/// ``IntegerColumn`` in units of the greatest common divisor of their differences; each axis is a
/// ``ValueColumn``. Pressures have a single one, and are left out when there are none: blocks from
/// before there were any are read as such.
package enum SampleBlock {
  static let letters: [UInt8] = Array("LJB1".utf8)
  /// The bytes of the magic bytes, the key and the length.
  static let headerLength = 16
  /// The largest number of samples in a block, which bounds its memory.
  static let largestCount = 1 << 16

  /// The block of a batch, without its fixes.
  package static func encoded(_ batch: JournalBatch, key: Int64) -> [UInt8] {
    var content: [UInt8] = []
    let (accelerations, pressures) = (batch.accelerations, batch.pressures)
    encode(accelerations, like: nil, into: &content)
    encode(batch.rotationRates, like: accelerations, into: &content)
    if pressures.count > 0 {
      let isAligned = pressures.timestamps == accelerations.timestamps
      encodeHead(of: pressures.timestamps, isAligned, into: &content)
      ValueColumn.encode(pressures.hectopascals.map(Double.init), into: &content)
    }
    var bytes = letters
    bytes.append(littleEndian: UInt64(bitPattern: key), byteCount: 8)
    bytes.append(littleEndian: UInt64(content.count + 4), byteCount: 4)
    bytes += content
    return sealed(bytes)
  }

  /// The bytes followed by their checksum.
  package static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    result.append(littleEndian: UInt64(Checksum.crc32(bytes[...])), byteCount: 4)
    return result
  }

  /// The checksum at the end of an encoded block.
  static func storedChecksum(of bytes: [UInt8]) -> UInt32 {
    bytes.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The samples in a block.
  ///
  /// - Throws: ``UnitError`` when its key, length, checksum or content is wrong.
  package static func decoded(_ bytes: [UInt8], key: Int64) throws(UnitError) -> JournalBatch {
    var reader = try reader(of: bytes, key: key)
    var batch = JournalBatch()
    batch.accelerations = try decode(like: nil, from: &reader)
    batch.rotationRates = try decode(like: batch.accelerations, from: &reader)
    if reader.remaining > 4 {
      let times = try decodeHead(like: batch.accelerations, from: &reader)
      let values = try ValueColumn.decode(times.count, from: &reader)
      batch.pressures.append(values.map { Float($0) }, at: times)
    }
    guard reader.remaining == 4 else { throw .undecodable }
    return batch
  }

  /// The times of a block's accelerations, without decoding the rest; the checksum covers all.
  static func accelerationTimes(
    _ bytes: [UInt8], key: Int64
  ) throws(UnitError) -> [Timestamp] {
    var reader = try reader(of: bytes, key: key)
    return try decodeHead(like: nil, from: &reader)
  }

  /// A reader at the content of a block whose key, length and checksum are right.
  private static func reader(of bytes: [UInt8], key: Int64) throws(UnitError) -> ByteReader {
    var reader = ByteReader(bytes)
    guard try reader.take(4) == letters,
      try reader.littleEndian(byteCount: 8) == UInt64(bitPattern: key),
      try reader.littleEndian(byteCount: 4) == UInt64(max(bytes.count - headerLength, 0)),
      bytes.count >= headerLength + 4
    else { throw .undecodable }
    guard Checksum.crc32(bytes.dropLast(4)) == storedChecksum(of: bytes) else {
      throw .undecodable
    }
    return reader
  }

  private static func encode(
    _ series: SampleSeries, like other: SampleSeries?, into bytes: inout [UInt8]
  ) {
    let isAligned = other.map { $0.timestamps == series.timestamps } ?? false
    encodeHead(of: series.timestamps, isAligned, into: &bytes)
    guard series.count > 0 else { return }
    for axis in [series.x, series.y, series.z] { ValueColumn.encode(axis, into: &bytes) }
  }

  /// Encodes the count of a series, the flag and the times.
  private static func encodeHead(
    of timestamps: [Timestamp], _ isAligned: Bool, into bytes: inout [UInt8]
  ) {
    bytes.append(variable: UInt64(timestamps.count))
    guard !timestamps.isEmpty else { return }
    bytes.append(isAligned ? 1 : 0)
    if !isAligned { encode(timestamps.map(\.nanoseconds), into: &bytes) }
  }

  private static func decode(
    like other: SampleSeries?, from reader: inout ByteReader
  ) throws(UnitError) -> SampleSeries {
    let timestamps = try decodeHead(like: other, from: &reader)
    let count = timestamps.count
    guard count > 0 else { return SampleSeries() }
    return SampleSeries(
      timestamps: timestamps, x: try ValueColumn.decode(count, from: &reader),
      y: try ValueColumn.decode(count, from: &reader),
      z: try ValueColumn.decode(count, from: &reader))
  }

  private static func decodeHead(
    like other: SampleSeries?, from reader: inout ByteReader
  ) throws(UnitError) -> [Timestamp] {
    let count = try reader.count(limit: largestCount)
    guard count > 0 else { return [] }
    guard try reader.byte() == 1 else {
      return try decodeTimes(count, from: &reader).map { Timestamp(nanoseconds: $0) }
    }
    guard let other, other.count == count else { throw .undecodable }
    return other.timestamps
  }

  /// Encodes the times relative to the first one, in units of their greatest common divisor.
  private static func encode(_ times: [Int64], into bytes: inout [UInt8]) {
    let first = times[0]
    var divisor: UInt64 = 0
    for time in times where divisor != 1 {
      divisor = greatestCommonDivisor(divisor, (time &- first).magnitude)
    }
    // Differences of more than 2⁶³ ns wrap, and wrap back in decoding; they must not be divided.
    let hasWrapped = times.contains { $0.subtractingReportingOverflow(first).overflow }
    let unit = hasWrapped || divisor == 0 || divisor > UInt64(Int64.max) ? 1 : Int64(divisor)
    bytes.append(signed: first)
    bytes.append(signed: unit)
    IntegerColumn.encode(times.map { ($0 &- first) / unit }, into: &bytes)
  }

  private static func decodeTimes(
    _ count: Int, from reader: inout ByteReader
  ) throws(UnitError) -> [Int64] {
    let first = try reader.signed()
    let unit = try reader.signed()
    return try IntegerColumn.decode(count, from: &reader).map { first &+ $0 &* unit }
  }

  private static func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}
