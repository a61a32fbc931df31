public import LocomotionSensing

/// A part of one user's recording on one device, as it travels to an archive.
///
/// Immutable: ``bytes`` are the same whenever they are made of the same rows, and the stored blocks
/// of samples are in them as they are, never encoded again. See <doc:FileFormat> for the layout.
public struct UploadUnit: Hashable, Sendable {
  /// What a unit holds, without its data.
  public struct Summary: Hashable, Sendable {
    /// The version of the unit's layout.
    public let version: Int
    /// The name of the user.
    public let user: String
    /// The device: 32 lower-case hexadecimal digits, made at random, once for a user and journal.
    public let device: String
    /// The unit's number among those of its device, from 0 on.
    public let sequence: Int
    /// The SHA-256 digest of the device's unit before this one, 64 hexadecimal digits.
    ///
    /// Nil for the first unit, and in units of version 1, which do not tell it. Two copies of a
    /// journal that go on as one device make units of equal numbers; by this the archive knows
    /// whose a later one is.
    public let predecessor: String?
    /// The number of the measurement to which its first datum or event belongs; nil for none.
    public let measurement: Int?
    /// The earliest time of a datum or event; nil in a unit of annotations.
    public let firstEvent: Timestamp?
    /// The latest time of a datum or event; nil in a unit of annotations.
    public let lastEvent: Timestamp?
    /// The number of accelerations.
    public let samples: Int
    /// The number of rotation rates.
    public let rotationRates: Int
    /// The number of pressures of the air.
    public let pressures: Int
    /// The number of location fixes.
    public let fixes: Int
    /// The number of events of measurements.
    public let events: Int
    /// Whether it holds all edits and places of the user.
    public let hasAnnotations: Bool
  }

  /// The version of the layout that is written; earlier ones are read too.
  public static let version = 2
  /// The most bytes of a unit that are read: 32 MiB.
  public static let largestByteCount = 1 << 25
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
    summary = Summary(content)
    self.bytes = bytes
  }

  /// The measurements in the unit, decoded, in the order in which they were recorded.
  ///
  /// - Complexity: O(number of bytes); memory for all of them, some 4 MB of a usual unit.
  public var measurements: JournalBatch {
    var result = JournalBatch()
    // Both were verified when the unit was read or made.
    guard let content = try? UnitContent(unit: bytes) else { return result }
    for batch in content.batches where !batch.block.isEmpty {
      if let block = try? batch.decoded() { result.append(contentsOf: block.samples) }
    }
    result.fixes = content.fixes
    return result
  }

  /// A unit of rows that have been verified.
  init(_ content: UnitContent) {
    summary = Summary(content)
    bytes = content.sealed()
  }
}

extension UploadUnit.Summary {
  init(_ content: UnitContent) {
    version = content.version
    user = content.user
    device = content.device
    sequence = content.sequence
    predecessor = content.predecessor.map { Hexadecimal.text($0) }
    measurement = content.measurement
    firstEvent = content.times?.lowerBound
    lastEvent = content.times?.upperBound
    samples = content.samples
    rotationRates = content.rotations
    pressures = content.pressures
    fixes = content.fixes.count
    events = content.events.count
    hasAnnotations = content.annotations != nil
  }
}

extension UnitContent.Batch {
  /// The key of the row that the block was stored in, as the block states it.
  fileprivate func statedKey() throws -> Int64 {
    var reader = ByteReader(Array(block.prefix(12)))
    _ = try reader.take(4)
    return Int64(bitPattern: try reader.littleEndian(byteCount: 8))
  }

  fileprivate func decoded() throws -> SampleBlock {
    try SampleBlock(block, key: statedKey())
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
      guard let key = try? batch.statedKey(), let block = try? batch.decoded() else {
        throw fail(what, "a block of samples that matches its checksum")
      }
      let owner = key >> StoreFormat.indexBits
      guard owner > 0, number ?? owner == owner,
        key == StoreFormat.key(user: owner, index: firstBatch + place)
      else { throw fail(what, "the key of its batch") }
      number = owner
      guard block.accelerations.count == batch.samples,
        block.rotationRates.count == batch.rotations
      else { throw fail(what, "\(batch.samples) samples, \(batch.rotations) rotation rates") }
      pressures += block.pressures.count
      // Not only at the end: until then they could be any number.
      guard pressures <= self.pressures else {
        throw fail(what, "no more pressures than the unit states")
      }
      for time in block.samples.sampleTimes.joined() { span.extend(to: time) }
    }
    guard batches.allSatisfy({ !$0.block.isEmpty || $0.samples + $0.rotations == 0 }) else {
      throw fail("a batch", "a block for its samples")
    }
    guard pressures == self.pressures else { throw fail("the pressures", "\(pressures)") }
    guard span == times else { throw fail("the times", "those of the data and events") }
  }
}

extension Optional where Wrapped == ClosedRange<Timestamp> {
  /// Extends the interval so that it holds a time.
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
