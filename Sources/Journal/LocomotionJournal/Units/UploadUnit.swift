public import LocomotionSensing

/// What an upload unit holds, between the rows of a journal and the bytes of the unit.
struct UnitContent {
  /// A batch: its counts and its stored block, which is empty when it has none.
  struct Batch {
    var samples = 0
    var rotations = 0
    var fixes = 0
    var block: [UInt8] = []
  }

  /// What stands at its beginning.
  var unit = UnitStatus()
  var events: [MeasurementEvent] = []
  var fixes: [LocationFix] = []
  var batches: [Batch] = []
  var annotations: UnitAnnotations?

  static let letters: [UInt8] = Array("LJU1".utf8)
  /// Magic bytes, version and length.
  static let headerLength = 10
  static let checksumLength = 4
  private static let digestLength = 32
}

extension UnitContent {
  func sealed() -> [UInt8] {
    let content = encoded()
    var bytes = Self.letters
    bytes.append(littleEndian: UInt64(UploadUnit.version), byteCount: 2)
    bytes.append(littleEndian: UInt64(content.count), byteCount: 4)
    return SampleBlock.sealed(bytes + content)
  }

  /// Reads and verifies everything but the times and the number of pressures, which the blocks
  /// tell.
  init(unit bytes: [UInt8]) throws(UnitError) {
    var coder = try Self.coder(of: bytes)
    try pass(through: &coder)
  }

  /// A coder at the content of bytes whose magic, version, length and checksum are right.
  private static func coder(of bytes: [UInt8]) throws(UnitError) -> UnitCoder {
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
    var header = try UnitCoder(reading: bytes, from: letters.count, to: end)
    var (version, length): (UInt64, UInt64) = (0, 0)
    try header.pass(fixed: &version, byteCount: 2, "the version")
    guard version == UploadUnit.version else {
      throw UnitError(
        what: "the version \(version)", offset: letters.count,
        expected: "\(UploadUnit.version)")
    }
    try header.pass(fixed: &length, byteCount: 4, "the length")
    guard length == UInt64(end - headerLength) else {
      throw UnitError(what: "the length", offset: 6, expected: "\(end - headerLength)")
    }
    guard Checksum.crc32(bytes[..<end]) == SampleBlock.storedChecksum(of: bytes) else {
      throw UnitError(what: "the checksum", offset: end, expected: "that of the bytes before it")
    }
    return header
  }
}

extension UnitContent: UnitCodable {
  mutating func pass(through coder: inout UnitCoder) throws(UnitError) {
    try coder.pass(text: &unit.summary.user, "the user's name")
    try coder.require(
      (try? Journal.validate(userName: unit.user)) != nil, "the user's name",
      "a name that a journal takes before it")
    var digits = Hexadecimal.bytes(unit.device, count: 16) ?? []
    try coder.pass(bytes: &digits, count: 16, "the device")
    unit.summary.device = Hexadecimal.text(digits)
    try coder.pass(count: &unit.summary.sequence, "the sequence number")
    if unit.sequence > 0 {
      let known = unit.predecessor.flatMap { Hexadecimal.bytes($0, count: Self.digestLength) }
      var digest = known ?? []
      try coder.pass(bytes: &digest, count: Self.digestLength, "the unit before")
      unit.summary.predecessor = Hexadecimal.text(digest)
    }
    try coder.pass(optionalCount: &unit.summary.measurement, "the measurement")
    if try coder.pass(mark: unit.firstEvent != nil, "the mark of times") {
      var (first, last) = (unit.firstEvent ?? .blank, unit.lastEvent ?? .blank)
      try coder.pass(time: &first, "the first time")
      try coder.pass(time: &last, "the last time")
      try coder.require(first <= last, "the times", "the first before the last")
      unit.times = first...last
    }
    try coder.pass(count: &unit.firstBatch, "the first batch")
    try coder.pass(count: &unit.firstSample, "the first sample")
    try coder.pass(count: &unit.firstRotation, "the first rotation rate")
    try coder.pass(count: &unit.firstFix, "the first fix")
    try coder.pass(count: &unit.summary.samples, "the number of samples")
    try coder.pass(count: &unit.summary.rotationRates, "the number of rotation rates")
    try coder.pass(count: &unit.summary.pressures, "the number of pressures")
    // Before anything is decoded: some thousand bytes can hold a million equal samples.
    try coder.require(
      unit.sampleCount <= UploadUnit.largestSampleCount, "the number of samples",
      "at most \(UploadUnit.largestSampleCount) of all sensors")
    // The shortest event takes 13 bytes, the shortest fix 10, the shortest batch 4.
    let (event, fix) = (EventRecord().event, FixRecord().fix)
    try coder.pass(
      rows: &events, "the number of events", ofSize: 13, blank: event, Self.pass(through:event:))
    try coder.pass(
      rows: &fixes, "the number of fixes", ofSize: 10, blank: fix, Self.pass(through:fix:))
    try coder.pass(
      rows: &batches, "the number of batches", ofSize: 4, blank: Batch(),
      Self.pass(through:batch:))
    if try coder.pass(mark: annotations != nil, "the mark of annotations") {
      var all = annotations ?? UnitAnnotations()
      try all.pass(through: &coder)
      annotations = all
    }
    try coder.require(coder.remaining == 0, "the end", "the checksum")
    (unit.summary.fixes, unit.summary.events) = (fixes.count, events.count)
    unit.summary.hasAnnotations = annotations != nil
    let (samples, rotations, fixes) = batches.reduce((0, 0, 0)) {
      ($0.0 + $1.samples, $0.1 + $1.rotations, $0.2 + $1.fixes)
    }
    try coder.require(
      (samples, rotations, fixes) == (unit.samples, unit.rotationRates, unit.fixes),
      "the counts", "the sums over the batches before it")
  }

