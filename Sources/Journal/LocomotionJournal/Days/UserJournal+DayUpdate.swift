internal import Locomotion
public import LocomotionActivityRecognition
public import LocomotionSensing

/// An interval in which a computation or an edit may have changed items.
public struct DayChange: Equatable, Sendable, Codable {
  /// The first instant of it.
  public let start: Timestamp
  /// The first instant after it.
  public let end: Timestamp
}

/// A row of the table `days`: what of one user's recording is told in items.
struct DaysRecord: StoredRow {
  static let layout = RowLayout<Self>(
    "days",
    [
      .key(\.user), .dropped("places"), Column("next_place", \.nextPlace),
      .dropped("place_sum"), Column("items", \.items), .dropped("item_sum"),
      .dropped("remarks"), .dropped("remark_sum"), Column("samples", \.samples),
      Column("fixes", \.fixes), Column("resume_sample", \.resumeSample),
      Column("resume_fix", \.resumeFix), Column("final_end", \.finalEnd), .dropped("checksum"),
    ])

  var user: Int64 = 0
  /// The number of the next new place; numbers are never used twice.
  var nextPlace = 0
  var items = 0
  /// The number of samples and fixes that the items cover.
  var samples = 0, fixes = 0
  /// The positions from which the recording must be read again for the items that may change.
  var resumeSample = 0, resumeFix = 0
  /// The end of the final items; nil while there is none.
  var finalEnd: Timestamp?

  var key: Int64 { user }
  var isValid: Bool {
    [nextPlace, items, samples, fixes, resumeSample, resumeFix].allSatisfy { $0 >= 0 }
  }
}

extension UserJournal {
  /// Brings the items of the user's days up to date with what is recorded.
  ///
  /// The recording is read in time order. It passes through `LocomotionPipeline`, then `Hindsight`,
  /// which smooths earlier seconds with later ones, and `TimelineBuilder`, whose rules define
  /// stays, trips and gaps. Only what can still change is recomputed: from the start of the newest
  /// stay that is certain, or from before the data that arrived late (but not from where raw
  /// samples were dropped). The result depends on what was recorded, not on when it is computed;
  /// see <doc:Days>.
  ///
  /// A stay is at the nearest stored place whose radius, or 60 m if that is more, reaches its
  /// centre. A stay of five minutes or more without such a place adds a new, nameless one, which is
  /// removed again when the stay turns out not to be one.
  ///
  /// In a journal that is open for reading the days are computed in memory, and are those of this
  /// ``Journal`` alone until it is closed: also beside another program that writes to the file.
  ///
  /// The journal keeps the state of the pipeline until it is closed, so that updating again costs
  /// only what is new: some 10 MB after eight hours in one place.
  ///
  /// - Parameter model: The activity model; another one than the last time applies to what is not
  ///   final.
  /// - Returns: The interval in which items may have changed; nil when nothing was computed.
  /// - Throws: ``JournalError``; then the days are as they were. `readOnly` when it is open for
  ///   reading and of another version.
  /// - Complexity: O(what was recorded since the last update), and of the first update of an open
  ///   journal O(recording since the hour before the newest certain stay); memory for one sample
  ///   per second since that stay.
  @discardableResult
  public func updateDays(model: ActivityModel = .default) throws(JournalError) -> DayChange? {
    guard journal.access == .reading else { return try updateAll(model) }
    do {
      return try connection.snapshot { () throws(JournalError) in
        if connection.hidesDays { try copyDays() }
        let record = try userRecord()
        let days = try daysRecord(record)
        guard days.samples != record.samples || days.fixes != record.fixes else { return nil }
        if !connection.hidesDays { try copyDays() }
        return try updateAll(model)
      }
    } catch {
      try? journal.forgetDaysInMemory()
      throw error
    }
  }

  private func updateAll(_ model: ActivityModel) throws(JournalError) -> DayChange? {
    while true {
      let step = try update(model, upTo: .max)
      if step.isComplete { return step.change }
    }
  }

