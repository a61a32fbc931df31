import LocomotionCollector
import LocomotionJournal
import LocomotionSensing
import Testing

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

  /// Whether `body` ends, or ends in an error that says that the row is not valid.
  private func isStored(_ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch {
      switch error as? DatabaseError {
      case .invalidRow, .refused: return false
      default: throw error
      }
    }
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

  @Test func namesAreStoredAsTheyAreOrRefused() throws {
    let archive = try DatabaseServer.archive()
    let bystander = try Bystander(archive)
    let names =
      Self.hostile + [bystander.name + "'", bystander.name + "\0", bystander.name + " "]
    for name in names {
      let unit = Invented.unit(of: name)
      var keyed = unit
      keyed.objectKey = "key"
      let isName = (1...128).contains(name.utf8.count) && !name.contains("\0")
      #expect(try isStored { try archive.insert(keyed) } == isName, "\(name.prefix(60))")
      guard isName else { continue }
      #expect(try archive.units(of: name, device: unit.device) == [keyed])
      #expect(try archive.streams(of: name) == [unit.device])
      #expect(try archive.erase(user: name).objectKeys == ["key"])
      #expect(try archive.streams(of: name).isEmpty)
      #expect(try archive.readmit(user: name))
    }
    #expect(try bystander.isUnchanged())
  }

  @Test func keysAndQuestionsAreBoundToo() throws {
    let archive = try DatabaseServer.archive()
    let bystander = try Bystander(archive)
    let user = DatabaseServer.newUser()
    try Invented.store([Invented.day()], of: user, in: archive)
    for text in Self.hostile {
      for path in [\UnitRow.device, \.digest] {
        var unit = Invented.unit(of: user, sequence: 7)
        unit[keyPath: path] = text
        #expect(try isStored { try archive.insert(unit) } == false)
      }
      var isFound = false
      let isText = try isStored {
        let units = try archive.units(of: user, device: text)
        let unit = try archive.unit(digest: text, of: user)
        let day = try archive.dayJSON(of: user, date: "2026-06-01", device: text)
        isFound = unit != nil || !units.isEmpty || day != nil
      }
      #expect(!isFound)
      #expect(isText == !text.contains("\0"))
      #expect(try isStored { _ = try archive.dayJSON(of: user, date: text) } == false)
      #expect(
        throws: DatabaseError.self,
        performing: {
          try archive.store(Invented.day(), with: [:], of: user, device: text)
        })
      var keyed = Invented.unit(of: DatabaseServer.newUser())
      keyed.objectKey = text
      if try isStored({ try archive.insert(keyed) }) {
        #expect(try archive.unit(digest: keyed.digest, of: keyed.user) == keyed)
      } else {
        #expect(text.contains("\0"))
      }
    }
    #expect(try bystander.isUnchanged())
  }
}
