// The only Swift file of the package that imports SQLite.
internal import CLocomotionSQLite

/// A value to bind to a statement.
enum SQLiteValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

/// An open database connection.
///
/// A class, because it owns the handle and closes it with its last reference. SQLite is opened in
/// serialized mode, in which any thread may use a connection.
@safe final class SQLiteConnection: @unchecked Sendable {
  let path: String
  /// Whether a transaction has failed since the write-ahead log was last truncated.
  var needsFreshLog = false
  /// The version of the file's tables; that of this package after opening for writing.
  var version = StoreFormat.version
  /// The files that a commit writes to, by path, as they were when the journal was opened.
  var files: [(path: String, entry: FileEntry)] = []
  /// Whether tables in memory hide those of the days.
  var hidesDays = false
  private let handle: OpaquePointer
  private var statements: [String: SQLiteStatement] = [:]

  /// Opens the file, creating it when `isWriting`.
  ///
  /// `fileSystem` names a virtual file system registered with SQLite; nil is the default one. A
  /// file that `isImmutable` is read without a log and without locks.
  ///
  /// - Throws: ``JournalError/notAJournal(path:reason:)``.
  init(
    path: String, isWriting: Bool, fileSystem: String?, isImmutable: Bool
  ) throws(JournalError) {
    let access =
      isWriting ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
    var opened: OpaquePointer?
    let flags = access | SQLITE_OPEN_FULLMUTEX | (isImmutable ? SQLITE_OPEN_URI : 0)
    let name = isImmutable ? Self.immutableName(path) : path
    let code =
      if let fileSystem {
        unsafe sqlite3_open_v2(name, &opened, flags, fileSystem)
      } else {
        unsafe sqlite3_open_v2(name, &opened, flags, nil)
      }
    guard code == SQLITE_OK, let handle = unsafe opened else {
      unsafe sqlite3_close_v2(opened)
      throw .notAJournal(path: path, reason: "the file cannot be opened")
    }
    unsafe self.handle = unsafe handle
    self.path = path
    unsafe sqlite3_extended_result_codes(handle, 1)
    unsafe _ = locomotion_sqlite_defend(handle)
  }

  /// The path as an SQLite URI of an immutable file.
  private static func immutableName(_ path: String) -> String {
    return "file:"
      + path.replacing("%", with: "%25").replacing("?", with: "%3f")
      .replacing("#", with: "%23") + "?immutable=1"
  }

  deinit {
    statements.removeAll()
    unsafe sqlite3_close_v2(handle)
  }

  /// The version number of the SQLite library, such as 3,040,001.
  static var libraryVersion: Int { Int(sqlite3_libversion_number()) }

  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// Sets how long to wait for another connection's lock, milliseconds.
  func setBusyTimeout(milliseconds: Int) {
    unsafe sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
  }

  /// Runs SQL without parameters or results.
  func execute(_ sql: String) throws(JournalError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Runs one statement to completion.
  func run(_ sql: String, _ values: [SQLiteValue] = []) throws(JournalError) {
    try forEach(sql, values) { (_: SQLiteRow) throws(JournalError) in true }
  }

  /// Calls `body` with each row of a query until it returns false.
  func forEach(
    _ sql: String, _ values: [SQLiteValue] = [],
    _ body: (SQLiteRow) throws(JournalError) -> Bool
  ) throws(JournalError) {
    let cached = try prepared(sql)
    let statement = unsafe cached.pointer
    // A statement that is not reset would keep the snapshot open.
    defer { unsafe sqlite3_reset(statement) }
    for (index, value) in values.enumerated() {
      unsafe bind(value, Int32(index + 1), statement)
    }
    while true {
      let code = unsafe sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw error(code) }
      guard try body(unsafe SQLiteRow(statement: statement, path: path)) else { return }
    }
  }

  /// The first integer of the first row, or nil when there is no row.
  func integer(_ sql: String, _ values: [SQLiteValue] = []) throws(JournalError) -> Int64? {
    let found: [Int64?] = try column(sql, values)
    return found.first ?? nil
  }

