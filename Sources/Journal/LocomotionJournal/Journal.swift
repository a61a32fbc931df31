internal import LocomotionSensing

/// A durable store of its users' samples, fixes and measurements, in one file.
///
/// ```swift
/// let journal = try Journal(path: "journal.locomotion")
/// let ada = try journal.user("ada")
/// try ada.append(JournalBatch(batch))  // on the disk when this returns
/// ```
///
/// ## Guarantees
/// - A batch is acknowledged, that is ``UserJournal/append(_:)-(JournalBatch)`` returns, after its
///   transaction has been written and synchronized. From then on it survives a killed process and
///   a power failure, as far as the disk honours synchronization. An unacknowledged batch is stored
///   as a whole or not at all.
/// - Samples are verified against checksums: damage throws ``JournalError/damaged(path:what:)`` and
///   never gives another number. So does what does not fit together.
/// - There is one writer at a time, in whichever process, and any number of readers beside it.
/// - What concerns a user is reached through their ``UserJournal`` alone, which gives no access to
///   another's data.
///
/// ## The file
/// SQLite in write-ahead log mode. While the journal is open SQLite keeps two files beside it
/// (`-wal`, `-shm`), and there is a lock file (`-writer`). Samples are compressed losslessly, to
/// about one byte for each axis of a sample. Small batches are merged as they arrive, so that
/// frequent saving takes no more space.
///
/// The file is open until the last reference to the journal or to a ``UserJournal`` of it is gone.
/// To use it from several tasks, keep it in an actor, as ``JournalSession`` does. All calls are
/// synchronous and may wait for the disk.
public final class Journal {
  /// What a journal is opened for.
  public enum Access: Hashable, Sendable {
    /// The file must exist.
    case reading
    /// The file is created when there is none.
    case writing
  }

  /// The options for opening a journal.
  public struct Settings: Hashable, Sendable {
    /// How long to wait for another writer's lock before throwing `busy`, seconds; default 2.
    public var longestWait = 2.0
    /// The name of a virtual file system of SQLite, for tests; nil for the default one.
    package var fileSystem: String?

    /// The defaults.
    public init() {}
  }

  /// The path of the file, with symbolic links at its end resolved.
  public let path: String
  let connection: SQLiteConnection
  let access: Access
  private let lock: WriterLock?
  /// What the last updates of days have left to be continued, by the user's number.
  var dayComputations: [Int64: DayComputation] = [:]
  /// What repeats in the users' days, by the user's number, and of which edits and final items.
  var habits: [Int64: (edits: [DayEdit], finalEnd: Timestamp?, habits: Habits)] = [:]
  /// What the final stays tell of the users' places, by the user's number.
  var learnedPlaces: [Int64: LearnedPlaces] = [:]
  /// The intervals in which items have changed since they were asked for.
  var dayChanges: [Int64: DayChange] = [:]

  /// Opens the journal at `path`.
  ///
  /// A symbolic link is followed. Anything but a regular file is refused, and so is a file with
  /// several names (hard links): SQLite keeps the log beside one of them, where the others do not
  /// find it. Beside a file that is refused nothing is created or changed.
  ///
  /// - Throws: ``JournalError``: `notFound`, `notAJournal`, `newerVersion` (for writing), `busy`,
  ///   `readOnly`, `full`, `inputOutput`, `damaged`, `encrypted`.
  /// - Complexity: independent of the length of the recording.
  public init(
    path: String, access: Access = .writing, settings: Settings = .init()
  ) throws(JournalError) {
    guard SQLiteConnection.libraryVersion >= StoreFormat.oldestLibrary else {
      throw .notAJournal(path: path, reason: "the system's SQLite is older than 3.37")
    }
    let location = try StoreLocation(path, access)
    let lock =
      access == .writing
      ? try WriterLock(path: location.path, waiting: settings.longestWait) : nil
    connection = try Self.open(location.path, access, settings, lock)
    if access == .writing { Self.protectFiles(of: location.path) }
    self.path = location.path
    self.access = access
    self.lock = lock
  }

  /// The part of the user with this name, who is added when the journal is open for writing.
  ///
  /// Names that differ only in their Unicode normalization are one name.
  ///
  /// - Throws: ``JournalError/invalidUserName``; ``JournalError/unknownUser`` when the journal is
  ///   open for reading and has no such user.
  public func user(_ name: String) throws(JournalError) -> UserJournal {
    if let user = try existingUser(name) { return user }
    guard access == .writing else { throw .unknownUser }
    try Self.validate(newUserName: name)
    return try connection.transaction { () throws(JournalError) in
      var store = try storeRecord()
      let record = UserRecord(number: store.nextUser, name: name)
      store.users += 1
      store.nextUser += 1
      try record.write(to: connection)
      try DaysRecord(user: record.number).write(to: connection)
      var uploads = UploadRecord()
      uploads.key = record.number
      uploads.beginDevice()
      try uploads.write(to: connection)
      try store.write(to: connection)
      return UserJournal(journal: self, number: record.number, name: name)
    }
  }

  /// The part of the user with this name, or nil when there is none.
  ///
  /// - Throws: ``JournalError/invalidUserName``.
  public func existingUser(_ name: String) throws(JournalError) -> UserJournal? {
    try Self.validate(userName: name)
    return try users().first { $0.name == name }
      .map { UserJournal(journal: self, number: $0.number, name: $0.name) }
  }

  /// Checks that a user of this name can be added; called before a journal is created for them.
  ///
  /// - Throws: ``JournalError/invalidUserName``.
  package static func validate(newUserName name: String) throws(JournalError) {
    try validate(userName: name)
    // It replaces bytes that are not text: the names of two people could become one.
    guard !name.unicodeScalars.contains("\u{FFFD}") else { throw .invalidUserName }
  }

  static func validate(userName name: String) throws(JournalError) {
    let isFit = 1...128 ~= name.utf8.count && name.unicodeScalars.allSatisfy { $0.value >= 32 }
    guard isFit, !name.unicodeScalars.contains("\u{7f}") else { throw .invalidUserName }
  }

  /// Forgets what was computed of a user from rows that are others now.
  func forgetComputed(ofUser number: Int64) {
    (dayComputations[number], habits[number], learnedPlaces[number]) = (nil, nil, nil)
  }

  // MARK: Rows

  func requireWriting() throws(JournalError) {
    guard access == .writing else { throw .readOnly(path: path) }
  }

  func damage(_ what: String) -> JournalError { .damaged(path: path, what: what) }

  func storeRecord() throws(JournalError) -> StoreRecord {
    try connection.row(1, orElse: "the table of the store")
  }

  /// The rows of all users, each verified.
  func users() throws(JournalError) -> [UserRecord] {
    let store = try storeRecord()
    let records: [UserRecord] = try connection.rows(orElse: "the table of users")
    guard records.count == store.users else { throw damage("the table of users") }
    return records
  }

  /// The names of all users, in the order in which they were added.
  public func userNames() throws(JournalError) -> [String] { try users().map(\.name) }
}
