public import LocomotionSensing

/// A row of the table `units`: what one unit holds, and whether the archive has it.
///
/// The bytes of a unit are not stored: they are made again of the rows for every sending, and the
/// digest shows that they are the same. Only annotations are kept until they are confirmed, because
/// edits and places change.
package struct UnitRecord: StoredRow, Hashable, Sendable {
  package static let layout = RowLayout<Self>(
    "units", since: 4,
    [
      .key(\.key), Column("sequence", \.sequence), Column("measurement", \.measurement),
      Column("first_batch", \.firstBatch), Column("batches", \.batches),
      Column("first_sample", \.firstSample), Column("samples", \.samples),
      Column("first_rotation", \.firstRotation), Column("rotations", \.rotations),
      Column("pressures", \.pressures), Column("first_fix", \.firstFix), Column("fixes", \.fixes),
      Column("first_event", \.firstEvent), Column("events", \.events),
      Column("first_time", \.firstTime), Column("last_time", \.lastTime),
      Column("bytes", \.byteCount), Column("digest", \.digest), Column("state", \.state),
      Column("reason", \.reason), Column("annotations", \.annotations), .dropped("checksum"),
    ])

  package var key: Int64 = 0
  package var sequence = 0
  var measurement: Int?
  var firstBatch = 0, batches = 0
  var firstSample = 0, samples = 0
  var firstRotation = 0, rotations = 0
  var pressures = 0
  var firstFix = 0, fixes = 0
  var firstEvent = 0, events = 0
  private var firstTime: Timestamp?
  private var lastTime: Timestamp?
  package var byteCount = 0
  package var digest: [UInt8] = []
  package var state = UnitStatus.State.pending
  /// Why it is parked; empty otherwise.
  var reason = ""
  /// The encoded annotations of a unit that is not confirmed.
  var annotations: [UInt8]?

  var times: ClosedRange<Timestamp>? {
    get { firstTime.flatMap { first in lastTime.map { first...$0 } } }
    set { (firstTime, lastTime) = (newValue?.lowerBound, newValue?.upperBound) }
  }

  package var isValid: Bool {
    firstTime.map { first in lastTime.map { first <= $0 } ?? true } ?? true
  }

  package init() {}

  package init(key: Int64, sequence: Int) {
    self.key = key
    self.sequence = sequence
  }

  /// Whether a batch is in the unit.
  func holds(batch index: Int) -> Bool { firstBatch..<firstBatch + batches ~= index }
}

extension UnitStatus.State: ColumnValue {}

/// What is known on the device of one of its units.
public struct UnitStatus: Hashable, Sendable {
  /// Where a unit is.
  public enum State: Int, Hashable, Sendable {
    /// It waits to be sent, or its sending is not confirmed.
    case pending = 0
    /// The archive has it.
    case confirmed = 1
    /// The archive refuses it; see ``UnitStatus/reason``.
    case parked = 2
    /// Something of it was erased here: the archive is asked to delete it.
    case withdrawn = 3
  }

  private var record: UnitRecord

  init(_ record: UnitRecord) {
    self.record = record
    // All places and edits, which nobody asks a status for.
    self.record.annotations = nil
  }

  /// The SHA-256 digest of its bytes.
  public var digest: [UInt8] { record.digest }
  /// Its number among the units of the device, from 0 on.
  public var sequence: Int { record.sequence }
  /// Where it is.
  public var state: State { record.state }
  /// Why it is parked, as the archive or the caller said; empty in other states.
  public var reason: String { record.reason }
  /// The number of bytes that are sent.
  public var byteCount: Int { record.byteCount }
  /// The earliest time of a datum or event; nil for annotations alone.
  public var firstEvent: Timestamp? { record.times?.lowerBound }
  /// The latest time of a datum or event; nil for annotations alone.
  public var lastEvent: Timestamp? { record.times?.upperBound }
  /// The number of accelerations.
  public var samples: Int { record.samples }
  /// The number of location fixes.
  public var fixes: Int { record.fixes }
  /// The number of events of measurements.
  public var events: Int { record.events }

  /// The digest as 64 lower-case hexadecimal digits.
  public var name: String { Hexadecimal.text(digest) }
}
