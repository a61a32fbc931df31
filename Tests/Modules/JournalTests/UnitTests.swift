import Foundation
import LocomotionJournal
import LocomotionSensing
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
      let archive = try Journal(path: folder.path("archive\(pattern)"))
      let user = try archive.user("ada")
      for unit in units {
        try user.append(unit)
        if pattern > 0, random.next() % pattern == 0 { try user.updateDays() }
      }
      try user.updateDays()
      let found = try WholeRecording(user)
      // Not the values themselves in a message: they are many.
      let isEqual = found.samples == expected.samples
      #expect(isEqual)
      #expect(found.pressures == expected.pressures)
      #expect(found.fixes == expected.fixes)
      #expect(found.measurements == expected.measurements)
      #expect(found.edits == expected.edits)
      #expect(found.places == expected.places)
      #expect(found.days == expected.days)
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
        try UploadUnit(ada.unit($0, digest: UnitScript.digest).bytes)
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
