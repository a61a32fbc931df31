internal import Foundation
internal import LocomotionSensing

extension Journal {
  /// Copies what is readable of a damaged journal into a new one.
  ///
  /// The damaged file is only read. Each row and block that agrees with its own checksum is kept,
  /// in order; a block is also found when the tables that led to it are destroyed, by its letters
  /// in the bytes of the file. Users whose name is lost are called `user-1`, `user-2`, ….
  /// Measurements are kept when nothing of their user is lost; else what they held is kept, and
  /// where they began and ended is not. All of it passes through memory.
  ///
  /// - Parameters:
  ///   - damaged: The path of the damaged journal, which nobody must have open.
  ///   - path: The path of the new journal, where no file may be.
  /// - Returns: What was kept, and under `problems` what could not be.
  /// - Throws: ``JournalError`` when the damaged file cannot be read at all or the new one not
  ///   written.
  public static func salvage(
    from damaged: String, to path: String
  ) throws(JournalError) -> JournalReport {
    guard let bytes = FileManager.default.contents(atPath: damaged) else {
      throw .notFound(path: damaged)
    }
    guard !FileManager.default.fileExists(atPath: path) else {
      throw .notAJournal(path: path, reason: "a file is in the way")
    }
    var report = JournalReport()
    var found = SalvagedRows()
    if let connection = try? SQLiteConnection(path: damaged, isWriting: false, fileSystem: nil) {
      try? connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
      found.read(connection, &report)
    }
    for file in [bytes, FileManager.default.contents(atPath: damaged + "-wal") ?? Data()] {
      found.scan([UInt8](file))
    }
    var journal = try Journal(path: path)
    try found.write(to: &journal, &report)
    return report
  }
}

extension Journal {
  /// Writes the events of another journal for a user who has none, and the same samples and fixes.
  fileprivate mutating func restore(
    _ events: [MeasurementEvent], for user: JournalUser
  ) throws(JournalError) {
    try connection.transaction { () throws(JournalError) in
      var record = try userRecord(user)
      for event in events { try Self.write(event, of: &record, to: connection) }
      try record.write(to: connection)
    }
  }
}

extension Journal {
  /// Writes the places and remarks of another journal for a user who has none.
  fileprivate mutating func restore(
    _ places: [Place], _ remarks: [RemarkRecord], for user: JournalUser
  ) throws(JournalError) {
    try connection.transaction { () throws(JournalError) in
      var days = try daysRecord(userRecord(user))
      for place in places {
        // Learned places come back with the days; those that have a name are the user's work.
        guard !place.isLearned else { continue }
        days.nextPlace = place.id
        _ = try add(
          PlaceDescription(
            name: place.name, latitude: place.latitude, longitude: place.longitude,
            radius: place.radius), isLearned: false, to: &days)
      }
      for remark in remarks {
        let copy = RemarkRecord(
          key: StoreFormat.key(user: days.user, index: days.remarks.count), kind: remark.kind,
          start: remark.start, end: remark.end, value: remark.value)
        days.remarks.add(copy.checksum)
        try copy.write(to: connection)
      }
      try days.write(to: connection)
    }
  }
}

/// What is readable of a damaged journal.
private struct SalvagedRows {
  private var names: [Int64: UserRecord] = [:]
  private var blocks: [Int64: SampleBlock] = [:]
  private var batches: [Int64: BatchRecord] = [:]
  private var fixes: [Int64: LocationFix] = [:]
  /// Of users all of whose events are readable.
  private var events: [Int64: [MeasurementEvent]] = [:]
  private var places: [Int64: PlaceRecord] = [:]
  private var remarks: [Int64: RemarkRecord] = [:]

  /// Reads what SQLite can still find; each table and row on its own.
  mutating func read(_ connection: SQLiteConnection, _ report: inout JournalReport) {
    var collected = self
    collect(connection, "SELECT \(UserRecord.columns) FROM users", "users", &report) {
      (row: SQLiteRow) throws(JournalError) in
      guard let user = try UserRecord(row) else { return false }
      collected.names[user.number] = user
      return true
    }
    collect(connection, "SELECT \(BatchRecord.columns) FROM batches", "batches", &report) {
      (row: SQLiteRow) throws(JournalError) in
      guard let batch = try BatchRecord(row) else { return false }
      collected.batches[batch.key] = batch
      return true
    }
    collect(connection, "SELECT id, data FROM blocks", "blocks", &report) {
      (row: SQLiteRow) throws(JournalError) in
      let key = try row.integer(0)
      guard let bytes = row.blob(1), let block = try? SampleBlock(bytes, key: key) else {
        return false
      }
      collected.blocks[key] = block
      return true
    }
    collect(connection, "SELECT \(FixRecord.columns) FROM fixes", "fixes", &report) {
      (row: SQLiteRow) throws(JournalError) in
      let (key, fix) = try FixRecord.read(row)
      collected.fixes[key] = fix
      return true
    }
    // The first version had neither.
    if (try? connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'remarks'")) == 1 {
      collect(connection, "SELECT \(PlaceRecord.columns) FROM places", "places", &report) {
        (row: SQLiteRow) throws(JournalError) in
        guard let place = try PlaceRecord(row) else { return false }
        collected.places[place.key] = place
        return true
      }
      collect(connection, "SELECT \(RemarkRecord.columns) FROM remarks", "remarks", &report) {
        (row: SQLiteRow) throws(JournalError) in
        guard let remark = try RemarkRecord(row) else { return false }
        collected.remarks[remark.key] = remark
        return true
      }
    }
    for (number, user) in collected.names {
      collected.events[number] = try? connection.events(of: user)
    }
    self = collected
    keepSoundFixes(&report)
  }

