import LocomotionSensing

struct StoreRecord: StoredRow {
  static let layout = RowLayout<Self>(
    "store",
    [
      .key(\.key, " CHECK (id = 1)"), Column("identity", \.identity), Column("users", \.users),
      Column("next_user", \.nextUser), .dropped("checksum"),
    ])

  var key: Int64 = 1
  var identity: Int64 = 0
  var users = 0
  var nextUser: Int64 = 1
}

/// A row of the table `users`: a user's name and row counts.
@dynamicMemberLookup struct UserRecord: StoredRow {
  static let layout = RowLayout<Self>(
    "users",
    [
      .key(\.number), Column("name", \.name), Column("batches", \.batches),
      Column("samples", \.counts.samples), Column("rotations", \.counts.rotationRates),
      Column("fixes", \.counts.fixes), Column("events", \.counts.events), .dropped("chain"),
      .dropped("fix_chain"), .dropped("event_chain"), .dropped("checksum"),
    ])

  var number: Int64 = 0
  var name = ""
  var batches = 0
  var counts = JournalCounts()

  var key: Int64 { number }
  var isValid: Bool {
    [batches, counts.samples, counts.rotationRates, counts.fixes, counts.events]
      .allSatisfy { $0 >= 0 }
  }

  subscript(dynamicMember path: WritableKeyPath<JournalCounts, Int>) -> Int {
    get { counts[keyPath: path] }
    set { counts[keyPath: path] = newValue }
  }
}

struct BatchRecord: StoredRow, Equatable {
  static let layout = RowLayout<Self>(
    "batches",
    [
      .key(\.key), Column("first_sample", \.firstSample), Column("samples", \.samples),
      Column("rotations", \.rotations), Column("first_fix", \.firstFix), Column("fixes", \.fixes),
      Column("block_checksum", \.blockChecksum), .dropped("fix_chain"), .dropped("chain"),
    ])

  var key: Int64 = 0
  var firstSample = 0
  var samples = 0
  var rotations = 0
  var firstFix = 0
  var fixes = 0
  /// The checksum inside the batch's block; 0 when the batch has none.
  var blockChecksum: UInt32 = 0

  var sampleRange: Range<Int> { firstSample..<firstSample + samples }
  var fixRange: Range<Int> { firstFix..<firstFix + fixes }
  /// A block of pressures alone shows by its checksum: their number is in the block only.
  var hasBlock: Bool { samples > 0 || rotations > 0 || blockChecksum != 0 }
  var isValid: Bool {
    [firstSample, samples, rotations, firstFix, fixes].allSatisfy {
      0..<(1 << StoreFormat.indexBits) ~= Int64($0)
    }
  }
}

/// A row of the table `blocks`: the encoded samples of a batch.
struct BlockRecord: StoredRow {
  static let layout = RowLayout<Self>(
    "blocks", verb: "INSERT", [.key(\.key), Column("data", \.data)])

  var key: Int64 = 0
  var data: [UInt8] = []
}

/// A row of the table `fixes`.
///
/// There are many of them, so that they are read and bound without key paths.
struct FixRecord: StoredRow {
  static let layout = RowLayout<Self>(
    "fixes", verb: "INSERT",
    [.key(\.key), Column("time", Timestamp.declaration)]
      + [
        "latitude", "longitude", "altitude", "horizontal_accuracy", "vertical_accuracy", "speed",
        "speed_accuracy", "course", "course_accuracy",
      ].map { Column($0, Double?.declaration) })

  var key: Int64 = 0
  var fix: LocationFix

  var values: [SQLiteValue] {
    [.integer(key), fix.timestamp.stored] + fix.quantities.map(\.stored)
  }

  init() {
    fix = Self.fix(at: .blank, [Double?](repeating: nil, count: 9))
  }

  init(key: Int64, _ fix: LocationFix) {
    self.key = key
    self.fix = fix
  }

  init?(_ row: SQLiteRow) throws(JournalError) {
    let values = (2...10).map { row.real($0) }
    self.init(
      key: try row.integer(0),
      Self.fix(at: Timestamp(nanoseconds: try row.integer(1)), values))
  }

  /// The fix with these quantities, in the order of the columns.
  static func fix(at timestamp: Timestamp, _ values: [Double?]) -> LocationFix {
    var fix = LocationFix(
      timestamp: timestamp, latitude: values[0] ?? .nan, longitude: values[1] ?? .nan)
    // Not through the initializer, which would replace invalid values and hide damage.
    fix.altitude = values[2]
    fix.horizontalAccuracy = values[3]
    fix.verticalAccuracy = values[4]
    fix.speed = values[5]
    fix.speedAccuracy = values[6]
    fix.course = values[7]
    fix.courseAccuracy = values[8]
    return fix
  }
}
