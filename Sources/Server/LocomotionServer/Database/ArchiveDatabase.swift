/// The archive's database: PostgreSQL with PostGIS, through one connection.
///
/// Every call is one transaction, which names its user to the server; row-level security there
/// lets it see and write that user's rows and no other. A call connects again when the connection
/// was lost before it. For one thread: give each its own.
///
/// See <doc:Database> for the schema, the roles and the queries.
final class ArchiveDatabase {
  let connection: PostgresConnection

  /// The version of the schema that this package needs.
  static var schemaVersion: Int { SchemaMigration.all.count }

  /// The SQL that a superuser runs in the archive's database before ``migrate(_:)``, and again
  /// after ``DatabaseError/olderRoles(found:needed:)``.
  ///
  /// It makes the roles, without passwords, and the extensions, and takes from everybody what
  /// tells of others. Running it again does nothing.
  static let rolesScript = String(decoding: PackageResources.roles_sql, as: UTF8.self)

  /// The version of ``rolesScript``, which stands at its end.
  static let rolesVersion = 2

  /// Connects, as the collector's role unless a call says otherwise.
  ///
  /// - Parameter conninfo: libpq's connection string: keywords and values, or a URI. It waits
  ///   10 s for the server unless `connect_timeout` says otherwise.
  /// - Throws: ``DatabaseError/unavailable(what:reason:)``, which may pass, or
  ///   ``DatabaseError/refused(what:reason:)``, which won't.
  init(_ conninfo: String) throws(DatabaseError) {
    connection = try PostgresConnection(conninfo, setup: Self.setup(statementTimeout: "5min"))
  }

  /// What sets up a session.
  ///
  /// Answers don't depend on the server's settings, a commit is durable when it is acknowledged,
  /// and no call waits for ever.
  private static func setup(statementTimeout: String) -> String {
    """
    SET search_path = public, pg_temp;
    SET client_min_messages = warning;
    SET TimeZone = 'UTC';
    SET DateStyle = 'ISO, YMD';
    SET extra_float_digits = 1;
    SET synchronous_commit = on;
    SET jit = off;
    SET lock_timeout = '30s';
    SET statement_timeout = '\(statementTimeout)';
    """
  }

  // MARK: The schema's version

  /// Checks that the database has the roles and the schema that this package needs.
  ///
  /// - Throws: ``DatabaseError/olderRoles(found:needed:)``,
  ///   ``DatabaseError/olderVersion(found:needed:)``,
  ///   ``DatabaseError/newerVersion(found:supported:)``.
  func checkVersion() throws(DatabaseError) {
    let what = "reading the schema's version"
    let found = try connection.transaction(what) { () throws(DatabaseError) in
      try Self.checkRoles(what, connection)
      return try Self.version(what, connection)
    }
    try Self.refuseNewer(found)
    guard found == Self.schemaVersion else {
      throw .olderVersion(found: found, needed: Self.schemaVersion)
    }
  }

  /// Makes the schema in an empty database, or migrates an older one to ``schemaVersion``, each
  /// step in one transaction.
  ///
  /// Several may do so at once: the second one waits for the first, and finds nothing to do.
  ///
  /// - Parameter conninfo: A connection string of the role `locomotion_owner`.
  /// - Throws: ``DatabaseError/newerVersion(found:supported:)`` for a schema that is newer,
  ///   ``DatabaseError/olderRoles(found:needed:)``.
  static func migrate(_ conninfo: String) throws(DatabaseError) {
    try migrate(conninfo, to: schemaVersion)
  }

