import Foundation
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionSensing
import TestSupport
import Testing

/// A call for one user returns and changes nothing of another user.
@Suite struct UserIsolationTests {
  /// The names of all public calls that take a user.
  private static let calls: Set = [
    "addMeteredBytes", "addPlace", "addPlaces", "append", "beginNewDevice", "changeModality",
    "confirmUnit", "correctActivity", "corrections", "counts", "currentMeasurement", "dayChanges",
    "dayItems", "daySamples", "daySpan", "device", "dropSamples", "droppedSamples", "edits",
    "erase", "fixes",
    "forgetWithdrawnUnit", "lastConfirmation", "length", "makeUnits", "measurements", "mergeItems",
    "moveEdge", "nextUnit", "note", "parkUnit", "pause", "places", "pressures", "record",
    "removeEdit", "removePlace", "renamePlace", "resume", "retryParkedUnits", "rotationRates",
    "samples", "save", "setPlace", "setPurpose", "splitItem", "start", "state", "stepIntervals",
    "stop", "takeDayChange", "totals", "tracks", "unit", "units", "updateDays",
  ]

  @Test func theListOfCallsContainsEveryPublicCallWithAUser() throws {
    let folder = TestFiles.packageRoot.appendingPathComponent("Sources/LocomotionJournal")
    var found: Set<String> = []
    for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where file.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      for part in text.split(separator: "  public ").dropFirst() {
        let head = part.split(separator: "{", maxSplits: 1)[0].split(separator: " ->")[0]
        guard let function = head.firstRange(of: "func "), head.contains("JournalUser") else {
          continue
        }
        found.insert(String(head[function.upperBound...].prefix { $0.isLetter }))
      }
    }
    #expect(found == Self.calls)
  }

  /// Everything that can be read of a user.
  private func everything(_ journal: inout Journal, _ user: JournalUser) throws -> [String] {
    let all = 0..<Int(Int32.max)
    let ends = (DayScript.time(-1e6), DayScript.time(1e6))
    let samples = try journal.daySamples(of: user, from: ends.0, to: ends.1)
    let measurements = try journal.measurements(of: user)
    let items = try journal.dayItems(of: user, from: ends.0, to: ends.1)
    return [
      "\(try journal.counts(of: user))", "\(try journal.samples(of: user, in: all))",
      "\(try journal.rotationRates(of: user, in: all))",
      "\(try journal.fixes(of: user, in: all))", "\(measurements)",
      "\(try journal.pressures(of: user))",
      "\(try journal.fixes(of: user, from: ends.0, to: ends.1))",
      "\(try measurements.map { try journal.length(of: $0, for: user) })",
      "\(String(describing: try journal.currentMeasurement(of: user)))",
      "\(try journal.places(of: user))",
      "\(try journal.places(within: 3e7, ofLatitude: 48, longitude: 11, for: user))",
      "\(items)", "\(samples.samples.count)",
      "\(String(describing: try journal.daySpan(of: user)))",
      "\(try journal.corrections(of: user))", "\(try journal.edits(of: user))",
      "\(try journal.stepIntervals(of: user, from: ends.0, to: ends.1))",
      "\(try journal.totals(of: user, from: ends.0, to: ends.1))",
      "\(try journal.tracks(of: items, for: user))", try journal.device(of: user),
    ]
  }

  private func fill(_ journal: inout Journal, _ user: JournalUser) throws {
    try journal.start("BICYCLE", at: DayScript.time(0), for: user)
    var batch = JournalScript.batch(0)
    batch.pressures.append(1_000, at: DayScript.time(1))
    try journal.append(batch, for: user)
    try journal.append(DayScript.batch(from: 0, to: 18_000), for: user)
    try journal.addPlace(PlaceDescription(name: "home", latitude: 48, longitude: 11), for: user)
    try journal.updateDays(of: user)
    try journal.correctActivity(
      to: .train, from: DayScript.time(3_700), to: DayScript.time(4_000), for: user)
    try journal.setPurpose(
      "work", from: DayScript.time(5_000), to: DayScript.time(6_000), for: user)
  }

  @Test func callsForOneUserNeitherReadNorChangeAnotherUser() throws {
    try withTemporaryFolder { folder in
      var journal = try Journal(path: folder.appendingPathComponent("journal").path)
      let ada = try journal.user("ada")
      let bob = try journal.user("bob")
      let eve = try journal.user("eve")
      let nothing = try everything(&journal, bob)
      try fill(&journal, ada)
      try fill(&journal, eve)
      let adas = try everything(&journal, ada)
      #expect(try everything(&journal, bob) == nothing)
      #expect(try journal.updateDays(of: bob) == nil)
      let measurement = try #require(try journal.currentMeasurement(of: ada))
      #expect(try journal.length(of: measurement, for: bob).plain == 0)
      // Bob cannot change ada's places by their numbers, nor stop ada's measurement.
      for id in try journal.places(of: ada).map(\.id) {
        #expect(throws: JournalError.unknownPlace) { try journal.removePlace(id, for: bob) }
        #expect(throws: JournalError.unknownPlace) {
          try journal.renamePlace(id, to: "x", for: bob)
        }
      }
      for edit in try journal.edits(of: ada) {
        #expect(throws: JournalError.unknownEdit) { try journal.removeEdit(edit, for: bob) }
      }
      let noon = DayScript.time(5_500)
      #expect(throws: JournalError.self) { try journal.splitItem(at: noon, for: bob) }
      #expect(throws: JournalError.self) { try journal.moveEdge(from: noon, to: noon, for: bob) }
      #expect(throws: JournalError.unknownPlace) {
        try journal.setPlace(0, from: DayScript.time(5_000), to: noon, for: bob)
      }
      #expect(throws: JournalError.self) {
        try journal.mergeItems(asStay: true, from: DayScript.time(0), to: noon, for: bob)
      }
      #expect(throws: JournalError.unknownMeasurement) {
        try journal.erase(measurement, for: bob)
      }
      try UnitScript.makeUnits(&journal, ada)
      for unit in try journal.units(of: ada) {
        let now = DayScript.time(90_000)
        #expect(throws: JournalError.unknownUnit) {
          try journal.unit(unit, of: bob, digest: UnitScript.digest)
        }
        #expect(throws: JournalError.unknownUnit) {
          try journal.confirmUnit(unit.digest, of: bob, keeping: .none, at: now)
        }
        #expect(throws: JournalError.unknownUnit) {
          try journal.parkUnit(unit.digest, of: bob, because: "x")
        }
        #expect(throws: JournalError.unknownUnit) {
          try journal.forgetWithdrawnUnit(unit.digest, of: bob)
        }
      }
      #expect(try journal.units(of: bob).isEmpty)
      #expect(try journal.retryParkedUnits(of: bob) == 0)
      #expect(try journal.units(of: ada, in: .pending).count == journal.units(of: ada).count)
      #expect(journal.takeDayChange(of: bob) == nil)
      try journal.erase(from: DayScript.time(0), to: noon, for: bob)
      _ = journal.takeDayChange(of: bob)
      let later = DayScript.time(20_000)
      #expect(throws: JournalError.self) { try journal.pause(at: later, for: bob) }
      #expect(throws: JournalError.self) { try journal.resume(at: later, for: bob) }
      #expect(throws: JournalError.self) { try journal.stop(at: later, for: bob) }
      #expect(throws: JournalError.self) { try journal.note("x", at: later, for: bob) }
      #expect(throws: JournalError.self) {
        try journal.changeModality(to: "x", at: later, for: bob)
      }
      #expect(try everything(&journal, bob) == nothing)
      // Bob's own changes.
      try fill(&journal, bob)
      try journal.addPlaces(
        [PlaceDescription(name: "mine", latitude: 48, longitude: 11)], for: bob)
      try journal.removePlace(0, for: bob)
      #expect(try everything(&journal, ada) == adas)
      try journal.erase(bob)
      #expect(throws: JournalError.unknownUser) { try everything(&journal, bob) }
      #expect(try everything(&journal, ada) == adas)
      #expect(try everything(&journal, eve).count == adas.count)
      #expect(journal.check().problems == [])
      // A handle of one journal is invalid in another.
      var other = try Journal(path: folder.appendingPathComponent("other").path)
      _ = try other.user("ada")
      #expect(throws: JournalError.unknownUser) { try everything(&other, ada) }
      #expect(throws: JournalError.unknownUser) { try fill(&other, ada) }
    }
  }
}