  private static func pass(
    through coder: inout UnitCoder, event: inout MeasurementEvent
  ) throws(UnitError) {
    try coder.pass(count: &event.measurement, "an event's measurement")
    var number = UInt8(event.kind.rawValue)
    try coder.pass(byte: &number, "an event's kind")
    let kind = MeasurementEvent.Kind(rawValue: Int(number))
    try coder.require(kind != nil, "an event's kind", "1 to 6 before it")
    event.kind = kind ?? event.kind
    try coder.pass(time: &event.timestamp, "an event's time")
    try coder.pass(count: &event.samples, "an event's position")
    try coder.pass(count: &event.fixes, "an event's position")
    if try coder.pass(mark: event.value != nil, "the mark of an event's text") {
      var text = event.value ?? ""
      try coder.pass(text: &text, "an event's text")
      event.value = text
    }
  }

  private static func pass(
    through coder: inout UnitCoder, fix: inout LocationFix
  ) throws(UnitError) {
    var time = fix.timestamp
    try coder.pass(time: &time, "a fix's time")
    var values = fix.quantities.map { $0.flatMap { $0.isNaN ? nil : $0 } }
    var present = values.indices.reduce(into: UInt64(0)) { marks, place in
      if values[place] != nil { marks |= 1 << UInt64(place) }
    }
    try coder.pass(fixed: &present, byteCount: 2, "a fix's marks")
    try coder.require(present < 1 << values.count, "a fix's marks", "9 bits before it")
    for place in values.indices {
      let isThere = present >> UInt64(place) & 1 == 1
      var value = values[place] ?? 0
      if isThere { try coder.pass(number: &value, "a quantity of a fix") }
      values[place] = isThere ? value : nil
    }
    fix = FixRecord.fix(at: time, values)
  }

  private static func pass(through coder: inout UnitCoder, batch: inout Batch) throws(UnitError) {
    let limit = SampleBlock.largestCount
    try coder.pass(count: &batch.samples, "a batch's samples", limit: limit)
    try coder.pass(count: &batch.rotations, "a batch's rotation rates", limit: limit)
    try coder.pass(count: &batch.fixes, "a batch's fixes")
    try coder.pass(countedBytes: &batch.block, "a block's length", "a block")
  }
}

/// A part of one user's recording on one device, as it travels to an archive.
///
/// Immutable: ``bytes`` are the same whenever they are made of the same rows, and the stored blocks
/// of samples are in them as they are, never encoded again. See <doc:FileFormat> for the layout.
public struct UploadUnit: Hashable, Sendable {
  /// What a unit holds, without its data.
  public struct Summary: Hashable, Sendable {
    /// The name of the user.
    public internal(set) var user = ""
    /// The device: 32 lower-case hexadecimal digits, made at random, once for a user and journal.
    public internal(set) var device = ""
    /// The unit's number among those of its device, from 0 on.
    public internal(set) var sequence = 0
    /// The SHA-256 digest of the device's unit before this one, 64 hexadecimal digits.
    ///
    /// Nil for the first unit. Two copies of a journal that go on as one device make units of equal
    /// numbers; by this the archive knows whose a later one is.
    public internal(set) var predecessor: String?
    /// The number of the measurement to which its first datum or event belongs; nil for none.
    public internal(set) var measurement: Int?
    /// The earliest time of a datum or event; nil in a unit of annotations.
    public internal(set) var firstEvent: Timestamp?
    /// The latest time of a datum or event; nil in a unit of annotations.
    public internal(set) var lastEvent: Timestamp?
    /// The number of accelerations.
    public internal(set) var samples = 0
    /// The number of rotation rates.
    public internal(set) var rotationRates = 0
    /// The number of pressures of the air.
    public internal(set) var pressures = 0
    /// The number of location fixes.
    public internal(set) var fixes = 0
    /// The number of events of measurements.
    public internal(set) var events = 0
    /// Whether it holds all edits and places of the user.
    public internal(set) var hasAnnotations = false

