internal import LocomotionJournal
internal import LocomotionSensing

/// The readable rows of a damaged journal.
///
/// Two states of the file may be read, the newest one first. The older one may hold rows that have
/// been deleted or merged since: only what the newest one lacks is taken from it, and rows of
/// batches only if the chained checksum confirms them.
struct SalvagedRows {
  var users: [Int64: UserRecord] = [:]
  var blocks: [Int64: SampleBlock] = [:]
  var batches: [Int64: BatchRecord] = [:]
  var fixes: [Int64: LocationFix] = [:]
  /// The events of users all of whose events are readable.
  var events: [Int64: [MeasurementEvent]] = [:]
  var places: [Int64: PlaceRecord] = [:]
  var remarks: [Int64: RemarkRecord] = [:]
  var days: [Int64: DaysRecord] = [:]
  /// What of users' recordings is in upload units, and was dropped for it.
  var uploads: [Int64: UploadRecord] = [:]
  /// What was sent to an archive, or is to be deleted there.
  var units: [Int64: UnitRecord] = [:]
  var store: StoreRecord?
  /// Whether the format has places and remarks, which version 1 did not have.
  var hasDays = false
  /// Whether the format has upload units, which version 3 began with.
  var hasUnits = false
  /// Damage to the tables, which need not mean that data are lost.
  var findings: [String] = []
  /// For the remains of a merged batch, the key of the lost block that contained it.
  var placeOfRelic: [Int64: Int64] = [:]
  /// The number of flipped bits whose positions are unknown.
  var flippedBits = 0
  /// Rows of batches in older states of the file.
  private var olderBatches: [Int64: BatchRecord] = [:]
  /// The tables that were read without an error.
  private(set) var whole: Set<String> = []

  var isEmpty: Bool { users.isEmpty && blocks.isEmpty && batches.isEmpty }

  /// Whether all users are known: then rows that belong to no user have been erased.
  var knowsAllUsers: Bool { store.map { $0.users == users.count } ?? false }

  /// Reads what SQLite can still find, each table and row separately.
  mutating func read(_ connection: SQLiteConnection) {
    try? connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    let wasRead = whole
    collect(connection, "store", StoreRecord.columns) { rows, row throws(JournalError) in
      guard let record = try StoreRecord(row) else { return false }
      if rows.store == nil { rows.store = record }
      return true
    }
    if !knowsAllUsers {
      collect(connection, "users", UserRecord.columns) { rows, row throws(JournalError) in
        guard let user = try UserRecord(row) else { return false }
        if rows.users[user.number] == nil { rows.users[user.number] = user }
        return true
      }
    }
    let isNewest = wasRead.isEmpty && batches.isEmpty
    collect(connection, "batches", BatchRecord.columns) { rows, row throws(JournalError) in
      guard let batch = try BatchRecord(row) else { return false }
      if isNewest { rows.batches[batch.key] = batch } else { rows.olderBatches[batch.key] = batch }
      return true
    }
    collect(connection, "blocks", "id, data") { rows, row throws(JournalError) in
      let key = try row.integer(0)
      return row.blob(1).map { rows.consider($0, key) } ?? false
    }
    collect(connection, "fixes", FixRecord.columns) { rows, row throws(JournalError) in
      let (key, fix) = try FixRecord.read(row)
      if rows.fixes[key] == nil { rows.fixes[key] = fix }
      return true
    }
    if connection.hasTable("remarks") {
      hasDays = true
      collect(connection, \.places, unless: wasRead)
      collect(connection, \.remarks, unless: wasRead)
      if !wasRead.contains("days") {
        collect(connection, "days", DaysRecord.columns) { rows, row throws(JournalError) in
          guard let record = try DaysRecord(row) else { return false }
          if rows.days[record.user] == nil { rows.days[record.user] = record }
          return true
        }
      }
    }
    if connection.hasTable("uploads") { collect(connection, \.uploads, unless: wasRead) }
    hasUnits = hasUnits || connection.hasTable("units")
    if hasUnits { collect(connection, \.units, unless: wasRead) }
    for (number, user) in users where events[number] == nil {
      events[number] = try? connection.events(of: user)
    }
  }

  /// Reads a table of rows that can be changed and deleted, unless another state had all of it.
  private mutating func collect<Record: StoredRow>(
    _ connection: SQLiteConnection, _ records: WritableKeyPath<SalvagedRows, [Int64: Record]>,
    unless wasRead: Set<String>
  ) {
    guard !wasRead.contains(Record.table) else { return }
    collect(connection, Record.table, Record.columns) { rows, row throws(JournalError) in
      guard let record = try Record(row) else { return false }
      if rows[keyPath: records][record.key] == nil { rows[keyPath: records][record.key] = record }
      return true
    }
  }

  /// Reads a table from its start and, when that fails, from its end too.
  private mutating func collect(
    _ connection: SQLiteConnection, _ table: String, _ columns: String,
    _ body: (inout SalvagedRows, SQLiteRow) throws(JournalError) -> Bool
  ) {
    var rows = self
    for order in ["", " ORDER BY id DESC"] {
      do throws(JournalError) {
        var bad = 0
        try connection.forEach("SELECT \(columns) FROM \(table)" + order) {
          (row: SQLiteRow) throws(JournalError) in
          if try !body(&rows, row) { bad += 1 }
          return true
        }
        if bad > 0 { rows.note("table \(table): \(bad) rows are not what was written") }
        if bad == 0 { rows.whole.insert(table) }
        break
      } catch {
        if case .damaged(_, let what) = error {
          rows.note("table \(table): \(what)")
        } else {
          rows.note("table \(table): \(error)")
        }
      }
    }
    self = rows
  }

