import Foundation
import LocomotionJournal
import LocomotionSensing
import TestSupport
import Testing

/// Upload units under faults: what an archive has not confirmed is never dropped.
extension FaultTests {
  private var now: Timestamp { DayScript.time(400_000) }

  /// A day that is up to date, the first hours of which are in units.
  private func record(at path: String, settings: Journal.Settings) throws {
    let ada = try Journal(path: path, settings: settings).user("ada")
    for start in stride(from: 0.0, to: 18_000, by: 1_200) {
      let batch = UnitScript.batch(from: start, to: start + 1_200, seed: UInt64(start))
      if !batch.isEmpty { try ada.append(batch) }
      if start < 9_000 { try UnitScript.makeUnits(ada) }
    }
    try ada.updateDays()
  }

  /// Makes all units and confirms each one after `receive` has its bytes, as an app does that tries
  /// again after an error.
  ///
  /// - Returns: The number of errors.
  private func send(
    at path: String, settings: Journal.Settings, healingAfter patience: Int,
    _ receive: (UploadUnit) -> Void, confirmed: () -> Void = {}
  ) throws -> Int {
    let attempts = Attempts(healingAfter: patience)
    let journal = try attempts.trying { try Journal(path: path, settings: settings) }
    let ada = try attempts.trying { try journal.user("ada") }
    try attempts.trying { try UnitScript.makeUnits(ada) }
    while let next = try attempts.trying({ try ada.units(in: .pending).first }) {
      let unit = try attempts.trying { try ada.unit(next, digest: UnitScript.digest) }
      receive(unit)
      _ = try attempts.trying { try ada.confirmUnit(next.digest, keeping: .none, at: now) }
      confirmed()
    }
    return attempts.errors
  }

  @Test(arguments: FaultFileSystem.Fault.allCases, [false, true])
  func aFaultAtAnyDiskOperationOfSendingDropsNothingThatIsNotConfirmed(
    fault: FaultFileSystem.Fault, lasts: Bool
  ) throws {
    let base = folder.path("base")
    try record(at: base, settings: .init())
    let expected = try WholeRecording(Journal(path: base).user("ada"))
    let step = TestLength.runs(7, long: 1)
    var received: [[UInt8]: UploadUnit] = [:]
    let (operations, told) = try FaultFileSystem.forEachFault(fault, lasts: lasts, every: step) {
      let path = folder.path("journal-\($0)")
      try FileManager.default.copyItem(atPath: base, toPath: path)
      received = [:]
      return try send(at: path, settings: faulty, healingAfter: 3) { unit in
        received[UnitScript.digest(unit.bytes)] = unit
      }
    } check: { number in
      let path = folder.path("journal-\(number)")
      let journal = try Journal(path: path)
      let ada = try journal.user("ada")
      #expect(journal.check().problems == [], "operation \(number)")
      let units = try ada.units()
      #expect(units.allSatisfy { $0.state == .confirmed && received[$0.digest] != nil })
      #expect(units.count == received.count, "operation \(number)")
      #expect(try ada.droppedSamples().samples > 0, "operation \(number)")
      // Some, because it computes the days.
      if number % (10 * step) == 1 {
        let user = try Journal(path: path + "-archive").user("ada")
        for unit in units {
          try user.append(try #require(received[unit.digest]))
        }
        try user.updateDays()
        let isEqual = try WholeRecording(user) == expected
        #expect(isEqual, "operation \(number)")
      }
    }
    #expect(operations > 40)
    #expect(told > operations / step / 2)
  }

  @Test func everyStateOfTheDiskAfterAPowerFailureHasWhatTheArchiveHasNot() throws {
    let path = folder.path("journal")
    FaultFileSystem.reset()
    try record(at: path, settings: faulty)
    let begin = FaultFileSystem.logLength
    // The ends of the log at which a unit was received, and at which it was known as confirmed.
    var received: [(digest: [UInt8], samples: Int, at: Int)] = []
    var acknowledged: [Int] = []
    _ = try send(
      at: path, settings: faulty, healingAfter: 1,
      { unit in
        received.append(
          (UnitScript.digest(unit.bytes), unit.summary.samples, FaultFileSystem.logLength))
      },
      confirmed: { acknowledged.append(FaultFileSystem.logLength) })
    #expect(received.count > 2)
    let end = FaultFileSystem.logLength
    let copy = folder.path("copy")
    var dropped = Set<Int>()
    try FaultFileSystem.forEachState(after: begin...end, at: copy) { length, seed in
      let journal = try Journal(path: copy)
      let ada = try journal.user("ada")
      #expect(journal.check().problems == [], "after \(length) of \(end), seed \(seed)")
      let confirmed = Set(try ada.units(in: .confirmed).map(\.digest))
      // What was confirmed stays so, and what is confirmed was received.
      let known = zip(received, acknowledged).filter { $0.1 <= length }.map(\.0.digest)
      #expect(confirmed.isSuperset(of: known), "after \(length) of \(end), seed \(seed)")
      let arrived = received.filter { $0.at <= length }
      #expect(confirmed.isSubset(of: arrived.map(\.digest)))
      let gone = try ada.droppedSamples().samples
      let safe = arrived.filter { confirmed.contains($0.digest) }
      #expect(gone <= safe.reduce(0) { $0 + $1.samples })
      dropped.insert(gone)
    }
    #expect(dropped.count > 1)
  }
}
