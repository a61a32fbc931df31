internal import LocomotionSensing

/// What an upload unit holds, between the rows of a journal and the bytes of the unit.
struct UnitContent {
  /// A batch: its counts and its stored block, which is empty when it has none.
  struct Batch {
    var samples: Int
    var rotations: Int
    var fixes: Int
    var block: [UInt8]
  }

  /// The layout in which it is written, or was read.
  var version = UploadUnit.version
  var user: String
  /// 32 lower-case hexadecimal digits.
  var device: String
  var sequence: Int
  /// The digest of the device's unit before this one; nil for its first one, and in version 1.
  var predecessor: [UInt8]?
  var measurement: Int?
  /// The times of the first and the last datum or event.
  var times: ClosedRange<Timestamp>?
  /// The positions on the device of what comes first in the unit.
  var firstBatch = 0
  var firstSample = 0
  var firstRotation = 0
  var firstFix = 0
  var pressures = 0
  var events: [MeasurementEvent] = []
  var fixes: [LocationFix] = []
  var batches: [Batch] = []
  var annotations: UnitAnnotations?

  var samples: Int { batches.reduce(0) { $0 + $1.samples } }
  var rotations: Int { batches.reduce(0) { $0 + $1.rotations } }

  static let letters: [UInt8] = Array("LJU1".utf8)
  /// Magic bytes, version and length.
  static let headerLength = 10
  static let checksumLength = 4
  /// The length of a digest.
  private static let digestLength = 32

  // MARK: To bytes

  func encoded() -> [UInt8] {
    var content: [UInt8] = []
    content.append(text: user)
    content += Hexadecimal.bytes(device, count: 16) ?? []
    content.append(count: sequence)
    if version > 1, sequence > 0 { content += predecessor ?? [] }
    content.append(count: measurement.map { $0 + 1 } ?? 0)
    content.append(times == nil ? 0 : 1)
    if let times {
      content.append(time: times.lowerBound)
      content.append(time: times.upperBound)
    }
    for number in [
      firstBatch, firstSample, firstRotation, firstFix, samples, rotations, pressures,
    ] {
      content.append(count: number)
    }
    content.append(count: events.count)
    for event in events { Self.encode(event, into: &content) }
    content.append(count: fixes.count)
    for fix in fixes { Self.encode(fix, into: &content) }
    content.append(count: batches.count)
    for batch in batches {
      for number in [batch.samples, batch.rotations, batch.fixes, batch.block.count] {
        content.append(count: number)
      }
      content += batch.block
    }
    content.append(annotations == nil ? 0 : 1)
    if let annotations { content += annotations.encoded() }
    var bytes = Self.letters
    bytes.append(littleEndian: UInt64(version), byteCount: 2)
    bytes.append(littleEndian: UInt64(content.count), byteCount: 4)
    bytes += content
    return SampleBlock.sealed(bytes)
  }

  private static func encode(_ event: MeasurementEvent, into bytes: inout [UInt8]) {
    bytes.append(count: event.measurement)
    bytes.append(UInt8(event.kind.rawValue))
    bytes.append(time: event.timestamp)
    bytes.append(count: event.samples)
    bytes.append(count: event.fixes)
    bytes.append(event.value == nil ? 0 : 1)
    if let value = event.value { bytes.append(text: value) }
  }

  private static func encode(_ fix: LocationFix, into bytes: inout [UInt8]) {
    bytes.append(time: fix.timestamp)
    let quantities = fix.quantities.map { $0.flatMap { $0.isNaN ? nil : $0 } }
    var present: UInt64 = 0
    for (place, quantity) in quantities.enumerated() where quantity != nil { present |= 1 << place }
    bytes.append(littleEndian: present, byteCount: 2)
    for quantity in quantities {
      if let quantity { bytes.append(number: quantity == 0 ? 0 : quantity) }
    }
  }
}

