import Foundation
import Locomotion
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionSensing
import TestSupport
import Testing

/// What is called on one user's part of a journal returns and changes nothing of another user.
@Suite struct UserIsolationTests {
  /// Whose data a call concerns is given by the value it is called on, so that no call can name
  /// another user.
  @Test func noCallTakesAUser() throws {
    let folder = TestFiles.packageRoot.appendingPathComponent("Sources/Journal/LocomotionJournal")
    var count = 0
    for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where file.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      for head in text.matches(of: /(?:public|package) (?:static |mutating )*func [^{]*/) {
        count += 1
        #expect(!head.output.contains(/: User(?:Journal|Session)\b/), "\(file): \(head.output)")
      }
    }
    #expect(count > 80)
  }

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
      "\(try user.stepIntervals(from: ends.0, to: ends.1))", "\(try user.tracks(of: items))",
      try user.device(),
    ]
  }

  private func fill(_ user: UserJournal) throws {
    try user.start("BICYCLE", at: DayScript.time(0))
    var batch = JournalScript.batch(0)
    batch.pressures.append(1_000, at: DayScript.time(1))
    try user.append(batch)
    try user.append(DayScript.batch(from: 0, to: 18_000))
    try user.addPlace(PlaceDescription(name: "home", latitude: 48, longitude: 11))
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
          try bob.unit(unit, digest: UnitScript.digest)
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
