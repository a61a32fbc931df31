import LocomotionCollector
import Testing

/// Of the calls; the tests of what is published are in `DatabaseTests`.
@Suite(.enabled(if: DatabaseServer.isThere, DatabaseServer.absence), .serialized)
struct PublicationTests {
  private func editions() throws -> [String?] {
    let admin = try DatabaseServer.connection(DatabaseServer.admin)
    return try DatabaseServer.column(
      admin, "SELECT kind FROM archive.editions WHERE period = '2026-06-01' ORDER BY 1")
  }

  private func clear() throws {
    let admin = try DatabaseServer.connection(DatabaseServer.admin)
    try admin.run("clearing", "DELETE FROM archive.editions")
  }

  @Test func closedPeriodsArePublishedOnceByWhoeverCalls() throws {
    let archive = try DatabaseServer.archive()
    try Invented.store([Invented.day()], of: DatabaseServer.newUser(), in: archive)
    try clear()
    #expect(try archive.publishNext())
    while try archive.publishNext() {}
    #expect(try editions() == ["month", "week"])
    #expect(try archive.publishNext() == false)
    #expect(try ArchiveDatabase(try #require(DatabaseServer.owner)).publishNext() == false)
    #expect {
      try ArchiveDatabase(try #require(DatabaseServer.analyst)).publishNext()
    } throws: { error in
      if case .refused = error as? DatabaseError { true } else { false }
    }
  }

  @Test func aDayIsPublishedOnceInSteps() throws {
    let archive = try DatabaseServer.archive()
    try Invented.store([Invented.day()], of: DatabaseServer.newUser(), in: archive)
    try clear()
    let connections = ArchiveConnections(try #require(DatabaseServer.collector))
    var publication = DailyPublication(connections)
    try publication.publishNext()
    // Others may have stored more at this time, of other months.
    for _ in 0..<20 { try publication.publishNext() }
    #expect(try editions() == ["month", "week"])
    // The day is done.
    try clear()
    try publication.publishNext()
    #expect(try editions().isEmpty)
    var next = DailyPublication(connections)
    for _ in 0..<20 { try next.publishNext() }
    #expect(try editions() == ["month", "week"])
  }

  @Test func afterAnErrorItWaits() throws {
    var publication = DailyPublication(
      ArchiveConnections("host=127.0.0.1 port=1 dbname=x user=x"))
    #expect {
      try publication.publishNext()
    } throws: { error in (error as? DatabaseError)?.isTemporary == true }
    try publication.publishNext()
  }
}