  /// Copies the user's days into tables in memory, which hide those of the file from this
  /// connection; at first with those of the others.
  private func copyDays() throws(JournalError) {
    guard connection.version == StoreFormat.version else { throw .readOnly(path: journal.path) }
    let tables = ["items", "places", "remarks", "checkpoints"]
    for table in ["days"] + tables {
      try connection.execute(
        "CREATE TEMP TABLE IF NOT EXISTS \(table) AS SELECT * FROM main.\(table); "
          + "CREATE UNIQUE INDEX IF NOT EXISTS temp.id_of_\(table) ON \(table) (id)")
    }
    connection.hidesDays = true
    let keys = StoreFormat.keys(ofUser: number)
    let days: [SQLiteValue] = [.integer(number), .integer(number + 1)]
    for (table, keys) in tables.map({ ($0, keys) }) + [("days", days)] {
      let condition = "WHERE id >= ? AND id < ?"
      try connection.run("DELETE FROM temp.\(table) \(condition)", keys)
      try connection.run(
        "INSERT INTO temp.\(table) SELECT * FROM main.\(table) \(condition)", keys)
    }
    // Of the file as it was before.
    journal.forgetComputed(ofUser: number)
  }

  /// One step of an update that lets others use the journal in between.
  ///
  /// - Parameters:
  ///   - model: The activity model.
  ///   - count: About how many samples to read; an hour with data counts as some more.
  /// - Returns: Whether the days are up to date, and then what has changed.
  /// - Throws: ``JournalError``; then the days are as they were.
  public func updateDays(
    model: ActivityModel = .default, upTo count: Int
  ) throws(JournalError) -> (isComplete: Bool, change: DayChange?) {
    try requireWriting()
    return try update(model, upTo: count)
  }

  private func update(
    _ model: ActivityModel, upTo count: Int
  ) throws(JournalError) -> (isComplete: Bool, change: DayChange?) {
    let record = try userRecord()
    var days = try daysRecord(record)
    guard days.samples != record.samples || days.fixes != record.fixes else { return (true, nil) }
    let kept = journal.dayComputations.removeValue(forKey: number)
    let uploads = try uploadRecord(record)
    var computation: DayComputation
    if let kept, let next = DayComputation(continuing: kept, days, uploads, model: model) {
      computation = next
    } else {
      computation = DayComputation(days, uploads, try rows(), try storedStatements(), model: model)
    }
    while true {
      switch try computation.advance(of: record, by: count, in: self) {
      case .unfinished:
        journal.dayComputations[number] = computation
        return (false, nil)
      case .late(let instant):
        computation = DayComputation(
          days, uploads, try rows(), try storedStatements(), changedFrom: instant, model: model)
      case .finished:
        let (change, learned) = try connection.transaction { () throws(JournalError) in
          let stored = try store(computation, in: &days)
          days.samples = record.samples
          days.fixes = record.fixes
          try days.write(to: connection)
          try self.store(computation.checkpoints)
          return stored
        }
        journal.learnedPlaces[number] = learned
        computation.dropStates()
        journal.dayComputations[number] = computation
        noteChange(from: change.start, to: change.end)
        return (true, change)
      }
    }
  }

