import Foundation
import Locomotion
import LocomotionJournal
import Testing

@testable import LocomotionServer

/// The server that `Setup/server.sh` started, as the environment names it.
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

  static var calendar: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }

  static func date(_ number: Int = 0) throws -> CivilDay {
    try #require(CivilDay(holding: instant(86_400 * Double(number)), calendar))
  }

  /// A stay at a place.
  static func stay(
    from start: Timestamp, to end: Timestamp, latitude: Double = 47.37, longitude: Double = 8.54,
    name: String? = "home", purpose: String? = "sleep", steps: Double = 0
  ) -> Stay {
    let location = Stay.Location(latitude: latitude, longitude: longitude, radius68: 12)
    var stay = Stay(start: start, end: end, location: location)
    stay.place = Place(
      id: 1, name: name, latitude: 1, longitude: 2, radius: 60, isLearned: false)
    (stay.purpose, stay.steps) = (purpose, steps)
    return stay
  }

  /// A leg that may be the user's correction.
  static func leg(
    _ start: Timestamp, _ end: Timestamp, _ activity: Activity?, distance: Double?, steps: Double,
    isCorrected: Bool = false
  ) -> Trip.Leg {
    var leg = Trip.Leg(start: start, end: end, activity: activity, distance: distance, steps: steps)
    leg.isCorrected = isCorrected
    return leg
  }

  /// A day with a stay, a trip of two legs and a gap, all near a point.
  static func day(
    _ number: Int = 0, latitude: Double = 47.37, longitude: Double = 8.54,
    recorded: Double = 50_000, isFinal: Bool = true, name: String? = "home",
    purpose: String? = "sleep"
  ) throws -> Day {
    let date = try date(number)
    func at(_ seconds: Double) -> Timestamp { instant(86_400 * Double(number) + seconds) }
    let trip = recorded - 1_000
    let legs = [
      leg(at(trip), at(trip + 100), .walking, distance: 100.04, steps: 40.5),
      leg(
        at(trip + 100), at(recorded), .cycling, distance: 2_013.01, steps: 0, isCorrected: true),
    ]
    var gap = Gap(start: at(recorded), end: date.end)
    gap.isPartial = !isFinal
    return Day(
      date,
      [
        .stay(
          stay(
            from: at(0), to: at(trip), latitude: latitude, longitude: longitude, name: name,
            purpose: purpose)), .trip(Trip(legs: legs)), .gap(gap),
      ])
  }

  /// The paths of the legs of ``day(_:latitude:longitude:recorded:isFinal:name:purpose:)``.
  static func paths(
    of day: Day, latitude: Double = 47.37, longitude: Double = 8.54
  ) -> [Timestamp: [LocationFix]] {
    let points = (0..<20).map {
      LocationFix(
        timestamp: midnight, latitude: latitude + Double($0) * 0.001, longitude: longitude)
    }
    guard case .trip(let trip)? = day.items.dropFirst().first else { return [:] }
    let legs = trip.legs
    return [legs[0].start: Array(points[..<2]), legs[1].start: Array(points[1...])]
  }

  /// Stores a unit of a device and its days.
  static func store(
    _ days: [Day], of user: String, device: String = device, in archive: ArchiveDatabase
  ) throws {
    try archive.insert(unit(of: user, device: device))
    for day in days {
      try archive.store(day, with: paths(of: day), of: user, device: device)
    }
  }
}
