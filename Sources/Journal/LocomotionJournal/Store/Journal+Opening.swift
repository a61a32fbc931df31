internal import Foundation

extension Journal {
  /// Opens a file whose location has been checked; when that fails, nothing new is left there.
  static func open(
    _ path: String, _ access: Access, _ settings: Settings, _ lock: WriterLock?
  ) throws(JournalError) -> SQLiteConnection {
    func connect(isImmutable: Bool = false) throws(JournalError) -> SQLiteConnection {
      let connection = try SQLiteConnection(
        path: path, isWriting: access == .writing, fileSystem: settings.fileSystem,
        isImmutable: isImmutable)
      let wait = Int(min(max(settings.longestWait, 0), 3_600) * 1_000)
      connection.setBusyTimeout(milliseconds: wait)
      try prepare(connection, access)
      return connection
    }
    do {
      return try connect()
    } catch .readOnly where access == .reading {
      // SQLite creates an index of the log beside the file even when there is no log.
      guard try (FileEntry(path: path + "-wal")?.size ?? 0) == 0 else {
        let reason = "there is a write-ahead log, and its folder cannot be written to"
        throw .inputOutput(path: path, reason: reason)
      }
      return try connect(isImmutable: true)
    } catch {
      lock?.withdraw()
      throw error
    }
  }

  /// Configures a connection, identifies the file, and migrates it to the current version.
  static func prepare(
    _ connection: SQLiteConnection, _ access: Access
  ) throws(JournalError) {
    let path = connection.path
    try connection.execute(
      """
      PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA secure_delete = ON; \
      PRAGMA temp_store = MEMORY
      """)
    let application = try connection.integer("PRAGMA application_id") ?? 0
    let version = Int(try connection.integer("PRAGMA user_version") ?? 0)
    let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
    let isNew = application == 0 && version == 0 && tables == 0
    guard isNew || application == StoreFormat.applicationID else {
      throw .notAJournal(path: path, reason: "the file belongs to another program")
    }
    guard version <= StoreFormat.version || access == .reading else {
      throw .newerVersion(path: path, found: version, supported: StoreFormat.version)
    }
    guard isNew || version >= StoreFormat.oldest else {
      throw .damaged(path: path, what: "the version number")
    }
    guard access == .writing else {
      guard !isNew else { throw .notAJournal(path: path, reason: "the file is empty") }
      if version <= StoreFormat.version { try checkSchema(connection, version) }
      connection.version = version
      return
    }
    if isNew { try connection.execute("PRAGMA page_size = \(StoreFormat.pageSize)") }
    try useWriteAheadLog(connection)
    if isNew {
      try connection.transaction { () throws(JournalError) in
        try connection.execute("PRAGMA application_id = \(StoreFormat.applicationID)")
        for statement in StoreFormat.creation(ofVersion: StoreFormat.version) {
          try connection.execute(statement)
        }
        var store = StoreRecord()
        store.identity = Int64.random(in: 1...Int64.max)
        try store.write(to: connection)
        try connection.execute("PRAGMA user_version = \(StoreFormat.version)")
      }
    } else if version < StoreFormat.version {
      try connection.transaction { () throws(JournalError) in try migrate(connection, version) }
    }
    try checkSchema(connection, StoreFormat.version)
    // From the root of the file system, whatever the working folder is later.
    for path in [path, path + "-wal"].map({ URL(fileURLWithPath: $0).path }) {
      if let entry = try FileEntry(path: path) { connection.files.append((path, entry)) }
    }
  }

  private static func useWriteAheadLog(_ connection: SQLiteConnection) throws(JournalError) {
    // To completion: an error may come after the row.
    let modes: [String?] = try connection.column("PRAGMA journal_mode = WAL")
    guard modes.last == "wal" else {
      throw .inputOutput(path: connection.path, reason: "no write-ahead log on this file system")
    }
    // fullfsync flushes the disk's own cache on Apple's systems; elsewhere it has no effect.
    try connection.execute(
      """
      PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; \
      PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 8388608
      """)
  }

  /// Brings a file of an older version to that of this package.
  private static func migrate(
    _ connection: SQLiteConnection, _ version: Int
  ) throws(JournalError) {
    for next in version + 1...StoreFormat.version {
      for statement in StoreFormat.migration(toVersion: next) { try connection.execute(statement) }
    }
    try connection.execute("PRAGMA user_version = \(StoreFormat.version)")
  }

  /// Compares the schema with the expected one, but for the R*Tree of older versions: damage to it
  /// could rename columns.
  private static func checkSchema(
    _ connection: SQLiteConnection, _ version: Int
  ) throws(JournalError) {
    let found: [String?] = try connection.column(
      "SELECT sql FROM sqlite_schema"
        + (version < 10 ? " WHERE name NOT GLOB 'place_index*' OR type = 'trigger'" : ""))
    let expected = StoreFormat.creation(ofVersion: version)
    guard found.map({ $0 ?? "" }).sorted() == expected.sorted() else {
      throw .damaged(path: connection.path, what: "the list of tables")
    }
  }
}

extension SQLiteConnection {
  /// Runs `body` in a transaction, committed when it returns and rolled back when it throws.
  ///
  /// - Throws: What `body` throws; ``JournalError/replaced(path:)`` when the files are not at
  ///   their paths any more.
  func transaction<Result>(
    _ body: () throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    // What is in memory is written beside a snapshot of the file.
    guard !hidesDays else { return try body() }
    do {
      try execute("BEGIN IMMEDIATE")
      let result = try body()
      // Before it, lest a batch that is refused come back with the log; and after it.
      try requireFiles()
      try execute("COMMIT")
      try requireFiles()
      startFreshLogIfNeeded()
      return result
    } catch {
      // After some errors SQLite has already rolled back.
      if isInTransaction { try? execute("ROLLBACK") }
      needsFreshLog = true
      // The log itself may fill the disk.
      if case .full = error { startFreshLogIfNeeded() }
      throw error
    }
  }

  /// A commit is worth nothing in a file that nobody will find.
  ///
  /// SQLite's own test (`SQLITE_FCNTL_HAS_MOVED`) doesn't know of the log.
  private func requireFiles() throws(JournalError) {
    for file in files where (try? FileEntry(path: file.path)) != file.entry {
      throw .replaced(path: file.path)
    }
  }

  /// Runs `body` on one snapshot of the file, whatever a writer does in the meantime.
  func snapshot<Result>(
    _ body: () throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    guard !isInTransaction else { return try body() }
    try execute("BEGIN")
    defer { if isInTransaction { try? execute("COMMIT") } }
    return try body()
  }

  /// Truncates the write-ahead log after a failure, which may have left parts of a transaction in
  /// it.
  private func startFreshLogIfNeeded() {
    guard needsFreshLog else { return }
    if (try? emptyLog()) == true { needsFreshLog = false }
  }

  /// Runs a checkpoint and truncates the write-ahead log; false when a reader prevents it.
  func emptyLog() throws(JournalError) -> Bool {
    try integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0
  }
}