  /// Replaces the items that could change.
  ///
  /// - Returns: From the first item that is not as before to the end of all; and what the final
  ///   items tell of places, in a journal that learns them itself.
  private func store(
    _ computation: DayComputation, in days: inout DaysRecord
  ) throws(JournalError) -> (change: DayChange, learned: LearnedPlaces?) {
    let source = try uploadRecord(userRecord()).placesOfSource
    let first =
      try computation.begin.map { begin throws(JournalError) in
        try firstItem(of: days, endingAfter: begin)
      } ?? 0
    let before = try takeItems(from: first, of: &days)
    var old = Set(before.compactMap(\.place))
    var after: [DaySegment] = []
    var settled: Set<Int> = []
    var learning = try source == nil ? learnedPlaces(days) : LearnedPlaces()
    for (offset, segment) in computation.segments.enumerated() {
      var segment = segment
      if offset == 0, segment.kind == .leg, first > 0 {
        segment.startsItem = try item(first - 1).segment.kind == .leg
      }
      // In a journal of appended units all places are found at the end.
      segment.place = source == nil ? try recognise(segment, learning, in: &days) : nil
      if let place = segment.place {
        old.remove(place)
        if learning.visits[place] == nil, settled.insert(place).inserted {
          try settle(place, at: segment)
        }
      }
      after.append(segment)
      let row = ItemRecord(user: days.user, index: first + offset, segment)
      days.items += 1
      try row.write(to: connection)
      if source == nil, let end = computation.finalEnd, segment.end <= end {
        try learn(from: row, &learning)
      }
    }
    // What was final has changed.
    if computation.begin != days.finalEnd { journal.habits[number] = nil }
    days.finalEnd = computation.finalEnd
    (days.resumeSample, days.resumeFix) = computation.resume
    if let source {
      try recogniseAll(in: &days, source)
      // Its places are those of the device, or depend on nothing before.
      for index in after.indices {
        after[index].place = try item(first + index).segment.place
      }
    } else {
      try forget(old, in: &days)
    }
    for index in after.indices {
      while let place = after[index].place, let other = learning.merged[place] {
        after[index].place = other
      }
    }
    let equal = zip(before, after).prefix { $0 == $1 }.count
    let ends = [before.last?.end, after.last?.end].compactMap { $0 }
    let starts = [before.dropFirst(equal).first?.start, after.dropFirst(equal).first?.start]
    let end = ends.max() ?? computation.begin ?? Timestamp(nanoseconds: 0)
    let moved = learning.takeEarliestChange()
    let change = DayChange(start: (starts + [moved]).compactMap { $0 }.min() ?? end, end: end)
    return (change, source == nil ? learning : nil)
  }

  /// Removes the items from an index on, and returns them.
  private func takeItems(
    from first: Int, of days: inout DaysRecord
  ) throws(JournalError) -> [DaySegment] {
    let keys = StoreFormat.keys(ofUser: number, first..<max(first, days.items))
    let taken: [ItemRecord] = try connection.rows(keys)
    guard first + taken.count == max(first, days.items) else { throw damage("items") }
    try connection.delete(keys, from: "items")
    days.items = min(first, days.items)
    return taken.map(\.segment)
  }

  /// Removes learned places at which no stay is left.
  private func forget(_ places: Set<Int>, in days: inout DaysRecord) throws(JournalError) {
    let keys = StoreFormat.keys(ofUser: days.user)
    for id in places.sorted() {
      let stays = try connection.integer(
        "SELECT count(*) FROM items WHERE id >= ? AND id < ? AND place = ?",
        keys + [.integer(Int64(id))])
      guard stays == 0 else { continue }
      if let record = try placeIfAny(id), record.place.isLearned { try remove(record) }
    }
  }

  // MARK: Rows

  func daysRecord(_ user: UserRecord) throws(JournalError) -> DaysRecord {
    try connection.row(user.number, orElse: "the table of days")
  }

  /// All of the user's rows of one kind.
  func rows<Row: StoredRow>(_ kind: Row.Type = Row.self) throws(JournalError) -> [Row] {
    try connection.rows(StoreFormat.keys(ofUser: number))
  }

  func remove<Row: StoredRow>(_ record: Row) throws(JournalError) {
    try connection.delete(record.key, from: Row.layout.table)
  }

  /// Verifies a user's days, places and edits.
  func checkDays(of user: UserRecord) throws(JournalError) {
    let days = try daysRecord(user)
    _ = (try rows(PlaceRecord.self), try rows(EditRecord.self))
    guard try rows(ItemRecord.self).count == days.items else { throw damage("the table of items") }
  }
}

extension Journal {
  /// Gives up what a journal that is open for reading has computed in memory.
  func forgetDaysInMemory() throws(JournalError) {
    guard connection.hidesDays else { return }
    (dayComputations, habits, learnedPlaces) = ([:], [:], [:])
    for table in ["days", "items", "places", "remarks", "checkpoints"] {
      try connection.execute("DROP TABLE IF EXISTS temp.\(table)")
    }
    connection.hidesDays = false
  }
}
