internal import Synchronization

/// Connections to the archive's database, each used by one thread at a time.
final class ArchiveConnections: Sendable {
  /// A connection that no thread uses.
  ///
  /// Unchecked, because it is handed from one thread to the next under a lock.
  private struct Idle: @unchecked Sendable {
    let database: ArchiveDatabase
  }

  private let conninfo: String
  private let idle = Mutex<[Idle]>([])
  private let failures = Mutex(0)
  private let failure = Mutex<(error: DatabaseError, until: ContinuousClock.Instant)?>(nil)
  /// After a failed attempt no other is made for so long: whoever waits for one waits for others
  /// too.
  private static let pause = Duration.seconds(1)

  /// Connections that are made when they are needed.
  ///
  /// - Parameter conninfo: libpq's connection string, of a role that does not own the tables.
  init(_ conninfo: String) { self.conninfo = conninfo }

  /// How often the database was away, busy or full, or the connection was lost.
  var failureCount: Int { failures.withLock { $0 } }

  /// Calls a function with a connection, and once more with a new one when it was lost meanwhile.
  ///
  /// So it may be called twice, as every call of ``ArchiveDatabase`` may.
  func use<Result>(
    _ body: (ArchiveDatabase) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    if let kept = idle.withLock({ $0.popLast() }) {
      do throws(DatabaseError) {
        return try result(of: body, kept.database)
      } catch {
        guard case .unavailable = error else { throw error }
        // The others were lost with it, as when the server was started anew.
        idle.withLock { $0 = [] }
      }
    }
    return try result(of: body, connect())
  }

  private func result<Result>(
    of body: (ArchiveDatabase) throws(DatabaseError) -> Result, _ database: ArchiveDatabase
  ) throws(DatabaseError) -> Result {
    do throws(DatabaseError) {
      let result = try body(database)
      idle.withLock { [kept = Idle(database: database)] in $0.append(kept) }
      return result
    } catch {
      if error.isTemporary {
        failures.withLock { $0 += 1 }
      } else {
        // A connection that reported an error of its server is still good.
        idle.withLock { [kept = Idle(database: database)] in $0.append(kept) }
      }
      throw error
    }
  }

  private func connect() throws(DatabaseError) -> ArchiveDatabase {
    if let last = failure.withLock({ $0 }), ContinuousClock.now < last.until { throw last.error }
    do throws(DatabaseError) {
      let database = try ArchiveDatabase(conninfo)
      try database.checkVersion()
      failure.withLock { $0 = nil }
      return database
    } catch {
      failure.withLock { $0 = (error, ContinuousClock.now + Self.pause) }
      failures.withLock { $0 += 1 }
      throw error
    }
  }
}