    /// The number of accelerations, rotation rates and pressures.
    var sampleCount: Int { samples + rotationRates + pressures }
  }

  /// The version of the layout.
  public static let version = 2
  /// The most bytes of a unit that are read: 32 MiB.
  static let largestByteCount = 1 << 25
  /// The most accelerations, rotation rates and pressures of a unit that are read, together.
  public static let largestSampleCount = 1 << 21
  /// The most fixes of a unit that are read, and as many events, batches, places and edits.
  public static let largestRowCount = 1 << 18
  /// A unit is ended before its blocks would exceed this: 256 KiB.
  static let usualByteCount = 1 << 18
  /// Or would hold more accelerations, rotation rates and pressures than this, together; a batch
  /// has at most 196,608.
  static let usualSampleCount = 1 << 20

  /// What the unit holds.
  public let summary: Summary
  /// The unit as it is sent and archived.
  public let bytes: [UInt8]

  /// Reads a unit and verifies all of it: magic, version, lengths, checksums, and the counts and
  /// times against the decoded blocks.
  ///
  /// - Throws: ``UnitError`` for bytes that ``UserJournal/append(_:)-(UploadUnit)`` would not
  ///   take.
  /// - Complexity: O(number of bytes); memory for one decoded block.
  public init(_ bytes: [UInt8]) throws(UnitError) {
    let content = try UnitContent(unit: bytes)
    try content.verifyBlocks(byteCount: bytes.count)
    summary = content.unit.summary
    self.bytes = bytes
  }

  /// A unit of rows that have been verified.
  init(_ content: UnitContent) {
    summary = content.unit.summary
    bytes = content.sealed()
  }
}

extension UnitContent.Batch {
  /// The samples, and the key of the row that the block was stored in, as the block states it.
  fileprivate func decoded() throws(UnitError) -> (samples: JournalBatch, key: Int64) {
    var reader = ByteReader(Array(block.prefix(12)))
    _ = try reader.take(4)
    let key = Int64(bitPattern: try reader.littleEndian(byteCount: 8))
    return (try SampleBlock.decoded(block, key: key), key)
  }
}

extension UnitContent {
  /// Decodes all blocks and compares them with the counts, keys and times that the unit states.
  fileprivate func verifyBlocks(byteCount: Int) throws(UnitError) {
    let end = byteCount - Self.checksumLength
    func fail(_ what: String, _ expected: String) -> UnitError {
      UnitError(what: what, offset: end, expected: expected)
    }
    var span: ClosedRange<Timestamp>?
    for time in events.map(\.timestamp) + fixes.map(\.timestamp) { span.extend(to: time) }
    var pressures = 0
    var number: Int64?
    for (place, batch) in batches.enumerated() where !batch.block.isEmpty {
      let what = "block \(place)"
      guard let (block, key) = try? batch.decoded() else {
        throw fail(what, "a block of samples that matches its checksum")
      }
      let owner = key >> StoreFormat.indexBits
      guard owner > 0, number ?? owner == owner,
        key == StoreFormat.key(user: owner, index: unit.firstBatch + place)
      else { throw fail(what, "the key of its batch") }
      number = owner
      guard block.accelerations.count == batch.samples,
        block.rotationRates.count == batch.rotations
      else { throw fail(what, "\(batch.samples) samples, \(batch.rotations) rotation rates") }
      pressures += block.pressures.count
      // Not only at the end: until then they could be any number.
      guard pressures <= unit.pressures else {
        throw fail(what, "no more pressures than the unit states")
      }
      for time in block.sampleTimes.joined() { span.extend(to: time) }
    }
    guard batches.allSatisfy({ !$0.block.isEmpty || $0.samples + $0.rotations == 0 }) else {
      throw fail("a batch", "a block for its samples")
    }
    guard pressures == unit.pressures else { throw fail("the pressures", "\(pressures)") }
    guard span == unit.times
    else { throw fail("the times", "those of the data and events") }
  }
}

extension Optional where Wrapped == ClosedRange<Timestamp> {
  mutating func extend(to time: Timestamp) {
    guard let interval = self else {
      self = time...time
      return
    }
    if !interval.contains(time) {
      self = min(interval.lowerBound, time)...max(interval.upperBound, time)
    }
  }
}
