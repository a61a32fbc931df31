#if Collect
  import Foundation
  import LocomotionActivityRecognition
  import LocomotionCollector
  import LocomotionJournal
  import LocomotionSync
  import TestSupport
  import Testing

  @Suite(.enabled(if: DatabaseServer.isThere, DatabaseServer.absence))
  struct DerivationTests {
    @Test func theArchiveTellsTheDaysAsThePhoneDoes() throws {
      let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: 1)
      let archive = try ScratchArchive(in: phone.folder)
      // Over midnight of the 15th, in two parts.
      for (first, last) in [(0, 400), (400, 900)] {
        try phone.record(from: first, to: last)
        try archive.store(try phone.units())
        let outcomes = try archive.derive()
        #expect(outcomes.map(\.isRebuilt) == [false])
      }
      let device = try #require(try phone.units().first).summary.device
      let stories = try archive.stories(of: phone.name, device)
      #expect(stories.count == 2)
      #expect(try stories == phone.stories())
      #expect(try archive.derive().isEmpty)
    }

    @Test func correctionsNamesAndPurposesTravel() throws {
      let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: 2)
      let archive = try ScratchArchive(in: phone.folder)
      try phone.record(from: 0, to: 900)
      try archive.store(try phone.units())
      _ = try archive.derive()
      let before = try archive.stories(of: phone.name, phone.units()[0].summary.device)
      try phone.change { journal, user in
        try journal.correctActivity(
          to: .cycling, from: phone.time(320), to: phone.time(590), for: user)
        let place = try #require(try journal.places(of: user).first)
        try journal.renamePlace(place.id, to: "Café \"Ö\"; DROP TABLE archive.days", for: user)
        try journal.setPurpose("' OR 1=1 --", from: phone.time(0), to: phone.time(200), for: user)
      }
      let units = try phone.units()
      try archive.store(units)
      _ = try archive.derive()
      let after = try archive.stories(of: phone.name, units[0].summary.device)
      #expect(after != before)
      #expect(try after == phone.stories())
      #expect(after.values.contains { $0.contains("DROP TABLE") && $0.contains("OR 1=1") })
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func theOrderOfArrivalDoesNotMatter(seed: UInt64) throws {
      let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: seed)
      for part in 0..<5 {
        try phone.record(from: 180 * part, to: 180 * (part + 1))
        _ = try phone.units()
      }
      var units = try phone.units()
      let device = units[0].summary.device
      var random = SplitMix64(seed: seed)
      for place in units.indices.reversed() {
        units.swapAt(place, Int(random.next() % UInt64(place + 1)))
      }
      let archive = try ScratchArchive(in: phone.folder)
      var rebuilt = 0
      for unit in units {
        try archive.store([unit])
        rebuilt += try archive.derive().filter(\.isRebuilt).count
      }
      #expect(rebuilt > 1, "the seed gives no late unit")
      #expect(try archive.stories(of: phone.name, device) == phone.stories())
    }

    @Test func aDayIsRevisedOnlyWhenItChanges() throws {
      let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: 4)
      let archive = try ScratchArchive(in: phone.folder)
      try phone.record(from: 0, to: 600)
      try archive.store(try phone.units())
      _ = try archive.derive()
      let first = try archive.revisions(of: phone.name)
      #expect(Set(first.values) == [1] && first.count == 2)
      // All over again from nothing.
      try FileManager.default.removeItem(atPath: archive.journals.folder)
      let device = try phone.units()[0].summary.device
      let outcome = try archive.derivation.derive(phone.name, device)
      #expect(outcome.days == 0)
      #expect(try archive.revisions(of: phone.name) == first)
      try phone.record(from: 600, to: 900)
      try archive.store(try phone.units())
      _ = try archive.derive()
      let second = try archive.revisions(of: phone.name)
      #expect(second["2023-11-15"] ?? 0 > 1)
    }

    @Test(arguments: ["", ".units", ".stored"])
    func aDamagedCacheIsMadeAnew(ending: String) throws {
      let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: 5)
      let archive = try ScratchArchive(in: phone.folder)
      try phone.record(from: 0, to: 300)
      try archive.store(try phone.units())
      _ = try archive.derive()
      let device = try phone.units()[0].summary.device
      let path = archive.journals.path(of: phone.name, device: device) + ending
      try Data("damaged".utf8).write(to: URL(fileURLWithPath: path))
      try phone.record(from: 300, to: 600)
      try archive.store(try phone.units())
      let outcome = try #require(try archive.derive().first)
      #expect(outcome.isRebuilt == (ending != ".stored"))
      #expect(try archive.stories(of: phone.name, device) == phone.stories())
    }

    @Test func deletedUnitsAndErasedUsersLeaveNothing() throws {
      let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: 6)
      let archive = try ScratchArchive(in: phone.folder)
      try phone.record(from: 0, to: 300)
      let units = try phone.units()
      try archive.store(units)
      _ = try archive.derive()
      let device = units[0].summary.device
      #expect(try !archive.stories(of: phone.name, device).isEmpty)
      for unit in units {
        let digest = SHA256Digest(of: unit.bytes).hexadecimal
        #expect(try archive.intake.delete(digest, of: DatabaseServer.newUser("eve")) == false)
        #expect(try archive.intake.delete(digest, of: phone.name))
        #expect(try archive.intake.delete(digest, of: phone.name) == false)
      }
      _ = try archive.derive()
      #expect(try archive.stories(of: phone.name, device).isEmpty)
      let path = archive.journals.path(of: phone.name, device: device)
      #expect(!FileManager.default.fileExists(atPath: path))
      // Erased while a derivation waits: nothing comes back.
      try phone.record(from: 300, to: 600)
      try archive.store(try phone.units().filter { !units.contains($0) })
      _ = try archive.connections.use { database throws(DatabaseError) in
        try database.erase(user: phone.name)
      }
      #expect(try archive.derive().map(\.days) == [0])
      #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func twoPhonesOfAPersonAreToldApart() throws {
      let name = DatabaseServer.newUser("ada")
      let phones = [
        try RecordedDevice(user: name, seed: 7), try RecordedDevice(user: name, seed: 8),
      ]
      let archive = try ScratchArchive(in: phones[0].folder)
      try phones[0].record(from: 0, to: 300)
      try phones[1].record(from: 60, to: 180)
      for phone in phones { try archive.store(try phone.units()) }
      #expect(try archive.derive().count == 2)
      for phone in phones {
        let device = try phone.units()[0].summary.device
        #expect(try archive.stories(of: name, device) == phone.stories())
      }
      let days = try archive.connections.use { database throws(DatabaseError) in
        try database.days(of: name)
      }
      let first = try phones[0].units()[0].summary.device
      #expect(days.filter(\.isPrimary).map(\.device) == [first])
    }
  }
#endif
