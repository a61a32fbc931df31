import Foundation
import LocomotionJournal
import LocomotionSensing
import TestSupport
import Testing

/// Reading and writing of a journal: round trips, users, erasure, writers, versions.
@Suite struct JournalTests {
  @Test(arguments: [1, 7, 100, 1_499, 2_999, 3_000, 3_001, 10_000])
  func batchesOfEverySizeAreReadBackInOrder(samples: Int) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      let count = max(4, min(150, 12_000 / samples))
      do {
        var journal = try Journal(path: path)
        let user = try journal.user("ada")
        for number in 0..<count {
          let counts = try journal.append(
            JournalScript.batch(number, samples: samples), for: user)
          #expect(counts.samples == (number + 1) * samples)
          #expect(counts.fixes == number / 3 + 1)
        }
        #expect(try JournalContent(journal, user) == JournalScript.content(count, samples: samples))
      }
      var journal = try Journal(path: path)
      let user = try journal.user("ada")
      let content = try JournalContent(journal, user)
      #expect(content == JournalScript.content(count, samples: samples))
      var random = SplitMix64(seed: 3)
      for _ in 0..<50 {
        let ends = [random.next(), random.next()].map { Int($0 % UInt64(count * samples + 1)) }
        let range = min(ends[0], ends[1])..<max(ends[0], ends[1])
        #expect(try journal.samples(of: user, in: range) == content.samples[range])
        let rates = range.clamped(to: 0..<content.rotationRates.count)
        #expect(
          try journal.rotationRates(of: user, in: range) == content.rotationRates[rates])
        let some = range.clamped(to: 0..<content.fixes.count)
        #expect(try journal.fixes(of: user, in: range) == Array(content.fixes[some]))
      }
      #expect(journal.check().isSound)
      #expect(journal.check().samples == count * samples)
      #expect(journal.check().rotationRates == content.rotationRates.count)
    }
  }

  @Test func aCursorReadsSeparatelyRecordedSensorsWhileAWriterAppends() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      var journal = try Journal(path: path)
      let user = try journal.user("ada")
      var whole = JournalBatch()
      func append(_ number: Int) throws {
        // Small batches, which are merged now and then.
        var batch = JournalScript.batch(number, samples: 90)
        if number % 3 == 0 { batch.accelerations = SampleSeries() }
        if number % 5 == 0 { batch.rotationRates = JournalScript.batch(4).accelerations }
        whole.append(contentsOf: batch)
        try journal.append(batch, for: user)
      }
      for number in 0..<80 { try append(number) }
      let before = whole
      let reader = try Journal(path: path, access: .reading)
      let counts = try reader.counts(of: user)
      var cursors = [
        SeriesCursor(of: user, .accelerations, in: 0..<counts.samples),
        SeriesCursor(of: user, .rotationRates, in: 7..<counts.rotationRates),
      ]
      var found = [SampleSeries(), SampleSeries()]
      for number in 80..<200 {
        try append(number)
        for index in cursors.indices {
          if let more = try cursors[index].next(in: reader) {
            found[index].append(contentsOf: more)
          }
        }
      }
      #expect(found[0] == before.accelerations)
      #expect(found[1] == before.rotationRates[7..<before.rotationRates.count])
      #expect(try JournalContent(reader, user) == JournalContent(whole))
    }
  }

  @Test func batchesWithOnlyFixesAndEmptyBatchesAreAccepted() throws {
    try withTemporaryFolder { folder in
      var journal = try Journal(path: folder.appendingPathComponent("journal").path)
      let user = try journal.user("ada")
      var expected: [LocationFix] = []
      for number in 0..<200 {
        var batch = JournalScript.batch(3 * number)
        batch.accelerations = SampleSeries()
        batch.rotationRates = SampleSeries()
        batch.fixes[0].latitude = number == 7 ? .nan : -0.0
        expected += batch.fixes
        try journal.append(batch, for: user)
        try journal.append(JournalBatch(), for: user)
      }
      let fixes = try journal.fixes(of: user, in: 0..<1_000)
      #expect(fixes.count == 200)
      #expect(fixes[7].latitude.isNaN)
      #expect(fixes[8] == expected[8])
      #expect(try journal.samples(of: user, in: 0..<10).count == 0)
      #expect(journal.check().problems == [])
    }
  }

  @Test func pressuresAreKeptAloneAndBesideOtherSensors() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      var expected = SensorBatch.PressureSeries()
      do {
        var journal = try Journal(path: path)
        let user = try journal.user("ada")
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
          try journal.append(batch, for: user)
        }
        #expect(try journal.pressures(of: user) == expected)
      }
      do {
        var journal = try Journal(path: path)
        let user = try journal.user("ada")
        #expect(try journal.pressures(of: user) == expected)
        #expect(journal.check().problems == [] && journal.check().pressures == expected.count)
      }
      let copy = folder.appendingPathComponent("copy").path
      let report = try Journal.salvage(from: path, to: copy)
      #expect(report.isSound)
      var salvaged = try Journal(path: copy)
      #expect(try salvaged.pressures(of: salvaged.user("ada")) == expected)
    }
  }

  @Test func aUserReadsNothingOfAnotherUser() throws {
    try withTemporaryFolder { folder in
      var journal = try Journal(path: folder.appendingPathComponent("journal").path)
      let ada = try journal.user("ada")
      let bob = try journal.user("bob")
      for number in 0..<40 {
        try journal.append(JournalScript.batch(number), for: ada)
        if number == 20 {
          try journal.start("BICYCLE", at: Timestamp(nanoseconds: 5), for: ada)
        }
      }
      // Every call that takes a user, for all there is.
      let all = 0..<Int(Int32.max)
      #expect(try journal.samples(of: bob, in: all).count == 0)
      #expect(try journal.fixes(of: bob, in: all).isEmpty)
      #expect(try journal.measurements(of: bob).isEmpty)
      #expect(try journal.currentMeasurement(of: bob) == nil)
      #expect(try journal.counts(of: bob).samples == 0)
      let foreign = try #require(try journal.currentMeasurement(of: ada))
      #expect(try journal.length(of: foreign, for: bob).plain == 0)
      #expect(throws: JournalError.wrongState(.stopped, wanted: .recording)) {
        try journal.stop(at: Timestamp(nanoseconds: 6), for: bob)
      }
      try journal.append(JournalScript.batch(0, samples: 3), for: bob)
      #expect(try journal.samples(of: bob, in: all).count == 3)
      #expect(try JournalContent(journal, ada) == JournalScript.content(40))
      try journal.erase(bob)
      #expect(throws: JournalError.unknownUser) { try journal.counts(of: bob) }
      #expect(try JournalContent(journal, ada) == JournalScript.content(40))

      var other = try Journal(path: folder.appendingPathComponent("other").path)
      _ = try other.user("ada")
      #expect(throws: JournalError.unknownUser) { try other.counts(of: ada) }
      #expect(throws: JournalError.unknownUser) {
        try other.append(JournalScript.batch(0), for: ada)
      }
    }
  }

  @Test func anErasedUserLeavesNoByteBehind() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      var journal = try Journal(path: path)
      let ada = try journal.user("ada-lovelace")
      let bob = try journal.user("bob")
      for number in 0..<120 {
        try journal.append(JournalScript.batch(number), for: ada)
        try journal.append(JournalScript.batch(number + 1_000, samples: 7), for: bob)
      }
      try journal.start("SECRET-VEHICLE", at: Timestamp(nanoseconds: 5), for: ada)
      let erased: [[UInt8]] = JournalScript.content(120).fixes.map { fix in
        // SQLite stores a number in big-endian order.
        let bits = fix.latitude.bitPattern
        return (0..<8).map { place in UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * place)) }
      }
      let texts = ["ada-lovelace", "SECRET-VEHICLE"].map { Array($0.utf8) }
      func traces() throws -> Int {
        var bytes: [UInt8] = []
        for ending in ["", "-wal", "-shm", "-journal"] {
          bytes += FileManager.default.contents(atPath: path + ending) ?? Data()
        }
        let data = Data(bytes)
        return (erased + texts).count { data.range(of: Data($0)) != nil }
      }
      #expect(try traces() == erased.count + texts.count)
      try journal.erase(ada)
      #expect(try traces() == 0)
      #expect(journal.check().problems == [])
      #expect(try journal.counts(of: bob).samples == 840)
      // The freed number is never used for another user.
      let eve = try journal.user("eve")
      #expect(eve != ada)
      #expect(try journal.counts(of: eve).samples == 0)
    }
  }

  @Test func aSecondWriterIsRefusedInBoundedTimeButReadersAreAdmitted() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      var settings = Journal.Settings()
      settings.longestWait = 0.1
      do {
        var journal = try Journal(path: path)
        let user = try journal.user("ada")
        try journal.append(JournalScript.batch(0), for: user)
        #expect(throws: JournalError.busy(path: path)) {
          _ = try Journal(path: path, settings: settings)
        }
        var reader = try Journal(path: path, access: .reading)
        let seen = try reader.user("ada")
        #expect(try JournalContent(reader, seen) == JournalScript.content(1))
        try journal.append(JournalScript.batch(1), for: user)
        #expect(try JournalContent(reader, seen) == JournalScript.content(2))
        #expect(throws: JournalError.readOnly(path: path)) {
          try reader.append(JournalScript.batch(2), for: seen)
        }
        #expect(throws: JournalError.readOnly(path: path)) { try reader.erase(seen) }
        #expect(throws: JournalError.unknownUser) { _ = try reader.user("bob") }
      }
      var journal = try Journal(path: path, settings: settings)
      #expect(try JournalContent(journal, journal.user("ada")) == JournalScript.content(2))
    }
  }

  @Test func aJournalOfANewerVersionCanBeReadButNotWritten() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      do {
        var journal = try Journal(path: path)
        try journal.append(JournalScript.batch(0), for: journal.user("ada"))
      }
      var bytes = try #require(FileManager.default.contents(atPath: path))
      bytes[63] = 9  // user_version, the lowest of its four bytes
      try bytes.write(to: URL(fileURLWithPath: path))
      #expect(throws: JournalError.newerVersion(path: path, found: 9, supported: 4)) {
        _ = try Journal(path: path)
      }
      #expect(FileManager.default.contents(atPath: path) == bytes)
      var reader = try Journal(path: path, access: .reading)
      #expect(try JournalContent(reader, reader.user("ada")) == JournalScript.content(1))
    }
  }

  @Test func aFileThatIsNotAJournalIsRefusedAndUnchanged() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("text").path
      let text = Data(String(repeating: "certainly not a journal\n", count: 2_000).utf8)
      try text.write(to: URL(fileURLWithPath: path))
      #expect(throws: JournalError.self) { _ = try Journal(path: path) }
      #expect(throws: JournalError.self) { _ = try Journal(path: path, access: .reading) }
      #expect(FileManager.default.contents(atPath: path) == text)
      let reason = "expected an ordinary file, found a folder"
      #expect(throws: JournalError.notAJournal(path: folder.path, reason: reason)) {
        _ = try Journal(path: folder.path)
      }
      let none = folder.appendingPathComponent("none").path
      #expect(throws: JournalError.notFound(path: none)) {
        _ = try Journal(path: none, access: .reading)
      }
      #expect(throws: JournalError.self) { _ = try Journal(path: none + "/below") }
    }
  }

  @Test(arguments: ["", "a\nb", "\0", String(repeating: "x", count: 129)])
  func anInvalidUserNameIsRefused(name: String) throws {
    try withTemporaryFolder { folder in
      var journal = try Journal(path: folder.appendingPathComponent("journal").path)
      #expect(throws: JournalError.invalidUserName) { _ = try journal.user(name) }
    }
  }

  @Test func smallBatchesTakeNoMoreSpaceThanLargeOnes() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      do {
        var journal = try Journal(path: path)
        let user = try journal.user("ada")
        for number in 0..<600 {
          var batch = JournalScript.batch(number, samples: 100)
          batch.rotationRates = SampleSeries()
          batch.fixes = []
          try journal.append(batch, for: user)
        }
      }
      let size = try #require(FileManager.default.contents(atPath: path)).count
      // Two axes of 12 bits of noise and one that is constant for a second: 1.1 bytes per value,
      // and a sixth for the pages of the tables.
      let limit = 1.35 * 3 * 60_000 + 20 * 4_096
      #expect(Double(size) < limit)
    }
  }
}
