// The only Swift file of the package that imports libpq.
internal import CLocomotionPostgreSQL

/// A connection to PostgreSQL, which connects again after it was lost.
///
/// A class, because it owns the handle and closes it with its last reference. For one thread.
@safe final class PostgresConnection {
  private let handle: OpaquePointer
  /// Statements that set up the session, after every connecting.
  private let setup: String
  private var isInTransaction = false

  /// Connects.
  ///
  /// - Parameters:
  ///   - conninfo: In the syntax of libpq: keywords and values, or a URI.
  ///   - setup: Statements that set up the session; constant.
  /// - Throws: ``DatabaseError/unavailable(what:reason:)`` or
  ///   ``DatabaseError/refused(what:reason:)``.
  init(_ conninfo: String, setup: String) throws(DatabaseError) {
    let what = "connecting"
    guard !conninfo.utf8.contains(0) else {
      throw .invalidRow(what: what, field: "the connection string", expected: "no U+0000")
    }
    var complaint: UnsafeMutablePointer<CChar>?
    let options = unsafe PQconninfoParse(conninfo, &complaint)
    unsafe PQconninfoFree(options)
    if let text = unsafe complaint {
      let reason = unsafe Self.line(text)
      unsafe PQfreemem(text)
      throw .refused(what: what, reason: reason)
    }
    // What stands before the string are defaults that it may change; the encoding is not.
    let words = [
      ("connect_timeout", "10"), ("tcp_user_timeout", "30000"), ("keepalives_idle", "30"),
      ("application_name", "locomotion"), ("dbname", conninfo), ("client_encoding", "UTF8"),
    ]
    let opened = unsafe Self.withStrings(words.map(\.0)) { keys in
      unsafe Self.withStrings(words.map(\.1)) { values in
        unsafe PQconnectdbParams(keys, values, 1)
      }
    }
    guard let handle = unsafe opened else {
      throw .unavailable(what: what, reason: "not enough memory")
    }
    unsafe self.handle = unsafe handle
    self.setup = setup
    unsafe PQsetNoticeProcessor(handle, { _, _ in }, nil)
    try prepareSession(what)
  }

  deinit { unsafe PQfinish(handle) }

  // MARK: Transactions

  /// Runs `body` in a transaction, with the setting `locomotion.user` when `user` is given.
  ///
  /// A connection that was lost before is made again; one that is lost in between is an error,
  /// and nothing is stored.
  ///
  /// - Parameters:
  ///   - what: The operation, for errors.
  ///   - user: The user's name; nil for none.
  ///   - locks: Statements that wait for others, in which `$1` is the user; constant.
  ///   - body: What to do.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw, or ``DatabaseError``.
  func transaction<Result>(
    _ what: String, as user: String? = nil, locks: [String] = [],
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    precondition(!isInTransaction, "a transaction in a transaction")
    try begin(what)
    isInTransaction = true
    defer { isInTransaction = false }
    let result: Result
    do throws(DatabaseError) {
      if let user {
        try run(what, "SELECT set_config('locomotion.user', $1, true)", [.text(user)])
        for lock in locks { try run(what, lock, [.text(user)]) }
      }
      result = try body()
      try run(what, "COMMIT")
    } catch {
      // When this fails too, the connection is lost, and the server rolls back.
      try? run(what, "ROLLBACK")
      throw error
    }
    return result
  }

  /// Nothing has been asked yet, so that this may be repeated on a new connection.
  private func begin(_ what: String) throws(DatabaseError) {
    // Each statement sees what was committed before it, above all behind a lock.
    let statement = "BEGIN ISOLATION LEVEL READ COMMITTED"
    if unsafe PQstatus(handle) == CONNECTION_OK {
      do throws(DatabaseError) {
        return try run(what, statement)
      } catch {
        guard unsafe PQstatus(handle) != CONNECTION_OK else { throw error }
      }
    }
    unsafe PQreset(handle)
    try prepareSession(what)
    try run(what, statement)
  }

