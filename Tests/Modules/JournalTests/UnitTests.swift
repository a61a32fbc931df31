import Foundation
import Locomotion
import LocomotionJournal
import TestSupport
import Testing

@Suite struct UnitTests {
  private let folder = ScratchFolder()

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func allUnitsOfADeviceGiveItsRecordingAndItsDays(seed: UInt64) throws {
    let device = try Journal(path: folder.path("device"))
    // Another user before, so that numbers differ.
    _ = try device.user("bob")
    let ada = try device.user("ada")
    try UnitScript.record(ada, until: 17_000, seed: seed)
    try ada.updateDays()
    try UnitScript.makeUnits(ada)
    let units = try UnitScript.all(ada)
    #expect(units.map(\.summary.sequence) == Array(0..<units.count))
    let counts = try ada.counts()
    #expect(units.reduce(0) { $0 + $1.summary.samples } == counts.samples)
    #expect(units.reduce(0) { $0 + $1.summary.events } == counts.events)
    let expected = try WholeRecording(ada)

    // Whenever the archive updates the days.
    for pattern in 0..<2 as Range<UInt64> {
      var random = SplitMix64(seed: seed * 3 + pattern)
      let (archive, user) = try openJournal(folder.path("archive\(pattern)"))
      for unit in units {
        try user.append(unit)
        if pattern > 0, random.next() % pattern == 0 { try user.updateDays() }
      }
      try user.updateDays()
      let found = try WholeRecording(user)
      // Not the values themselves in a message: they are many.
      let isEqual = found == expected
      #expect(isEqual)
      #expect(archive.check().problems == [])
      #expect(try user.nextUnit()?.sequence == units.count)
    }
    #expect(device.check().problems == [])
  }

  /// Of two copies of a journal that record on, the archive has the units of one: the other one
  /// goes on as a new device, and everything is in units once.
  @Test(arguments: [false, true])
  func aCopyGoesOnAsANewDevice(hasDropped: Bool) throws {
    try withJournal { device, ada in
      try UnitScript.record(ada, until: 6_000, seed: 3)
      try ada.updateDays()
      try UnitScript.makeUnits(ada)
      let common = try ada.units()
      let retention: SampleRetention = hasDropped ? .none : .all
      for unit in common {
        try ada.confirmUnit(unit.digest, keeping: retention, at: DayScript.time(0))
      }
      // Everything is confirmed: there is nothing to go on with.
      try ada.beginNewDevice()
      let confirmed = try ada.units(in: .confirmed)
      #expect(try ada.units() == confirmed)

      let before = try ada.counts()
      try UnitScript.record(ada, until: 12_000, seed: 4)
      try ada.updateDays()
      try UnitScript.makeUnits(ada)
      let own = try ada.units(in: .pending)
      #expect(own.count > 1)
      // Confirmed by mistake, as by an archive that took both copies for one.
      let last = try #require(own.last)
      try ada.confirmUnit(last.digest, at: DayScript.time(0))
      try ada.parkUnit(own[0].digest, because: "422")
      try ada.beginNewDevice()
      #expect(try ada.units(in: .withdrawn).map(\.digest) == [last.digest])
      #expect(try ada.units(in: .confirmed) == confirmed)
      #expect(try ada.units(in: .pending).isEmpty)
      #expect(device.check().problems == [])

      try UnitScript.makeUnits(ada)
      let statuses = try ada.units(in: .pending)
      let units = try statuses.map {
        try UploadUnit(ada.unit($0).bytes)
      }
      #expect(units.map(\.summary.sequence) == Array(0..<units.count))
      #expect(units[0].summary.predecessor == nil)
      let counts = try ada.counts()
      #expect(units.reduce(0) { $0 + $1.summary.samples } == counts.samples - before.samples)
      #expect(units.reduce(0) { $0 + $1.summary.fixes } == counts.fixes - before.fixes)
      #expect(units.reduce(0) { $0 + $1.summary.events } == counts.events - before.events)
    }
  }
}

@Suite struct UnitCodecTests {
  private let folder = ScratchFolder()

