import Foundation
import LocomotionJournal
import LocomotionSensing
import Testing

@testable import LocomotionServer

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

  @Test func theStepsFromTheFirstVersionLeadToTheNewest() throws {
    // Columns, constraints, indexes, views, functions, policies and who may do what.
    let catalogue = """
      SELECT concat_ws('|', 'column', table_schema, table_name, ordinal_position, column_name,
        data_type, collation_name, is_nullable, column_default, generation_expression)
      FROM information_schema.columns WHERE table_schema IN ('archive', 'analysis')
      UNION ALL SELECT concat_ws('|', 'constraint', conrelid::regclass, conname,
        pg_get_constraintdef(oid)) FROM pg_constraint
        WHERE connamespace IN ('archive'::regnamespace, 'analysis'::regnamespace)
      UNION ALL SELECT concat_ws('|', 'index', indexdef) FROM pg_indexes
        WHERE schemaname IN ('archive', 'analysis')
      UNION ALL SELECT concat_ws('|', 'view', schemaname, viewname, definition) FROM pg_views
        WHERE schemaname IN ('archive', 'analysis')
      UNION ALL SELECT concat_ws('|', 'function', pg_get_functiondef(oid), proowner::regrole,
        (SELECT string_agg(acl::text, ',' ORDER BY acl::text) FROM unnest(proacl) AS acl))
        FROM pg_proc WHERE pronamespace IN ('archive'::regnamespace, 'analysis'::regnamespace)
      UNION ALL SELECT concat_ws('|', 'policy', schemaname, tablename, policyname, qual, with_check)
        FROM pg_policies
      UNION ALL SELECT concat_ws('|', 'relation', oid::regclass, relowner::regrole, relrowsecurity,
        relforcerowsecurity, reloptions,
        (SELECT string_agg(acl::text, ',' ORDER BY acl::text) FROM unnest(relacl) AS acl))
        FROM pg_class WHERE relnamespace IN ('archive'::regnamespace, 'analysis'::regnamespace)
      UNION ALL SELECT concat_ws('|', 'statistics', attrelid::regclass, attname, attstattarget)
        FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid
        WHERE attnum > 0
          AND relnamespace IN ('archive'::regnamespace, 'analysis'::regnamespace)
      UNION ALL SELECT concat_ws('|', 'schema', nspname,
        (SELECT string_agg(acl::text, ',' ORDER BY acl::text) FROM unnest(nspacl) AS acl))
        FROM pg_namespace WHERE nspname IN ('archive', 'analysis')
      UNION ALL SELECT concat_ws('|', 'default', defaclrole::regrole, defaclobjtype, defaclacl)
        FROM pg_default_acl
      ORDER BY 1
      """
    let schemas = try [true, false].map { byStep in
      var found: [String?] = []
      try withDatabase { owner, _, superuser in
        try ArchiveDatabase.migrate(owner, to: ArchiveDatabase.schemaVersion, byStep: byStep)
        found = try DatabaseServer.column(superuser, catalogue)
      }
      return found
    }
    #expect(schemas[0].count > 200)
    #expect(Set(schemas[0]).symmetricDifference(schemas[1]).isEmpty)
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
        let day = try Invented.day()
        try insertByHand(day, of: "ada", device: unit.device, connection)
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
        // What the programs before computed, the schema computes now.
        let paths = Invented.paths(of: day)
        try archive.store(day, with: paths, of: "ada", device: unit.device)
        // They said nothing of steps in stays.
        let now = before.map { $0?.replacing(/("kind": "stay".*"steps": )null/) { "\($0.1)0" } }
        #expect(try rows() == now)
      }
    }
  }

  /// The rows of a day as programs wrote them up to version 6.
  private func insertByHand(
    _ day: Day, of user: String, device: String, _ connection: PostgresConnection
  ) throws {
    func line(_ points: [LocationFix]) -> String {
      "LINESTRING(" + points.map { "\($0.longitude) \($0.latitude)" }.joined(separator: ",") + ")"
    }
    let paths = Invented.paths(of: day).sorted { $0.key < $1.key }.map(\.value)
    let json = try day.json
    try connection.transaction("storing", as: user) { () throws(DatabaseError) in
      try connection.run(
        "storing",
        """
        INSERT INTO archive.days (user_name, device, date, is_final, is_primary, time_zone,
          start_ns, end_ns, recorded_seconds, stay_seconds, distance, steps, json)
        VALUES ($1, $2, '2026-06-01', true, true, 'GMT', 1780272000000000000,
          1780358400000000000, 50000, 49000, 2113.05, 40.5, $3)
        """, [.text(user), .text(device), .text(json)])
      try connection.run(
        "storing",
        """
        INSERT INTO archive.travel VALUES ($1, $2, '2026-06-01', 'walking', 100, 100.04, 40.5),
          ($1, $2, '2026-06-01', 'cycling', 900, 2013.01, 0)
        """, [.text(user), .text(device)])
      try connection.run(
        "storing",
        """
        INSERT INTO archive.items (user_name, device, date, number, kind, trip, start_ns, end_ns,
          activity, distance, steps, position, radius, path, place_name, purpose, is_corrected,
          is_partial)
        SELECT $1, $2, '2026-06-01', number, kind, trip, 1780272000000000000 + start * 1000000000,
          1780272000000000000 + after * 1000000000, activity, distance, steps,
          point::geography, radius, way::geography, name, purpose, corrected, false
        FROM (VALUES
          (0, 'stay', NULL::integer, 0::bigint, 49000::bigint, NULL, NULL::double precision,
            NULL::double precision, 'POINT(8.54 47.37)', 12::double precision, NULL, 'home',
            'sleep', false),
          (1, 'trip', NULL, 49000, 50000, 'cycling', 2113.05, 40.5, NULL, NULL, $5, NULL, NULL,
            true),
          (2, 'leg', 1, 49000, 49100, 'walking', 100.04, 40.5, NULL, NULL, $3, NULL, NULL, false),
          (3, 'leg', 1, 49100, 50000, 'cycling', 2013.01, 0, NULL, NULL, $4, NULL, NULL, true),
          (4, 'gap', NULL, 50000, 86400, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false)
        ) AS item (number, kind, trip, start, after, activity, distance, steps, point, radius,
          way, name, purpose, corrected)
        """,
        [.text(user), .text(device)]
          + [paths[0], paths[1], paths[0] + paths[1]].map { .text(line($0)) })
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
        #expect("\(error)".contains("roles.sql") && !error.isTemporary)
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
