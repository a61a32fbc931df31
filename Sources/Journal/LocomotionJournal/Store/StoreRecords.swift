package import LocomotionSensing

/// The row of the table `store`.
package struct StoreRecord {
  package var identity: Int64
  package var users: Int
  package var nextUser: Int64

  package var checksum: Int64 {
    var checksum = Checksum()
    for number in [identity, Int64(users), nextUser] { checksum.add(number) }
    return Int64(checksum.value)
  }

  package static let columns = "identity, users, next_user, checksum"

  package init(identity: Int64) {
    self.identity = identity
    users = 0
    nextUser = 1
  }

  package init?(_ row: SQLiteRow) throws(JournalError) {
    identity = try row.integer(0)
    users = Int(try row.integer(1))
    nextUser = try row.integer(2)
    guard try row.integer(3) == checksum else { return nil }
  }

  package func write(to connection: SQLiteConnection) throws(JournalError) {
    try connection.run(
      "INSERT OR REPLACE INTO store (id, identity, users, next_user, checksum) VALUES (1,?,?,?,?)",
      [.integer(identity), .integer(Int64(users)), .integer(nextUser), .integer(checksum)])
  }
}

/// A row of the table `users`: a user's row counts and the last values of the chained checksums.
package struct UserRecord {
  package var number: Int64
  package var name: String
  package var batches = 0
  package var samples = 0
  package var rotations = 0
  package var fixes = 0
  package var events = 0
  package var chain: UInt32 = 0
  package var fixChain: UInt32 = 0
  package var eventChain: UInt32 = 0

  package static let columns =
    "id, name, batches, samples, rotations, fixes, events, chain, fix_chain, event_chain, checksum"

  private var numbers: [Int64] {
    [
      Int64(batches), Int64(samples), Int64(rotations), Int64(fixes), Int64(events), Int64(chain),
      Int64(fixChain), Int64(eventChain),
    ]
  }

  private var checksum: Int64 {
    var checksum = Checksum()
    checksum.add(number)
    checksum.add(Array(name.utf8))
    for number in numbers { checksum.add(number) }
    return Int64(checksum.value)
  }

  package init(number: Int64, name: String) {
    self.number = number
    self.name = name
  }

  /// Nil when the row fails its checksum.
  package init?(_ row: SQLiteRow) throws(JournalError) {
    number = try row.integer(0)
    guard let name = row.text(1) else { return nil }
    self.name = name
    batches = Int(try row.integer(2))
    samples = Int(try row.integer(3))
    rotations = Int(try row.integer(4))
    fixes = Int(try row.integer(5))
    events = Int(try row.integer(6))
    chain = UInt32(truncatingIfNeeded: try row.integer(7))
    fixChain = UInt32(truncatingIfNeeded: try row.integer(8))
    eventChain = UInt32(truncatingIfNeeded: try row.integer(9))
    guard try row.integer(10) == checksum else { return nil }
  }

  package func write(to connection: SQLiteConnection) throws(JournalError) {
    let values: [SQLiteValue] =
      [.integer(number), .text(name)] + (numbers + [checksum]).map { .integer($0) }
    try connection.run(
      "INSERT OR REPLACE INTO users (\(Self.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?)", values)
  }
}

/// A row of the table `batches`.
package struct BatchRecord {
  package var key: Int64
  package var firstSample: Int
  package var samples: Int
  package var rotations: Int
  package var firstFix: Int
  package var fixes: Int
  /// The checksum inside the batch's block; 0 when the batch has none.
  package var blockChecksum: UInt32 = 0
  /// The chained checksum of the fixes up to the end of this batch.
  package var fixChain: UInt32 = 0
  /// The chained checksum of the batches up to this one.
  package var chain: UInt32 = 0

  package static let columns =
    "id, first_sample, samples, rotations, first_fix, fixes, block_checksum, fix_chain, chain"

  package var sampleRange: Range<Int> { firstSample..<firstSample + samples }
  package var fixRange: Range<Int> { firstFix..<firstFix + fixes }
  /// A block of pressures alone shows by its checksum: their number is in the block only.
  package var hasBlock: Bool { samples > 0 || rotations > 0 || blockChecksum != 0 }

  private var numbers: [Int64] {
    [
      key, Int64(firstSample), Int64(samples), Int64(rotations), Int64(firstFix), Int64(fixes),
      Int64(blockChecksum), Int64(fixChain),
    ]
  }

  /// The value of ``chain`` when that of the batch before is `previous`.
  package func link(following previous: UInt32) -> UInt32 {
    var checksum = Checksum(following: previous)
    for number in numbers { checksum.add(number) }
    return checksum.value
  }

  package init(
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
    fixChain = UInt32(truncatingIfNeeded: try row.integer(7))
    chain = UInt32(truncatingIfNeeded: try row.integer(8))
  }

  package func write(to connection: SQLiteConnection) throws(JournalError) {
    try connection.run(
      "INSERT INTO batches (\(Self.columns)) VALUES (?,?,?,?,?,?,?,?,?)",
      (numbers + [Int64(chain)]).map { .integer($0) })
  }
}

/// The rows of the table `fixes`.
package enum FixRecord {
  package static let columns = """
    id, time, latitude, longitude, altitude, horizontal_accuracy, vertical_accuracy, speed, \
    speed_accuracy, course, course_accuracy
    """

  package static func quantities(_ fix: LocationFix) -> [Double?] {
    [
      fix.latitude, fix.longitude, fix.altitude, fix.horizontalAccuracy, fix.verticalAccuracy,
      fix.speed, fix.speedAccuracy, fix.course, fix.courseAccuracy,
    ]
  }

  package static func write(
    _ fix: LocationFix, key: Int64, to connection: SQLiteConnection
  ) throws(JournalError) {
    try connection.run(
      "INSERT INTO fixes (\(columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
      [.integer(key), .integer(fix.timestamp.nanoseconds)]
        + quantities(fix).map { SQLiteValue($0) })
  }

  package static func read(_ row: SQLiteRow) throws(JournalError) -> (key: Int64, fix: LocationFix)
  {
    let values = (2...10).map { row.real($0) }
    return (
      try row.integer(0), fix(at: Timestamp(nanoseconds: try row.integer(1)), values)
    )
  }

  /// The fix with these quantities, in the order of the columns.
  package static func fix(at timestamp: Timestamp, _ values: [Double?]) -> LocationFix {
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

  /// The chained checksum of the fixes up to this one.
  package static func link(_ fix: LocationFix, key: Int64, following previous: UInt32) -> UInt32 {
    var checksum = Checksum(following: previous)
    checksum.add(key)
    checksum.add(fix.timestamp.nanoseconds)
    for quantity in quantities(fix) {
      // As SQLite stores it: without NaN, and zero without a sign.
      checksum.add(quantity.flatMap { $0.isNaN ? nil : $0 == 0 ? 0 : $0 })
    }
    return checksum.value
  }
}
