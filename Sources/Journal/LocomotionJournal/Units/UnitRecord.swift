public import LocomotionSensing

/// A row of the table `units`: what one unit holds, and whether the archive has it.
///
/// The bytes of a unit are not stored: they are made again of the rows for every sending, and the
/// digest shows that they are the same. Only annotations are kept until they are confirmed, because
/// edits and places change.
package struct UnitRecord: StoredRow {
  package static let table = "units"
  package static let columns = """
    id, sequence, measurement, first_batch, batches, first_sample, samples, first_rotation, \
    rotations, pressures, first_fix, fixes, first_event, events, first_time, last_time, bytes, \
    digest, state, reason, annotations
    """
  package static let insertion = statement(columns: 21)

  package var key: Int64
  package var sequence: Int
  var measurement: Int?
  var firstBatch = 0, batches = 0
  var firstSample = 0, samples = 0
  var firstRotation = 0, rotations = 0
  var pressures = 0
  var firstFix = 0, fixes = 0
  var firstEvent = 0, events = 0
  var times: ClosedRange<Timestamp>?
  package var byteCount = 0
  package var digest: [UInt8] = []
  package var state = UnitStatus.State.pending
  /// Why it is parked; empty otherwise.
  var reason = ""
  /// The encoded annotations of a unit that is not confirmed.
  var annotations: [UInt8]?

  package init(key: Int64, sequence: Int) {
    self.key = key
    self.sequence = sequence
  }

  package init?(_ row: SQLiteRow) throws(JournalError) {
    key = try row.integer(0)
    sequence = Int(try row.integer(1))
    measurement = row.optionalInteger(2).map { Int($0) }
    firstBatch = Int(try row.integer(3))
    batches = Int(try row.integer(4))
    firstSample = Int(try row.integer(5))
    samples = Int(try row.integer(6))
    firstRotation = Int(try row.integer(7))
    rotations = Int(try row.integer(8))
    pressures = Int(try row.integer(9))
    firstFix = Int(try row.integer(10))
    fixes = Int(try row.integer(11))
    firstEvent = Int(try row.integer(12))
    events = Int(try row.integer(13))
    if let first = row.optionalInteger(14), let last = row.optionalInteger(15) {
      guard first <= last else { return nil }
      times = Timestamp(nanoseconds: first)...Timestamp(nanoseconds: last)
    }
    byteCount = Int(try row.integer(16))
    guard let digest = row.blob(17), let reason = row.text(19),
      let state = UnitStatus.State(rawValue: Int(try row.integer(18)))
    else { return nil }
    self.digest = digest
    self.state = state
    self.reason = reason
    annotations = row.blob(20)
  }

  /// Whether a batch is in the unit.
  func holds(batch index: Int) -> Bool { firstBatch..<firstBatch + batches ~= index }

  package var values: [SQLiteValue] {
    let numbers = [
      firstBatch, batches, firstSample, samples, firstRotation, rotations, pressures, firstFix,
      fixes, firstEvent, events,
    ]
    return [
      .integer(Int64(sequence)), measurement.map { .integer(Int64($0)) } ?? .null,
    ] + numbers.map { .integer(Int64($0)) } + [
      times.map { .integer($0.lowerBound.nanoseconds) } ?? .null,
      times.map { .integer($0.upperBound.nanoseconds) } ?? .null,
      .integer(Int64(byteCount)), .blob(digest), .integer(Int64(state.rawValue)), .text(reason),
      annotations.map { .blob($0) } ?? .null,
    ]
  }
}

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

  /// The SHA-256 digest of its bytes.
  public let digest: [UInt8]
  /// Its number among the units of the device, from 0 on.
  public let sequence: Int
  /// Where it is.
  public let state: State
  /// Why it is parked, as the archive or the caller said; empty in other states.
  public let reason: String
  /// The number of bytes that are sent.
  public let byteCount: Int
  /// The earliest time of a datum or event; nil for annotations alone.
  public let firstEvent: Timestamp?
  /// The latest time of a datum or event; nil for annotations alone.
  public let lastEvent: Timestamp?
  /// The number of accelerations.
  public let samples: Int
  /// The number of location fixes.
  public let fixes: Int
  /// The number of events of measurements.
  public let events: Int

  /// The digest as 64 lower-case hexadecimal digits.
  public var name: String { UnitContent.hexadecimal(digest) }

  init(_ record: UnitRecord) {
    digest = record.digest
    sequence = record.sequence
    state = record.state
    reason = record.reason
    byteCount = record.byteCount
    firstEvent = record.times?.lowerBound
    lastEvent = record.times?.upperBound
    samples = record.samples
    fixes = record.fixes
    events = record.events
  }
}
