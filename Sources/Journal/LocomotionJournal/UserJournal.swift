internal import LocomotionSensing

/// One user's part of a journal, from ``Journal/user(_:)``.
///
/// ```swift
/// let journal = try Journal(path: "journal.locomotion")
/// let ada = try journal.user("ada")
/// try ada.append(JournalBatch(batch))  // on the disk when this returns
/// ```
///
/// Its calls have no parameter that names a user: what they read and change is of this one. The
/// journal stays open while a value of this type is in use. After ``erase()`` all calls that throw
/// throw ``JournalError/unknownUser``.
public struct UserJournal {
  let journal: Journal
  /// The number by which the rows are the user's; it is not given again after an erasure.
  let number: Int64
  /// The user's name.
  public let name: String

  /// Appends samples and fixes; when this returns, they are durable.
  ///
  /// - Returns: How much the journal holds of the user now.
  /// - Throws: ``JournalError``; then nothing of the batch is stored, and it can be appended again.
  ///   After ``JournalError/implausibleTime`` not as it is: see
  ///   ``JournalBatch/removeImplausibleTimes()``.
  @discardableResult
  public func append(_ batch: JournalBatch) throws(JournalError) -> JournalCounts {
    guard batch.hasOnlyTimes(\.isPlausible) else { throw .implausibleTime }
    return try appendUnchecked(batch)
  }

  /// Appends whatever the times, as an earlier version did: for tests of what that has stored.
  @discardableResult
  package func appendUnchecked(_ batch: JournalBatch) throws(JournalError) -> JournalCounts {
    try writing { (user) throws(JournalError) in
      var record = user
      if !batch.isEmpty {
        let writer = BatchWriter(connection: connection)
        var (part, fixes) = (batch, batch.fixes[...])
        repeat {
          part.fixes = Array(fixes.prefix(BatchWriter.mostFixes))
          fixes = fixes.dropFirst(BatchWriter.mostFixes)
          try writer.append(part, to: &record)
          part = JournalBatch()
        } while !fixes.isEmpty
        try record.write(to: connection)
      }
      return record.counts
    }
  }

  /// How much the journal holds of the user.
  public func counts() throws(JournalError) -> JournalCounts { try userRecord().counts }

  /// The interval in which items of the user's days may have changed since the last call.
  ///
  /// Updates, edits and erasures that were made through the same ``Journal`` count, and no others.
  ///
  /// - Returns: The interval; nil when nothing has changed.
  public func takeDayChange() -> DayChange? { journal.dayChanges.removeValue(forKey: number) }

  func noteChange(from start: Timestamp, to end: Timestamp) {
    let before = journal.dayChanges[number]
    journal.dayChanges[number] = DayChange(
      start: before.map { min($0.start, start) } ?? start,
      end: before.map { max($0.end, end) } ?? end)
  }

  /// Runs `body` with the user's row on one snapshot of the file.
  ///
  /// - Throws: ``JournalError/unknownUser`` after an erasure of the user, and what `body` throws.
  func reading<Result>(
    _ body: (UserRecord) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    try connection.snapshot { () throws(JournalError) in try body(userRecord()) }
  }

  /// Runs `body` with the user's row in a transaction of a journal that is open for writing.
  ///
  /// - Throws: As ``reading(_:)``, and ``JournalError/readOnly(path:)``.
  func writing<Result>(
    _ body: (UserRecord) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    try requireWriting()
    return try connection.transaction { () throws(JournalError) in try body(userRecord()) }
  }

  // MARK: Rows

  var connection: SQLiteConnection { journal.connection }

  func requireWriting() throws(JournalError) { try journal.requireWriting() }

  func damage(_ what: String) -> JournalError { journal.damage(what) }

  func userRecord() throws(JournalError) -> UserRecord {
    if let record: UserRecord = try connection.row(number) { return record }
    // A row that is missing without an erasure is damage.
    _ = try journal.users()
    throw .unknownUser
  }
}

/// How much a journal holds of one user.
public struct JournalCounts: Hashable, Sendable {
  /// Accelerations.
  public internal(set) var samples = 0
  /// Rotation rates.
  public internal(set) var rotationRates = 0
  /// Location fixes.
  public internal(set) var fixes = 0
  /// Events of measurements.
  public internal(set) var events = 0
}
