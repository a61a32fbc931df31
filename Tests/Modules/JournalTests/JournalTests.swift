import Foundation
import LocomotionJournal
import LocomotionSalvage
import LocomotionSensing
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
    let journal = try Journal(path: path)
    let user = try journal.user("ada")
    let content = try JournalContent(user)
    #expect(content == JournalScript.content(count, samples: samples))
    var random = SplitMix64(seed: 3)
    for _ in 0..<50 {
      let ends = [random.next(), random.next()].map { Int($0 % UInt64(count * samples + 1)) }
      let range = min(ends[0], ends[1])..<max(ends[0], ends[1])
      #expect(try user.samples(in: range) == content.samples[range])
      let rates = range.clamped(to: 0..<content.rotationRates.count)
      #expect(try user.rotationRates(in: range) == content.rotationRates[rates])
      let some = range.clamped(to: 0..<content.fixes.count)
      #expect(try user.fixes(in: range) == Array(content.fixes[some]))
    }
    #expect(journal.check().isSound)
    #expect(journal.check().samples == count * samples)
    #expect(journal.check().rotationRates == content.rotationRates.count)
  }

  @Test func aCursorReadsSeparatelyRecordedSensorsWhileAWriterAppends() throws {
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
      let counts = try reader.counts()
      var cursors = [
        SeriesCursor(of: reader, .accelerations, in: 0..<counts.samples),
        SeriesCursor(of: reader, .rotationRates, in: 7..<counts.rotationRates),
      ]
      var found = [SampleSeries(), SampleSeries()]
      for number in 80..<200 {
        try append(number)
        for index in cursors.indices {
          if let more = try cursors[index].next() {
            found[index].append(contentsOf: more)
          }
        }
      }
      #expect(found[0] == before.accelerations)
      #expect(found[1] == before.rotationRates[7..<before.rotationRates.count])
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
      #expect(try user.pressures() == expected)
    }
    do {
      let journal = try Journal(path: path)
      let user = try journal.user("ada")
      #expect(try user.pressures() == expected)
      #expect(journal.check().problems == [] && journal.check().pressures == expected.count)
    }
    let copy = folder.path("copy")
    let report = try Journal.salvage(from: path, to: copy)
    #expect(report.isSound)
    let salvaged = try Journal(path: copy)
    #expect(try salvaged.user("ada").pressures() == expected)
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
    let secrets =
      JournalScript.content(120).fixes.map { Data(stored: $0.latitude.bitPattern) }
      + ["ada-lovelace", "SECRET-VEHICLE"].map { Data($0.utf8) }
    #expect(Data.traces(of: secrets, in: path) == secrets)
    try ada.erase()
    #expect(Data.traces(of: secrets, in: path).isEmpty)
    #expect(journal.check().problems == [])
    #expect(try bob.counts().samples == 840)
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
      let reader = try Journal(path: path, access: .reading)
      let seen = try reader.user("ada")
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

  @Test func aFileThatIsNotAJournalIsRefusedAndUnchanged() throws {
    let text = String(repeating: "certainly not a journal\n", count: 2_000)
    let path = try folder.write(text, to: "text")
    #expect(throws: JournalError.self) { _ = try Journal(path: path) }
    #expect(throws: JournalError.self) { _ = try Journal(path: path, access: .reading) }
    #expect(try folder.text("text") == text)
    let reason = "expected an ordinary file, found a folder"
    #expect(throws: JournalError.notAJournal(path: folder.path, reason: reason)) {
      _ = try Journal(path: folder.path)
    }
    let none = folder.path("none")
    #expect(throws: JournalError.notFound(path: none)) {
      _ = try Journal(path: none, access: .reading)
    }
    #expect(throws: JournalError.self) { _ = try Journal(path: none + "/below") }
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
