#if Collect
  internal import LocomotionJournal
  internal import LocomotionSync

  /// Takes units into the archive: the object first, then its row.
  ///
  /// What is acknowledged is durable, and what was interrupted between the two is completed by
  /// ``completeRows(isStopping:)``, or when the unit is sent again. Safe to use from several
  /// threads.
  public final class UnitIntake: Sendable {
    /// What came of a unit that the archive has now.
    public enum Outcome: Hashable, Sendable {
      /// It is new.
      case stored
      /// It was there already.
      case known
    }

    private let objects: any ObjectStore
    private let connections: ArchiveConnections
    private let stored: @Sendable (_ user: String, _ device: String) -> Void

    /// An intake into an object store and a database.
    ///
    /// - Parameters:
    ///   - objects: Where the units are kept.
    ///   - connections: The database.
    ///   - stored: Called after each new unit, from whichever thread stored it.
    public init(
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
    public func store(
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
      if try isKnown(digest, of: user) { return .known }
      let key = ObjectKey(user: user, firstEvent: summary.firstEvent, digest: found)
      do throws(ObjectStoreError) {
        _ = try objects.put(bytes, at: key)
      } catch {
        throw .objects(error)
      }
      let row = UnitRow(summary, user: user, key: key, byteCount: bytes.count)
      do throws(DatabaseError) {
        let isNew = try connections.use { database throws(DatabaseError) in
          try database.insert(row)
        }
        guard isNew else { return .known }
      } catch {
        throw try conflict(error, key)
      }
      stored(user, summary.device)
      return .stored
    }

    /// Whether the archive has this unit of a user.
    public func isKnown(_ digest: String, of user: String) throws(IntakeError) -> Bool {
      try query { database throws(DatabaseError) in
        try database.unit(digest: digest, of: user) != nil
      }
    }

    /// Deletes a unit of a user, because something in it was erased on the device.
    ///
    /// It isn't stored again either, should a copy of it still be on its way.
    ///
    /// - Returns: Whether there was one.
    public func delete(_ digest: String, of user: String) throws(IntakeError) -> Bool {
      let row = try query { database throws(DatabaseError) in
        try database.withdrawUnit(digest: digest, of: user)
      }
      guard let row else { return false }
      // The object first: its key is in the row.
      if let key = ObjectKey(row.objectKey) {
        do throws(ObjectStoreError) {
          try objects.delete(key)
        } catch {
          throw .objects(error)
        }
      }
      try query { database throws(DatabaseError) in
        try database.deleteUnit(digest: digest, of: user)
      }
      stored(user, row.device)
      return true
    }

    /// Deletes all units that a device of a user has sent, each as ``delete(_:of:)``.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``IntakeError``; then it can be called again.
    public func deleteUnits(
      ofDevice device: String, of user: String
    ) throws(IntakeError) -> Int {
      let rows = try query { database throws(DatabaseError) in
        try database.units(of: user, device: device)
      }
      for row in rows { _ = try delete(row.digest, of: user) }
      return rows.count
    }

    private func query<Result>(
      _ body: (ArchiveDatabase) throws(DatabaseError) -> Result
    ) throws(IntakeError) -> Result {
      do throws(DatabaseError) {
        return try connections.use(body)
      } catch {
        throw .database(error)
      }
    }

    /// What ``completeRows(isStopping:)`` found.
    public struct Completion: Hashable, Sendable {
      /// The users who have objects.
      public var users: Set<String> = []
      /// The rows inserted.
      public var inserted = 0
      /// The objects that are no units of their key, or contradict what is there.
      public var foreign = 0
    }

    /// Inserts the rows of objects that have none, because a run was interrupted between the two,
    /// and removes what it left of an object.
    ///
    /// - Parameter isStopping: Asked for each object; after true it ends.
    /// - Returns: What was found and done.
    /// - Throws: ``IntakeError``; then it can be called again.
    /// - Complexity: O(number of objects), with a question to the database for each.
    public func completeRows(isStopping: () -> Bool) throws(IntakeError) -> Completion {
      var completion = Completion()
      var failure: IntakeError?
      do throws(ObjectStoreError) {
        _ = try objects.removeRemains()
        try objects.list(of: nil) { keys in
          for key in keys {
            guard !isStopping() else { return false }
            do throws(IntakeError) {
              try completeRow(of: key, &completion)
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

    private func completeRow(
      of key: ObjectKey, _ completion: inout Completion
    ) throws(IntakeError) {
      if let user = key.owner.user, try isKnown(key.digest, of: user) {
        completion.users.insert(user)
        return
      }
      let bytes: [UInt8]?
      do throws(ObjectStoreError) {
        bytes = try objects.get(key)
      } catch {
        throw .objects(error)
      }
      guard let bytes else { return }
      let digest = SHA256Digest(of: bytes)
      guard digest.hexadecimal == key.digest, let unit = try? UploadUnit(bytes),
        let user = UserName.canonical(unit.summary.user),
        ObjectKey(user: user, firstEvent: unit.summary.firstEvent, digest: digest) == key
      else {
        completion.foreign += 1
        return
      }
      completion.users.insert(user)
      let row = UnitRow(unit.summary, user: user, key: key, byteCount: bytes.count)
      do throws(DatabaseError) {
        let isNew = try connections.use { database throws(DatabaseError) in
          try database.insert(row)
        }
        completion.inserted += isNew ? 1 : 0
      } catch {
        guard case .conflict = error else { throw .database(error) }
        if Self.isWithdrawal(error) {
          _ = try conflict(error, key)
        } else {
          completion.foreign += 1
        }
      }
    }

    private static func isWithdrawal(_ error: DatabaseError) -> Bool {
      guard case .conflict(_, ArchiveDatabase.withdrawn) = error else { return false }
      return true
    }

    /// The error of a row that was not inserted; of one that never can be, the object is removed.
    private func conflict(_ error: DatabaseError, _ key: ObjectKey) throws(IntakeError)
      -> IntakeError
    {
      switch error {
      case .conflict, .invalidRow:
        do throws(ObjectStoreError) {
          try objects.delete(key)
        } catch {
          throw .objects(error)
        }
        return Self.isWithdrawal(error) ? .withdrawn : .contradiction
      default: return .database(error)
      }
    }
  }

  extension UnitRow {
    init(_ summary: UploadUnit.Summary, user: String, key: ObjectKey, byteCount: Int) {
      self.init(
        user: user, device: summary.device, sequence: summary.sequence, digest: key.digest,
        predecessor: summary.predecessor, measurement: summary.measurement,
        first: summary.firstEvent, last: summary.lastEvent,
        samples: summary.samples, rotationRates: summary.rotationRates,
        pressures: summary.pressures, fixes: summary.fixes, events: summary.events,
        bytes: byteCount, hasAnnotations: summary.hasAnnotations,
        formatVersion: summary.version, objectKey: key.text)
    }
  }
#endif
