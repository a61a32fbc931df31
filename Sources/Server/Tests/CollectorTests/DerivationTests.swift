import Foundation
import Locomotion
import LocomotionJournal
import Testing

@testable import LocomotionServer

@Suite(.enabled(if: DatabaseServer.isThere, DatabaseServer.absence))
struct DerivationTests {
  @Test func correctionsNamesAndPurposesTravel() throws {
    let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: 2)
    let archive = try ScratchArchive(in: phone.folder)
    try phone.record(from: 0, to: 900)
    try archive.store(try phone.units())
    _ = try archive.derive()
    let before = try archive.stories(of: phone.name, phone.units()[0].summary.device)
    try phone.change { user in
      try user.correctActivity(to: .cycling, from: phone.time(320), to: phone.time(590))
      let place = try #require(try user.places().first)
      try user.renamePlace(place.id, to: "Café \"Ö\"; DROP TABLE archive.days")
      try user.setPurpose("' OR 1=1 --", from: phone.time(0), to: phone.time(200))
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

  /// A phone whose clock was not set for one fix, or a unit that says so: no day is stored of
  /// which there is nothing, and the work doesn't grow with the time in between.
  @Test func noDayIsStoredOfWhichNothingIsRecorded() throws {
    let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: 9)
    let archive = try ScratchArchive(in: phone.folder)
    try phone.change { user in
      for seconds in [-4_500_000_000, 946_684_800, 4_000_000_000] {
        var batch = JournalBatch()
        for step in 0..<600 {
          batch.fixes.append(
            LocationFix(
              timestamp: Timestamp(nanoseconds: Int64(seconds + step) * 1_000_000_000),
              latitude: 48, longitude: 11, horizontalAccuracy: 5))
        }
        try user.append(batch)
      }
    }
    try phone.record(from: 300, to: 500)
    try archive.store(try phone.units())
    let device = try phone.units()[0].summary.device
    #expect(try archive.derive().map(\.isComplete) == [true])
    let stories = try archive.stories(of: phone.name, device)
    #expect(
      stories.keys.sorted() == [
        "1827-05-27", "2000-01-01", "2023-11-14", "2023-11-15", "2096-10-02",
      ])
    let own = try phone.stories().filter { stories[$0.key] != nil }
    #expect(own == stories)
    // An edit of nothing, however long, makes the days of a month at most.
    try phone.change { user in
      try user.correctActivity(to: .cycling, from: phone.time(-2e9), to: phone.time(-1e9))
    }
    try archive.store(try phone.units())
    _ = try archive.derive()
    let days = try archive.stories(of: phone.name, device).count
    #expect(days - stories.count <= 32)
  }

  /// Portions that end as soon as they may.
  @Test func portionsGiveTheSameDaysAndEndWhenToldTo() throws {
    var settings = ArchiveDerivation.Settings()
    settings.portion = 0
    settings.quietInterval = 0
    let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: 10)
    let archive = try ScratchArchive(in: phone.folder, settings: settings)
    for part in 0..<3 {
      try phone.record(from: 100 * part, to: 100 * (part + 1))
      try archive.store(try phone.units())
    }
    var portions = 0
    var last: ArchiveDerivation.Outcome?
    while let outcome = try archive.derivation.deriveNext(isStopping: { portions == 2 }) {
      (portions, last) = (portions + 1, outcome)
      // What is stored of another device meanwhile doesn't matter; a late unit does.
      if portions == 4 { archive.derivation.noteChange(of: phone.name, device: outcome.device) }
    }
    #expect(portions > 6)
    #expect(last?.isComplete == true)
    let device = try phone.units()[0].summary.device
    #expect(try archive.stories(of: phone.name, device) == phone.stories())
  }

  /// Whoever sends much doesn't make others wait for more than a portion of each user's work.
  @Test func usersTakeTurns() throws {
    var settings = ArchiveDerivation.Settings()
    settings.portion = 0
    settings.quietInterval = 0
    settings.mostOpen = 2
    let busy = try (0..<3).map {
      try RecordedDevice(user: DatabaseServer.newUser("eve"), seed: $0)
    }
    let archive = try ScratchArchive(in: busy[0].folder, settings: settings)
    for phone in busy {
      try phone.record(from: 0, to: 120)
      try archive.store(try phone.units())
    }
    for _ in 0..<6 { _ = try archive.derivation.deriveNext() }
    let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: 11)
    try phone.record(from: 0, to: 60)
    try archive.store(try phone.units())
    var turns: [String] = []
    while let outcome = try archive.derivation.deriveNext() { turns.append(outcome.user) }
    let own = turns.indices.filter { turns[$0] == phone.name }
    #expect(own.first.map { $0 <= 3 } == true)
    #expect(zip(own, own.dropFirst()).allSatisfy { $1 - $0 <= 4 })
    for phone in busy + [phone] {
      let device = try phone.units()[0].summary.device
      #expect(try archive.stories(of: phone.name, device) == phone.stories())
    }
  }

  /// Two copies of a phone's journal go on as one device: the archive takes the units of one.
  @Test func unitsThatDoNotContinueTheirDevicesAreRefused() throws {
    let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: 12)
    let archive = try ScratchArchive(in: phone.folder)
    try phone.record(from: 0, to: 60)
    let common = try phone.units()
    try archive.store(common)
    let twin = try RecordedDevice(user: phone.name, seed: 12)
    try FileManager.default.copyItem(atPath: phone.store, toPath: twin.store)
    // As much, so that no position tells them apart.
    for part in 1..<4 {
      try phone.record(from: 60 * part, to: 60 * part + 60)
      try twin.record(from: 60 * part, to: 60 * part + 60)
      _ = (try phone.units(), try twin.units())
    }
    let own = try phone.units().dropFirst(common.count)
    let others = try twin.units().dropFirst(common.count)
    #expect(own.map(\.summary.sequence) == others.map(\.summary.sequence))
    #expect(own.map(\.summary.fixes) == others.map(\.summary.fixes))
    // In turns: whose first one comes first, of that one are all.
    for (mine, other) in zip(own, others) {
      try archive.store([mine])
      #expect(throws: IntakeError.contradiction) { try archive.store([other]) }
    }
    // Also when a later one comes first, and where the one between is withdrawn.
    let digest = SHA256Digest(of: own[own.startIndex + 1].bytes).hexadecimal
    #expect(try archive.intake.delete(digest, of: phone.name))
    #expect(throws: IntakeError.contradiction) {
      try archive.store([others[others.startIndex + 1]])
    }
    _ = try archive.derive()
  }
}