  /// A small unit with all that a unit can hold, and one with annotations.
  private func units(of device: String = "device") throws -> [UploadUnit] {
    let ada = try folder.user(of: device)
    try ada.start("BICYCLE", at: DayScript.time(0))
    try ada.append(UnitScript.batch(from: 0, to: 12, seed: 1))
    try ada.note("söme", at: DayScript.time(3))
    try ada.addPlace(Place(name: "home", latitude: 48, longitude: 11))
    try ada.correctActivity(to: .cycling, from: DayScript.time(1), to: DayScript.time(4))
    try UnitScript.makeUnits(ada)
    return try UnitScript.all(ada)
  }

  @Test func theSummaryTellsWhatIsInIt() throws {
    let units = try units()
    #expect(units.count == 2)
    let (data, annotations) = (units[0].summary, units[1].summary)
    #expect(data.user == "ada" && data.sequence == 0)
    #expect(data.device.utf8.count == 32 && data.device == annotations.device)
    #expect(data.measurement == 0)
    #expect(data.firstEvent == DayScript.time(0) && data.lastEvent == DayScript.time(11.75))
    #expect((data.samples, data.rotationRates, data.pressures) == (48, 16, 3))
    #expect((data.fixes, data.events) == (2, 2))
    #expect(!data.hasAnnotations && annotations.hasAnnotations)
    #expect(annotations.firstEvent == nil && annotations.samples == 0)
    #expect(try units.map { try UploadUnit($0.bytes) } == units)
  }

  @Test func everyFlippedBitAndEveryOtherLengthIsRejected() throws {
    for unit in try units() {
      let bytes = unit.bytes
      for bit in 0..<8 * bytes.count {
        var damaged = bytes
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(throws: UnitError.self) { try UploadUnit(damaged) }
      }
      for length in 0..<bytes.count {
        #expect(throws: UnitError.self) { try UploadUnit(Array(bytes.prefix(length))) }
      }
      #expect(throws: UnitError.self) { try UploadUnit(bytes + [0]) }
    }
  }

  @Test func eachUnitNamesTheOneBeforeIt() throws {
    let units = try units()
    #expect(units[0].summary.predecessor == nil)
    let digest = SHA256Digest(of: units[0].bytes).hexadecimal
    #expect(units[1].summary.predecessor == digest)
    // Before any release units had no place for it.
    var old = Array(units[0].bytes.dropLast(4))
    old[4] = 1
    #expect(throws: UnitError.self) { try UploadUnit(SampleBlock.sealed(old)) }
  }