  /// The values of the first column of all rows.
  func column<Value: ColumnValue>(
    _ sql: String, _ values: [SQLiteValue] = []
  ) throws(JournalError) -> [Value] {
    var result: [Value] = []
    try forEach(sql, values) { (row: SQLiteRow) throws(JournalError) in
      guard let value = try Value.read(row, 0) else {
        throw .damaged(path: path, what: "a value is missing")
      }
      result.append(value)
      return true
    }
    return result
  }

  private func prepared(_ sql: String) throws(JournalError) -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement = unsafe statement else { throw error(code) }
    let owned = unsafe SQLiteStatement(pointer: statement)
    statements[sql] = owned
    return owned
  }

  private func bind(_ value: SQLiteValue, _ index: Int32, _ statement: OpaquePointer) {
    switch value {
    case .null: unsafe sqlite3_bind_null(statement, index)
    case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
    case .real(let number): unsafe sqlite3_bind_double(statement, index, number)
    case .text(let text): unsafe _ = locomotion_sqlite_bind_text(statement, index, text)
    case .blob(let bytes):
      unsafe bytes.withUnsafeBytes { buffer in
        unsafe _ = locomotion_sqlite_bind_blob(
          statement, index, buffer.baseAddress, Int32(buffer.count))
      }
    }
  }

  /// The ``JournalError`` for an SQLite result code.
  private func error(_ code: Int32) -> JournalError {
    let reason = unsafe String(cString: sqlite3_errmsg(handle))
    return switch code & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path)
    case SQLITE_FULL: .full(path: path)
    case SQLITE_READONLY: .readOnly(path: path)
    case SQLITE_NOTADB: .notAJournal(path: path, reason: "the file is no database")
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_NOMEM, SQLITE_PROTOCOL, SQLITE_PERM, SQLITE_AUTH,
      SQLITE_INTERRUPT, SQLITE_ABORT, SQLITE_TOOBIG, SQLITE_NOLFS:
      .inputOutput(path: path, reason: "\(reason) (\(code))")
    // The statements are constant: if one does not fit the file, the file is damaged.
    default: .damaged(path: path, what: reason)
    }
  }
}

/// A compiled statement.
///
/// A class, because it owns the statement and frees it with its last reference.
@safe private final class SQLiteStatement {
  let pointer: OpaquePointer

  init(pointer: OpaquePointer) {
    unsafe self.pointer = unsafe pointer
  }

  deinit { unsafe sqlite3_finalize(pointer) }
}

/// One row of a result, valid until the next one is read.
@safe struct SQLiteRow {
  private let statement: OpaquePointer
  private let path: String

  fileprivate init(statement: OpaquePointer, path: String) {
    unsafe self.statement = unsafe statement
    self.path = path
  }

  /// The integer of a column.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when it holds none.
  func integer(_ column: Int) throws(JournalError) -> Int64 {
    guard unsafe sqlite3_column_type(statement, Int32(column)) == SQLITE_INTEGER else {
      throw .damaged(path: path, what: "a number is missing")
    }
    return unsafe sqlite3_column_int64(statement, Int32(column))
  }

  /// The number of a column, or nil when it holds none.
  func real(_ column: Int) -> Double? {
    let type = unsafe sqlite3_column_type(statement, Int32(column))
    guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { return nil }
    return unsafe sqlite3_column_double(statement, Int32(column))
  }

  /// The text of a column, or nil when it holds none.
  func text(_ column: Int) -> String? {
    guard unsafe sqlite3_column_type(statement, Int32(column)) == SQLITE_TEXT,
      let text = unsafe sqlite3_column_text(statement, Int32(column))
    else { return nil }
    return unsafe String(cString: text)
  }

  /// The bytes of a column, or nil when it holds none.
  func blob(_ column: Int) -> [UInt8]? {
    guard unsafe sqlite3_column_type(statement, Int32(column)) == SQLITE_BLOB else { return nil }
    guard let bytes = unsafe sqlite3_column_blob(statement, Int32(column)) else { return [] }
    let count = unsafe Int(sqlite3_column_bytes(statement, Int32(column)))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
