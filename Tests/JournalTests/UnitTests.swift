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
}
