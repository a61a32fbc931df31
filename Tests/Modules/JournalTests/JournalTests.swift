import Foundation
import Locomotion
import LocomotionJournal
import TestSupport
import Testing

/// Reading and writing of a journal: round trips, users, erasure, writers, versions.
@Suite struct JournalTests {
  private let folder = ScratchFolder()

  @Test(arguments: [1, 7, 100, 1_499, 2_999, 3_000, 3_001, 10_000])
  func batchesOfEverySizeAreReadBackInOrder(samples: Int) throws {
    let path = folder.path("journal")
    let count = max(4, min(150, 12_000 / samples))
    do {
      let user = try Journal(path: path).user("ada")
      for number in 0..<count {
        let counts = try user.append(JournalScript.batch(number, samples: samples))
        #expect(counts.samples == (number + 1) * samples)
        #expect(counts.fixes == number / 3 + 1)
      }
      #expect(try JournalContent(user) == JournalScript.content(count, samples: samples))
    }
    let (journal, user) = try openJournal(path)
    let content = try JournalContent(user)
    #expect(content == JournalScript.content(count, samples: samples))
    var random = SplitMix64(seed: 3)
    for _ in 0..<50 {
      let ends = [random.next(), random.next()].map { Int($0 % UInt64(count * samples + 1)) }
      let range = min(ends[0], ends[1])..<max(ends[0], ends[1])
      #expect(try user.samples(in: range) == content.samples[range])
      let some = range.clamped(to: 0..<content.fixes.count)
      #expect(try user.fixes(in: range) == Array(content.fixes[some]))
    }
    #expect(journal.check().isSound)
    #expect(journal.check().samples == count * samples)
    #expect(journal.check().rotationRates == content.rotationRates.count)
  }

  @Test func aSnapshotHasSeparatelyRecordedSensorsWhileAWriterAppends() throws {
    try withJournal { journal, user in
      var whole = JournalBatch()
      func append(_ number: Int) throws {
        // Small batches, which are merged now and then.
        var batch = JournalScript.batch(number, samples: 90)
        if number % 3 == 0 { batch.accelerations = SampleSeries() }
        if number % 5 == 0 { batch.rotationRates = JournalScript.batch(4).accelerations }
        whole.append(contentsOf: batch)
        try user.append(batch)
      }
      for number in 0..<80 { try append(number) }
      let before = whole
      let reader = try Journal(path: journal.path, access: .reading).user("ada")
      var found = [SampleSeries(), SampleSeries()]
      try reader.onSnapshot {
        for (number, batch) in zip(80..., try reader.batches()) {
          try append(number)
          let samples = try reader.batch(batch)
          found[0].append(contentsOf: samples.accelerations)
          found[1].append(contentsOf: samples.rotationRates)
        }
        #expect(try reader.samples(in: 7..<20) == before.accelerations[7..<20])
      }
      #expect(found == [before.accelerations, before.rotationRates])
      #expect(try JournalContent(reader) == JournalContent(whole))
    }
  }

  @Test func batchesWithOnlyFixesAndEmptyBatchesAreAccepted() throws {
    try withJournal { _, user in
      var expected: [LocationFix] = []
      for number in 0..<200 {
        var batch = JournalScript.batch(3 * number)
        batch.accelerations = SampleSeries()
        batch.rotationRates = SampleSeries()
        batch.fixes[0].latitude = number == 7 ? .nan : -0.0
        expected += batch.fixes
        try user.append(batch)
        try user.append(JournalBatch())
      }
      let fixes = try user.fixes(in: 0..<1_000)
      #expect(fixes.count == 200)
      #expect(fixes[7].latitude.isNaN)
      #expect(fixes[8] == expected[8])
      #expect(try user.samples(in: 0..<10).count == 0)
    }
  }

  @Test func pressuresAreKeptAloneAndBesideOtherSensors() throws {
    let path = folder.path("journal")
    var expected = SensorBatch.PressureSeries()
    do {
      let user = try Journal(path: path).user("ada")
      for number in 0..<300 {
        var batch = JournalScript.batch(number, samples: 90)
        if number % 3 != 0 { (batch.accelerations, batch.rotationRates) = (.init(), .init()) }
        if number % 7 == 0 { batch = JournalBatch() }
        for index in 0..<(number == 150 ? 70_000 : 25) {
          batch.pressures.append(
            1_000 - Float(index) / 7,
            at: Timestamp(nanoseconds: Int64(number * 1_000 + index) * 40_000_000))
        }
        expected.append(contentsOf: batch.pressures)
        try user.append(batch)
      }
      #expect(try JournalContent(user).pressures == expected)
    }
    do {
      let (journal, user) = try openJournal(path)
      #expect(try JournalContent(user).pressures == expected)
      #expect(journal.check().problems == [] && journal.check().pressures == expected.count)
    }
  }

