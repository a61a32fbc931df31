import LocomotionSensing

/// A row of the table `uploads`: how much of one user's recording is in units.
package struct UploadRecord: StoredRow {
  package static let table = "uploads"
  package static let columns = """
    id, device, next_sequence, next_unit, batches, rotations, events, \
    annotations, dropped_batches, dropped_samples, dropped_rotations, floor_end, floor_sample, \
    floor_fix, source, source_sequence, source_places, confirmed_time, metered_day, \
    metered_bytes
    """
  package static let insertion = statement(columns: 20)

  /// The user's number.
  package let key: Int64
  /// The device's name in the units: 32 hexadecimal digits.
  package var device: String
  /// The number of the next unit of the device.
  var nextSequence = 0
  /// The running number of the next row of `units`, which is never used twice.
  package var nextUnit = 0
  /// How many of the user's batches, rotation rates in them, and events are in units.
  package var batches = 0, rotations = 0, events = 0
  /// The digest of the annotations that the last unit with any has.
  var annotations: [UInt8]?
  /// The batches from the first one on whose blocks were dropped, and what was in them.
  package var droppedBatches = 0, droppedSamples = 0, droppedRotations = 0
  /// Up to where days are kept for ever, because the samples before it were dropped, and the
  /// positions from which they are computed after it.
  var floorEnd: Timestamp?
  var floorSample = 0, floorFix = 0
  /// The device whose units were appended; nil for a user who has none.
  var source: String?
  /// The number of the next unit to append.
  var sourceSequence = 0
  /// What the last appended annotations tell of places; nil before there were any.
  var sourcePlaces: SourcePlaces?
  /// When a unit was confirmed last.
  var confirmedTime: Timestamp?
  /// A day, and how many bytes were sent over a metered network on it.
  var meteredDay = 0, meteredBytes = 0

  init(user: Int64) {
    key = user
    device = Self.newDevice()
  }

  /// 128 random bits: two devices get the same with a probability below 10⁻²⁰ even among 10⁹.
  static func newDevice() -> String {
    var bytes: [UInt8] = []
    for _ in 0..<2 { bytes.append(littleEndian: .random(in: 0...UInt64.max), byteCount: 8) }
    return UnitContent.hexadecimal(bytes)
  }

  /// Whether the raw samples of a unit were dropped, so that only the archive has them.
  package func hasDropped(_ unit: UnitRecord) -> Bool {
    unit.batches > 0 && unit.firstBatch + unit.batches <= droppedBatches
  }

  /// What is known of the device's places; nil for a user to whom no units were appended.
  var placesOfSource: SourcePlaces? {
    source == nil ? nil : sourcePlaces ?? SourcePlaces(UnitAnnotations())
  }

  package init?(_ row: SQLiteRow) throws(JournalError) {
    guard let device = row.text(1) else { return nil }
    key = try row.integer(0)
    self.device = device
    nextSequence = Int(try row.integer(2))
    nextUnit = Int(try row.integer(3))
    batches = Int(try row.integer(4))
    rotations = Int(try row.integer(5))
    events = Int(try row.integer(6))
    annotations = row.blob(7)
    droppedBatches = Int(try row.integer(8))
    droppedSamples = Int(try row.integer(9))
    droppedRotations = Int(try row.integer(10))
    floorEnd = row.optionalInteger(11).map { Timestamp(nanoseconds: $0) }
    floorSample = Int(try row.integer(12))
    floorFix = Int(try row.integer(13))
    source = row.text(14)
    sourceSequence = Int(try row.integer(15))
    if let bytes = row.blob(16) {
      guard let places = try? SourcePlaces(bytes) else { return nil }
      sourcePlaces = places
    }
    confirmedTime = row.optionalInteger(17).map { Timestamp(nanoseconds: $0) }
    meteredDay = Int(try row.integer(18))
    meteredBytes = Int(try row.integer(19))
  }

  package var values: [SQLiteValue] {
    let counts = [nextSequence, nextUnit, batches, rotations, events]
    let dropped = [droppedBatches, droppedSamples, droppedRotations]
    return [.text(device)] + counts.map { .integer(Int64($0)) }
      + [annotations.map { .blob($0) } ?? .null] + dropped.map { .integer(Int64($0)) }
      + [
        floorEnd.map { .integer($0.nanoseconds) } ?? .null, .integer(Int64(floorSample)),
        .integer(Int64(floorFix)), source.map { .text($0) } ?? .null,
        .integer(Int64(sourceSequence)),
        sourcePlaces.map { .blob($0.encoded()) } ?? .null,
        confirmedTime.map { .integer($0.nanoseconds) } ?? .null, .integer(Int64(meteredDay)),
        .integer(Int64(meteredBytes)),
      ]
  }
}

/// What a device has told of its places, besides the places themselves.
struct SourcePlaces {
  /// The number of the device's next place: those from it on were learned here.
  var next: Int
  var exceptions: [StayException]

  init(_ annotations: UnitAnnotations) {
    next = annotations.nextPlace
    exceptions = annotations.exceptions
  }

  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(count: next)
    StayException.encode(exceptions, into: &bytes)
    return bytes
  }

  init(_ bytes: [UInt8]) throws(UnitError) {
    var reader = try UnitReader(bytes, from: 0, to: bytes.count)
    next = try reader.count("the number of the next place")
    exceptions = try StayException.decode(from: &reader)
  }
}

extension UserJournal {
  /// How much of a user's recording is in units; nothing in a file of an older version.
  package func uploadRecord(_ user: UserRecord) throws(JournalError) -> UploadRecord {
    try connection.uploadRecord(ofUser: user.number)
  }
}

extension SQLiteConnection {
  func uploadRecord(ofUser number: Int64) throws(JournalError) -> UploadRecord {
    guard hasUnits else { return UploadRecord(user: number) }
    var record: UploadRecord?
    try forEach(
      "SELECT \(UploadRecord.columns) FROM uploads WHERE id = ?", [.integer(number)]
    ) { (row: SQLiteRow) throws(JournalError) in
      record = try UploadRecord(row)
      return false
    }
    guard let record else { throw .damaged(path: path, what: "the table of uploads") }
    return record
  }
}
