import Foundation
import Locomotion
import LocomotionJournal
import TestSupport
import Testing

extension FaultTests {
  /// The migration of a journal from an older version to the current one is atomic.
  @Suite(.serialized) struct MigrationTests {
    private let folder = ScratchFolder()

    init() {
      FaultFileSystem.register()
    }

    /// Checks that all data of the old file are there.
    private func expectAll(_ journal: Journal) throws {
      let ada = try #require(try journal.existingUser("ada"))
      let bob = try #require(try journal.existingUser("bob"))
      let samples = try ada.samples(in: 0..<100)
      let x: [Double] = [0, 0.2, 0.3, 0.4, 0.1, 0.2, 0.3, 0.4, 0.2, 0.2, 0.3, 0.4]
      let z: [Double] = [9.8, 9.81, 9.82, 9.79, 9.8, 9.81, 9.82, 9.79, 9.8, 9.81, 9.82, 9.79]
      #expect(samples.x == x && samples.z == z)
      #expect(
        samples.timestamps.map(\.nanoseconds)
          == (0..<12).map { (k: Int64) in 1_700_000_000_000_000_000 + k * 250_000_000 })
      #expect(try ada.fixes(in: 0..<9).map(\.latitude) == [48.137, 48.137 + 1e-5, 48.13702])
      #expect(try ada.measurements().map(\.state) == [.stopped])
      #expect(try bob.samples(in: 0..<100).y == [3, 4])
      #expect(journal.check().problems == [])
    }

    /// Makes the old file, in which "ada" has a place, days and an edit.
    private func makeStore(
      ofVersion version: Int, at path: String, isFaulty: Bool = false
    ) throws {
      let file = TestFiles.packageRoot
        .appendingPathComponent("Tests/Support/Golden/journal-version-6.sql")
      let oldest = try String(contentsOf: file, encoding: .utf8)
      #expect(FaultFileSystem.execute(oldest, at: path, isFaulty: isFaulty))
      if version > 6 {
        do { _ = try Journal(path: path) }
        let statements = OlderStore.statements(version: version)
        #expect(FaultFileSystem.execute(statements, at: path, isFaulty: isFaulty))
      }
      #expect(FaultFileSystem.version(at: path) == version)
    }

    @Test func aVersionThatNoReleaseWroteIsDamage() throws {
      let path = folder.path("journal")
      try makeStore(ofVersion: 6, at: path)
      #expect(FaultFileSystem.execute("PRAGMA user_version = 5", at: path))
      for access in [Journal.Access.reading, .writing] {
        #expect(throws: JournalError.damaged(path: path, what: "the version number")) {
          _ = try Journal(path: path, access: access)
        }
      }
      #expect(FaultFileSystem.version(at: path) == 5)
    }

    @Test(arguments: [6, 9]) func anOlderJournalIsReadAsItIsAndThenMigrated(
      version: Int
    ) throws {
      let path = folder.path("journal")
      try makeStore(ofVersion: version, at: path)
      for access in [Journal.Access.reading, .writing] {
        let journal = try Journal(path: path, access: access)
        try expectAll(journal)
        let ada = try journal.user("ada")
        #expect(try ada.places().map(\.name) == ["home"])
        #expect(try ada.corrections().map(\.activity) == [.cycling])
        #expect(try ada.daySpan() != nil)
      }
      #expect(FaultFileSystem.version(at: path) == StoreFormat.version)
    }

    /// Of a version without what is known of an item since then.
    @Test func olderDaysAreReadAndThenComputedAgain() throws {
      let path = folder.path("journal")
      var items: [TimelineItem] = []
      do {
        let ada = try folder.user()
        try ada.append(DayScript.batch(from: 0, to: 9_000))
        try ada.updateDays()
        items = try ada.items()
      }
      #expect(FaultFileSystem.execute(OlderStore.statements(version: 6), at: path))
      let seen = try Journal(path: path, access: .reading).user("ada").items()
      #expect(seen.map(\.start) == items.map(\.start))
      #expect(seen.flatMap(\.legs).map(\.distance) == items.flatMap(\.legs).map(\.distance))
      let journal = try Journal(path: path)
      #expect(journal.check().problems == [])
      let ada = try journal.user("ada")
      try ada.updateDays()
      #expect(try ada.items() == items)
    }

    @Test func aPowerFailureInAMigrationLeavesTheOldOrTheNewVersion() throws {
      let path = folder.path("journal")
      FaultFileSystem.reset()
      try makeStore(ofVersion: 6, at: path, isFaulty: true)
      let begin = FaultFileSystem.logLength
      var settings = Journal.Settings()
      settings.fileSystem = FaultFileSystem.name
      do { _ = try Journal(path: path, settings: settings) }
      let copy = folder.path("copy")
      var versions: [Int] = []
      let lengths = begin...FaultFileSystem.logLength
      try FaultFileSystem.forEachState(after: lengths, at: copy) { _, seed in
        let version = FaultFileSystem.version(at: copy)
        #expect([6, StoreFormat.version].contains(version))
        if seed == 0 { versions.append(version) }
        try expectAll(Journal(path: copy))
        #expect(FaultFileSystem.version(at: copy) == StoreFormat.version)
      }
      // Killed at any point: first the old version, then the new one, and nothing else.
      #expect(versions.first == 6 && versions.last == StoreFormat.version)
      #expect(versions == versions.sorted())
      #expect(versions.count { $0 == 6 } > 10)
    }

    @Test(arguments: FaultFileSystem.Fault.allCases)
    func aFaultAtAnyOperationOfAMigrationThrowsAndItCanBeRepeated(
      fault: FaultFileSystem.Fault
    ) throws {
      var settings = Journal.Settings()
      settings.fileSystem = FaultFileSystem.name
      let (_, told) = try FaultFileSystem.forEachFault(
        fault, lasts: true, every: TestLength.runs(2, long: 1)
      ) {
        let path = folder.path("journal-\($0)")
        try makeStore(ofVersion: 6, at: path)
        do { _ = try Journal(path: path, settings: settings) } catch is JournalError { return 1 }
        return 0
      } check: {
        try expectAll(Journal(path: folder.path("journal-\($0)")))
      }
      #expect(told > 10)
    }
  }
}

/// Makes a file of an older version of one of this version.
enum OlderStore {
  /// The statements that give the tables the columns of a version; what was dropped since then
  /// holds a number that nothing agrees with.
  static func statements(version: Int) -> String {
    var result: [String] = []
    let tables = StoreFormat.creation(ofVersion: version)
    let newest = StoreFormat.creation(ofVersion: StoreFormat.version)
    if version < 10 {
      result.append(
        "CREATE VIRTUAL TABLE place_index USING rtree(id, u0, u1, x0, x1, y0, y1, z0, z1)")
    }
    for (old, new) in zip(tables, newest) where old != new {
      let kept = columns(new).filter(columns(old).contains)
      let dropped = columns(old).filter { !kept.contains($0) }
      let name = old.split(separator: " ")[2]
      result += [
        "ALTER TABLE \(name) RENAME TO moved", old,
        "INSERT INTO \(name) (\((kept + dropped).joined(separator: ", "))) "
          + "SELECT \((kept + dropped.map { _ in "7" }).joined(separator: ", ")) FROM moved",
        "DROP TABLE moved",
      ]
    }
    return (result + ["PRAGMA user_version = \(version)"]).joined(separator: "; ")
  }

  /// The names of the columns that a statement makes.
  static func columns(_ statement: String) -> [String] {
    statement.matches(of: #/(\w+) (?:INTEGER|TEXT|REAL|BLOB)/#).map { String($0.1) }
  }
}
