package import LocomotionSensing

/// A value that a column of a table holds.
protocol ColumnValue: Sendable {
  /// The type and constraint of a column of such values.
  static var declaration: String { get }
  var stored: SQLiteValue { get }
  /// The value of a row's column; nil when it is none of this type.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when it should be a number and is not.
  static func read(_ row: SQLiteRow, _ column: Int) throws(JournalError) -> Self?
}

extension ColumnValue {
  static var declaration: String { "INTEGER NOT NULL" }
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
  static var declaration: String { "REAL NOT NULL" }

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
  static var declaration: String { "TEXT NOT NULL" }

  var stored: SQLiteValue { .text(self) }

  static func read(_ row: SQLiteRow, _ column: Int) -> String? { row.text(column) }
}

extension [UInt8]: ColumnValue {
  static var declaration: String { "BLOB NOT NULL" }

  var stored: SQLiteValue { .blob(self) }

  static func read(_ row: SQLiteRow, _ column: Int) -> [UInt8]? { row.blob(column) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  static var declaration: String { Wrapped.declaration.replacing(" NOT NULL", with: "") }

  var stored: SQLiteValue { self?.stored ?? .null }

  static func read(_ row: SQLiteRow, _ column: Int) -> Wrapped?? {
    .some(try? Wrapped.read(row, column))
  }
}

/// A column of the rows of a kind: its name and declaration, the versions of the file that have it,
/// and how it is bound and read.
struct Column<Row>: Sendable {
  fileprivate let name: String
  fileprivate let declaration: String
  /// From the first version that has it on, up to the first one that has it no more.
  fileprivate let versions: Range<Int>
  /// What is read in its place where a version lacks it.
  fileprivate let missing: String
  fileprivate let value: @Sendable (Row) -> SQLiteValue
  /// Sets the column of a record from a row; false when it holds none that this package writes.
  fileprivate let read: @Sendable (inout Row, SQLiteRow, Int) throws(JournalError) -> Bool

  init<Value: ColumnValue>(
    _ name: String, _ path: any WritableKeyPath<Row, Value> & Sendable,
    as declaration: String = Value.declaration, since version: Int = 1, missing: String = "NULL"
  ) {
    (self.name, self.declaration, self.missing) = (name, declaration, missing)
    versions = version..<Int.max
    value = { $0[keyPath: path].stored }
    read = { (record, row, column) throws(JournalError) in
      guard let value = try Value.read(row, column) else { return false }
      record[keyPath: path] = value
      return true
    }
  }

  /// A column of numbers of which NaN is stored as nothing.
  init(_ name: String, orNaN path: any WritableKeyPath<Row, Double> & Sendable) {
    (self.name, declaration, missing) = (name, Double?.declaration, "NULL")
    versions = 1..<Int.max
    value = { $0[keyPath: path].stored }
    read = { (record, row, column) in
      record[keyPath: path] = row.real(column) ?? .nan
      return true
    }
  }

  static func key(
    _ path: any WritableKeyPath<Row, Int64> & Sendable, _ constraint: String = ""
  ) -> Column {
    Column("id", path, as: "INTEGER PRIMARY KEY\(constraint)")
  }

  /// A column that a row reads and binds by its own code.
  init(_ name: String, _ declaration: String, until end: Int = .max) {
    (self.name, self.declaration, missing) = (name, declaration, "NULL")
    versions = 1..<end
    value = { _ in .null }
    read = { _, _, _ in true }
  }

  /// A column of numbers that version 7 dropped.
  static func dropped(_ name: String) -> Column {
    Column(name, Int.declaration, until: 7)
  }
}

/// The table of the rows of a kind, its columns in order, and the statement that writes a row.
struct RowLayout<Row: Sendable>: Sendable {
  let table: String
  /// The names of the columns, separated by commas.
  let names: String
  fileprivate let insertion: String
  fileprivate let columns: [Column<Row>]
  /// These, and those of older versions.
  fileprivate let allColumns: [Column<Row>]