extension UnitContent {
  /// Reads and verifies everything but the times and the number of pressures, which the blocks
  /// tell.
  init(_ bytes: [UInt8]) throws(UnitError) {
    var reader: UnitReader
    (version, reader) = try Self.reader(of: bytes)
    user = try reader.text("the user's name")
    do throws(JournalError) {
      try Journal.validate(userName: user)
    } catch {
      throw reader.error("the user's name", "a name that a journal takes before it")
    }
    device = Hexadecimal.text(try reader.take(16, "the device"))
    sequence = try reader.count("the sequence number")
    if version > 1, sequence > 0 {
      predecessor = try reader.take(Self.digestLength, "the unit before")
    }
    let number = try reader.count("the measurement")
    measurement = number == 0 ? nil : number - 1
    if try reader.byte("the mark of times", upTo: 1) == 1 {
      let first = try reader.time("the first time")
      let last = try reader.time("the last time")
      guard first <= last else { throw reader.error("the times", "the first before the last") }
      times = first...last
    }
    firstBatch = try reader.count("the first batch")
    firstSample = try reader.count("the first sample")
    firstRotation = try reader.count("the first rotation rate")
    firstFix = try reader.count("the first fix")
    let samples = try reader.count("the number of samples")
    let rotations = try reader.count("the number of rotation rates")
    pressures = try reader.count("the number of pressures")
    // Before anything is decoded: some thousand bytes can hold a million equal samples.
    guard samples + rotations + pressures <= UploadUnit.largestSampleCount else {
      throw reader.error(
        "the number of samples", "at most \(UploadUnit.largestSampleCount) of all sensors")
    }
    // The shortest event takes 13 bytes, the shortest fix 10, the shortest batch 4.
    for _ in 0..<(try reader.rows("the number of events", ofSize: 13)) {
      events.append(try Self.event(from: &reader))
    }
    for _ in 0..<(try reader.rows("the number of fixes", ofSize: 10)) {
      fixes.append(try Self.fix(from: &reader))
    }
    for _ in 0..<(try reader.rows("the number of batches", ofSize: 4)) {
      batches.append(try Self.batch(from: &reader))
    }
    if try reader.byte("the mark of annotations", upTo: 1) == 1 {
      annotations = try UnitAnnotations(from: &reader)
    }
    guard reader.remaining == 0 else { throw reader.error("the end", "the checksum") }
    guard self.samples == samples, self.rotations == rotations,
      batches.reduce(0, { $0 + $1.fixes }) == fixes.count
    else { throw reader.error("the counts", "the sums over the batches before it") }
  }

  /// The version, and a reader at the content, of bytes whose magic, version, length and checksum
  /// are right.
  private static func reader(
    of bytes: [UInt8]
  ) throws(UnitError) -> (version: Int, content: UnitReader) {
    guard bytes.count <= UploadUnit.largestByteCount else {
      throw UnitError(
        what: "the length", offset: bytes.count,
        expected: "at most \(UploadUnit.largestByteCount) bytes")
    }
    guard bytes.count >= headerLength + checksumLength else {
      throw UnitError(
        what: "the length", offset: bytes.count,
        expected: "at least \(headerLength + checksumLength) bytes")
    }
    guard bytes.starts(with: letters) else {
      throw UnitError(what: "the magic bytes", offset: 0, expected: "LJU1")
    }
    let end = bytes.count - checksumLength
    var header = try UnitReader(bytes, from: letters.count, to: end)
    let version = try header.fixed("the version", byteCount: 2)
    guard (1...UInt64(UploadUnit.version)).contains(version) else {
      throw UnitError(
        what: "the version \(version)", offset: letters.count,
        expected: "1 to \(UploadUnit.version)")
    }
    guard try header.fixed("the length", byteCount: 4) == UInt64(end - headerLength) else {
      throw UnitError(what: "the length", offset: 6, expected: "\(end - headerLength)")
    }
    guard Checksum.crc32(bytes[..<end]) == SampleBlock.storedChecksum(of: bytes) else {
      throw UnitError(what: "the checksum", offset: end, expected: "that of the bytes before it")
    }
    return (Int(version), header)
  }

  private static func event(
    from reader: inout UnitReader
  ) throws(UnitError) -> MeasurementEvent {
    let measurement = try reader.count("an event's measurement")
    let kind = MeasurementEvent.Kind(
      rawValue: Int(try reader.byte("an event's kind", upTo: .max)))
    guard let kind else { throw reader.error("an event's kind", "1 to 6 before it") }
    let time = try reader.time("an event's time")
    let samples = try reader.count("an event's position")
    let fixes = try reader.count("an event's position")
    let hasValue = try reader.byte("the mark of an event's text", upTo: 1) == 1
    return MeasurementEvent(
      kind: kind, timestamp: time,
      value: hasValue ? try reader.text("an event's text") : nil, samples: samples, fixes: fixes,
      measurement: measurement)
  }

  private static func fix(from reader: inout UnitReader) throws(UnitError) -> LocationFix {
    let time = try reader.time("a fix's time")
    let present = try reader.fixed("a fix's marks", byteCount: 2)
    guard present < 1 << 9 else { throw reader.error("a fix's marks", "9 bits before it") }
    var values: [Double?] = []
    for place in 0..<9 {
      let isThere = present >> UInt64(place) & 1 == 1
      values.append(isThere ? try reader.number("a quantity of a fix") : nil)
    }
    return FixRecord.fix(at: time, values)
  }

  private static func batch(from reader: inout UnitReader) throws(UnitError) -> Batch {
    let limit = SampleBlock.largestCount
    let samples = try reader.count("a batch's samples", limit: limit)
    let rotations = try reader.count("a batch's rotation rates", limit: limit)
    let fixes = try reader.count("a batch's fixes")
    let length = try reader.count("a block's length", ofSize: 1)
    return Batch(
      samples: samples, rotations: rotations, fixes: fixes,
      block: try reader.take(length, "a block"))
  }
}
