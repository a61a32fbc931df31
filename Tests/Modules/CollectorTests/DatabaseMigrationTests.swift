import Foundation
import LocomotionCollector
import Testing

@Suite(.enabled(if: DatabaseServer.isThere, DatabaseServer.absence))
struct DatabaseMigrationTests {
  /// Calls `body` with the owner's and the collector's connection to a new, empty database.
  private func withDatabase(_ body: (_ owner: String, _ collector: String) throws -> Void) throws {
    try withDatabase { owner, collector, _ in try body(owner, collector) }
  }

  private func withDatabase(
    _ body: (_ owner: String, _ collector: String, _ superuser: PostgresConnection) throws -> Void
  ) throws {
    let name = "test_" + UUID().uuidString.replacing("-", with: "").lowercased()
    let admin = try DatabaseServer.connection(DatabaseServer.admin)
    try admin.run("making a database", "CREATE DATABASE \(name)")
    defer { try? admin.run("deleting a database", "DROP DATABASE \(name) WITH (FORCE)") }
    // What is said last about the database counts.
    let (owner, collector, superuser) = (
      try #require(DatabaseServer.owner) + " dbname=\(name)",
      try #require(DatabaseServer.collector) + " dbname=\(name)",
      try #require(DatabaseServer.admin) + " dbname=\(name)"
    )
    let session = try PostgresConnection(superuser, setup: "SET client_min_messages = error")
    // Twice: it must be harmless.
    try session.script("making the roles", ArchiveDatabase.rolesScript)
    try session.script("making the roles", ArchiveDatabase.rolesScript)
    try body(owner, collector, session)
  }