  /// Reads a table from its start, and when that fails from its end too.
  private func collect(
    _ connection: SQLiteConnection, _ query: String, _ table: String,
    _ report: inout JournalReport, _ body: (SQLiteRow) throws(JournalError) -> Bool
  ) {
    for order in ["", " ORDER BY id DESC"] {
      do throws(JournalError) {
        var bad = 0
        try connection.forEach(query + order) { (row: SQLiteRow) throws(JournalError) in
          if try !body(row) { bad += 1 }
          return true
        }
        if bad > 0 { report.add("table \(table): \(bad) rows are not what was written") }
        return
      } catch {
        report.add(error, "table \(table)")
      }
    }
  }

  /// Fixes have one checksum for each batch: those of a batch that disagrees go.
  private mutating func keepSoundFixes(_ report: inout JournalReport) {
    var sound: [Int64: LocationFix] = [:]
    var lost = 0
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
      } else {
        lost += own.count
      }
    }
    lost = max(lost, fixes.count - sound.count)
    if lost > 0 { report.add("fixes: \(lost) are in a batch that is not what was written") }
    fixes = sound
  }

  /// Looks for blocks in the bytes of a file.
  mutating func scan(_ bytes: [UInt8]) {
    let letters = SampleBlock.letters
    var start = 0
    while start + SampleBlock.headerLength < bytes.count {
      guard bytes[start] == letters[0], bytes[start + 1] == letters[1],
        bytes[start + 2] == letters[2], bytes[start + 3] == letters[3]
      else {
        start += 1
        continue
      }
      var header = ByteReader(Array(bytes[start + 4..<start + SampleBlock.headerLength]))
      let key = (try? header.littleEndian(byteCount: 8)).map { Int64(bitPattern: $0) } ?? -1
      let length = (try? header.littleEndian(byteCount: 4)).map { Int($0) } ?? 0
      // No more than there is: damage may lead in a circle from page to page.
      let isPossible = length <= min(SampleBlock.longestContent, bytes.count)
      let whole =
        isPossible
        ? Self.payload(bytes, from: start, count: SampleBlock.headerLength + length) : []
      if blocks[key] == nil, key > 0, let block = try? SampleBlock(whole, key: key) {
        // A relic of a small block that was packed into another one holds nothing new; it can be
        // told where the batches are readable.
        if batches.isEmpty || batches[key]?.blockChecksum == block.checksum { blocks[key] = block }
      }
      start += 4
    }
  }

  /// The bytes of a row that begin at `start`, gathered from the pages on which they lie.
  ///
  /// A row too long for its page has a part there and the rest on a chain of other pages, each of
  /// which begins with the number of the next. (SQLite's documentation, "Database File Format",
  /// 1.6, Cell Payload Overflow Pages.) In the write-ahead log the pages stand elsewhere: there
  /// only short rows are found.
  private static func payload(_ bytes: [UInt8], from start: Int, count: Int) -> [UInt8] {
    let size = StoreFormat.pageSize
    // The row's own header: its length, a null for the key, the type of the bytes.
    let type = 2 * count + 12
    let header = 2 + (type < 1 << 14 ? 2 : 3)
    let total = header + count
    var local = total
    if total > size - 35 {
      let least = (size - 12) * 32 / 255 - 23
      let share = least + (total - least) % (size - 4)
      local = share <= size - 35 ? share : least
    }
    guard start + local - header <= bytes.count else { return [] }
    var result = Array(bytes[start..<min(start + local - header, start + count)])
    var link = start + local - header
    while result.count < count, link + 4 <= bytes.count {
      let page = bytes[link..<link + 4].reduce(0) { $0 << 8 | Int($1) }
      guard page > 0, page * size <= bytes.count else { break }
      link = (page - 1) * size
      result += bytes[(link + 4)..<(link + 4 + min(size - 4, count - result.count))]
    }
    return result
  }

  func write(
    to journal: inout Journal, _ report: inout JournalReport
  ) throws(JournalError) {
    let numbers = Set(
      [Array(blocks.keys), Array(fixes.keys), Array(places.keys), Array(remarks.keys)]
        .joined().map { $0 >> StoreFormat.indexBits } + names.keys)
    for number in numbers.sorted() {
      let user = try journal.user(names[number]?.name ?? "user-\(number)")
      report.users += 1
      func isOwn(_ key: Int64) -> Bool { key >> StoreFormat.indexBits == number }
      let before = (report.samples, report.fixes)
      for key in blocks.keys.filter(isOwn).sorted() {
        guard let block = blocks[key] else { continue }
        var batch = JournalBatch()
        batch.accelerations = block.accelerations
        batch.rotationRates = block.rotationRates
        try journal.append(batch, for: user)
        report.samples += block.accelerations.count
      }
      var batch = JournalBatch()
      batch.fixes = fixes.filter { isOwn($0.key) }.sorted { $0.key < $1.key }.map(\.value)
      try journal.append(batch, for: user)
      report.fixes += batch.fixes.count
      try journal.restore(
        places.filter { isOwn($0.key) }.sorted { $0.key < $1.key }.map(\.value.place),
        remarks.filter { isOwn($0.key) }.sorted { $0.key < $1.key }.map(\.value), for: user)
      guard let record = names[number] else { continue }
      let lostSamples = record.samples - (report.samples - before.0)
      let lostFixes = record.fixes - (report.fixes - before.1)
      if lostSamples != 0 { report.add("user \(number): \(lostSamples) samples are lost") }
      if lostFixes != 0 { report.add("user \(number): \(lostFixes) fixes are lost") }
      if lostSamples == 0, lostFixes == 0, let events = events[number] {
        try journal.restore(events, for: user)
        report.events += events.count
      } else if record.events > 0 {
        report.add("user \(number): where measurements began and ended is lost")
      }
    }
  }
}
