public import LocomotionSensing

/// What is known on the device of one of its units: a row of the table `units`.
///
/// The bytes of a unit are not stored: they are made again of the rows for every sending, and the
/// digest shows that they are the same.
public struct UnitStatus: StoredRow, Hashable, Sendable {
  /// Where a unit is.
  public enum State: Int, Hashable, Sendable, ColumnValue {
    /// It waits to be sent, or its sending is not confirmed.
    case pending = 0
    /// The archive has it.
    case confirmed = 1
    /// The archive refuses it; see ``UnitStatus/reason``.
    case parked = 2
    /// Something of it was erased here: the archive is asked to delete it.
    case withdrawn = 3
  }

  static let layout = RowLayout<Self>(
    "units",
    [
      .key(\.key), Column("sequence", \.sequence), Column("measurement", \.measurement),
      Column("first_batch", \.firstBatch), Column("batches", \.batches),
      Column("first_sample", \.firstSample), Column("samples", \.samples),
      Column("first_rotation", \.firstRotation), Column("rotations", \.rotations),
      Column("pressures", \.pressures), Column("first_fix", \.firstFix), Column("fixes", \.fixes),
      Column("first_event", \.firstEventIndex), Column("events", \.events),
      Column("first_time", \.firstEvent), Column("last_time", \.lastEvent),
      Column("bytes", \.byteCount), Column("digest", \.digest), Column("state", \.state),
      Column("reason", \.reason), Column("annotations", \.annotations), .dropped("checksum"),
    ])

  var key: Int64 = 0
  /// The SHA-256 digest of its bytes.
  public package(set) var digest: [UInt8] = []
  /// Its number among the units of the device, from 0 on.
  public package(set) var sequence = 0
  /// Where it is.
  public package(set) var state = State.pending
  /// Why it is parked, as the archive or the caller said; empty in other states.
  public internal(set) var reason = ""
  /// The number of bytes that are sent.
  public package(set) var byteCount = 0
  /// The earliest time of a datum or event; nil for annotations alone.
  public private(set) var firstEvent: Timestamp?
  /// The latest time of a datum or event; nil for annotations alone.
  public private(set) var lastEvent: Timestamp?
  /// The number of accelerations.
  public internal(set) var samples = 0
  /// The number of location fixes.
  public internal(set) var fixes = 0
  /// The number of events of measurements.
  public internal(set) var events = 0

  var measurement: Int?
  var firstBatch = 0, batches = 0
  var firstSample = 0, firstFix = 0, firstEventIndex = 0
  var firstRotation = 0, rotations = 0
  var pressures = 0
  /// The encoded annotations of a unit that is not confirmed: edits and places change.
  var annotations: [UInt8]?

  /// The digest as 64 lower-case hexadecimal digits.
  public var name: String { Hexadecimal.text(digest) }

  var times: ClosedRange<Timestamp>? {
    get { firstEvent.flatMap { first in lastEvent.map { first...$0 } } }
    set { (firstEvent, lastEvent) = (newValue?.lowerBound, newValue?.upperBound) }
  }

  var isValid: Bool {
    firstEvent.map { first in lastEvent.map { first <= $0 } ?? true } ?? true
  }

  func holds(batch index: Int) -> Bool { firstBatch..<firstBatch + batches ~= index }
}