  @Test func anEmptyDatabaseIsTooOldAndIsMigrated() throws {
    try withDatabase { owner, collector in
      #expect(
        throws: DatabaseError.olderVersion(found: 0, needed: ArchiveDatabase.schemaVersion)
      ) { try ArchiveDatabase(collector).checkVersion() }
      try ArchiveDatabase.migrate(owner)
      try ArchiveDatabase(collector).checkVersion()
      try ArchiveDatabase(owner).checkVersion()
      // Nothing to do, and nothing done.
      try ArchiveDatabase.migrate(owner)
      try ArchiveDatabase(collector).checkVersion()
    }
  }

  @Test func everyVersionIsMigratedWithItsRows() throws {
    for version in 1..<ArchiveDatabase.schemaVersion {
      try withDatabase { owner, collector in
        try ArchiveDatabase.migrate(owner, to: version)
        let archive = try ArchiveDatabase(collector)
        #expect(
          throws: DatabaseError.olderVersion(
            found: version, needed: ArchiveDatabase.schemaVersion)
        ) { try archive.checkVersion() }
        let connection = try PostgresConnection(collector, setup: "")
        // By hand: the calls know the newest schema only.
        let unit = Invented.unit(of: "ada")
        try connection.transaction("storing", as: "ada") { () throws(DatabaseError) in
          try connection.run("storing", "INSERT INTO archive.users (name) VALUES ('ada')")
          try connection.run(
            "storing", "INSERT INTO archive.devices (user_name, device) VALUES ('ada', $1)",
            [.text(unit.device)])
          try connection.run(
            "storing",
            """
            INSERT INTO archive.units (user_name, device, sequence, digest, samples,
              rotation_rates, pressures, fixes, events, bytes, has_annotations, format_version,
              object_key)
            VALUES ('ada', $1, 0, $2, 1, 2, 3, 4, 5, 6, true, 1, 'key')
            """, [.text(unit.device), .text(unit.digest)])
        }
        let day = Invented.day(json: "[1]")
        try archive.replace(
          [day], of: "ada", device: unit.device, from: day.start, to: day.end)
        let tables = ["users", "devices", "units", "days", "travel", "items"]
        func rows() throws -> [String?] {
          try tables.flatMap {
            try DatabaseServer.column(
              connection, as: "ada",
              "SELECT to_jsonb(row) - 'cells' - 'predecessor' FROM archive.\($0) AS row ORDER BY 1"
            )
          }
        }
        let before = try rows()
        #expect(before.count == 11)
        try ArchiveDatabase.migrate(owner)
        try archive.checkVersion()
        #expect(try rows() == before)
        // What a later version added is there for rows of an older one.
        let cells = try DatabaseServer.column(
          connection, as: "ada", "SELECT cells FROM archive.items WHERE number = 0")
        #expect(cells == ["{\(13_737 * 36_000 + 18_854)}"])
      }
    }
  }

  @Test func olderRolesAreRefusedUntilTheCurrentOnesAreRun() throws {
    try withDatabase { owner, collector, superuser in
      for version in [0, ArchiveDatabase.schemaVersion] {
        try ArchiveDatabase.migrate(owner, to: version)
        // As if a superuser had run them before they told their version.
        try superuser.run("forgetting", "DROP FUNCTION archive.roles_version")
        let error = DatabaseError.olderRoles(found: 0, needed: ArchiveDatabase.rolesVersion)
        #expect(throws: error) { try ArchiveDatabase.migrate(owner) }
        #expect(throws: error) { try ArchiveDatabase(collector).checkVersion() }
        #expect("\(error)".contains("Roles.sql") && !error.isTemporary)
        try superuser.script("making the roles", ArchiveDatabase.rolesScript)
        try ArchiveDatabase.migrate(owner)
        try ArchiveDatabase(collector).checkVersion()
      }
    }
  }

  @Test func aDatabaseWithoutRolesIsRefused() throws {
    try withDatabase { owner, collector, superuser in
      try superuser.script("clearing", "DROP SCHEMA archive CASCADE")
      let error = DatabaseError.olderRoles(found: 0, needed: ArchiveDatabase.rolesVersion)
      #expect(throws: error) { try ArchiveDatabase.migrate(owner) }
      #expect(throws: error) { try ArchiveDatabase(collector).checkVersion() }
    }
  }

  @Test func aNewerVersionIsRefused() throws {
    try withDatabase { owner, collector in
      try ArchiveDatabase.migrate(owner)
      let newer = ArchiveDatabase.schemaVersion + 4
      let session = try PostgresConnection(owner, setup: "")
      try session.run(
        "pretending", "INSERT INTO archive.schema_migrations (version) VALUES (\(newer))")
      let error = DatabaseError.newerVersion(
        found: newer, supported: ArchiveDatabase.schemaVersion)
      #expect(throws: error) { try ArchiveDatabase.migrate(owner) }
      #expect(throws: error) { try ArchiveDatabase(collector).checkVersion() }
    }
  }

  @Test func aMigrationThatFailsLeavesTheVersionBefore() throws {
    try withDatabase { owner, collector in
      try ArchiveDatabase.migrate(owner, to: 1)
      let session = try PostgresConnection(owner, setup: "")
      // It stands in the way of the last statement but one of version 2.
      try session.run("obstructing", "CREATE VIEW archive.mode_share_per_week AS SELECT 1 AS x")
      #expect(throws: DatabaseError.self) { try ArchiveDatabase.migrate(owner) }
      let found = try DatabaseServer.column(
        session, "SELECT to_regclass('archive.storyline')::text")
      #expect(found == [nil])
      try session.run("clearing", "DROP VIEW archive.mode_share_per_week")
      try ArchiveDatabase.migrate(owner)
      try ArchiveDatabase(collector).checkVersion()
    }
  }

  @Test func severalMigrateAtOnce() throws {
    try withDatabase { owner, collector in
      let threads = (0..<4).map { _ in
        DatabaseThread { () throws(DatabaseError) in try ArchiveDatabase.migrate(owner) }
      }
      for thread in threads { #expect(thread.outcome() == nil) }
      try ArchiveDatabase(collector).checkVersion()
    }
  }
}
