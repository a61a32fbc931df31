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

/// A row of the table `uploads`: how much of one user's recording is in units.
struct UploadRecord: StoredRow {
  static let layout = RowLayout<Self>(
    "uploads",
    [
      .key(\.key), Column("device", \.device), Column("next_sequence", \.nextSequence),
      Column("next_unit", \.nextUnit), .dropped("units"), .dropped("unit_sum"),
      Column("batches", \.batches),
      Column("rotations", \.rotations), Column("events", \.events),
      Column("annotations", \.annotations), Column("dropped_batches", \.droppedBatches),
      Column("dropped_samples", \.droppedSamples),
      Column("dropped_rotations", \.droppedRotations), Column("floor_end", \.retainedEnd),
      Column("floor_sample", \.retainedSample), Column("floor_fix", \.retainedFix),
      Column("source", \.source), Column("source_sequence", \.sourceSequence),
      Column("source_places", \.sourcePlaceBytes), Column("confirmed_time", \.confirmedTime),
      Column("metered_day", \.meteredDay), Column("metered_bytes", \.meteredBytes),
      .dropped("checksum"),
    ])

  /// The user's number.
  var key: Int64 = 0
  /// The device's name in the units: 32 hexadecimal digits.
  var device = ""
  /// The number of the next unit of the device.
  var nextSequence = 0
  /// The running number of the next row of `units`, which is never used twice.
  var nextUnit = 0
  /// How many of the user's batches, rotation rates in them, and events are in units.
  var batches = 0, rotations = 0, events = 0
  /// The digest of the annotations that the last unit with any has.
  var annotations: [UInt8]?
  /// The batches from the first one on whose blocks were dropped, and what was in them.
  var droppedBatches = 0, droppedSamples = 0, droppedRotations = 0
  /// Up to where days are kept for ever, because the samples before it were dropped, and the
  /// positions from which they are computed after it.
  var retainedEnd: Timestamp?
  var retainedSample = 0, retainedFix = 0
  /// The device whose units were appended; nil for a user who has none.
  var source: String?
  /// The number of the next unit to append.
  var sourceSequence = 0
  private var sourcePlaceBytes: [UInt8]?
  /// When a unit was confirmed last.
  var confirmedTime: Timestamp?
  /// A day, and how many bytes were sent over a metered network on it.
  var meteredDay = 0, meteredBytes = 0

  /// Begins a new stream of units, the first of which has all edits and places.
  mutating func beginDevice() {
    // 128 random bits: two devices get the same with a probability below 10⁻²⁰ even among 10⁹.
    device = Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0...UInt8.max) })
    nextSequence = 0
    annotations = nil
  }

  /// Whether the raw samples of a unit were dropped, so that only the archive has them.
  func hasDropped(_ unit: UnitStatus) -> Bool {
    unit.batches > 0 && unit.firstBatch + unit.batches <= droppedBatches
  }

  /// What is known of the device's places; nil for a user to whom no units were appended.
  var placesOfSource: SourcePlaces? {
    source == nil ? nil : sourcePlaces ?? SourcePlaces(UnitAnnotations())
  }

  /// What the last appended annotations tell of places; nil before there were any.
  var sourcePlaces: SourcePlaces? {
    get { sourcePlaceBytes.flatMap { try? SourcePlaces(decoding: $0) } }
    set { sourcePlaceBytes = newValue?.encoded() }
  }

  var isValid: Bool {
    let counts = [
      nextSequence, nextUnit, batches, rotations, events, droppedBatches, droppedSamples,
      droppedRotations, retainedSample, retainedFix, sourceSequence, meteredBytes,
    ]
    return counts.allSatisfy { 0..<1 << Int(StoreFormat.indexBits) ~= $0 }
      && (sourcePlaceBytes == nil || sourcePlaces != nil)
  }
}

/// What a device has told of its places, besides the places themselves.
struct SourcePlaces: UnitCodable {
  /// The number of the device's next place: those from it on were learned here.
  private(set) var next = 0
  var exceptions: [StayException] = []

  init() {}

  init(_ annotations: UnitAnnotations) {
    next = annotations.nextPlace
    exceptions = annotations.exceptions
  }

  mutating func pass(through coder: inout UnitCoder) throws(UnitError) {
    try coder.pass(count: &next, "the number of the next place")
    try coder.pass(exceptions: &exceptions)
  }
}

extension UserJournal {
  /// How much of a user's recording is in units.
  func uploadRecord(_ user: UserRecord) throws(JournalError) -> UploadRecord {
    try connection.row(user.number, orElse: "the table of uploads")
  }
}
