import Foundation
import LocomotionCollector
import LocomotionSensing
import Testing

/// The server that `Tests/Setup/server.sh` started, as the environment names it.
enum DatabaseServer {
  /// Why tests are skipped.
  static let absence: Comment = "no server: set LOCOMOTION_DATABASE… by Tests/Checks/database.sh"

  static let isThere = collector != nil && owner != nil && admin != nil && analyst != nil
  static let collector = named("LOCOMOTION_DATABASE")
  static let owner = named("LOCOMOTION_DATABASE_OWNER")
  static let admin = named("LOCOMOTION_DATABASE_ADMIN")
  static let analyst = named("LOCOMOTION_DATABASE_ANALYST")
  static let programs = named("LOCOMOTION_POSTGRES_BIN") ?? "/usr/bin"

  private static func named(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name]
  }

  /// Migrates the database once for all tests.
  private static let migration: Result<Void, any Error> = Result {
    try ArchiveDatabase.migrate(try #require(owner))
  }

  /// A new connection of the collector to the migrated database.
  static func archive() throws -> ArchiveDatabase {
    try migration.get()
    return try ArchiveDatabase(try #require(collector))
  }

  /// A new connection without the archive's functions around it.
  static func connection(_ conninfo: String?) throws -> PostgresConnection {
    try migration.get()
    return try PostgresConnection(
      try #require(conninfo), setup: "SET search_path = public; SET DateStyle = 'ISO, YMD'")
  }

  /// A name that no other test has.
  static func newUser(_ name: String = "user") -> String { "\(name) \(UUID().uuidString)" }

  /// The first column of what a statement returns.
  static func column(
    _ connection: PostgresConnection, as user: String? = nil, _ sql: String,
    _ values: [PostgresValue] = []
  ) throws -> [String?] {
    try connection.transaction("asking", as: user) { () throws(DatabaseError) in
      try connection.rows("asking", sql, values) { (row: PostgresRow) in row.texts[0] }
    }
  }

  /// What a program prints.
  static func output(of program: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "\(programs)/\(program)")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(program) failed")
    return output
  }
}

/// Rows of an invented archive.
enum Invented {
  static let midnight = Timestamp(nanoseconds: 1_780_272_000_000_000_000)  // 2026-06-01, UTC
  static let device = String(repeating: "0123456789abcdef", count: 2)
  static let otherDevice = String(repeating: "fedcba9876543210", count: 2)

  static func instant(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: midnight.nanoseconds + Int64(seconds * 1e9))
  }

  private static func digest(_ sequence: Int, of device: String) -> String {
    String(format: "%016x", sequence + 1) + device + String(repeating: "0", count: 16)
  }

  static func unit(
    of user: String, device: String = device, sequence: Int = 0
  ) -> UnitRow {
    let digest = digest(sequence, of: device)
    return UnitRow(
      user: user, device: device, sequence: sequence, digest: digest,
      predecessor: sequence == 0 ? nil : self.digest(sequence - 1, of: device), measurement: 3,
      first: instant(0), last: Timestamp(nanoseconds: midnight.nanoseconds + 1),
      samples: 36_000, rotationRates: 1, pressures: 2, fixes: 3_600, events: 2,
      bytes: 262_144, hasAnnotations: true, formatVersion: 2,
      objectKey: "user=\(user)/day=2026-06-01/\(digest).loco")
  }

  /// A day with a stay, a trip of two legs and a gap, all near a point.
  static func day(
    _ number: Int = 0, json: String = "[]", latitude: Double = 47.37, longitude: Double = 8.54,
    recorded: Double = 50_000, isFinal: Bool = true
  ) -> DayRow {
    let day = 86_400.0 * Double(number)
    let path = (0..<20).map {
      ItemRow.Point(latitude: latitude + Double($0) * 0.001, longitude: longitude)
    }
    let items = [
      ItemRow(
        kind: .stay, start: instant(day), end: instant(day + 30_000),
        position: ItemRow.Point(latitude: latitude, longitude: longitude), radius: 12,
        placeName: "home", purpose: "sleep"),
      ItemRow(
        kind: .trip, start: instant(day + 30_000), end: instant(day + 31_000),
        activity: "cycling", distance: 2_113, steps: 40, path: path),
      ItemRow(
        kind: .leg, start: instant(day + 30_000), end: instant(day + 30_100),
        activity: "walking", distance: 100, steps: 40, path: Array(path[..<2])),
      ItemRow(
        kind: .leg, start: instant(day + 30_100), end: instant(day + 31_000),
        activity: "cycling", distance: 2_013, steps: 0, path: Array(path[1...]),
        isCorrected: true),
      ItemRow(
        kind: .gap, start: instant(day + 31_000), end: instant(day + 86_400), isPartial: true),
    ]
    return DayRow(
      date: "2026-06-0\(number + 1)", timeZone: "UTC", start: instant(day),
      end: instant(day + 86_400), json: json, isFinal: isFinal, recordedSeconds: recorded,
      staySeconds: 30_000, distance: 2_113, steps: 40,
      travel: [
        .init(activity: "walking", seconds: 100, distance: 100, steps: 40),
        .init(activity: "cycling", seconds: 900, distance: 2_013, steps: 0),
      ], items: items)
  }

  /// Stores a unit of a device and its days.
  static func store(
    _ days: [DayRow], of user: String, device: String = device, in archive: ArchiveDatabase
  ) throws {
    try archive.insert(unit(of: user, device: device))
    try archive.replace(
      days, of: user, device: device, from: instant(0), to: instant(86_400 * 9))
  }
}
