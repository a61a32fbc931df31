import LocomotionSensing

/// A row of the table `days`: what of one user's recording is told in items.
package struct DaysRecord: StoredRow {
  package static let layout = RowLayout<Self>(
    "days", Self(),
    [
      Column("id", \.user), Column("next_place", \.nextPlace), Column("items", \.items),
      Column("samples", \.samples), Column("fixes", \.fixes),
      Column("resume_sample", \.resumeSample), Column("resume_fix", \.resumeFix),
      Column("final_end", \.finalEnd),
    ]
  ) { $0.isValid }

  var user: Int64 = 0
  /// The number of the next new place; numbers are never used twice.
  package var nextPlace = 0
  /// The number of items.
  var items = 0
  /// The number of samples and fixes that the items cover.
  var samples = 0, fixes = 0
  /// The positions from which the recording must be read again for the items that may change.
  var resumeSample = 0, resumeFix = 0
  /// The end of the final items; nil while there is none.
  var finalEnd: Timestamp?

  package var key: Int64 { user }
  var isValid: Bool {
    [nextPlace, items, samples, fixes, resumeSample, resumeFix].allSatisfy { $0 >= 0 }
  }

  init() {}

  init(user: Int64) {
    self.user = user
  }
}

extension UserJournal {
  package func daysRecord(_ user: UserRecord) throws(JournalError) -> DaysRecord {
    guard let record: DaysRecord = try connection.row(user.number) else {
      throw damage("the table of days")
    }
    return record
  }

  /// All of the user's rows of one kind.
  func rows<Row: StoredRow>() throws(JournalError) -> [Row] {
    guard connection.hasUnits || !StoreFormat.unitTableNames.contains(Row.layout.table) else {
      return []
    }
    return try connection.rows(StoreFormat.keys(ofUser: number))
  }

  /// Verifies a user's days, places and edits.
  func checkDays(of user: UserRecord, _ report: inout JournalReport) throws(JournalError) {
    let days = try daysRecord(user)
    let _: [PlaceRecord] = try rows()
    let items: [ItemRecord] = try rows()
    let _: [EditRecord] = try rows()
    guard items.count == days.items else { throw damage("the table of items") }
  }
}
