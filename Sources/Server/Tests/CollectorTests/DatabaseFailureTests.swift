import Testing

@testable import LocomotionServer

@Suite(.enabled(if: DatabaseServer.isThere, DatabaseServer.absence))
struct DatabaseFailureTests {
  private func terminate(_ name: String) throws {
    let admin = try DatabaseServer.connection(DatabaseServer.admin)
    let ended = try DatabaseServer.column(
      admin,
      """
      SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = $1
      """, [.text(name)])
    #expect(ended == ["t"])
  }

  @Test func aTransactionThatIsCutStoresNothing() throws {
    let name = DatabaseServer.newUser()
    _ = try DatabaseServer.archive()
    let conninfo = try #require(DatabaseServer.collector)
    let connection = try PostgresConnection(
      "\(conninfo) application_name='\(name)'", setup: "")
    let insertion = "INSERT INTO archive.users (name) VALUES ($1)"
    var isCut = false
    do throws(DatabaseError) {
      try connection.transaction("cutting", as: name) { () throws(DatabaseError) in
        try connection.run("cutting", insertion, [.text(name)])
        do { try terminate(name) } catch { Issue.record(error) }
      }
    } catch {
      guard case .unavailable = error else { throw error }
      isCut = error.isTemporary
    }
    #expect(isCut)
    let count = "SELECT count(*) FROM archive.users"
    #expect(try DatabaseServer.column(connection, as: name, count) == ["0"])
    try connection.transaction("storing", as: name) { () throws(DatabaseError) in
      try connection.run("storing", insertion, [.text(name)])
    }
    #expect(try DatabaseServer.column(connection, as: name, count) == ["1"])
  }

  @Test func anErrorInATransactionUndoesIt() throws {
    let name = DatabaseServer.newUser()
    let connection = try DatabaseServer.connection(DatabaseServer.collector)
    #expect(throws: DatabaseError.self) {
      try connection.transaction("failing", as: name) { () throws(DatabaseError) in
        try connection.run(
          "failing", "INSERT INTO archive.users (name) VALUES ($1)", [.text(name)])
        try connection.run("failing", "SELECT 1 / 0")
      }
    }
    let found = try DatabaseServer.column(
      connection, as: name, "SELECT count(*) FROM archive.users")
    #expect(found == ["0"])
  }

  @Test func theUserIsForgottenAfterATransaction() throws {
    let name = DatabaseServer.newUser()
    let connection = try DatabaseServer.connection(DatabaseServer.collector)
    let inside = try DatabaseServer.column(
      connection, as: name, "SELECT current_setting('locomotion.user')")
    #expect(inside == [name])
    let after = try DatabaseServer.column(
      connection, "SELECT coalesce(current_setting('locomotion.user', true), '')")
    #expect(after == [""])
  }

  @Test func whoWaitsForAnotherIsBusy() throws {
    let name = DatabaseServer.newUser()
    let first = try DatabaseServer.connection(DatabaseServer.collector)
    let second = try DatabaseServer.connection(DatabaseServer.collector)
    try first.transaction("storing", as: name) { () throws(DatabaseError) in
      try first.run("storing", "INSERT INTO archive.users (name) VALUES ($1)", [.text(name)])
    }
    let lock = "SELECT 1 FROM archive.users FOR UPDATE NOWAIT"
    try first.transaction("locking", as: name) { () throws(DatabaseError) in
      try first.run("locking", lock)
      #expect {
        try second.transaction("locking", as: name) { () throws(DatabaseError) in
          try second.run("locking", lock)
        }
      } throws: { error in
        guard case .busy(what: "locking", _) = error as? DatabaseError else { return false }
        return (error as? DatabaseError)?.isTemporary == true
      }
    }
  }

  @Test func whoStoresWaitsForWhoeverHasTheUsersRow() throws {
    let archive = try DatabaseServer.archive()
    let name = DatabaseServer.newUser()
    try Invented.store([Invented.day()], of: name, in: archive)
    let other = try DatabaseServer.connection(DatabaseServer.collector)
    let waiting = try other.transaction("locking", as: name) { () throws(DatabaseError) in
      try other.run("locking", "SELECT FROM archive.users FOR UPDATE")
      let thread = DatabaseThread { () throws(DatabaseError) in
        let own = try ArchiveDatabase(DatabaseServer.collector ?? "")
        try own.insert(Invented.unit(of: name, sequence: 1))
        try own.replacePlaces([], of: name, device: Invented.device)
      }
      // This transaction sees what others have committed.
      let count = "SELECT count(*) FROM archive.units"
      for _ in 0..<20 {
        let found = try other.rows("counting", count) { (row: PostgresRow) in row.texts[0] }
        #expect(found == ["1"])
      }
      return thread
    }
    #expect(waiting.outcome() == nil)
    #expect(try archive.units(of: name, device: Invented.device).count == 2)
  }

  @Test(arguments: [
    " password=wrong", " user=nobody_of_this_name", " dbname=nothing_of_this_name",
    " port=none", " host", " sslmode=never",
  ])
  func whatIsWrongStaysWrong(addition: String) throws {
    let conninfo = try #require(DatabaseServer.collector)
    #expect { try ArchiveDatabase(conninfo + addition) } throws: { error in
      guard case .refused(_, let reason) = error as? DatabaseError else { return false }
      return !"\(error)".contains("wrong") && !reason.contains("\n") && !reason.isEmpty
    }
  }

  @Test func errorsDoNotShowRows() throws {
    let archive = try DatabaseServer.archive()
    let secret = DatabaseServer.newUser("secret")
    var unit = Invented.unit(of: secret)
    try archive.insert(unit)
    unit.digest = String(repeating: "e", count: 64)
    do {
      try archive.insert(unit)
      Issue.record("stored twice")
    } catch {
      #expect(!"\(error)".contains("secret") && !"\(error)".contains(unit.digest))
    }
  }
}
