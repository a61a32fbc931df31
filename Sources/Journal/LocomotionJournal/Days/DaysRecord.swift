package import LocomotionSensing

/// The number of a user's rows of one kind and the sum of their checksums, in whatever order.
///
/// Places, items and remarks are changed and deleted, unlike samples, so that no chained checksum
/// can cover them. A changed row fails its own checksum; a missing or duplicated one breaks the
/// sum.
package struct RowTotals: Hashable {
  package var count = 0
  package var sum: UInt32 = 0

  package init(count: Int = 0, sum: UInt32 = 0) {
    self.count = count
    self.sum = sum
  }

  package mutating func add(_ checksum: UInt32) {
    count += 1
    sum &+= checksum
  }

  package mutating func remove(_ checksum: UInt32) {
    count -= 1
    sum &-= checksum
  }
}

/// A row of the table `days`: the totals of one user's places, items and remarks.
package struct DaysRecord {
  package let user: Int64
  package var places = RowTotals()
  /// The number of the next new place; numbers are never used twice.
  package var nextPlace = 0
  package var items = RowTotals()
  package var remarks = RowTotals()
  /// The number of samples and fixes that the items cover.
  package var samples = 0, fixes = 0
  /// The positions from which the recording must be read again for the items that may change.
  package var resumeSample = 0, resumeFix = 0
  /// The end of the final items; nil while there is none.
  package var finalEnd: Timestamp?

  package static let columns = """
    id, places, next_place, place_sum, items, item_sum, remarks, remark_sum, samples, fixes, \
    resume_sample, resume_fix, final_end, checksum
    """

  private var numbers: [Int64] {
    [
      user, Int64(places.count), Int64(nextPlace), Int64(places.sum), Int64(items.count),
      Int64(items.sum), Int64(remarks.count), Int64(remarks.sum), Int64(samples), Int64(fixes),
      Int64(resumeSample), Int64(resumeFix),
    ]
  }

  private var checksum: Int64 {
    var checksum = Checksum()
    for number in numbers { checksum.add(number) }
    checksum.add([finalEnd == nil ? 0 : 1] as [UInt8])
    checksum.add(finalEnd?.nanoseconds ?? 0)
    return Int64(checksum.value)
  }

  package init(user: Int64) {
    self.user = user
  }

  /// Nil when the row fails its checksum.
  package init?(_ row: SQLiteRow) throws(JournalError) {
    func totals(_ column: Int, _ sum: Int) throws(JournalError) -> RowTotals {
      RowTotals(
        count: Int(try row.integer(column)),
        sum: UInt32(truncatingIfNeeded: try row.integer(sum)))
    }
    user = try row.integer(0)
    places = try totals(1, 3)
    nextPlace = Int(try row.integer(2))
    items = try totals(4, 5)
    remarks = try totals(6, 7)
    samples = Int(try row.integer(8))
    fixes = Int(try row.integer(9))
    resumeSample = Int(try row.integer(10))
    resumeFix = Int(try row.integer(11))
    finalEnd = row.optionalInteger(12).map { Timestamp(nanoseconds: $0) }
    guard try row.integer(13) == checksum else { return nil }
  }

  package func write(to connection: SQLiteConnection) throws(JournalError) {
    let end = finalEnd.map { SQLiteValue.integer($0.nanoseconds) } ?? .null
    try connection.run(
      "INSERT OR REPLACE INTO days (\(Self.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      numbers.map { .integer($0) } + [end, .integer(checksum)])
  }
}

extension UserJournal {
  package func daysRecord(_ user: UserRecord) throws(JournalError) -> DaysRecord {
    var record: DaysRecord?
    try connection.forEach(
      "SELECT \(DaysRecord.columns) FROM days WHERE id = ?", [.integer(user.number)]
    ) { (row: SQLiteRow) throws(JournalError) in
      record = try DaysRecord(row)
      return false
    }
    guard let record else { throw damage("the table of days") }
    return record
  }

  /// All rows of one kind, verified against their checksums and their total.
  package func rows<Record: StoredRow>(_ totals: RowTotals) throws(JournalError) -> [Record] {
    var result: [Record] = []
    var found = RowTotals()
    let keys = StoreFormat.keys(ofUser: number)
    let columns = Record.columns(ofVersion: connection.version)
    try connection.forEach(
      "SELECT \(columns) FROM \(Record.table) WHERE id >= ? AND id < ? ORDER BY id", keys
    ) { (row: SQLiteRow) throws(JournalError) in
      guard let record = try Record(row) else { throw damage("a row of \(Record.table)") }
      found.add(record.checksum)
      result.append(record)
      return true
    }
    guard found == totals else { throw damage("the table of \(Record.table)") }
    return result
  }

  package func checkDays(of user: UserRecord, _ report: inout JournalReport) {
    do throws(JournalError) {
      let days = try daysRecord(user)
      let _: [PlaceRecord] = try rows(days.places)
      let _: [ItemRecord] = try rows(days.items)
      let _: [RemarkRecord] = try rows(days.remarks)
    } catch {
      report.add(error, "user \(user.number)")
    }
  }
}

extension Journal {
  /// The number of rows that the tables of days must have.
  package func strangersOfDays(_ users: [UserRecord]) throws(JournalError) -> [(String, Int)] {
    var counts = (0, 0, 0)
    for user in users {
      let days = try UserJournal(self, user).daysRecord(user)
      counts.0 += days.places.count
      counts.1 += days.items.count
      counts.2 += days.remarks.count
    }
    return [("places", counts.0), ("items", counts.1), ("remarks", counts.2)]
  }
}

/// A row with a checksum of its own.
package protocol StoredRow {
  static var table: String { get }
  static var columns: String { get }
  /// The statement that writes a row, in the order of ``columns``.
  static var insertion: String { get }
  var key: Int64 { get }
  var values: [SQLiteValue] { get }
  /// The values that the checksum covers: all, or all but the last ones.
  var checkedValues: ArraySlice<SQLiteValue> { get }
  /// The columns in a file of a version.
  static func columns(ofVersion version: Int) -> String
  var checksum: UInt32 { get }

  /// Nil when the row fails its checksum.
  init?(_ row: SQLiteRow) throws(JournalError)
}

extension StoredRow {
  /// The statement that writes a row with this number of columns.
  package static func statement(columns count: Int) -> String {
    let marks = Array(repeating: "?", count: count).joined(separator: ",")
    return "INSERT OR REPLACE INTO \(table) (\(columns)) VALUES (\(marks))"
  }

  package var checkedValues: ArraySlice<SQLiteValue> { values[...] }

  package static func columns(ofVersion version: Int) -> String { columns }

  /// The checksum of the key and the values, as SQLite stores them.
  package var checksum: UInt32 {
    var checksum = Checksum()
    checksum.add(key)
    for value in checkedValues {
      switch value {
      case .null: checksum.add(CollectionOfOne(0))
      case .integer(let number):
        checksum.add(CollectionOfOne(1))
        checksum.add(number)
      case .real(let number): checksum.add(number)
      case .text(let text):
        checksum.add(Int64(text.utf8.count))
        checksum.add(text.utf8)
      case .blob(let bytes): checksum.add(bytes)
      }
    }
    return checksum.value
  }

  package func write(to connection: SQLiteConnection) throws(JournalError) {
    try connection.run(Self.insertion, [.integer(key)] + values + [.integer(Int64(checksum))])
  }
}