  @Test func anErasedUserLeavesNoByteBehind() throws {
    let path = folder.path("journal")
    let journal = try Journal(path: path)
    let ada = try journal.user("ada-lovelace")
    let bob = try journal.user("bob")
    for number in 0..<120 {
      try ada.append(JournalScript.batch(number))
      try bob.append(JournalScript.batch(number + 1_000, samples: 7))
    }
    try ada.start("SECRET-VEHICLE", at: Timestamp(nanoseconds: 5))
    var secrets =
      JournalScript.content(120).fixes.map { Data(stored: $0.latitude.bitPattern) }
      + ["ada-lovelace", "SECRET-VEHICLE"].map { Data($0.utf8) }
    let places = (0..<300).map { number in
      Place(name: nil, latitude: 48 + Double(number) / 7e3, longitude: 11)
    }
    try ada.restore(places, [])
    try bob.addPlace(Place(name: "bob's", latitude: -3, longitude: 11))
    secrets += places.map { Data(stored: $0.latitude.bitPattern) }
    // SQLite stores the first latitude, a whole number, as an integer.
    #expect(Data.traces(of: secrets, in: path).count == secrets.count - 1)
    try ada.erase()
    #expect(Data.traces(of: secrets, in: path).isEmpty)
    #expect(journal.check().problems == [])
    #expect(try bob.counts().samples == 840 && bob.places().count == 1)
    // The freed number is never used for another user.
    let eve = try journal.user("eve")
    #expect(throws: JournalError.unknownUser) { try ada.counts() }
    #expect(try eve.counts().samples == 0)
  }

  @Test func aSecondWriterIsRefusedInBoundedTimeButReadersAreAdmitted() throws {
    let path = folder.path("journal")
    var settings = Journal.Settings()
    settings.longestWait = 0.1
    do {
      let user = try Journal(path: path).user("ada")
      try user.append(JournalScript.batch(0))
      #expect(throws: JournalError.busy(path: path)) {
        _ = try Journal(path: path, settings: settings)
      }
      let (reader, seen) = try openJournal(path, access: .reading)
      #expect(try JournalContent(seen) == JournalScript.content(1))
      try user.append(JournalScript.batch(1))
      #expect(try JournalContent(seen) == JournalScript.content(2))
      #expect(throws: JournalError.readOnly(path: path)) {
        try seen.append(JournalScript.batch(2))
      }
      #expect(throws: JournalError.readOnly(path: path)) { try seen.erase() }
      #expect(throws: JournalError.unknownUser) { _ = try reader.user("bob") }
    }
    let journal = try Journal(path: path, settings: settings)
    #expect(try JournalContent(journal.user("ada")) == JournalScript.content(2))
  }

  @Test func aJournalOfANewerVersionCanBeReadButNotWritten() throws {
    let path = folder.path("journal")
    do { try folder.user().append(JournalScript.batch(0)) }
    var bytes = try folder.data("journal")
    let supported = StoreFormat.version
    let found = supported + 1
    bytes[63] = UInt8(found)  // user_version, the lowest of its four bytes
    try folder.write(bytes, to: "journal")
    #expect(throws: JournalError.newerVersion(path: path, found: found, supported: supported)) {
      _ = try Journal(path: path)
    }
    #expect(try folder.data("journal") == bytes)
    let reader = try Journal(path: path, access: .reading)
    #expect(try JournalContent(reader.user("ada")) == JournalScript.content(1))
  }

  @Test(arguments: ["", "a\nb", "\0", "ada\u{FFFD}", String(repeating: "x", count: 129)])
  func anInvalidUserNameIsRefused(name: String) throws {
    let journal = try Journal(path: folder.path("journal"))
    #expect(throws: JournalError.invalidUserName) { _ = try journal.user(name) }
  }

  @Test func smallBatchesTakeNoMoreSpaceThanLargeOnes() throws {
    do {
      let user = try folder.user()
      for number in 0..<600 {
        var batch = JournalScript.batch(number, samples: 100)
        batch.rotationRates = SampleSeries()
        batch.fixes = []
        try user.append(batch)
      }
    }
    let size = try folder.data("journal").count
    // Two axes of 12 bits of noise and one that is constant for a second: 1.1 bytes per value,
    // and a sixth for the pages of the tables.
    let limit: Double = 1.35 * 3 * 60_000 + 20 * 4_096
    #expect(Double(size) < limit)
  }
}

/// What a file holds that no version of the package has written.
@Suite struct StrangeCellTests {
  private let folder = ScratchFolder()

  private static let strange = [
    "NULL", "'text'", "x'00FF'", "-1", "0", "9223372036854775807", "-9223372036854775808", "1e999",
  ]

  /// Reads everything and goes on recording, after which the same can be read again.
  private func use(_ path: String) throws {
    let ada = try Journal(path: path).user("ada")
    let before = try JournalContent(ada)
    try ada.append(DayScript.batch(from: 1_200, to: 1_260))
    try ada.updateDays()
    if let span = try ada.daySpan(),
      let item = try ada.dayItems(from: span.start, to: span.end).first
    {
      try ada.setPurpose("rest", from: item.start, to: item.end)
    }
    _ = try ada.makeUnits(closing: true)
    let after = try JournalContent(Journal(path: path, access: .reading).user("ada"))
    #expect(after.fixes.count >= before.fixes.count)
    #expect(after.samples.count >= before.samples.count)
  }

