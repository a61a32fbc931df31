package import LocomotionSensing

/// The row of the table `store`.
package struct StoreRecord: StoredRow {
  package static let layout = RowLayout<Self>(
    "store", Self(),
    [
      Column("id", \.key), Column("identity", \.identity), Column("users", \.users),
      Column("next_user", \.nextUser),
    ])

  package var key: Int64 = 1
  var identity: Int64 = 0
  package var users = 0
  var nextUser: Int64 = 1

  init() {}
}

/// A row of the table `users`: a user's name and row counts.
package struct UserRecord: StoredRow {
  package static let layout = RowLayout<Self>(
    "users", Self(),
    [
      Column("id", \.number), Column("name", \.name), Column("batches", \.batches),
      Column("samples", \.samples), Column("rotations", \.rotations), Column("fixes", \.fixes),
      Column("events", \.events),
    ]
  ) { $0.isValid }

  package var number: Int64 = 0
  package var name = ""
  package var batches = 0
  package var samples = 0
  package var rotations = 0
  package var fixes = 0
  package var events = 0

  package var key: Int64 { number }
  var isValid: Bool {
    [batches, samples, rotations, fixes, events].allSatisfy { $0 >= 0 }
  }

  init() {}
}

/// A row of the table `batches`.
package struct BatchRecord: StoredRow, Equatable {
  package static let layout = RowLayout<Self>(
    "batches", Self(),
    [
      Column("id", \.key), Column("first_sample", \.firstSample), Column("samples", \.samples),
      Column("rotations", \.rotations), Column("first_fix", \.firstFix), Column("fixes", \.fixes),
      Column("block_checksum", \.blockChecksum),
    ]
  ) { $0.isValid }

  package var key: Int64 = 0
  var firstSample = 0
  package var samples = 0
  var rotations = 0
  var firstFix = 0
  var fixes = 0
  /// The checksum inside the batch's block; 0 when the batch has none.
  package var blockChecksum: UInt32 = 0

  var sampleRange: Range<Int> { firstSample..<firstSample + samples }
  package var fixRange: Range<Int> { firstFix..<firstFix + fixes }
  /// A block of pressures alone shows by its checksum: their number is in the block only.
  package var hasBlock: Bool { samples > 0 || rotations > 0 || blockChecksum != 0 }
  var isValid: Bool {
    [firstSample, samples, rotations, firstFix, fixes].allSatisfy {
      0..<(1 << StoreFormat.indexBits) ~= Int64($0)
    }
  }

  init() {}

  /// A batch whose data follow all that a user has.
  init(after user: UserRecord, samples: Int, rotations: Int, firstFix: Int, fixes: Int) {
    key = StoreFormat.key(user: user.number, index: user.batches)
    firstSample = user.samples
    self.samples = samples
    self.rotations = rotations
    self.firstFix = firstFix
    self.fixes = fixes
  }
}

/// The rows of the table `fixes`.
package enum FixRecord {
  package static let columns = """
    id, time, latitude, longitude, altitude, horizontal_accuracy, vertical_accuracy, speed, \
    speed_accuracy, course, course_accuracy
    """

  static func write(
    _ fix: LocationFix, key: Int64, to connection: SQLiteConnection
  ) throws(JournalError) {
    try connection.run(
      "INSERT INTO fixes (\(columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
      [.integer(key), .integer(fix.timestamp.nanoseconds)]
        + fix.quantities.map(\.stored))
  }

  package static func read(_ row: SQLiteRow) throws(JournalError) -> (key: Int64, fix: LocationFix)
  {
    let values = (2...10).map { row.real($0) }
    return (
      try row.integer(0), fix(at: Timestamp(nanoseconds: try row.integer(1)), values)
    )
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
