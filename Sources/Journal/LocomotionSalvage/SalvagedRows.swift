internal import LocomotionJournal

/// The rows of a damaged journal that SQLite can read.
struct SalvagedRows {
  var users: [Int64: UserRecord] = [:]
  var blocks: [Int64: SampleBlock] = [:]
  var batches: [Int64: BatchRecord] = [:]
  var fixes: [Int64: FixRecord] = [:]
  /// The events of users all of whose events are readable.
  var events: [Int64: [MeasurementEvent]] = [:]
  var places: [Int64: PlaceRecord] = [:]
  var editRecords: [Int64: EditRecord] = [:]
  /// What of users' recordings is in upload units, and was dropped for it.
  var uploads: [Int64: UploadRecord] = [:]
  /// What was sent to an archive, or is to be deleted there.
  var units: [Int64: UnitStatus] = [:]
  var store: StoreRecord?
  /// Whether the format has places and edits, which version 1 did not have.
  var hasDays = false
  /// Whether the format has upload units, which version 3 began with.
  var hasUnits = false
  /// Damage to the tables, which need not mean that data are lost.
  var findings: [String] = []
  /// The tables that were read without an error.
  private(set) var whole: Set<String> = []

  /// Whether all users are known: then rows that belong to no user have been erased.
  private var knowsAllUsers: Bool { store.map { $0.users == users.count } ?? false }

  /// Reads each table and row separately.
  ///
  /// - Throws: ``JournalError/notAJournal(path:reason:)`` when nothing of a journal is found.
  init(of path: String, fileSystem: String?) throws(JournalError) {
    // Without a log SQLite need not make one beside it.
    let hasLog = try StoreBytes.read(path + "-wal", upTo: 1)?.isEmpty == false
    let connection = try SQLiteConnection(
      path: path, isWriting: false, fileSystem: fileSystem, isImmutable: !hasLog)
    read(connection)
    let isJournal = try? connection.integer("PRAGMA application_id") == StoreFormat.applicationID
    guard isJournal == true || !(users.isEmpty && blocks.isEmpty && batches.isEmpty) else {
      throw .notAJournal(path: path, reason: "nothing of a journal was found in it")
    }
    if knowsAllUsers { removeErased() }
    blocks = blocks.filter { key, block in
      batches[key].map { $0.blockChecksum == block.checksum } ?? true
    }
  }

  private mutating func read(_ connection: SQLiteConnection) {
    try? connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    collect(connection) { (rows, store: StoreRecord) in
      rows.store = store
      return true
    }
    collect(connection, \.users)
    collect(connection, \.batches)
    collect(connection) { (rows, record: BlockRecord) in
      rows.blocks[record.key] = try? SampleBlock(record.data, key: record.key)
      return rows.blocks[record.key] != nil
    }
    collect(connection, \.fixes)
    hasDays = connection.hasTable("remarks")
    if hasDays {
      collect(connection, \.places)
      collect(connection, \.editRecords)
    }
    if connection.hasTable("uploads") { collect(connection, \.uploads) }
    hasUnits = connection.hasTable("units")
    if hasUnits { collect(connection, \.units) }
    for (number, user) in users { events[number] = try? connection.events(of: user) }
  }

  private mutating func collect<Row: StoredRow>(
    _ connection: SQLiteConnection, _ records: WritableKeyPath<SalvagedRows, [Int64: Row]>
  ) {
    collect(connection) { (rows, record: Row) in
      rows[keyPath: records][record.key] = record
      return true
    }
  }

  /// Reads a table from its start and, when that fails, from its end too.
  ///
  /// `keep` returns false for a row that is not what was written.
  private mutating func collect<Row: StoredRow>(
    _ connection: SQLiteConnection, _ keep: (inout SalvagedRows, Row) -> Bool
  ) {
    var rows = self
    let (table, names) = (Row.layout.table, Row.layout.names)
    for order in ["", " ORDER BY id DESC"] {
      do {
        var bad = 0
        try connection.forEach("SELECT \(names) FROM \(table)" + order) {
          (row: SQLiteRow) throws(JournalError) in
          if try Row(row).map({ keep(&rows, $0) }) != true { bad += 1 }
          return true
        }
        if bad > 0 { rows.note("table \(table): \(bad) rows are not what was written") }
        if bad == 0 { rows.whole.insert(table) }
        break
      } catch {
        rows.note("table \(table): \(error.finding)")
      }
    }
    self = rows
  }

  private mutating func note(_ finding: String) {
    if !findings.contains(finding), findings.count < 50 { findings.append(finding) }
  }

  /// Drops whatever belongs to no user: it has been erased, and must not come back.
  private mutating func removeErased() {
    let isErased = { [users] (key: Int64) in users[key >> StoreFormat.indexBits] == nil }
    batches = batches.filter { !isErased($0.key) }
    blocks = blocks.filter { !isErased($0.key) }
    fixes = fixes.filter { !isErased($0.key) }
    places = places.filter { !isErased($0.key) }
    editRecords = editRecords.filter { !isErased($0.key) }
    units = units.filter { !isErased($0.key) }
  }

  /// How many batches have no block because it was dropped, the first ones of the user.
  func droppedBatches(of user: UserRecord) -> Int {
    min(uploads[user.number]?.droppedBatches ?? 0, min(user.batches, 1 << 32))
  }
}

extension SQLiteConnection {
  /// Whether a table exists.
  fileprivate func hasTable(_ name: String) -> Bool {
    (try? integer("SELECT count(*) FROM sqlite_schema WHERE name = '\(name)'")) == 1
  }
}
