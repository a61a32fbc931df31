#if Collect
  public import LocomotionJournal
  internal import LocomotionSync

  /// Takes units into the archive: the object first, then its row.
  ///
  /// What is acknowledged is durable, and what was interrupted between the two is completed by
  /// ``completeRows(_:)``, or when the unit is sent again. Safe to use from several threads.
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
      do throws(DatabaseError) {
        return try connections.use { database throws(DatabaseError) in
          try database.unit(digest: digest, of: user) != nil
        }
      } catch {
        throw .database(error)
      }
    }

    /// Deletes a unit of a user, because something in it was erased on the device.
    ///
    /// - Returns: Whether there was one.
    public func delete(_ digest: String, of user: String) throws(IntakeError) -> Bool {
      do throws(DatabaseError) {
        let row = try connections.use { database throws(DatabaseError) in
          try database.unit(digest: digest, of: user)
        }
        guard let row else { return false }
        // The object first: an object without a row would get one again.
        if let key = ObjectKey(row.objectKey) { try remove(key) }
        try connections.use { database throws(DatabaseError) in
          try database.deleteUnit(digest: digest, of: user)
        }
        stored(user, row.device)
        return true
      } catch {
        throw .database(error)
      }
    }

    /// Inserts the rows of objects that have none, because a run was interrupted between the two.
    ///
    /// - Parameter isStopping: Asked for each object.
    /// - Returns: The number of rows inserted, and of objects that are no units of their key.
    /// - Complexity: O(number of objects).
    public func completeRows(
      isStopping: @Sendable () -> Bool
    ) throws(IntakeError) -> (inserted: Int, foreign: Int) {
      var counts = (inserted: 0, foreign: 0)
      var failure: IntakeError?
      do throws(ObjectStoreError) {
        try objects.list(of: nil) { keys in
          for key in keys {
            guard !isStopping() else { return false }
            do throws(IntakeError) {
              switch try completeRow(of: key) {
              case .some(true): counts.inserted += 1
              case .some(false): counts.foreign += 1
              case nil: break
              }
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
      return counts
    }

    /// Whether a row was inserted, false for an object that is no unit of its key; nil when it has
    /// its row.
    private func completeRow(of key: ObjectKey) throws(IntakeError) -> Bool? {
      if let user = key.owner.user, try isKnown(key.digest, of: user) { return nil }
      let bytes: [UInt8]?
      do throws(ObjectStoreError) {
        bytes = try objects.get(key)
      } catch {
        throw .objects(error)
      }
      guard let bytes else { return nil }
      let digest = SHA256Digest(of: bytes)
      guard digest.hexadecimal == key.digest, let unit = try? UploadUnit(bytes),
        let user = UserName.canonical(unit.summary.user),
        ObjectKey(user: user, firstEvent: unit.summary.firstEvent, digest: digest) == key
      else { return false }
      let row = UnitRow(unit.summary, user: user, key: key, byteCount: bytes.count)
      do throws(DatabaseError) {
        let isNew = try connections.use { database throws(DatabaseError) in
          try database.insert(row)
        }
        guard isNew else { return nil }
      } catch .conflict {
        return false
      } catch {
        throw .database(error)
      }
      stored(user, unit.summary.device)
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
        return .contradiction
      default: return .database(error)
      }
    }
  }

  /// Why a unit is not taken.
  public enum IntakeError: Error, Hashable, Sendable {
    /// The bytes have another digest than their sender says.
    case wrongDigest(found: String)
    /// The bytes are not a unit.
    case notAUnit(UnitError)
    /// It is the unit of somebody else.
    case otherUser
    /// The device has sent another unit under this number.
    case contradiction
    /// The object store has failed.
    case objects(ObjectStoreError)
    /// The database has failed.
    case database(DatabaseError)

    /// Whether sending the same unit again cannot succeed.
    public var isFinal: Bool {
      switch self {
      case .wrongDigest, .notAUnit, .otherUser, .contradiction: true
      case .objects, .database: false
      }
    }
  }

  extension IntakeError: CustomStringConvertible {
    /// The error in one line without any content of the unit.
    public var description: String {
      switch self {
      case .wrongDigest(let found): "the body has the SHA-256 \(found), expected that of the path"
      case .notAUnit(let error): error.description
      case .otherUser: "the unit is not the token's user's"
      case .contradiction: "the device has sent another unit of this number"
      case .objects(let error): error.description
      case .database(let error): error.description
      }
    }
  }

  extension UnitRow {
    init(_ summary: UploadUnit.Summary, user: String, key: ObjectKey, byteCount: Int) {
      self.init(
        user: user, device: summary.device, sequence: summary.sequence, digest: key.digest,
        measurement: summary.measurement, first: summary.firstEvent, last: summary.lastEvent,
        samples: summary.samples, rotationRates: summary.rotationRates,
        pressures: summary.pressures, fixes: summary.fixes, events: summary.events,
        bytes: byteCount, hasAnnotations: summary.hasAnnotations,
        formatVersion: summary.version, objectKey: key.text)
    }
  }
#endif
