package import LocomotionSensing

/// The row of the table `store`.
package struct StoreRecord {
  var identity: Int64
  package var users: Int
  var nextUser: Int64

  package static let columns = "identity, users, next_user"

  init(identity: Int64) {
    self.identity = identity
    users = 0
    nextUser = 1
  }

  package init(_ row: SQLiteRow) throws(JournalError) {
    identity = try row.integer(0)
    users = Int(try row.integer(1))
    nextUser = try row.integer(2)
  }

  func write(to connection: SQLiteConnection) throws(JournalError) {
    try connection.run(
      "INSERT OR REPLACE INTO store (id, identity, users, next_user) VALUES (1,?,?,?)",
      [.integer(identity), .integer(Int64(users)), .integer(nextUser)])
  }
}

/// A row of the table `users`: a user's name and row counts.
package struct UserRecord {
  package var number: Int64
  package var name: String
  package var batches = 0
  package var samples = 0
  package var rotations = 0
  package var fixes = 0
  package var events = 0

  package static let columns = "id, name, batches, samples, rotations, fixes, events"

  init(number: Int64, name: String) {
    self.number = number
    self.name = name
  }

  /// Nil when a count is below zero.
  package init?(_ row: SQLiteRow) throws(JournalError) {
    number = try row.integer(0)
    guard let name = row.text(1) else { return nil }
    self.name = name
    batches = Int(try row.integer(2))
    samples = Int(try row.integer(3))
    rotations = Int(try row.integer(4))
    fixes = Int(try row.integer(5))
    events = Int(try row.integer(6))
    guard [batches, samples, rotations, fixes, events].allSatisfy({ $0 >= 0 }) else { return nil }
  }

  package func write(to connection: SQLiteConnection) throws(JournalError) {
    let counts = [batches, samples, rotations, fixes, events].map { SQLiteValue.integer(Int64($0)) }
    try connection.run(
      "INSERT OR REPLACE INTO users (\(Self.columns)) VALUES (?,?,?,?,?,?,?)",
      [.integer(number), .text(name)] + counts)
  }
}

/// A row of the table `batches`.
package struct BatchRecord: Equatable {
  package var key: Int64
  var firstSample: Int
  package var samples: Int
  var rotations: Int
  var firstFix: Int
  var fixes: Int
  /// The checksum inside the batch's block; 0 when the batch has none.
  package var blockChecksum: UInt32 = 0

  package static let columns =
    "id, first_sample, samples, rotations, first_fix, fixes, block_checksum"

  var sampleRange: Range<Int> { firstSample..<firstSample + samples }
  package var fixRange: Range<Int> { firstFix..<firstFix + fixes }
  /// A block of pressures alone shows by its checksum: their number is in the block only.
  package var hasBlock: Bool { samples > 0 || rotations > 0 || blockChecksum != 0 }

  init(
    key: Int64, firstSample: Int, samples: Int, rotations: Int, firstFix: Int, fixes: Int
  ) {
    self.key = key
    self.firstSample = firstSample
    self.samples = samples
    self.rotations = rotations
    self.firstFix = firstFix
    self.fixes = fixes
  }

  /// Nil when the counts are out of range.
  package init?(_ row: SQLiteRow) throws(JournalError) {
    key = try row.integer(0)
    let counts = [
      try row.integer(1), try row.integer(2), try row.integer(3), try row.integer(4),
      try row.integer(5),
    ]
    guard counts.allSatisfy({ 0..<(1 << StoreFormat.indexBits) ~= $0 }) else { return nil }
    firstSample = Int(counts[0])
    samples = Int(counts[1])
    rotations = Int(counts[2])
    firstFix = Int(counts[3])
    fixes = Int(counts[4])
    blockChecksum = UInt32(truncatingIfNeeded: try row.integer(6))
  }

  func write(to connection: SQLiteConnection) throws(JournalError) {
    let counts = [firstSample, samples, rotations, firstFix, fixes].map { Int64($0) }
    try connection.run(
      "INSERT OR REPLACE INTO batches (\(Self.columns)) VALUES (?,?,?,?,?,?,?)",
      ([key] + counts + [Int64(blockChecksum)]).map { .integer($0) })
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
        + fix.quantities.map { SQLiteValue($0) })
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
