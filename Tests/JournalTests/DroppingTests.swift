import Foundation
import LocomotionJournal
import LocomotionSensing
import TestSupport
import Testing

@Suite struct DroppingTests {
  private let now = DayScript.time(400_000)

  /// A day that is up to date and in units.
  private func record(_ folder: URL) throws -> Journal {
    var journal = try Journal(path: folder.appendingPathComponent("device").path)
    let ada = try journal.user("ada")
    try journal.start("WALKING", at: DayScript.time(0), for: ada)
    for start in stride(from: 0.0, to: 18_000, by: 600) {
      let batch = UnitScript.batch(from: start, to: start + 600, seed: UInt64(start))
      if !batch.isEmpty { try journal.append(batch, for: ada) }
      try UnitScript.makeUnits(&journal, ada)
    }
    try journal.stop(at: DayScript.time(18_000), for: ada)
    try journal.updateDays(of: ada)
    try UnitScript.makeUnits(&journal, ada)
    return journal
  }

  @Test func nothingIsDroppedThatIsNotConfirmedOrMayStillChange() throws {
    try withTemporaryFolder { folder in
      var journal = try record(folder)
      let ada = try journal.user("ada")
      #expect(try journal.dropSamples(of: ada, keeping: .none, at: now).isEmpty)
      let units = try journal.units(of: ada)
      let days = try WholeRecording(journal, ada).days
      // The later ones first: nothing is dropped before the first one is confirmed.
      for unit in units.dropFirst().reversed() {
        #expect(try journal.confirmUnit(unit.digest, of: ada, keeping: .none, at: now).isEmpty)
      }
      let dropped = try journal.confirmUnit(
        units[0].digest, of: ada, keeping: .none, at: now)
      let counts = try journal.counts(of: ada)
      #expect(0 < dropped.samples && dropped.samples < counts.samples)
      #expect(try journal.droppedSamples(of: ada) == dropped)
      #expect(try journal.lastConfirmation(of: ada) == now)
      #expect(journal.check().problems == [])
      #expect(journal.check().droppedSamples == dropped.samples)
      // The rest is as it was, and random access to what is gone is refused with its number.
      let rest = dropped.samples..<counts.samples
      #expect(try journal.samples(of: ada, in: rest).count == rest.count)
      #expect(throws: JournalError.dropped(samples: dropped.samples)) {
        try journal.samples(of: ada, in: dropped.samples - 1..<counts.samples)
      }
      #expect(throws: JournalError.dropped(samples: dropped.samples)) {
        try journal.rotationRates(of: ada, in: 0..<1)
      }
      var cursor = SeriesCursor(of: ada, .accelerations, in: 0..<counts.samples)
      var read = 0
      while let series = try cursor.next(in: journal) { read += series.count }
      #expect((read, cursor.dropped) == (rest.count, dropped.samples))
      #expect(try journal.fixes(of: ada, in: 0..<counts.fixes).count == counts.fixes)
      // Days stay, also when more comes, on time or late.
      try journal.updateDays(of: ada)
      let before = try #require(try journal.daySpan(of: ada))
      try journal.append(DayScript.batch(from: 100, to: 200), for: ada)
      try journal.updateDays(of: ada)
      #expect(try #require(try journal.daySpan(of: ada)) == before)
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      let first = try journal.dayItems(of: ada, from: before.start, to: DayScript.time(3_000))
      let expected = String(decoding: try encoder.encode(first), as: UTF8.self)
      #expect(days.contains(expected.dropFirst().prefix(100)))
      #expect(journal.check().problems == [])
    }
  }

  @Test func theDaysAfterADropAreThoseWithoutIt() throws {
    try withTemporaryFolder { folder in
      var whole = try Journal(path: folder.appendingPathComponent("whole").path)
      var device = try Journal(path: folder.appendingPathComponent("device").path)
      let (ada, eve) = (try whole.user("ada"), try device.user("ada"))
      for start in stride(from: 0.0, to: 18_000, by: 900) {
        let batch = UnitScript.batch(from: start, to: start + 900, seed: UInt64(start))
        guard !batch.isEmpty else { continue }
        try whole.append(batch, for: ada)
        try device.append(batch, for: eve)
        try whole.updateDays(of: ada)
        try device.updateDays(of: eve)
        try UnitScript.makeUnits(&device, eve)
        for unit in try device.units(of: eve, in: .pending) {
          try device.confirmUnit(unit.digest, of: eve, keeping: .none, at: now)
        }
        try device.dropSamples(of: eve, keeping: .none, at: now)
      }
      #expect(try device.droppedSamples(of: eve).samples > 1_000)
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      let span = try #require(try whole.daySpan(of: ada))
      let items = try whole.dayItems(of: ada, from: span.start, to: span.end)
      let own = try device.dayItems(of: eve, from: span.start, to: span.end)
      #expect(try encoder.encode(items) == encoder.encode(own))
      #expect(device.check().problems == [])
    }
  }

  @Test func soManyDaysAreKeptBackFromNow() throws {
    try withTemporaryFolder { folder in
      var journal = try record(folder)
      let ada = try journal.user("ada")
      for unit in try journal.units(of: ada) {
        try journal.confirmUnit(unit.digest, of: ada, at: now)
      }
      for retention in [
        SampleRetention.all, .days(30), .days(5), .days(.max), .days(36_500),
      ] {
        #expect(try journal.dropSamples(of: ada, keeping: retention, at: now).isEmpty)
      }
      #expect(try !journal.dropSamples(of: ada, keeping: .days(4), at: now).isEmpty)
    }
  }

  @Test func whatWasDroppedIsNoLossOfASalvage() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("device").path
      let (dropped, counts): (DroppedSamples, JournalCounts)
      let units: [UnitStatus]
      do {
        var journal = try record(folder)
        let ada = try journal.user("ada")
        for unit in try journal.units(of: ada) {
          try journal.confirmUnit(unit.digest, of: ada, keeping: .none, at: now)
        }
        dropped = try journal.droppedSamples(of: ada)
        counts = try journal.counts(of: ada)
        units = try journal.units(of: ada)
      }
      #expect(dropped.samples > 0)
      let salvaged = folder.appendingPathComponent("salvaged").path
      let report = try Journal.salvage(from: path, to: salvaged)
      #expect(report.problems == [] && report.losses == [])
      var journal = try Journal(path: salvaged)
      let ada = try journal.user("ada")
      let kept = try journal.counts(of: ada)
      #expect(kept.samples == counts.samples - dropped.samples && kept.fixes == counts.fixes)
      #expect(kept.events == counts.events)
      // What only the archive has stays there, and all else is there once.
      let withdrawn = Set(try journal.units(of: ada, in: .withdrawn).map(\.name))
      try UnitScript.makeUnits(&journal, ada)
      let pending = try journal.units(of: ada, in: .pending)
      let staying = units.filter { !withdrawn.contains($0.name) }
      #expect(staying.count > 0 && staying.allSatisfy { $0.state == .confirmed })
      for part in [\UnitStatus.samples, \.fixes] {
        let whole = units.reduce(0) { $0 + $1[keyPath: part] }
        #expect((staying + pending).reduce(0) { $0 + $1[keyPath: part] } == whole)
      }
      #expect(journal.check().problems == [])
    }
  }

  @Test func erasingAUserLeavesNoRowOfTheirUnits() throws {
    try withTemporaryFolder { folder in
      var journal = try record(folder)
      let ada = try journal.user("ada")
      try journal.erase(ada)
      #expect(journal.check().problems == [])
      let eve = try journal.user("ada")
      #expect(try journal.units(of: eve).isEmpty)
    }
  }

  @Test func afterAnErasureTheUnitsWithItAreWithdrawnAndTheRestIsANewDevice() throws {
    try withTemporaryFolder { folder in
      var journal = try record(folder)
      let ada = try journal.user("ada")
      let old = try journal.units(of: ada)
      let device = try UnitScript.all(journal, ada)[0].summary.device
      for unit in old { try journal.confirmUnit(unit.digest, of: ada, keeping: .none, at: now) }
      let dropped = try journal.droppedSamples(of: ada)
      try journal.erase(from: DayScript.time(16_000), to: DayScript.time(16_100), for: ada)
      #expect(journal.check().problems == [])
      let withdrawn = try journal.units(of: ada, in: .withdrawn)
      #expect(withdrawn.count > 0 && withdrawn.allSatisfy { $0.firstEvent == nil })
      try UnitScript.makeUnits(&journal, ada)
      let pending = try journal.units(of: ada, in: .pending)
      let units = try pending.map { try journal.unit($0, of: ada, digest: UnitScript.digest) }
      #expect(units.allSatisfy { $0.summary.device != device })
      // What was dropped and isn't erased stays in the archive, and everything else is sent again.
      let counts = try journal.counts(of: ada)
      let stays = try journal.droppedSamples(of: ada)
      #expect(stays.samples <= dropped.samples)
      #expect(units.reduce(0) { $0 + $1.summary.samples } == counts.samples - stays.samples)
      #expect(throws: JournalError.unknownUnit) {
        try journal.confirmUnit(withdrawn[0].digest, of: ada, at: now)
      }
      for unit in withdrawn { try journal.forgetWithdrawnUnit(unit.digest, of: ada) }
      #expect(journal.check().problems == [])
    }
  }
}