  /// A row replaces one with its key, or with `verb` `INSERT` is written only where there is none.
  init(
    _ table: String, verb: String = "INSERT OR REPLACE", _ allColumns: [Column<Row>]
  ) {
    (self.table, self.allColumns) = (table, allColumns)
    columns = allColumns.filter { $0.versions.contains(StoreFormat.version) }
    names = columns.map(\.name).joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ",")
    insertion = "\(verb) INTO \(table) (\(names)) VALUES (\(marks))"
  }

  /// The names of the columns in a file of a version, and what takes the place of those it lacks.
  fileprivate func names(ofVersion version: Int) -> String {
    guard version < StoreFormat.version else { return names }
    return columns.map { $0.versions.contains(version) ? $0.name : $0.missing }
      .joined(separator: ", ")
  }
}

protocol StoredRow: Sendable {
  static var layout: RowLayout<Self> { get }
  var key: Int64 { get }
  /// The values of the columns, in order.
  var values: [SQLiteValue] { get }
  /// Whether values fit together as those do that this package writes.
  var isValid: Bool { get }

  /// A record to read a row into.
  init()
  /// Nil when the row is none that this package writes.
  init?(_ row: SQLiteRow) throws(JournalError)
}

extension StoredRow {
  var isValid: Bool { true }

  func write(to connection: SQLiteConnection) throws(JournalError) {
    try connection.run(Self.layout.insertion, values)
  }

  var values: [SQLiteValue] { Self.layout.columns.map { $0.value(self) } }

  init?(_ row: SQLiteRow) throws(JournalError) {
    self.init()
    for (index, column) in Self.layout.columns.enumerated() {
      guard try column.read(&self, row, index) else { return nil }
    }
    guard isValid else { return nil }
  }

  /// The statement that makes the table, as SQLite rewrites it when it migrates a file.
  static func creation(ofVersion version: Int) -> String {
    let columns = layout.allColumns.filter { $0.versions.contains(version) }
      .map { "\($0.name) \($0.declaration)" }
    return "CREATE TABLE \(layout.table) (\(columns.joined(separator: ", "))) STRICT"
  }

  /// The statements that make the table of that of the version before.
  static func migration(toVersion version: Int) -> [String] {
    let change = "ALTER TABLE \(layout.table)"
    return layout.allColumns.compactMap { column in
      switch version {
      case column.versions.lowerBound: "\(change) ADD COLUMN \(column.name) \(column.declaration)"
      case column.versions.upperBound: "\(change) DROP COLUMN \(column.name)"
      default: nil
      }
    }
  }
}

extension SQLiteConnection {
  /// The row with a key; nil when there is none that this package writes.
  func row<Row: StoredRow>(_ key: Int64) throws(JournalError) -> Row? {
    var record: Row?
    try forEach(
      "SELECT \(Row.layout.names(ofVersion: version)) FROM \(Row.layout.table) WHERE id = ?",
      [.integer(key)]
    ) { (row: SQLiteRow) throws(JournalError) in
      record = try Row(row)
      return false
    }
    return record
  }

  /// The row with a key.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` with `what` when there is none that this
  ///   package writes.
  func row<Row: StoredRow>(
    _ key: Int64, orElse what: String, _ kind: Row.Type = Row.self
  ) throws(JournalError) -> Row {
    guard let record: Row = try row(key) else { throw .damaged(path: path, what: what) }
    return record
  }

  /// The rows with keys from the first of two on and before the second, in order; all without.
  ///
  /// A further condition takes the values after them.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` with `what` when one of them is none that this
  ///   package writes.
  func rows<Row: StoredRow>(
    _ keys: [SQLiteValue] = [], and further: String? = nil, orElse what: String? = nil
  ) throws(JournalError) -> [Row] {
    var result: [Row] = []
    let (names, table) = (Row.layout.names(ofVersion: version), Row.layout.table)
    let condition =
      keys.isEmpty ? "" : "WHERE id >= ? AND id < ? \(further.map { "AND \($0) " } ?? "")"
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

  /// Deletes the rows with keys from the first of two on and before the second.
  func delete(_ keys: [SQLiteValue], from table: String) throws(JournalError) {
    try run("DELETE FROM \(table) WHERE id >= ? AND id < ?", keys)
  }
}
