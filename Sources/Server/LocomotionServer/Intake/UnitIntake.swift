internal import LocomotionJournal

/// Takes units into the archive: the object first, then its row.
///
/// What is acknowledged is durable, and what was interrupted between the two is completed by
/// ``completeRows(found:isStopping:)``, or when the unit is sent again. Safe to use from several
/// threads.
final class UnitIntake: Sendable {
  /// What came of a unit that the archive has now.
  enum Outcome: Hashable, Sendable {
    /// It is new.
    case stored
    /// It was there already.
    case known
    /// It was known, but its object was gone or damaged, and is there again.
    case healed
  }

  let objects: any ObjectStore
  let connections: ArchiveConnections
  private let stored: @Sendable (_ user: String, _ device: String) -> Void

  /// An intake into an object store and a database.
  ///
  /// - Parameters:
  ///   - objects: Where the units are kept.
  ///   - connections: The database.
  ///   - stored: Called after each unit that is new, healed or deleted, from whichever thread
  ///     did it.
  init(
    objects: any ObjectStore, connections: ArchiveConnections,
    stored: @escaping @Sendable (_ user: String, _ device: String) -> Void
  ) {
    (self.objects, self.connections, self.stored) = (objects, connections, stored)
  }

  /// Stores a unit; when this returns, it is durable.
  ///
  /// - Parameters:
  ///   - bytes: The unit.
  ///   - digest: The SHA-256 that the sender says it has, 64 hexadecimal digits.
  ///   - user: The sender's name in Unicode's form C.
  /// - Returns: Whether it is new.
  /// - Throws: ``IntakeError``; unless it is final, the unit may be sent again.
  func store(
    _ bytes: [UInt8], digest: String, of user: String
  ) throws(IntakeError) -> Outcome {
    let found = SHA256Digest(of: bytes)
    guard found.hexadecimal == digest else { throw .wrongDigest(found: found.hexadecimal) }
    let summary: UploadUnit.Summary
    do throws(UnitError) {
      summary = try UploadUnit(bytes).summary
    } catch {
      throw .notAUnit(error)
    }
    guard let owner = UserName.canonical(summary.user), owner.utf8.elementsEqual(user.utf8)
    else { throw .otherUser }
    let state = try state(of: digest, user)
    if state.isErased { throw .erased }
    if state.isWithdrawn { throw .withdrawn }
    let key = ObjectKey(user: user, firstEvent: summary.firstEvent, digest: found)
    // Also of a known one: the sender gives up its copy because of the answer, and a row does not
    // show that the object is there.
    let isWritten: Bool
    do throws(ObjectStoreError) {
      isWritten = try objects.put(bytes, at: key)
    } catch {
      throw .objects(error)
    }
    let row = UnitRow(summary, user: user, key: key, byteCount: bytes.count)
    do throws(DatabaseError) {
      let isNew = try connections.use { database throws(DatabaseError) in
        try database.insert(row)
      }
      guard isNew || isWritten else { return .known }
    } catch {
      throw try conflict(error, key, of: user)
    }
    stored(user, summary.device)
    return state.isKnown ? .healed : .stored
  }

  /// Whether the archive has this unit of a user: its row, and an object of its size.
  func isKnown(_ digest: String, of user: String) throws(IntakeError) -> Bool {
    guard try !state(of: digest, user).isWithdrawn else { return false }
    let row = try query { database throws(DatabaseError) in
      try database.unit(digest: digest, of: user)
    }
    guard let row, let key = ObjectKey(row.objectKey) else { return false }
    do throws(ObjectStoreError) {
      return try objects.size(of: key) == row.bytes
    } catch {
      throw .objects(error)
    }
  }

  func state(
    of digest: String, _ user: String
  ) throws(IntakeError) -> ArchiveDatabase.UnitState {
    try query { database throws(DatabaseError) in try database.state(of: digest, of: user) }
  }

  /// Deletes a unit of a user, because something in it was erased on the device.
  ///
  /// It isn't stored again either, should a copy of it still be on its way.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``IntakeError``, among them ``IntakeError/erased``; unless it is final, it can be
  ///   called again.
  func delete(_ digest: String, of user: String) throws(IntakeError) -> Bool {
    let row: UnitRow?
    do throws(DatabaseError) {
      row = try connections.use { database throws(DatabaseError) in
        try database.withdrawUnit(digest: digest, of: user)
      }
    } catch {
      throw Self.isConflict(error, with: ArchiveDatabase.erased) ? .erased : .database(error)
    }
    guard let row else { return false }
    try finishDeletion(of: row)
    return true
  }

  /// Deletes all units that a device of a user has sent, each as ``delete(_:of:)``.
  ///
  /// - Returns: How many there were.
  /// - Throws: ``IntakeError``; then it can be called again.
  func deleteUnits(
    ofDevice device: String, of user: String
  ) throws(IntakeError) -> Int {
    let rows = try query { database throws(DatabaseError) in
      try database.units(of: user, device: device)
    }
    for row in rows { _ = try delete(row.digest, of: user) }
    return rows.count
  }

  private func finishDeletion(of row: UnitRow) throws(IntakeError) {
    // The object first: its key is in the row.
    if let key = ObjectKey(row.objectKey) { try deleteObject(key) }
    try query { database throws(DatabaseError) in
      try database.deleteUnit(digest: row.digest, of: row.user)
    }
    stored(row.user, row.device)
  }

  func deleteObject(_ key: ObjectKey) throws(IntakeError) {
    do throws(ObjectStoreError) {
      try objects.delete(key)
    } catch {
      throw .objects(error)
    }
  }

