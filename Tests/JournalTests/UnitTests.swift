import Foundation
import LocomotionJournal
import LocomotionSensing
import TestSupport
import Testing

@Suite struct UnitTests {
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func allUnitsOfADeviceGiveItsRecordingAndItsDays(seed: UInt64) throws {
    try withTemporaryFolder { folder in
      var device = try Journal(path: folder.appendingPathComponent("device").path)
      // Another user before, so that numbers differ.
      _ = try device.user("bob")
      let ada = try device.user("ada")
      try UnitScript.record(&device, ada, until: 17_000, seed: seed)
      try device.updateDays(of: ada)
      try UnitScript.makeUnits(&device, ada)
      let units = try UnitScript.all(device, ada)
      #expect(units.map(\.summary.sequence) == Array(0..<units.count))
      let counts = try device.counts(of: ada)
      #expect(units.reduce(0) { $0 + $1.summary.samples } == counts.samples)
      #expect(units.reduce(0) { $0 + $1.summary.events } == counts.events)
      let expected = try WholeRecording(device, ada)

      // Whenever the archive updates the days.
      for pattern in 0..<2 as Range<UInt64> {
        var random = SplitMix64(seed: seed * 3 + pattern)
        var archive = try Journal(path: folder.appendingPathComponent("archive\(pattern)").path)
        let user = try archive.user("ada")
        for unit in units {
          try archive.append(unit, for: user)
          if pattern > 0, random.next() % pattern == 0 { try archive.updateDays(of: user) }
        }
        try archive.updateDays(of: user)
        let found = try WholeRecording(archive, user)
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
        #expect(try archive.nextUnit(of: user)?.sequence == units.count)
      }
      #expect(device.check().problems == [])
    }
  }

  /// Of two copies of a journal that record on, the archive has the units of one: the other one
  /// goes on as a new device, and everything is in units once.
  @Test(arguments: [false, true])
  func aCopyGoesOnAsANewDevice(hasDropped: Bool) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("device").path
      var device = try Journal(path: path)
      let ada = try device.user("ada")
      try UnitScript.record(&device, ada, until: 6_000, seed: 3)
      try device.updateDays(of: ada)
      try UnitScript.makeUnits(&device, ada)
      let common = try device.units(of: ada)
      let retention: SampleRetention = hasDropped ? .none : .all
      for unit in common {
        try device.confirmUnit(unit.digest, of: ada, keeping: retention, at: DayScript.time(0))
      }
      // Everything is confirmed: there is nothing to go on with.
      try device.beginNewDevice(of: ada)
      let confirmed = try device.units(of: ada, in: .confirmed)
      #expect(try device.units(of: ada) == confirmed)

      let before = try device.counts(of: ada)
      try UnitScript.record(&device, ada, until: 12_000, seed: 4)
      try device.updateDays(of: ada)
      try UnitScript.makeUnits(&device, ada)
      let own = try device.units(of: ada, in: .pending)
      #expect(own.count > 1)
      // Confirmed by mistake, as by an archive that took both copies for one.
      let last = try #require(own.last)
      try device.confirmUnit(last.digest, of: ada, at: DayScript.time(0))
      try device.parkUnit(own[0].digest, of: ada, because: "422")
      try device.beginNewDevice(of: ada)
      #expect(try device.units(of: ada, in: .withdrawn).map(\.digest) == [last.digest])
      #expect(try device.units(of: ada, in: .confirmed) == confirmed)
      #expect(try device.units(of: ada, in: .pending).isEmpty)
      #expect(device.check().problems == [])

      try UnitScript.makeUnits(&device, ada)
      let statuses = try device.units(of: ada, in: .pending)
      let units = try statuses.map {
        try UploadUnit(device.unit($0, of: ada, digest: UnitScript.digest).bytes)
      }
      #expect(units.map(\.summary.sequence) == Array(0..<units.count))
      #expect(units[0].summary.predecessor == nil)
      let counts = try device.counts(of: ada)
      #expect(units.reduce(0) { $0 + $1.summary.samples } == counts.samples - before.samples)
      #expect(units.reduce(0) { $0 + $1.summary.fixes } == counts.fixes - before.fixes)
      #expect(units.reduce(0) { $0 + $1.summary.events } == counts.events - before.events)
      #expect(device.check().problems == [])
    }
  }
}
