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
  package static let applicationID: Int64 = 0x4C6F_634A
  /// The version that this package writes.
  package static var version: Int { migrations.count }
  /// The oldest version that is read without being migrated: its tables are those of this one.
  static let oldestReadable = 2
  /// The bits of a key that hold the running number; the user's number is above them.
  package static let indexBits: Int64 = 40
  /// STRICT tables require SQLite 3.37.
  static let oldestLibrary = 3_037_000
  /// The size of a page, bytes; a transaction writes whole pages.
  static let pageSize = 4_096

  package static func key(user: Int64, index: Int) -> Int64 {
    user << indexBits | Int64(index)
  }

  /// The running number in a key.
  static func index(of key: Int64) -> Int { Int(key & (1 << indexBits - 1)) }

  /// The first key of a user and the first one after theirs.
  static func keys(ofUser user: Int64) -> [SQLiteValue] {
    [user, user + 1].map { .integer(key(user: $0, index: 0)) }
  }

  /// The statements that migrate each version to the next, one transaction per step.
  ///
  /// Version 3 has the tables of version 2; the older one takes its kinds of edits for damage.
  /// Version 5 has those of version 4, and with the activity of an item what the sensors say;
  /// version 6 its custom activity. Version 7 has no checksums of rows. Version 8 has all that is
  /// known of an item, and computes it for what was recorded before.
  static let migrations: [[String]] = [
    tables, dayTables, [], unitTables, [], ["ALTER TABLE items ADD COLUMN custom TEXT"],
    dropped.flatMap { table, columns in
      columns.map { "ALTER TABLE \(table) DROP COLUMN \($0)" }
    },
    itemColumns.map { "ALTER TABLE items ADD COLUMN \($0)" }
      + ["DELETE FROM checkpoints", "UPDATE days SET samples = 0, fixes = 0"],
  ]

  /// The columns that version 8 added.
  private static let itemColumns = [
    "start_sd REAL", "end_sd REAL", "observed REAL NOT NULL DEFAULT 0", "distance_sd REAL",
    "moving REAL", "altitude BLOB",
  ]

  /// The columns of each table that version 7 dropped.
  private static let dropped: [(table: String, columns: [String])] = [
    ("batches", ["fix_chain", "chain"]), ("events", ["chain"]), ("store", ["checksum"]),
    ("users", ["chain", "fix_chain", "event_chain", "checksum"]),
    ("days", ["places", "place_sum", "item_sum", "remarks", "remark_sum", "checksum"]),
    ("items", ["checksum"]), ("places", ["checksum"]), ("remarks", ["checksum"]),
    ("checkpoints", ["checksum"]), ("units", ["checksum"]),
    ("uploads", ["units", "unit_sum", "checksum"]),
  ]

  /// The tables of version 1, by name.
  private static let tables = [
    """
    CREATE TABLE batches (id INTEGER PRIMARY KEY, first_sample INTEGER NOT NULL, \
    samples INTEGER NOT NULL, rotations INTEGER NOT NULL, first_fix INTEGER NOT NULL, \
    fixes INTEGER NOT NULL, block_checksum INTEGER NOT NULL, fix_chain INTEGER NOT NULL, \
    chain INTEGER NOT NULL) STRICT
    """,
    "CREATE TABLE blocks (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT",
    """
    CREATE TABLE events (id INTEGER PRIMARY KEY, measurement INTEGER NOT NULL, \
    kind INTEGER NOT NULL, time INTEGER NOT NULL, value TEXT, samples INTEGER NOT NULL, \
    fixes INTEGER NOT NULL, chain INTEGER NOT NULL) STRICT
    """,
    """
    CREATE TABLE fixes (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, latitude REAL, \
    longitude REAL, altitude REAL, horizontal_accuracy REAL, vertical_accuracy REAL, speed REAL, \
    speed_accuracy REAL, course REAL, course_accuracy REAL) STRICT
    """,
    """
    CREATE TABLE store (id INTEGER PRIMARY KEY CHECK (id = 1), identity INTEGER NOT NULL, \
    users INTEGER NOT NULL, next_user INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT
    """,
    """
    CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, batches INTEGER NOT NULL, \
    samples INTEGER NOT NULL, rotations INTEGER NOT NULL, fixes INTEGER NOT NULL, \
    events INTEGER NOT NULL, chain INTEGER NOT NULL, fix_chain INTEGER NOT NULL, \
    event_chain INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT
    """,
  ]

  /// The tables that version 2 added: a user's days, places and edits.
  private static let dayTables = [
    """
    CREATE TABLE days (id INTEGER PRIMARY KEY, places INTEGER NOT NULL, \
    next_place INTEGER NOT NULL, place_sum INTEGER NOT NULL, items INTEGER NOT NULL, \
    item_sum INTEGER NOT NULL, remarks INTEGER NOT NULL, remark_sum INTEGER NOT NULL, \
    samples INTEGER NOT NULL, fixes INTEGER NOT NULL, resume_sample INTEGER NOT NULL, \
    resume_fix INTEGER NOT NULL, final_end INTEGER, checksum INTEGER NOT NULL) STRICT
    """,
    """
    CREATE TABLE items (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, start INTEGER NOT NULL, \
    end INTEGER NOT NULL, activity INTEGER, distance REAL, steps REAL, latitude REAL, \
    longitude REAL, radius REAL, place INTEGER, checksum INTEGER NOT NULL) STRICT
    """,
    placeIndex,
    """
    CREATE TABLE places (id INTEGER PRIMARY KEY, name TEXT NOT NULL, latitude REAL NOT NULL, \
    longitude REAL NOT NULL, radius REAL NOT NULL, is_learned INTEGER NOT NULL, \
    checksum INTEGER NOT NULL) STRICT
    """,
    """
    CREATE TABLE remarks (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, start INTEGER NOT NULL, \
    end INTEGER NOT NULL, value TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT
    """,
  ]

  /// The tables that version 4 added: what is on its way to an archive, and where the computation
  /// of days can go on.
  private static let unitTables = [
    """
    CREATE TABLE checkpoints (id INTEGER PRIMARY KEY, end INTEGER NOT NULL, final_end INTEGER, \
    sample INTEGER NOT NULL, fix INTEGER NOT NULL, state BLOB NOT NULL, \
    checksum INTEGER NOT NULL) STRICT
    """,
    """
    CREATE TABLE units (id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, \
    measurement INTEGER, first_batch INTEGER NOT NULL, batches INTEGER NOT NULL, \
    first_sample INTEGER NOT NULL, samples INTEGER NOT NULL, first_rotation INTEGER NOT NULL, \
    rotations INTEGER NOT NULL, pressures INTEGER NOT NULL, first_fix INTEGER NOT NULL, \
    fixes INTEGER NOT NULL, first_event INTEGER NOT NULL, events INTEGER NOT NULL, \
    first_time INTEGER, last_time INTEGER, bytes INTEGER NOT NULL, digest BLOB NOT NULL, \
    state INTEGER NOT NULL, reason TEXT NOT NULL, annotations BLOB, checksum INTEGER NOT NULL) \
    STRICT
    """,
    """
    CREATE TABLE uploads (id INTEGER PRIMARY KEY, device TEXT NOT NULL, \
    next_sequence INTEGER NOT NULL, next_unit INTEGER NOT NULL, units INTEGER NOT NULL, \
    unit_sum INTEGER NOT NULL, batches INTEGER NOT NULL, rotations INTEGER NOT NULL, \
    events INTEGER NOT NULL, annotations BLOB, dropped_batches INTEGER NOT NULL, \
    dropped_samples INTEGER NOT NULL, dropped_rotations INTEGER NOT NULL, floor_end INTEGER, \
    floor_sample INTEGER NOT NULL, floor_fix INTEGER NOT NULL, source TEXT, \
    source_sequence INTEGER NOT NULL, source_places BLOB, confirmed_time INTEGER, \
    metered_day INTEGER NOT NULL, metered_bytes INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT
    """,
  ]

  /// The R*Tree of places: the user's number, and metres along the axes of the Earth.
  static let placeIndex =
    "CREATE VIRTUAL TABLE place_index USING rtree(id, u0, u1, x0, x1, y0, y1, z0, z1)"

  /// The shadow tables of the R*Tree, as SQLite declares them.
  private static let placeIndexTables = [
    #"CREATE TABLE "place_index_node"(nodeno INTEGER PRIMARY KEY,data)"#,
    #"CREATE TABLE "place_index_parent"(nodeno INTEGER PRIMARY KEY,parentnode)"#,
    #"CREATE TABLE "place_index_rowid"(rowid INTEGER PRIMARY KEY,nodeno)"#,
  ]

  /// The tables that a user has any number of rows of, and that only versions with units have.
  static let unitTableNames = ["units", "checkpoints"]

  /// The first version that has units and checkpoints.
  static let firstWithUnits = 4

  /// The first version whose items have all that is known of them.
  static let firstWithWholeItems = 8

  /// The first version whose items have custom activities.
  static let firstWithCustomActivities = 6

  /// The statements that make the tables of a version from 2 on, as SQLite rewrites them when it
  /// migrates a file.
  package static func creation(ofVersion version: Int) -> [String] {
    (tables + dayTables + (version < firstWithUnits ? [] : unitTables)).map { statement in
      var text = statement
      if version >= firstWithCustomActivities, text.hasPrefix("CREATE TABLE items ") {
        text.replace(") STRICT", with: ", custom TEXT) STRICT")
        if version >= firstWithWholeItems {
          text.replace(") STRICT", with: ", \(itemColumns.joined(separator: ", "))) STRICT")
        }
      }
      for (table, columns) in version < 7 ? [] : dropped
      where text.hasPrefix("CREATE TABLE \(table) ") {
        for column in columns { text.replace(", \(column) INTEGER NOT NULL", with: "") }
      }
      return text
    }
  }

  /// The statements in `sqlite_schema` of an intact file of a version that is read, sorted.
  static func schema(ofVersion version: Int) -> [String] {
    (creation(ofVersion: version) + placeIndexTables).sorted()
  }
}
