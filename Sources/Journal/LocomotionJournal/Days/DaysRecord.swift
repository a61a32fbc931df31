import LocomotionSensing

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