  private mutating func note(_ finding: String) {
    if !findings.contains(finding), findings.count < 50 { findings.append(finding) }
  }

  /// Drops what contradicts the chained checksums, once all tables are read.
  mutating func finishTables() {
    if knowsAllUsers { removeErased() }
    for user in users.values { chainBatches(of: user) }
    blocks = blocks.filter { key, block in
      batches[key].map { $0.blockChecksum == block.checksum } ?? true
    }
    keepSoundFixes()
  }

  /// Drops whatever belongs to no user: it has been erased, and must not come back.
  mutating func removeErased() {
    let isErased = { [users] (key: Int64) in users[key >> StoreFormat.indexBits] == nil }
    batches = batches.filter { !isErased($0.key) }
    olderBatches = olderBatches.filter { !isErased($0.key) }
    blocks = blocks.filter { !isErased($0.key) }
    fixes = fixes.filter { !isErased($0.key) }
    places = places.filter { !isErased($0.key) }
    remarks = remarks.filter { !isErased($0.key) }
    units = units.filter { !isErased($0.key) }
  }

  /// Follows the chained checksum back from its last value in the user's row, and takes the rows
  /// that match it from older states.
  private mutating func chainBatches(of user: UserRecord) {
    var wanted: UInt32? = user.chain
    for index in (0..<min(user.batches, 1 << 32)).reversed() {
      let key = StoreFormat.key(user: user.number, index: index)
      if batches[key] == nil || wanted.map({ $0 != batches[key]?.chain }) ?? false,
        let older = olderBatches[key], older.chain == wanted
      {
        batches[key] = older
      }
      guard let batch = batches[key], index > 0 else { wanted = nil; continue }
      // The value of the chain before this row, if a row with it is known.
      let before = key - 1
      wanted = [batches[before], olderBatches[before]].compactMap { $0?.chain }
        .first { batch.link(following: $0) == batch.chain }
    }
  }

  /// Keeps the fixes of each batch whose chained checksum they match, and drops the others.
  private mutating func keepSoundFixes() {
    var sound: [Int64: LocationFix] = [:]
    for batch in batches.values where batch.fixes > 0 {
      let user = batch.key >> StoreFormat.indexBits
      let index = batch.key & (1 << StoreFormat.indexBits - 1)
      let before = index == 0 ? 0 : batches[batch.key - 1]?.fixChain
      var chain = before ?? 0
      var own: [(Int64, LocationFix)] = []
      for place in batch.fixRange.prefix(fixes.count + 1) {
        let key = StoreFormat.key(user: user, index: place)
        guard let fix = fixes[key] else { break }
        chain = FixRecord.link(fix, key: key, following: chain)
        own.append((key, fix))
      }
      if before != nil, own.count == batch.fixes, chain == batch.fixChain {
        for (key, fix) in own { sound[key] = fix }
      }
    }
    let lost = fixes.count - sound.count
    if lost > 0 { note("fixes: \(lost) are in a batch that is not what was written") }
    fixes = sound
  }

  /// Drops blocks without a row whose content is in a larger one, once everything is scanned.
  ///
  /// They remain from small batches that were merged, in space that SQLite freed and in older
  /// images of a page in the log. If the larger block is lost they are all that is left of it, and
  /// take its position.
  mutating func finishBlocks() {
    if knowsAllUsers { removeErased() }
    let complete = Set(users.keys.filter { isWhole($0) })
    var kept: [Int64] = []
    for key in blocks.keys.sorted() {
      guard let block = blocks[key] else { continue }
      let number = key >> StoreFormat.indexBits
      guard batches[key] == nil else {
        kept.append(key)
        continue
      }
      // No more batches than these are merged at once.
      let larger = kept.suffix(Self.mostPacked).contains { other in
        other >> StoreFormat.indexBits == number && blocks[other]?.contains(block) ?? false
      }
      if larger || complete.contains(number) {
        blocks[key] = nil
      } else {
        kept.append(key)
        let place = (max(key - Int64(Self.mostPacked), number << StoreFormat.indexBits)..<key).last
        {
          (batches[$0]?.hasBlock ?? false) && blocks[$0] == nil
        }
        if let place { placeOfRelic[key] = place }
      }
    }
  }
}

extension SalvagedRows {
  private static let mostPacked = 64

  /// How many batches have no block because it was dropped, the first ones of the user.
  func droppedBatches(of user: UserRecord) -> Int {
    min(uploads[user.number]?.droppedBatches ?? 0, min(user.batches, 1 << 32))
  }

  /// Whether all batches of a user and their blocks are there, but for those that were dropped.
  private func isWhole(_ number: Int64) -> Bool {
    guard let user = users[number] else { return false }
    let own = (droppedBatches(of: user)..<min(user.batches, 1 << 32)).lazy.map {
      batches[StoreFormat.key(user: number, index: $0)]
    }
    return own.allSatisfy { batch in
      batch.map { !$0.hasBlock || blocks[$0.key] != nil } ?? false
    }
  }
}