  /// A value of any type, size or sign in all cells of a column is read as one that can be written
  /// again, or refused as damage.
  @Test func aCellOfAnyValueIsReadOrRefused() throws {
    let path = folder.path("journal")
    do {
      let ada = try Journal(path: path).user("ada")
      try ada.append(DayScript.batch(from: 0, to: 1_200))
    }
    try use(path)
    let whole = try folder.data("journal")
    var (used, refused) = (0, 0)
    for table in StoreFormat.creation(ofVersion: StoreFormat.version) {
      let name = table.split(separator: " ")[2]
      for (column, value) in OlderStore.columns(table).dropFirst().flatMap({ column in
        Self.strange.map { (column, $0) }
      }) {
        let changed = ScratchFolder()
        let copy = try changed.write(whole, to: "journal")
        // What the table itself refuses never comes to be read.
        guard FaultFileSystem.execute("UPDATE \(name) SET \(column) = \(value)", at: copy) else {
          continue
        }
        do {
          try use(copy)
          used += 1
        } catch is JournalError {
          refused += 1
        } catch {
          Issue.record("\(name).\(column) = \(value): \(error)")
        }
      }
    }
    print("\(used) journals with strange cells were used, \(refused) refused")
    #expect(used > 100 && refused > 50)
  }
}

/// What is called on one user's part of a journal returns and changes nothing of another user.
@Suite struct UserIsolationTests {
  /// Everything that can be read of a user.
  private func everything(_ user: UserJournal) throws -> [String] {
    let ends = (DayScript.time(-1e6), DayScript.time(1e6))
    let items = try user.dayItems(from: ends.0, to: ends.1)
    return [
      "\(try user.counts())", "\(try WholeRecording(user))",
      "\(try user.fixes(from: ends.0, to: ends.1))",
      "\(try user.measurements().map(user.length))",
      "\(try user.places(within: 3e7, ofLatitude: 48, longitude: 11))",
      "\(try user.daySamples(from: ends.0, to: ends.1).samples.count)",
      "\(String(describing: try user.daySpan()))",
      "\(try user.tracks(of: items))", try user.device(),
    ]
  }

  private func fill(_ user: UserJournal) throws {
    try user.start("BICYCLE", at: DayScript.time(0))
    var batch = JournalScript.batch(0)
    batch.pressures.append(1_000, at: DayScript.time(1))
    try user.append(batch)
    try user.append(DayScript.batch(from: 0, to: 18_000))
    try user.addPlace(Place(name: "home", latitude: 48, longitude: 11))
    try user.updateDays()
    try user.correctActivity(to: .train, from: DayScript.time(3_700), to: DayScript.time(4_000))
    try user.setPurpose("work", from: DayScript.time(5_000), to: DayScript.time(6_000))
  }

  @Test func oneUsersPartNeitherReadsNorChangesAnothers() throws {
    try withJournal { journal, ada in
      let bob = try journal.user("bob")
      let nothing = try everything(bob)
      try fill(ada)
      try UnitScript.makeUnits(ada)
      let adas = try everything(ada)
      // The numbers of ada's places, edits, measurements and units mean nothing for bob.
      let measurement = try #require(try ada.currentMeasurement())
      #expect(try bob.length(of: measurement).plain == 0)
      #expect(throws: JournalError.unknownMeasurement) { try bob.erase(measurement) }
      for id in try ada.places().map(\.id) {
        #expect(throws: JournalError.unknownPlace) { try bob.removePlace(id) }
        #expect(throws: JournalError.unknownPlace) { try bob.renamePlace(id, to: "x") }
      }
      for edit in try ada.edits() {
        #expect(throws: JournalError.unknownEdit) { try bob.removeEdit(edit) }
      }
      for unit in try ada.units() {
        #expect(throws: JournalError.unknownUnit) {
          try bob.unit(unit)
        }
        #expect(throws: JournalError.unknownUnit) {
          try bob.confirmUnit(unit.digest, keeping: .none, at: DayScript.time(90_000))
        }
      }
      #expect(throws: JournalError.self) { try bob.stop(at: DayScript.time(20_000)) }
      #expect(try bob.updateDays() == nil && bob.takeDayChange() == nil)
      try bob.erase(from: DayScript.time(0), to: DayScript.time(5_500))
      #expect(try everything(bob) == nothing)
      // Bob's own changes, and the end of all that is his.
      try fill(bob)
      try bob.removePlace(0)
      #expect(try everything(ada) == adas)
      try bob.erase()
      #expect(throws: JournalError.unknownUser) { try everything(bob) }
      #expect(throws: JournalError.unknownUser) { try fill(bob) }
      #expect(try everything(ada) == adas)
    }
  }
}