  private func prepareSession(_ what: String) throws(DatabaseError) {
    guard unsafe PQstatus(handle) == CONNECTION_OK else {
      throw PostgresFailure.connecting(what, reason: unsafe Self.line(PQerrorMessage(handle)))
    }
    try script(what, setup)
  }

  // MARK: Statements

  /// Runs one statement to completion.
  func run(
    _ what: String, _ sql: String, _ values: [PostgresValue] = []
  ) throws(DatabaseError) {
    let _: [Void] = try rows(what, sql, values) { (_: PostgresRow) throws(DatabaseError) in }
  }

  /// Runs constant statements without parameters, one after the other.
  func script(_ what: String, _ sql: String) throws(DatabaseError) {
    let answer = unsafe PQexec(handle, sql)
    defer { unsafe PQclear(answer) }
    try unsafe check(answer, what)
  }

  /// The rows that a statement returns, each as `body` reads it.
  func rows<Row>(
    _ what: String, _ sql: String, _ values: [PostgresValue] = [],
    _ body: (PostgresRow) throws(DatabaseError) -> Row
  ) throws(DatabaseError) -> [Row] {
    for (index, value) in values.enumerated() where !value.isStorable {
      throw .invalidRow(what: what, field: "text \(index + 1)", expected: "no U+0000")
    }
    let answer = unsafe Self.withStrings(values.map(\.syntax)) { texts in
      unsafe PQexecParams(handle, sql, Int32(values.count), nil, texts, nil, nil, 0)
    }
    defer { unsafe PQclear(answer) }
    try unsafe check(answer, what)
    var result: [Row] = []
    for row in 0..<(unsafe PQntuples(answer)) {
      let texts = unsafe (0..<PQnfields(answer)).map { column in
        unsafe PQgetisnull(answer, row, column) == 1
          ? nil : String(cString: PQgetvalue(answer, row, column))
      }
      result.append(try body(PostgresRow(what: what, texts: texts)))
    }
    return result
  }

  /// The parameters of rows after `VALUES`: `($1, $2), ($3, $4)` for two rows of two columns.
  static func placeholders(rows: Int, columns: Int) -> String {
    (0..<rows).map { row in
      let numbers = (1...columns).map { "$\(row * columns + $0)" }
      return "(" + numbers.joined(separator: ", ") + ")"
    }.joined(separator: ", ")
  }

  private func check(_ answer: OpaquePointer?, _ what: String) throws(DatabaseError) {
    let status = unsafe PQresultStatus(answer)
    if [PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY].contains(status) { return }
    func field(_ letter: Character) -> String? {
      let code = Int32(letter.asciiValue ?? 0)
      guard let text = unsafe PQresultErrorField(answer, code) else { return nil }
      return unsafe Self.line(text)
    }
    guard let state = field("C") else {
      let reason = unsafe Self.line(PQerrorMessage(handle))
      throw .unavailable(what: what, reason: reason)
    }
    // Neither the detail nor the context, which hold values of rows.
    throw PostgresFailure.error(
      what, state: state, reason: field("M") ?? "no reason given", constraint: field("n"))
  }

  // MARK: C

  /// The first line of a text, without the spaces at its ends.
  private static func line(_ text: UnsafePointer<CChar>?) -> String {
    guard let text = unsafe text else { return "no reason given" }
    let line = unsafe String(cString: text).split(whereSeparator: \.isNewline).first ?? ""
    let words = line.split(separator: " ")
    return words.isEmpty ? "no reason given" : words.joined(separator: " ")
  }

  /// Calls `body` with the texts as C strings, and a null pointer after the last one.
  private static func withStrings<Result>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    var bytes: [CChar] = []
    var offsets: [Int?] = []
    for text in texts {
      offsets.append(text == nil ? nil : bytes.count)
      guard let text else { continue }
      bytes += text.utf8.lazy.map { CChar(bitPattern: $0) }
      bytes.append(0)
    }
    return unsafe bytes.withUnsafeBufferPointer { buffer in
      let pointers = unsafe offsets.map { offset in
        unsafe offset.flatMap { offset in unsafe buffer.baseAddress.map { unsafe $0 + offset } }
      }
      return unsafe (pointers + [nil]).withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
  }
}