  /// A unit of ada's first measurement with these numbers in its head and nothing else.
  private func unit(
    times: ClosedRange<Int64>? = nil, samples: Int = 0, rotations: Int = 0, pressures: Int = 0,
    rows: [Int] = [0, 0, 0]
  ) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] {
      value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + number(value >> 7)
    }
    func fixed(_ value: Int64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
    }
    var content = number(3) + Array("ada".utf8) + [UInt8](repeating: 7, count: 16) + [0, 0]
    content += times.map { [1] + fixed($0.lowerBound, 8) + fixed($0.upperBound, 8) } ?? [0]
    content += [0, 0, 0, 0] + [samples, rotations, pressures].flatMap(number)
    content += rows.flatMap(number) + [0]
    // Room for as many rows as are stated.
    content += [UInt8](repeating: 0, count: rows.reduce(0, +) * 13)
    return SampleBlock.sealed(
      Array("LJU1".utf8) + fixed(2, 2) + fixed(Int64(content.count), 4) + content)
  }

  private func defect(_ bytes: [UInt8]) -> String? {
    do throws(UnitError) {
      _ = try UploadUnit(bytes)
      return nil
    } catch {
      return error.what
    }
  }

  @Test func timesThatNoJournalTakesAreRefused() throws {
    let limit = Timestamp.limit
    #expect(defect(unit()) == nil)
    for time in [limit, .max, .max - 1, .max - 3_600_000_000_000] {
      #expect(defect(unit(times: 0...time)) == "the last time")
      #expect(defect(unit(times: time...time)) == "the first time")
    }
    for time in [-limit, .min, .min + 1] as [Int64] {
      #expect(defect(unit(times: time...0)) == "the first time")
    }
    // What is inside the limits is refused only because nothing has these times.
    #expect(defect(unit(times: 1 - limit...limit - 1)) == "the times")
  }

  @Test func numbersThatNoPhoneMakesAreRefusedBeforeAnythingIsDecoded() throws {
    let most = UploadUnit.largestSampleCount
    for (samples, rotations, pressures) in [
      (most + 1, 0, 0), (0, most + 1, 0), (0, 0, most + 1), (most, 1, 0), (1 << 39, 1 << 39, 0),
    ] {
      let bytes = unit(samples: samples, rotations: rotations, pressures: pressures)
      #expect(defect(bytes) == "the number of samples")
    }
    #expect(defect(unit(samples: most)) == "the counts")
    let rows = UploadUnit.largestRowCount + 1
    #expect(defect(unit(rows: [rows, 0, 0])) == "the number of events")
    #expect(defect(unit(rows: [0, rows, 0])) == "the number of fixes")
    #expect(defect(unit(rows: [0, 0, rows])) == "the number of batches")
  }

  @Test func whatAPhoneMakesIsWithinTheLimits() throws {
    try withJournal { _, ada in
      // A sensor that is stuck compresses to nothing, and an import may have any number of fixes.
      var batch = JournalBatch()
      for step in 0..<900_000 {
        let time = DayScript.time(Double(step) / 100)
        batch.accelerations.append(x: 0, y: 0, z: 9.81, at: time)
        batch.rotationRates.append(x: 0, y: 0, z: 0, at: time)
      }
      batch.fixes = (0..<300_000).map {
        LocationFix(timestamp: DayScript.time(Double($0)), latitude: 48, longitude: 11)
      }
      try ada.append(batch)
      try UnitScript.makeUnits(ada)
      let units = try UnitScript.all(ada)
      #expect(units.reduce(0) { $0 + $1.summary.samples } == 900_000)
      #expect(units.reduce(0) { $0 + $1.summary.fixes } == 300_000)
    }
  }

  /// With the checksum made right again, as an attacker would: nothing crashes, and what is taken
  /// can be appended.
  @Test func unitsOfAnAttackerAreRejectedOrCanBeAppended() throws {
    let units = try units()
    var random = SplitMix64(seed: 5)
    var (taken, refused) = (0, 0)
    for round in 0..<4_000 {
      var bytes = Array(units[round % 2].bytes.dropLast(4))
      for _ in 0...random.next() % 3 {
        let place = Int(random.next() % UInt64(bytes.count))
        bytes[place] =
          [0, 1, 0x7f, 0x80, 0xff, UInt8(truncatingIfNeeded: random.next())][
            Int(random.next() % 6)]
      }
      bytes = SampleBlock.sealed(bytes)
      do {
        let unit = try UploadUnit(bytes)
        taken += 1
        guard taken < 200 else { continue }
        let archive = try Journal(path: folder.path("a\(round)"))
        let user = try archive.user(unit.summary.user)
        let counts = try user.append(unit)
        #expect(counts.samples == unit.summary.samples)
        #expect(archive.check().problems == [])
      } catch let error as UnitError {
        refused += 1
        #expect(error.description.contains("expected"))
      }
    }
    #expect(refused > 1_000 && taken > 10)
  }

  @Test func aUnitOfAnotherUserDeviceOrOrderIsRefused() throws {
    let own = try units()
    let others = try units(of: "two")
    let (archive, ada) = try openJournal(folder.path("archive"))
    let bob = try archive.user("bob")
    #expect(throws: JournalError.self) { try bob.append(own[0]) }
    try ada.append(own[1])
    #expect(throws: JournalError.self) { try ada.append(own[0]) }
    #expect(throws: JournalError.self) { try ada.append(own[1]) }
    #expect(throws: JournalError.self) { try ada.append(others[1]) }
    #expect(try ada.counts().samples == 0)
    #expect(archive.check().problems == [])
  }

  @Test func unitsAreCutAtDaysAndSizesAndStayAsTheyAre() throws {
    try withJournal { journal, ada in
      var random = SplitMix64(seed: 2)
      // Noise, which takes much space: over midnight of the second day.
      for part in 0..<60 {
        var batch = JournalBatch()
        for index in 0..<1_000 {
          let time = DayScript.time(86_400 - 300 + Double(part * 10) + Double(index) / 100)
          batch.accelerations.append(
            x: random.nextNormal(), y: random.nextNormal(), z: random.nextNormal(), at: time)
        }
        try ada.append(batch)
        if part % 7 == 0 { try UnitScript.makeUnits(ada, closing: part % 2 == 0) }
      }
      try UnitScript.makeUnits(ada)
      let units = try UnitScript.all(ada)
      #expect(units.count > 4)
      for unit in units {
        #expect(unit.bytes.count < 1 << 18 + 100_000)
        #expect(unit.summary.samples > 0)
      }
      // Made again of the rows they are the same, also by another process and much later.
      try ada.append(UnitScript.batch(from: 1_000, to: 1_010, seed: 3))
      #expect(try Array(UnitScript.all(ada)) == units)
      let other = try Journal(path: journal.path, access: .reading).user("ada")
      #expect(try Array(UnitScript.all(other)) == units)
    }
  }

  @Test func damagedRowsAreFoundAndADamagedBlockMakesNoUnit() throws {
    let path = folder.path("device")
    do {
      let ada = try folder.user(of: "device")
      try ada.append(UnitScript.batch(from: 0, to: 60, seed: 1))
      try UnitScript.makeUnits(ada)
    }
    for statement in [
      "UPDATE blocks SET data = zeroblob(100)", "DELETE FROM units",
      "UPDATE uploads SET next_sequence = 9",
    ] {
      let copy = folder.path(UUID().uuidString)
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      #expect(FaultFileSystem.execute(statement, at: copy))
      let journal = try Journal(path: copy)
      let ada = try #require(try journal.existingUser("ada"))
      #expect(journal.check().problems != [])
      guard statement.contains("blocks") else { continue }
      #expect(throws: JournalError.self) { try UnitScript.all(ada) }
    }
  }
}

