package import LocomotionSensing

/// A value that a column of a table holds.
protocol ColumnValue: Sendable {
  /// The value to bind.
  var stored: SQLiteValue { get }
  /// The value of a row's column; nil when it is none of this type.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when it should be a number and is not.
  static func read(_ row: SQLiteRow, _ column: Int) throws(JournalError) -> Self?
}

extension ColumnValue where Self: FixedWidthInteger {
  var stored: SQLiteValue { .integer(Int64(truncatingIfNeeded: self)) }

  static func read(_ row: SQLiteRow, _ column: Int) throws(JournalError) -> Self? {
    Self(truncatingIfNeeded: try row.integer(column))
  }
}

extension ColumnValue where Self: RawRepresentable<Int> {
  var stored: SQLiteValue { .integer(Int64(rawValue)) }

  static func read(_ row: SQLiteRow, _ column: Int) throws(JournalError) -> Self? {
    Self(rawValue: Int(try row.integer(column)))
  }
}

extension Int: ColumnValue {}
extension Int64: ColumnValue {}
extension UInt32: ColumnValue {}

extension Bool: ColumnValue {
  var stored: SQLiteValue { .integer(self ? 1 : 0) }

  static func read(_ row: SQLiteRow, _ column: Int) throws(JournalError) -> Bool? {
    try row.integer(column) != 0
  }
}

extension Double: ColumnValue {
  var stored: SQLiteValue {
    // SQLite stores no NaN, and drops the sign of zero.
    isNaN ? .null : .real(self == 0 ? 0 : self)
  }

  static func read(_ row: SQLiteRow, _ column: Int) -> Double? { row.real(column) }
}

extension Timestamp: ColumnValue {
  var stored: SQLiteValue { .integer(nanoseconds) }

  static func read(_ row: SQLiteRow, _ column: Int) throws(JournalError) -> Timestamp? {
    Timestamp(nanoseconds: try row.integer(column))
  }
}

extension String: ColumnValue {
  var stored: SQLiteValue { .text(self) }

  static func read(_ row: SQLiteRow, _ column: Int) -> String? { row.text(column) }
}

extension [UInt8]: ColumnValue {
  var stored: SQLiteValue { .blob(self) }

  static func read(_ row: SQLiteRow, _ column: Int) -> [UInt8]? { row.blob(column) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  var stored: SQLiteValue { self?.stored ?? .null }

  static func read(_ row: SQLiteRow, _ column: Int) -> Wrapped?? {
    .some(try? Wrapped.read(row, column))
  }
}

/// A column of the rows of a kind: its name, and how it is bound and read.
struct Column<Row>: Sendable {
  fileprivate let name: String
  fileprivate let value: @Sendable (Row) -> SQLiteValue
  /// Sets the column of a record from a row; false when it holds none that this package writes.
  fileprivate let read: @Sendable (inout Row, SQLiteRow, Int) throws(JournalError) -> Bool

  init<Value: ColumnValue>(_ name: String, _ path: any WritableKeyPath<Row, Value> & Sendable) {
    self.name = name
    value = { $0[keyPath: path].stored }
    read = { (record, row, column) throws(JournalError) in
      guard let value = try Value.read(row, column) else { return false }
      record[keyPath: path] = value
      return true
    }
  }
}

/// The table of the rows of a kind, its columns in order, and the statement that writes a row.
package struct RowLayout<Row: Sendable>: Sendable {
  package let table: String
  /// The names of the columns, separated by commas.
  package let names: String
  fileprivate let insertion: String
  fileprivate let columns: [Column<Row>]
  /// A record to read a row into; nil where rows are read and bound by their own code.
  fileprivate let empty: Row?
  /// Whether values fit together as those do that this package writes.
  fileprivate let isValid: @Sendable (Row) -> Bool

  /// A row replaces one with its key, or with `verb` `INSERT` is written only where there is none.
  init(
    _ table: String, _ empty: Row, verb: String = "INSERT OR REPLACE", _ columns: [Column<Row>],
    isValid: @escaping @Sendable (Row) -> Bool = { _ in true }
  ) {
    self.init(table, verb, columns.map(\.name), columns, empty, isValid)
  }

  /// A layout of rows that are read and bound by their own code.
  init(_ table: String, names: [String]) {
    self.init(table, "INSERT OR REPLACE", names, [], nil) { _ in true }
  }

  private init(
    _ table: String, _ verb: String, _ names: [String], _ columns: [Column<Row>], _ empty: Row?,
    _ isValid: @escaping @Sendable (Row) -> Bool
  ) {
    (self.empty, self.isValid) = (empty, isValid)
    self.table = table
    self.names = names.joined(separator: ", ")
    self.columns = columns
    let marks = names.map { _ in "?" }.joined(separator: ",")
    insertion = "\(verb) INTO \(table) (\(self.names)) VALUES (\(marks))"
  }
}

/// A row of a table.
package protocol StoredRow: Sendable {
  static var layout: RowLayout<Self> { get }
  /// The primary key.
  var key: Int64 { get }
  /// The values of the columns, in order.
  var values: [SQLiteValue] { get }
  /// The names of the columns in a file of a version.
  static func names(ofVersion version: Int) -> String

  /// Nil when the row is none that this package writes.
  init?(_ row: SQLiteRow) throws(JournalError)
}

extension StoredRow {
  package static func names(ofVersion version: Int) -> String { layout.names }

  package func write(to connection: SQLiteConnection) throws(JournalError) {
    try connection.run(Self.layout.insertion, values)
  }

  package var values: [SQLiteValue] { Self.layout.columns.map { $0.value(self) } }

  package init?(_ row: SQLiteRow) throws(JournalError) {
    let layout = Self.layout
    guard var record = layout.empty else { return nil }
    for (index, column) in layout.columns.enumerated() {
      guard try column.read(&record, row, index) else { return nil }
    }
    guard layout.isValid(record) else { return nil }
    self = record
  }
}

extension SQLiteConnection {
  /// The row with a key; nil when there is none that this package writes.
  func row<Row: StoredRow>(_ key: Int64) throws(JournalError) -> Row? {
    var record: Row?
    try forEach(
      "SELECT \(Row.names(ofVersion: version)) FROM \(Row.layout.table) WHERE id = ?",
      [.integer(key)]
    ) { (row: SQLiteRow) throws(JournalError) in
      record = try Row(row)
      return false
    }
    return record
  }

  /// The rows with keys from the first of two on and before the second, in order; all without.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` with `what` when one of them is none that this
  ///   package writes.
  func rows<Row: StoredRow>(
    _ keys: [SQLiteValue] = [], orElse what: String? = nil
  ) throws(JournalError) -> [Row] {
    var result: [Row] = []
    let (names, table) = (Row.names(ofVersion: version), Row.layout.table)
    let condition = keys.isEmpty ? "" : "WHERE id >= ? AND id < ? "
    try forEach("SELECT \(names) FROM \(table) \(condition)ORDER BY id", keys) {
      (row: SQLiteRow) throws(JournalError) in
      guard let record = try Row(row) else {
        throw .damaged(path: path, what: what ?? "a row of \(table)")
      }
      result.append(record)
      return true
    }
    return result
  }

  /// Deletes the row with a key, if there is one.
  func delete(_ key: Int64, from table: String) throws(JournalError) {
    try run("DELETE FROM \(table) WHERE id = ?", [.integer(key)])
  }
}
