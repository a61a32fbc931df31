import Foundation
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionSensing
import Testing

/// An erased interval or measurement leaves nothing behind and everything else as it was.
@Suite struct ErasureTests {
  private func time(_ second: Double) -> Timestamp { DayScript.time(second) }

  /// Whether any of the fixes' latitudes, or a text, stands in a journal's files.
  private func holds(_ path: String, _ fixes: [LocationFix], _ texts: [String]) -> Bool {
    var data = Data()
    for ending in ["", "-wal", "-shm", "-journal"] {
      data += FileManager.default.contents(atPath: path + ending) ?? Data()
    }
    let numbers = fixes.map { fix in
      // SQLite stores a number in big-endian order.
      Data((0..<8).map { UInt8(truncatingIfNeeded: fix.latitude.bitPattern >> (56 - 8 * $0)) })
    }
    return (numbers + texts.map { Data($0.utf8) }).contains { data.range(of: $0) != nil }
  }

  @Test(arguments: [(20.5, 61.25), (0, 10), (100, 200), (-50, 500), (30, 30.005)])
  func theRestEqualsARecordingThatNeverHadTheInterval(start: Double, end: Double) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      var journal = try Journal(path: path)
      let (ada, bob) = (try journal.user("ada"), try journal.user("bob"))
      var expected = JournalBatch()
      let origin = Timestamp(nanoseconds: 1_700_000_000_000_000_000)
      let times =
        origin.advanced(
          byNanoseconds: Int64(start * 1e9))..<origin.advanced(byNanoseconds: Int64(end * 1e9))
      var erased: [LocationFix] = []
      for number in 0..<120 {
        var batch = JournalScript.batch(number)
        let instant = origin.advanced(byNanoseconds: Int64(number) * 1_000_000_000)
        batch.pressures.append(1_000 + Float(number), at: instant)
        try journal.append(batch, for: ada)
        try journal.append(batch, for: bob)
        expected.append(contentsOf: batch.outside(times))
        erased += batch.fixes.filter { times.contains($0.timestamp) }
      }
      let bobs = try JournalContent(journal, bob)
      try journal.erase(from: times.lowerBound, to: times.upperBound, for: ada)
      #expect(try JournalContent(journal, ada) == JournalContent(expected))
      #expect(try journal.pressures(of: ada) == expected.pressures)
      #expect(journal.check().problems == [])
      #expect(try JournalContent(journal, bob) == bobs)
      try journal.erase(bob)
      #expect(!holds(path, erased, []))
      // It can be appended to.
      try journal.append(JournalScript.batch(500), for: ada)
      expected.append(contentsOf: JournalScript.batch(500))
      #expect(try JournalContent(journal, ada) == JournalContent(expected))
      #expect(journal.check().problems == [])
      #expect(throws: JournalError.invalidInterval) {
        try journal.erase(from: times.upperBound, to: times.lowerBound, for: ada)
      }
    }
  }

  @Test func aMeasurementGoesWithItsTracksAndEvents() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      var journal = try Journal(path: path)
      let ada = try journal.user("ada")
      for (index, name) in ["first", "SECRET", "third"].enumerated() {
        let start = Double(index) * 1_000
        try journal.start(name, at: time(start), for: ada)
        try journal.append(DayScript.batch(from: start, to: start + 400), for: ada)
        try journal.note("note \(name)", at: time(start + 300), for: ada)
        try journal.pause(at: time(start + 400), for: ada)
        try journal.resume(at: time(start + 600), for: ada)
        try journal.append(DayScript.batch(from: start + 600, to: start + 900), for: ada)
        if index < 2 { try journal.stop(at: time(start + 900), for: ada) }
      }
      let before = try journal.measurements(of: ada)
      #expect(throws: JournalError.wrongState(.recording, wanted: .stopped)) {
        try journal.erase(before[2], for: ada)
      }
      let fixes = before.map { $0.tracks.flatMap { track in track.fixes } }
      let lost = try fixes[1].flatMap { try journal.fixes(of: ada, in: $0..<$0 + 1) }
      let third = try fixes[2].flatMap { try journal.fixes(of: ada, in: $0..<$0 + 1) }
      try journal.erase(before[1], for: ada)
      #expect(throws: JournalError.unknownMeasurement) { try journal.erase(before[1], for: ada) }
      let after = try journal.measurements(of: ada)
      #expect(after.map(\.modality) == ["first", "third"])
      #expect(after.map(\.id) == [before[0].id, before[2].id])
      let moved = try after[1].tracks.flatMap { try journal.fixes(of: ada, in: $0.fixes) }
      #expect(moved == third)
      #expect(!holds(path, lost, ["SECRET"]))
      #expect(journal.check().problems == [])
      // A new measurement gets a number that no other one has.
      try journal.stop(at: time(3_000), for: ada)
      let id = try journal.start("fourth", at: time(3_100), for: ada)
      #expect(!after.map(\.id).contains(id))
      #expect(try journal.measurements(of: ada).count == 3)
    }
  }

  @Test func daysAndEditsForgetTheInterval() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      var journal = try Journal(path: path)
      let ada = try journal.user("ada")
      try journal.append(DayScript.batch(from: 0, to: 18_000), for: ada)
      try journal.updateDays(of: ada)
      try journal.setPurpose("SECRET", from: time(6_000), to: time(7_000), for: ada)
      try journal.correctActivity(to: .train, from: time(4_700), to: time(5_200), for: ada)
      try journal.splitItem(at: time(5_500), for: ada)
      let lost = DayScript.fixes(from: 5_000, to: 9_100)
      try journal.erase(from: time(5_000), to: time(9_100), for: ada)
      let items = try journal.dayItems(of: ada, from: time(-1e6), to: time(1e6))
      #expect(items.map(\.kind) == ["stay", "trip", "stay", "trip", "gap", "stay"])
      #expect(items.count == 6 && items[4].start == time(5_000))
      #expect(!holds(path, lost, ["SECRET"]))
      let edits = try journal.edits(of: ada)
      #expect(edits.map(\.end) == [time(5_000)] && edits.map(\.change) == [.activity(.train)])
      #expect(journal.check().problems == [])
      // What comes later is computed as before.
      var late = DayScript.batch(from: 17_000, to: 18_000)
      late.fixes = late.fixes.map { fix in
        var fix = fix
        fix.timestamp = fix.timestamp.advanced(byNanoseconds: 1_000_000_000_000)
        return fix
      }
      try journal.append(late, for: ada)
      try journal.updateDays(of: ada)
      let later = try journal.dayItems(of: ada, from: time(-1e6), to: time(1e6))
      #expect(later.map(\.kind) == ["stay", "trip", "stay", "trip", "gap", "stay"])
      #expect(later.last.map { $0.end > time(18_900) } == true)
      #expect(journal.check().problems == [])
      // All of it.
      try journal.erase(from: time(-1e6), to: time(1e6), for: ada)
      #expect(try journal.daySpan(of: ada) == nil)
      #expect(try journal.places(of: ada).isEmpty)
      #expect(try journal.counts(of: ada).fixes == 0)
      #expect(journal.check().problems == [])
    }
  }

  /// The places of the day, at home twice and at work once, by their names; and a copy of them in
  /// the units that are made next.
  private func recordPlaces(_ journal: inout Journal, _ ada: JournalUser) throws -> [Place] {
    try journal.append(DayScript.batch(from: 0, to: 18_000), for: ada)
    try journal.updateDays(of: ada)
    for place in try journal.places(of: ada) {
      let isHome = abs(place.latitude - DayScript.home.latitude) < 0.01
      try journal.renamePlace(place.id, to: isHome ? "home" : "SECRET clinic", for: ada)
    }
    let (home, work) = (DayScript.home, DayScript.work)
    try journal.addPlaces(
      [
        PlaceDescription(
          name: "SECRET desk", latitude: work.latitude + 1e-4, longitude: work.longitude + 1e-4),
        PlaceDescription(name: "island", latitude: home.latitude - 1, longitude: home.longitude),
      ], for: ada)
    return try journal.places(of: ada)
  }

  @Test func aPlaceGoesWithItsOnlyStayAlsoWhenItHasAName() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      var journal = try Journal(path: path)
      let ada = try journal.user("ada")
      let places = try recordPlaces(&journal, ada)
      #expect(places.count == 4 && !places.contains { $0.isLearned })
      try journal.setPurpose("SECRET visit", from: time(5_000), to: time(8_000), for: ada)
      try journal.setPlace(places[0].id, from: time(0), to: time(3_000), for: ada)
      try UnitScript.makeUnits(&journal, ada)
      try journal.erase(from: time(4_400), to: time(9_100), for: ada)
      let lost = places.filter { $0.name?.hasPrefix("SECRET") ?? false }
      #expect(lost.count == 2)
      #expect(Set(try journal.places(of: ada).map(\.name)) == ["home", "island"])
      let numbers = lost.flatMap { [$0.latitude, $0.longitude] }
        .filter { $0 != DayScript.home.longitude }
      let coordinates = numbers.map {
        LocationFix(timestamp: time(0), latitude: $0, longitude: 0, horizontalAccuracy: nil)
      }
      #expect(!holds(path, coordinates, ["SECRET"]))
      #expect(journal.check().problems == [])
      // Nor does the archive hear of it.
      #expect(try journal.units(of: ada).allSatisfy { $0.state == .withdrawn })
      try journal.updateDays(of: ada)
      try UnitScript.makeUnits(&journal, ada)
      var archive = try Journal(path: folder.appendingPathComponent("archive").path)
      let copy = try archive.user("ada")
      for status in try journal.units(of: ada, in: .pending) {
        try archive.append(journal.unit(status, of: ada, digest: UnitScript.digest), for: copy)
      }
      #expect(Set(try archive.places(of: copy).map(\.name)) == ["home", "island"])
    }
  }

  @Test(arguments: [false, true])
  func aPlaceStaysWhereAnotherStayOrAPartOfOneIsLeft(isGivenElsewhere: Bool) throws {
    try withTemporaryFolder { folder in
      var journal = try Journal(path: folder.appendingPathComponent("journal").path)
      let ada = try journal.user("ada")
      let clinic = try #require(
        try recordPlaces(&journal, ada).first { $0.name == "SECRET clinic" })
      if isGivenElsewhere {
        try journal.setPlace(clinic.id, from: time(13_000), to: time(18_000), for: ada)
        try journal.erase(from: time(4_400), to: time(9_100), for: ada)
      } else {
        try journal.erase(from: time(4_400), to: time(6_000), for: ada)
      }
      #expect(try journal.places(of: ada).contains(clinic))
      #expect(journal.check().problems == [])
    }
  }

  @Test func theEventsOfAMeasurementKeepOutOfTheInterval() throws {
    try withTemporaryFolder { folder in
      var journal = try Journal(path: folder.appendingPathComponent("journal").path)
      let ada = try journal.user("ada")
      try journal.start("walk", at: time(10), for: ada)
      try journal.note("SECRET", at: time(30), for: ada)
      try journal.pause(at: time(40), for: ada)
      try journal.resume(at: time(60), for: ada)
      try journal.stop(at: time(90), for: ada)
      try journal.start("inside", at: time(100), for: ada)
      try journal.stop(at: time(110), for: ada)
      try journal.start("ride", at: time(120), for: ada)
      try journal.stop(at: time(200), for: ada)
      try journal.erase(from: time(20), to: time(150), for: ada)
      let left = try journal.measurements(of: ada)
      #expect(left.map(\.modality) == ["walk", "ride"])
      #expect(
        left.map { $0.events.map(\.timestamp) } == [
          [10, 20, 20, 20].map(time), [150, 200].map(time),
        ])
      #expect(left.allSatisfy { $0.state == .stopped })
      #expect(journal.check().problems == [])
    }
  }
}

extension JournalBatch {
  fileprivate func outside(_ times: Range<Timestamp>) -> JournalBatch {
    var result = JournalBatch()
    func kept(_ series: SampleSeries) -> SampleSeries {
      var result = SampleSeries()
      for (index, time) in series.timestamps.enumerated() where !times.contains(time) {
        result.append(x: series.x[index], y: series.y[index], z: series.z[index], at: time)
      }
      return result
    }
    result.accelerations = kept(accelerations)
    result.rotationRates = kept(rotationRates)
    for (value, time) in zip(pressures.hectopascals, pressures.timestamps)
    where !times.contains(time) {
      result.pressures.append(value, at: time)
    }
    result.fixes = fixes.filter { !times.contains($0.timestamp) }
    return result
  }
}
