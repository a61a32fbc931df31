import Foundation
import LocomotionJournal
import LocomotionSensing
import Testing

extension FaultTests {
  /// The migration of a journal from version 1 to the current one is atomic.
  @Suite(.serialized) struct MigrationTests {
    init() {
      FaultFileSystem.register()
    }

    /// Checks that all data of the old file are there.
    private func expectAll(_ journal: Journal) throws {
      let ada = try #require(try journal.existingUser("ada"))
      let bob = try #require(try journal.existingUser("bob"))
      let samples = try ada.samples(in: 0..<100)
      #expect(samples.x == [0, 0.2, 0.3, 0.4, 0.1, 0.2, 0.3, 0.4, 0.2, 0.2, 0.3, 0.4])
      #expect(samples.z == [9.8, 9.81, 9.82, 9.79, 9.8, 9.81, 9.82, 9.79, 9.8, 9.81, 9.82, 9.79])
      #expect(
        samples.timestamps.map(\.nanoseconds)
          == (0..<12).map { 1_700_000_000_000_000_000 + $0 * 250_000_000 })
      #expect(try ada.fixes(in: 0..<9).map(\.latitude) == [48.137, 48.137 + 1e-5, 48.13702])
      #expect(try ada.measurements().map(\.state) == [.stopped])
      #expect(try bob.samples(in: 0..<100).y == [3, 4])
      #expect(journal.check().problems == [])
    }

    @Test func aJournalOfVersionOneIsMigratedWithAllItsData() throws {
      try withTemporaryFolder { folder in
        let path = folder.appendingPathComponent("journal").path
        #expect(FaultFileSystem.execute(VersionOneStore.statements, at: path))
        #expect(FaultFileSystem.version(at: path) == 1)
        #expect(throws: JournalError.self) { _ = try Journal(path: path, access: .reading) }
        #expect(FaultFileSystem.version(at: path) == 1)
        do {
          let journal = try Journal(path: path)
          #expect(FaultFileSystem.version(at: path) == 6)
          try expectAll(journal)
          // It has the features of a new one.
          let ada = try journal.user("ada")
          try ada.addPlace(PlaceDescription(name: "home", latitude: 48.137, longitude: 11.575))
          try ada.updateDays()
          #expect(try ada.places().map(\.name) == ["home"])
          #expect(try journal.user("bob").places().isEmpty)
        }
        try expectAll(Journal(path: path, access: .reading))
      }
    }

    @Test func aPowerFailureInAMigrationLeavesTheOldOrTheNewVersion() throws {
      try withTemporaryFolder { folder in
        let path = folder.appendingPathComponent("journal").path
        FaultFileSystem.reset()
        #expect(FaultFileSystem.execute(VersionOneStore.statements, at: path, isFaulty: true))
        let begin = FaultFileSystem.logLength
        var settings = Journal.Settings()
        settings.fileSystem = FaultFileSystem.name
        do { _ = try Journal(path: path, settings: settings) }
        let copy = folder.appendingPathComponent("copy").path
        var versions: [Int] = []
        for length in begin...FaultFileSystem.logLength {
          for seed in [0, UInt64(length) * 2 + 1, UInt64(length) * 2 + 2] {
            try #require(FaultFileSystem.makeFiles(length: length, seed: seed, at: copy))
            let version = FaultFileSystem.version(at: copy)
            #expect(1...6 ~= version)
            if seed == 0 { versions.append(version) }
            try expectAll(Journal(path: copy))
            #expect(FaultFileSystem.version(at: copy) == 6)
          }
        }
        // Killed at any point: first the old version, then the new one, and nothing else.
        #expect(versions.first == 1 && versions.last == 6 && versions == versions.sorted())
        #expect(versions.count { $0 == 1 } > 10)
      }
    }

    @Test(arguments: FaultFileSystem.Fault.allCases)
    func aFaultAtAnyOperationOfAMigrationThrowsAndItCanBeRepeated(
      fault: FaultFileSystem.Fault
    ) throws {
      try withTemporaryFolder { folder in
        var settings = Journal.Settings()
        settings.fileSystem = FaultFileSystem.name
        var number = 1
        var seen = 0
        while true {
          let path = folder.appendingPathComponent("journal-\(number)").path
          #expect(FaultFileSystem.execute(VersionOneStore.statements, at: path))
          FaultFileSystem.reset()
          FaultFileSystem.fail(number, lasts: true, fault)
          do { _ = try Journal(path: path, settings: settings) } catch is JournalError { seen += 1 }
          let wasReached = FaultFileSystem.operations >= number
          FaultFileSystem.heal()
          try expectAll(Journal(path: path))
          if !wasReached { break }
          number += 1
        }
        #expect(seen > 10)
      }
    }
  }
}