  /// Migrates up to a version, for tests of the steps after it; with `byStep` also from nothing.
  static func migrate(
    _ conninfo: String, to target: Int, byStep: Bool = false
  ) throws(DatabaseError) {
    let connection = try PostgresConnection(conninfo, setup: setup(statementTimeout: "0"))
    var version = -1
    while version < target {
      let what = "migrating from version \(max(version, 0))"
      version = try connection.transaction(what) { () throws(DatabaseError) in
        try checkRoles(what, connection)
        // One migration at a time, and nobody but the owner can hold it up.
        try connection.run(
          what, "LOCK TABLE archive.schema_migrations IN SHARE ROW EXCLUSIVE MODE")
        let found = try Self.version(what, connection)
        try refuseNewer(found)
        if found >= target { return found }
        let isWhole = found == 0 && target == schemaVersion && !byStep
        let step = isWhole ? SchemaMigration.newest : SchemaMigration.all[found]
        try connection.script(what, step.statements)
        let insertion = "INSERT INTO archive.schema_migrations (version) VALUES ($1)"
        try connection.run(what, insertion, [.integer(Int64(step.version))])
        return step.version
      }
    }
  }

  private static func checkRoles(
    _ what: String, _ connection: PostgresConnection
  ) throws(DatabaseError) {
    let isThere = try connection.rows(
      what, "SELECT to_regprocedure('archive.roles_version()') IS NOT NULL"
    ) { (row: PostgresRow) throws(DatabaseError) in try row.boolean(0) }
    let found =
      isThere == [true]
      ? try connection.rows(what, "SELECT archive.roles_version()") {
        (row: PostgresRow) throws(DatabaseError) in try row.integer(0)
      } : []
    guard let found = found.first, found >= rolesVersion else {
      throw .olderRoles(found: found.first ?? 0, needed: rolesVersion)
    }
  }

  private static func version(
    _ what: String, _ connection: PostgresConnection
  ) throws(DatabaseError) -> Int {
    try connection.rows(
      what, "SELECT coalesce(max(version), 0) FROM archive.schema_migrations"
    ) { (row: PostgresRow) throws(DatabaseError) in try row.integer(0) }.first ?? 0
  }

  private static func refuseNewer(_ found: Int) throws(DatabaseError) {
    guard found <= schemaVersion else {
      throw .newerVersion(found: found, supported: schemaVersion)
    }
  }

  // MARK: Users

  /// All users, in order of name.
  ///
  /// Only the owner's connection may ask this: the collector's sees the rows of one user.
  func users() throws(DatabaseError) -> [ArchivedUser] {
    let what = "listing the users"
    return try connection.transaction(what) { () throws(DatabaseError) in
      try connection.rows(
        what, "SELECT name, devices, units, bytes, days FROM archive.list_users()"
      ) { (row: PostgresRow) throws(DatabaseError) in
        ArchivedUser(
          name: try row.text(0), devices: try row.integer(1), units: try row.integer(2),
          bytes: try row.integer(3), days: try row.integer(4))
      }
    }
  }

  // MARK: Publications

  /// Publishes what analysts see of one week or month that is due, if there is one.
  ///
  /// Call it until it says false, once a day or more often: nothing is published twice. See
  /// <doc:Database> for when a period is due. Of several callers at once one waits for the other.
  ///
  /// - Returns: Whether another one may be due.
  func publishNext() throws(DatabaseError) -> Bool {
    let what = "publishing"
    return try connection.transaction(what) { () throws(DatabaseError) in
      try connection.rows(what, "SELECT archive.publish_next()") {
        (row: PostgresRow) throws(DatabaseError) in try row.boolean(0)
      } == [true]
    }
  }

  // MARK: Locks on a user's row until the end of a transaction

  // No advisory locks, which anybody can take who knows a number.

  /// One derivation of a user at a time.
  static let derivation = "SELECT FROM archive.users WHERE name = $1 FOR NO KEY UPDATE"
  /// Any number that store units of a user, who is made if need be.
  ///
  /// Of several that make a user, one inserts the row, and each other one locks it.
  static let storing = """
    WITH known AS (SELECT FROM archive.users WHERE name = $1 FOR KEY SHARE)
    INSERT INTO archive.users (name) SELECT $1 WHERE NOT EXISTS (SELECT FROM known)
    ON CONFLICT (name) DO UPDATE SET created = users.created WHERE false
    """
  /// Nobody else for a user, who is made if need be: with no row to lock, one who is being stored
  /// would be seen later in the transaction.
  static let erasing = """
    INSERT INTO archive.users (name) VALUES ($1)
    ON CONFLICT (name) DO UPDATE SET name = excluded.name WHERE false
    """
}
