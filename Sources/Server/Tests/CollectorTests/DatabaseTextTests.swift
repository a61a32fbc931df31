import LocomotionJournal
import LocomotionSensing
import Testing

@testable import LocomotionServer

/// Texts of a device that try to be more than texts.
@Suite(.enabled(if: DatabaseServer.isThere, DatabaseServer.absence))
struct DatabaseTextTests {
  static let hostile = [
    "'; DROP TABLE archive.units; --", "' OR '1'='1", "\"; DELETE FROM archive.items; --",
    "$1", "$$; DROP SCHEMA archive CASCADE; $$", "$a$", "\\'; SELECT pg_sleep(100); --", "\\",
    "E'\\x27'", "{\"a\",NULL}", "NULL", "null", "", " ", "%s%n", "a\nb\r\tc",
    "'::regclass", "/* ", "\u{FEFF}", "\u{202E}elcycib", "🚲\u{0301}", "ab\0cd", "\0",
    "'); SELECT set_config('locomotion.user', 'victim', false); --",
    String(repeating: "'", count: 100_000), String(repeating: "é", count: 1_000_000),
  ]

  /// All that another user has, which no text may change.
  private struct Bystander {
    let name = DatabaseServer.newUser("bystander")
    let connection: PostgresConnection
    private var before: [String?] = []

    init(_ archive: ArchiveDatabase) throws {
      connection = try DatabaseServer.connection(DatabaseServer.collector)
      try Invented.store([Invented.day()], of: name, in: archive)
      before = try content()
    }

    private func content() throws -> [String?] {
      try ["users", "devices", "units", "days", "travel", "items"].flatMap {
        try DatabaseServer.column(
          connection, as: name, "SELECT row::text FROM archive.\($0) AS row ORDER BY 1")
      }
    }

    func isUnchanged() throws -> Bool { try before == content() && before.count == 11 }
  }

  @Test func textsOfDaysAreTextsOnly() throws {
    let archive = try DatabaseServer.archive()
    let bystander = try Bystander(archive)
    let connection = try DatabaseServer.connection(DatabaseServer.collector)
    for text in Self.hostile {
      let user = DatabaseServer.newUser()
      let day = try Invented.day(name: text, purpose: text)
      try Invented.store([day], of: user, in: archive)
      let place = PlaceRow(
        number: 0, name: text, latitude: 1, longitude: 2, radius: 1, isLearned: false)
      try archive.replacePlaces([place], of: user, device: Invented.device)
      let measurement = MeasurementRow(
        number: 0, modality: text, start: day.date.start, end: nil, samples: 0, fixes: 0)
      try archive.replaceMeasurements([measurement], of: user, device: Invented.device)

      #expect(try archive.dayJSON(of: user, date: "2026-06-01") == day.json)
      let stored = text.replacing("\0", with: "\u{FFFD}")
      let found = try DatabaseServer.column(
        connection, as: user,
        """
        SELECT place_name FROM archive.items WHERE number = 0
        UNION ALL SELECT purpose FROM archive.items WHERE number = 0
        UNION ALL SELECT name FROM archive.places
        UNION ALL SELECT modality FROM archive.measurements
        """)
      #expect(found.count == 4)
      #expect(found.allSatisfy { $0 == stored }, "\(text.prefix(60))")
    }
    #expect(try bystander.isUnchanged())
  }
}
