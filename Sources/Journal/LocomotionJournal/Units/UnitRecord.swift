internal import LocomotionSensing

/// What is known on the device of one of its units: a row of the table `units`.
///
/// The bytes of a unit are not stored: they are made again of the rows for every sending, and the
/// digest shows that they are the same.
@dynamicMemberLookup public struct UnitStatus: StoredRow, Hashable, Sendable {
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
      .key(\.key), Column("sequence", \.summary.sequence),
      Column("measurement", \.summary.measurement), Column("first_batch", \.firstBatch),
      Column("batches", \.batches), Column("first_sample", \.firstSample),
      Column("samples", \.summary.samples), Column("first_rotation", \.firstRotation),
      Column("rotations", \.summary.rotationRates), Column("pressures", \.summary.pressures),
      Column("first_fix", \.firstFix), Column("fixes", \.summary.fixes),
      Column("first_event", \.firstEventIndex), Column("events", \.summary.events),
      Column("first_time", \.summary.firstEvent), Column("last_time", \.summary.lastEvent),
      Column("bytes", \.byteCount), Column("digest", \.digest), Column("state", \.state),
      Column("reason", \.reason), Column("annotations", \.annotations), .dropped("checksum"),
    ])

  var key: Int64 = 0
  /// The SHA-256 digest of its bytes.
  public package(set) var digest: [UInt8] = []
  /// Where it is.
  public package(set) var state = State.pending
  /// Why it is parked, as the archive or the caller said; empty in other states.
  public internal(set) var reason = ""
  /// The number of bytes that are sent.
  public package(set) var byteCount = 0
  /// What it holds; the user, the device and the unit before it only while it is made or read.
  var summary = UploadUnit.Summary()
  /// The positions on the device of what comes first in it.
  var firstBatch = 0, firstSample = 0, firstRotation = 0, firstFix = 0, firstEventIndex = 0
  var batches = 0
  /// The encoded annotations of a unit that is not confirmed: edits and places change.
  var annotations: [UInt8]?

  /// The digest as 64 lower-case hexadecimal digits.
  public var name: String { Hexadecimal.text(digest) }

  /// A number or time of what it holds.
  public subscript<Value>(dynamicMember path: KeyPath<UploadUnit.Summary, Value>) -> Value {
    summary[keyPath: path]
  }

  var times: ClosedRange<Timestamp>? {
    get { summary.firstEvent.flatMap { first in summary.lastEvent.map { first...$0 } } }
    set { (summary.firstEvent, summary.lastEvent) = (newValue?.lowerBound, newValue?.upperBound) }
  }

  var isValid: Bool {
    summary.firstEvent.map { first in summary.lastEvent.map { first <= $0 } ?? true } ?? true
  }

  func holds(batch index: Int) -> Bool { firstBatch..<firstBatch + batches ~= index }
}