  func query<Result>(
    _ body: (ArchiveDatabase) throws(DatabaseError) -> Result
  ) throws(IntakeError) -> Result {
    do throws(DatabaseError) {
      return try connections.use(body)
    } catch {
      throw .database(error)
    }
  }

  /// What ``completeRows(found:isStopping:)`` found.
  struct Completion: Hashable, Sendable {
    /// The users who have objects, or something left of an interrupted deletion.
    var users: Set<String> = []
    /// The deletions of withdrawn units finished.
    var deleted = 0
    /// The rows inserted.
    var inserted = 0
    /// The objects that are no units of their key, or contradict what is there.
    var foreign = 0
  }

  /// Inserts the rows of objects that have none, because a run was interrupted between the two,
  /// finishes deletions that were interrupted so, and removes what is left of an object.
  ///
  /// - Parameters:
  ///   - found: Called with each of ``Completion/users`` as soon as one is found, and after each
  ///     row that was inserted.
  ///   - isStopping: Asked for each object; after true it ends.
  /// - Returns: What was found and done.
  /// - Throws: ``IntakeError``; then it can be called again.
  /// - Complexity: O(number of objects), with a question to the database for each.
  func completeRows(
    found: (String) -> Void = { _ in }, isStopping: () -> Bool
  ) throws(IntakeError) -> Completion {
    var completion = Completion()
    let users = try query { database throws(DatabaseError) in try database.unfinishedUsers() }
    for user in users {
      // Also without such units: there may be days of units that are gone.
      completion.users.insert(user)
      let rows = try query { database throws(DatabaseError) in
        try database.withdrawnRows(of: user)
      }
      for row in rows where !isStopping() {
        try finishDeletion(of: row)
        completion.deleted += 1
      }
      // Behind the deletions, which change the days.
      found(user)
    }
    var failure: IntakeError?
    do throws(ObjectStoreError) {
      _ = try objects.removeRemains()
      try objects.list(of: nil) { keys in
        for key in keys {
          guard !isStopping() else { return false }
          do throws(IntakeError) {
            let inserted = completion.inserted
            guard let user = try completeRow(of: key, &completion) else { continue }
            let isNew = completion.users.insert(user).inserted
            if isNew || completion.inserted > inserted { found(user) }
          } catch {
            failure = error
            return false
          }
        }
        return true
      }
    } catch {
      throw .objects(error)
    }
    if let failure { throw failure }
    return completion
  }

  /// Whose the object is; nil when it is nobody's whose days are to be derived.
  @discardableResult
  func completeRow(
    of key: ObjectKey, _ completion: inout Completion
  ) throws(IntakeError) -> String? {
    if let user = key.owner.user, try state(of: key.digest, user).isKnown { return user }
    let bytes: [UInt8]?
    do throws(ObjectStoreError) {
      bytes = try objects.get(key)
    } catch {
      throw .objects(error)
    }
    guard let bytes else { return nil }
    guard let row = UnitRow(bytes, at: key) else {
      completion.foreign += 1
      return nil
    }
    do throws(DatabaseError) {
      let isNew = try connections.use { database throws(DatabaseError) in
        try database.insert(row)
      }
      completion.inserted += isNew ? 1 : 0
      return row.user
    } catch {
      guard case .conflict(_, let constraint) = error else { throw .database(error) }
      if [ArchiveDatabase.withdrawn, ArchiveDatabase.erased].contains(constraint) {
        _ = try conflict(error, key, of: row.user)
        completion.deleted += 1
        return nil
      }
      completion.foreign += 1
      return row.user
    }
  }

  private static func isConflict(_ error: DatabaseError, with constraint: String) -> Bool {
    guard case .conflict(_, constraint) = error else { return false }
    return true
  }

  /// The error of a row that was not inserted; of one that never can be, the object is removed.
  private func conflict(
    _ error: DatabaseError, _ key: ObjectKey, of user: String
  ) throws(IntakeError) -> IntakeError {
    switch error {
    case .conflict, .invalidRow: try deleteObject(key)
    default: return .database(error)
    }
    if Self.isConflict(error, with: ArchiveDatabase.erased) { return .erased }
    guard Self.isConflict(error, with: ArchiveDatabase.withdrawn) else { return .contradiction }
    try query { database throws(DatabaseError) in
      try database.deleteUnit(digest: key.digest, of: user)
    }
    return .withdrawn
  }
}

extension UnitRow {
  /// The row of the unit in an object; nil when it is none, or that of another key.
  init?(_ bytes: [UInt8], at key: ObjectKey) {
    let digest = SHA256Digest(of: bytes)
    guard digest.hexadecimal == key.digest, let unit = try? UploadUnit(bytes),
      let user = UserName.canonical(unit.summary.user),
      ObjectKey(user: user, firstEvent: unit.summary.firstEvent, digest: digest) == key
    else { return nil }
    self.init(unit.summary, user: user, key: key, byteCount: bytes.count)
  }

  init(_ summary: UploadUnit.Summary, user: String, key: ObjectKey, byteCount: Int) {
    self.init(
      user: user, device: summary.device, sequence: summary.sequence, digest: key.digest,
      predecessor: summary.predecessor, measurement: summary.measurement,
      first: summary.firstEvent, last: summary.lastEvent,
      samples: summary.samples, rotationRates: summary.rotationRates,
      pressures: summary.pressures, fixes: summary.fixes, events: summary.events,
      bytes: byteCount, hasAnnotations: summary.hasAnnotations,
      formatVersion: UploadUnit.version, objectKey: key.text)
  }
}
