import LocomotionSensing

/// A row of the table `days`: what of one user's recording is told in items.
package struct DaysRecord {
  let user: Int64
  /// The number of the next new place; numbers are never used twice.
  package var nextPlace = 0
  /// The number of items.
  var items = 0
  /// The number of samples and fixes that the items cover.
  var samples = 0, fixes = 0
  /// The positions from which the recording must be read again for the items that may change.
  var resumeSample = 0, resumeFix = 0
  /// The end of the final items; nil while there is none.
  var finalEnd: Timestamp?

  static let columns = """
    id, next_place, items, samples, fixes, resume_sample, resume_fix, final_end
    """

  init(user: Int64) {
    self.user = user
  }

  /// Nil when a count is below zero.
  init?(_ row: SQLiteRow) throws(JournalError) {
    user = try row.integer(0)
    nextPlace = Int(try row.integer(1))
    items = Int(try row.integer(2))
    samples = Int(try row.integer(3))
    fixes = Int(try row.integer(4))
    resumeSample = Int(try row.integer(5))
    resumeFix = Int(try row.integer(6))
    finalEnd = row.optionalInteger(7).map { Timestamp(nanoseconds: $0) }
    guard numbers.allSatisfy({ $0 >= 0 }) else { return nil }
  }

  private var numbers: [Int] { [nextPlace, items, samples, fixes, resumeSample, resumeFix] }

  package func write(to connection: SQLiteConnection) throws(JournalError) {
    let end = finalEnd.map { SQLiteValue.integer($0.nanoseconds) } ?? .null
    try connection.run(
      "INSERT OR REPLACE INTO days (\(Self.columns)) VALUES (?,?,?,?,?,?,?,?)",
      [.integer(user)] + numbers.map { .integer(Int64($0)) } + [end])
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

  /// All rows of one kind.
  func rows<Record: StoredRow>() throws(JournalError) -> [Record] {
    var result: [Record] = []
    guard connection.hasUnits || Record.table != UnitRecord.table else { return result }
    let keys = StoreFormat.keys(ofUser: number)
    let columns = Record.columns(ofVersion: connection.version)
    try connection.forEach(
      "SELECT \(columns) FROM \(Record.table) WHERE id >= ? AND id < ? ORDER BY id", keys
    ) { (row: SQLiteRow) throws(JournalError) in
      guard let record = try Record(row) else { throw damage("a row of \(Record.table)") }
      result.append(record)
      return true
    }
    return result
  }

  func checkDays(of user: UserRecord, _ report: inout JournalReport) {
    do throws(JournalError) {
      let days = try daysRecord(user)
      let _: [PlaceRecord] = try rows()
      let items: [ItemRecord] = try rows()
      let _: [RemarkRecord] = try rows()
      guard items.count == days.items else { throw damage("the table of items") }
    } catch {
      report.add(error, "user \(user.number)")
    }
  }
}

/// A row of a table of which a user has any number of rows.
package protocol StoredRow {
  static var table: String { get }
  static var columns: String { get }
  /// The statement that writes a row, in the order of ``columns``.
  static var insertion: String { get }
  var key: Int64 { get }
  var values: [SQLiteValue] { get }
  /// The columns in a file of a version.
  static func columns(ofVersion version: Int) -> String

  /// Nil when the row is none that this package writes.
  init?(_ row: SQLiteRow) throws(JournalError)
}

extension StoredRow {
  /// The statement that writes a row with this number of columns.
  static func statement(columns count: Int) -> String {
    let marks = Array(repeating: "?", count: count).joined(separator: ",")
    return "INSERT OR REPLACE INTO \(table) (\(columns)) VALUES (\(marks))"
  }

  package static func columns(ofVersion version: Int) -> String { columns }

  package func write(to connection: SQLiteConnection) throws(JournalError) {
    try connection.run(Self.insertion, [.integer(key)] + values)
  }
}
