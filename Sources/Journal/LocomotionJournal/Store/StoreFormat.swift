/// The tables of a journal, and the migrations between their versions.
///
/// A key has the user's number in its upper bits and a running number in the lower 40. So the
/// primary key is also the recording order, the rows of a user are contiguous, and there is no
/// secondary index whose damage could hide rows.
///
/// Blocks of samples have a checksum, and the rows of batches, fixes and events are counted in the
/// user's row. That a page is what was written is a matter of SQLite and of the disk.
package enum StoreFormat {
  /// "LocJ", the application ID in SQLite's header.
  static let applicationID: Int64 = 0x4C6F_634A
  /// The version that this package writes.
  package static let version = 10
  /// The oldest version that is read and migrated: that of the first release.
  static let oldest = 6
  /// The bits of a key that hold the running number; the user's number is above them.
  static let indexBits: Int64 = 40
  /// STRICT tables require SQLite 3.37.
  static let oldestLibrary = 3_037_000
  /// The size of a page, bytes; a transaction writes whole pages.
  static let pageSize = 4_096

  static func key(user: Int64, index: Int) -> Int64 {
    // What a damaged row counts may be any number.
    user << indexBits &+ Int64(index)
  }

  /// The running number in a key.
  static func index(of key: Int64) -> Int { Int(key & (1 << indexBits - 1)) }

  /// The first key of a user's rows, or of those with these running numbers, and the first one
  /// after theirs.
  static func keys(
    ofUser user: Int64, _ indices: Range<Int> = 0..<1 << Int(indexBits)
  ) -> [SQLiteValue] {
    [indices.lowerBound, indices.upperBound].map { .integer(key(user: user, index: $0)) }
  }

  private static let kinds: [any StoredRow.Type] = [
    BatchRecord.self, BlockRecord.self, EventRecord.self, FixRecord.self, StoreRecord.self,
    UserRecord.self, DaysRecord.self, ItemRecord.self, PlaceRecord.self, EditRecord.self,
    DayCheckpoint.self, UnitStatus.self, UploadRecord.self,
  ]

  /// The statements that migrate a file of the version before to this one.
  ///
  /// Version 7 has no checksums of rows. Version 8 has all that is known of an item, and computes
  /// it for what was recorded before. Version 9 has what is stated of a trip. Version 10 has no
  /// R*Tree of places beside them.
  static func migration(toVersion version: Int) -> [String] {
    let statements = kinds.flatMap { $0.migration(toVersion: version) }
    switch version {
    case 8:
      return statements + ["DELETE FROM checkpoints", "UPDATE days SET samples = 0, fixes = 0"]
    case 10: return statements + ["DROP TABLE IF EXISTS place_index"]
    default: return statements
    }
  }

  /// The statements that make the tables of a version.
  package static func creation(ofVersion version: Int) -> [String] {
    kinds.map { $0.creation(ofVersion: version) }
  }
}