@Suite struct DroppingTests {
  private let folder = ScratchFolder()

  private let now = DayScript.time(400_000 - DayScript.absence)

  /// A day that is up to date and in units.
  private func record() throws -> (journal: Journal, ada: UserJournal) {
    let (journal, ada) = try openJournal(folder.path("device"))
    try ada.start("WALKING", at: DayScript.time(0))
    for start in stride(from: 0.0, to: 18_000, by: 600) {
      let batch = UnitScript.batch(from: start, to: start + 600, seed: UInt64(start))
      if !batch.isEmpty { try ada.append(batch) }
      try UnitScript.makeUnits(ada)
    }
    try ada.stop(at: DayScript.time(18_000))
    try ada.updateDays()
    try UnitScript.makeUnits(ada)
    return (journal, ada)
  }

  @Test func nothingIsDroppedThatIsNotConfirmedOrMayStillChange() throws {
    let (journal, ada) = try record()
    #expect(try ada.dropSamples(keeping: .none, at: now).isEmpty)
    let units = try ada.units()
    let days = try WholeRecording(ada).days
    // The later ones first: nothing is dropped before the first one is confirmed.
    for unit in units.dropFirst().reversed() {
      #expect(try ada.confirmUnit(unit.digest, keeping: .none, at: now).isEmpty)
    }
    let dropped = try ada.confirmUnit(units[0].digest, keeping: .none, at: now)
    let counts = try ada.counts()
    #expect(0 < dropped.samples && dropped.samples < counts.samples)
    #expect(try ada.droppedSamples() == dropped)
    #expect(try ada.lastConfirmation() == now)
    #expect(journal.check().problems == [])
    #expect(journal.check().droppedSamples == dropped.samples)
    // The rest is as it was, and random access to what is gone is refused with its number.
    let rest = dropped.samples..<counts.samples
    #expect(try ada.samples(in: rest).count == rest.count)
    #expect(throws: JournalError.dropped(samples: dropped.samples)) {
      try ada.samples(in: dropped.samples - 1..<counts.samples)
    }
    let parts = try ada.batches().map { try ada.batch($0).accelerations.count }
    #expect(parts.reduce(0, +) == rest.count)
    #expect(try ada.fixes(in: 0..<counts.fixes).count == counts.fixes)
    // Days stay, also when more comes, on time or late.
    try ada.updateDays()
    let before = try #require(try ada.daySpan())
    try ada.append(DayScript.batch(from: 100, to: 200))
    try ada.updateDays()
    #expect(try #require(try ada.daySpan()) == before)
    let first = try ada.dayItems(from: before.start, to: DayScript.time(3_000))
    #expect(days.contains("\(first)".dropFirst().prefix(100)))
    #expect(journal.check().problems == [])
  }

  @Test func theDaysAfterADropAreThoseWithoutIt() throws {
    let whole = try Journal(path: folder.path("whole"))
    let device = try Journal(path: folder.path("device"))
    let (ada, eve) = (try whole.user("ada"), try device.user("ada"))
    for start in stride(from: 0.0, to: 18_000, by: 900) {
      let batch = UnitScript.batch(from: start, to: start + 900, seed: UInt64(start))
      guard !batch.isEmpty else { continue }
      try ada.append(batch)
      try eve.append(batch)
      try ada.updateDays()
      try eve.updateDays()
      try UnitScript.makeUnits(eve)
      for unit in try eve.units(in: .pending) {
        try eve.confirmUnit(unit.digest, keeping: .none, at: now)
      }
      try eve.dropSamples(keeping: .none, at: now)
    }
    #expect(try eve.droppedSamples().samples > 1_000)
    #expect(try ada.items() == eve.items())
    #expect(device.check().problems == [])
  }

  @Test func soManyDaysAreKeptBackFromNow() throws {
    let (_, ada) = try record()
    for unit in try ada.units() {
      try ada.confirmUnit(unit.digest, at: now)
    }
    for retention in [SampleRetention.all, .days(30), .days(5), .days(.max), .days(36_500)] {
      #expect(try ada.dropSamples(keeping: retention, at: now).isEmpty)
    }
    #expect(try !ada.dropSamples(keeping: .days(4), at: now).isEmpty)
  }

  @Test func erasingAUserLeavesNoRowOfTheirUnits() throws {
    let (journal, ada) = try record()
    try ada.erase()
    #expect(journal.check().problems == [])
    #expect(try journal.user("ada").units().isEmpty)
  }

  @Test func afterAnErasureTheUnitsWithItAreWithdrawnAndTheRestIsANewDevice() throws {
    let (journal, ada) = try record()
    let old = try ada.units()
    let device = try UnitScript.all(ada)[0].summary.device
    for unit in old { try ada.confirmUnit(unit.digest, keeping: .none, at: now) }
    let dropped = try ada.droppedSamples()
    try ada.erase(from: DayScript.time(16_000), to: DayScript.time(16_100))
    #expect(journal.check().problems == [])
    let withdrawn = try ada.units(in: .withdrawn)
    #expect(withdrawn.count > 0 && withdrawn.allSatisfy { $0.firstEvent == nil })
    try UnitScript.makeUnits(ada)
    let pending = try ada.units(in: .pending)
    let units = try pending.map { try ada.unit($0) }
    #expect(units.allSatisfy { $0.summary.device != device })
    // What was dropped and isn't erased stays in the archive, and everything else is sent again.
    let counts = try ada.counts()
    let stays = try ada.droppedSamples()
    #expect(stays.samples <= dropped.samples)
    #expect(units.reduce(0) { $0 + $1.summary.samples } == counts.samples - stays.samples)
    #expect(throws: JournalError.unknownUnit) {
      try ada.confirmUnit(withdrawn[0].digest, at: now)
    }
    for unit in withdrawn { try ada.forgetWithdrawnUnit(unit.digest) }
    #expect(journal.check().problems == [])
  }
}
