import Foundation
import Locomotion
import LocomotionJournal
import LocomotionSalvage
import LocomotionSensing
import TestSupport
import Testing

@Suite struct DroppingTests {
  private let folder = ScratchFolder()

  private let now = DayScript.time(400_000 - DayScript.absence)

  /// A day that is up to date and in units.
  private func record() throws -> (journal: Journal, ada: UserJournal) {
    let journal = try Journal(path: folder.path("device"))
    let ada = try journal.user("ada")
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
    #expect(throws: JournalError.dropped(samples: dropped.samples)) {
      try ada.rotationRates(in: 0..<1)
    }
    var cursor = SeriesCursor(of: ada, .accelerations, in: 0..<counts.samples)
    var read = 0
    while let series = try cursor.next() { read += series.count }
    #expect((read, cursor.dropped) == (rest.count, dropped.samples))
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
    let span = try #require(try ada.daySpan())
    #expect(
      try ada.dayItems(from: span.start, to: span.end)
        == eve.dayItems(from: span.start, to: span.end))
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

  @Test func whatWasDroppedIsNoLossOfASalvage() throws {
    let (dropped, counts): (DroppedSamples, JournalCounts)
    let units: [UnitStatus]
    do {
      let (_, ada) = try record()
      for unit in try ada.units() {
        try ada.confirmUnit(unit.digest, keeping: .none, at: now)
      }
      dropped = try ada.droppedSamples()
      counts = try ada.counts()
      units = try ada.units()
    }
    #expect(dropped.samples > 0)
    let salvaged = folder.path("salvaged")
    let report = try Journal.salvage(from: folder.path("device"), to: salvaged)
    #expect(report.problems == [] && report.losses == [])
    let journal = try Journal(path: salvaged)
    let ada = try journal.user("ada")
    let kept = try ada.counts()
    #expect(kept.samples == counts.samples - dropped.samples && kept.fixes == counts.fixes)
    #expect(kept.events == counts.events)
    // What only the archive has stays there, and all else is there once.
    let withdrawn = Set(try ada.units(in: .withdrawn).map(\.name))
    try UnitScript.makeUnits(ada)
    let pending = try ada.units(in: .pending)
    let staying = units.filter { !withdrawn.contains($0.name) }
    #expect(staying.count > 0 && staying.allSatisfy { $0.state == .confirmed })
    for part in [\UnitStatus.samples, \.fixes] {
      let whole = units.reduce(0) { $0 + $1[keyPath: part] }
      #expect((staying + pending).reduce(0) { $0 + $1[keyPath: part] } == whole)
    }
    #expect(journal.check().problems == [])
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
    let units = try pending.map { try ada.unit($0, digest: UnitScript.digest) }
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
