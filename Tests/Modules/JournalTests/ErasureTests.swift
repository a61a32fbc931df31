import Foundation
import Locomotion
import LocomotionJournal
import TestSupport
import Testing

/// An erased interval or measurement leaves nothing behind and everything else as it was.
@Suite struct ErasureTests {
  private let folder = ScratchFolder()

  private func time(_ second: Double) -> Timestamp { DayScript.time(second) }

  /// Whether any of the fixes' latitudes, or a text, stands in a journal's files.
  private func holds(_ path: String, _ fixes: [LocationFix], _ texts: [String]) -> Bool {
    let numbers = fixes.map { Data(stored: $0.latitude.bitPattern) }
    return !Data.traces(of: numbers + texts.map { Data($0.utf8) }, in: path).isEmpty
  }

  @Test(arguments: [(20.5, 61.25), (0, 10), (100, 200), (-50, 500), (30, 30.005)])
  func theRestEqualsARecordingThatNeverHadTheInterval(start: Double, end: Double) throws {
    try withJournal { journal, ada in
      let bob = try journal.user("bob")
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
        try ada.append(batch)
        try bob.append(batch)
        expected.append(contentsOf: batch.filtered { !times.contains($0) })
        erased += batch.fixes.filter { times.contains($0.timestamp) }
      }
      let bobs = try JournalContent(bob)
      try ada.erase(from: times.lowerBound, to: times.upperBound)
      #expect(try JournalContent(ada) == JournalContent(expected))
      #expect(journal.check().problems == [])
      #expect(try JournalContent(bob) == bobs)
      try bob.erase()
      #expect(!holds(journal.path, erased, []))
      // It can be appended to.
      try ada.append(JournalScript.batch(500))
      expected.append(contentsOf: JournalScript.batch(500))
      #expect(try JournalContent(ada) == JournalContent(expected))
      #expect(journal.check().problems == [])
      #expect(throws: JournalError.invalidInterval) {
        try ada.erase(from: times.upperBound, to: times.lowerBound)
      }
    }
  }

  @Test(arguments: [false, true])
  func whatWasStatedOfAnErasedTimeIsGone(isComputed: Bool) throws {
    try withJournal { journal, ada in
      try ada.append(DayScript.batch(from: 0, to: 9_000))
      let session = StatedInterval(
        .activity(name: "cycling", distance: nil), from: time(3_500), to: time(4_600),
        source: "Some Watch", basis: .chosen, totals: StatedTotals(distance: 9_876))
      let visit = StatedInterval(
        .visit(latitude: DayScript.work.latitude, longitude: 11.5, radius: 30),
        from: time(4_600), to: time(9_000), source: "Some Phone", place: "Some Office")
      try ada.addStatements([session, visit].compactMap { $0 })
      if isComputed { try ada.updateDays() }
      let isStated = { (item: TimelineItem) in
        if case .trip(let trip) = item { trip.stated != nil } else { false }
      }
      #expect(
        try ada.dayItems(from: time(0), to: time(9_000)).contains(where: isStated) == isComputed)
      try ada.erase(from: time(4_500), to: time(9_100))
      #expect(try ada.statements().isEmpty)
      #expect(!holds(journal.path, [], ["Some Watch", "9876", "Some Office"]))
      try ada.updateDays()
      #expect(try !ada.dayItems(from: time(0), to: time(9_000)).contains(where: isStated))
    }
  }

  /// Two measurements of 400 s at two places, the first of which is erased, by its times or whole.
  @Test(arguments: [2_000.0, 7_200], [400.0, 600, nil, .infinity])
  func whatRestsOnTheErasedGoesWithIt(pause: Double, end: Double?) throws {
    try withJournal { journal, ada in
      var batches: [JournalBatch] = []
      for (number, start) in [0, pause].enumerated() {
        var batch = JournalBatch()
        for second in stride(from: 0, to: 400.0, by: 5) {
          batch.fixes.append(
            LocationFix(
              timestamp: time(start + second), latitude: 48.123456789 + Double(number) * 0.01,
              longitude: 11.5, horizontalAccuracy: 5))
        }
        try ada.start("unknown", at: time(start))
        try ada.append(batch)
        try ada.stop(at: time(start + 395))
        try ada.updateDays()
        batches.append(batch)
      }
      let places = try ada.places()
      let first = try #require(places.first)
      #expect(places.count == 2)
      let stays = try ada.items().filter { $0.kind == "stay" }
      #expect(stays.first.map { $0.end > time(800) } == true)
      let report =
        if let end {
          try ada.erase(from: time(0), to: time(min(end, pause - 1)))
        } else {
          try ada.erase(ada.measurements()[0])
        }
      #expect(report.places == [first])
      #expect(report.times.count == 1 && report.times[0].lowerBound == time(0))
      // Up to the stay at the other place.
      let left = try ada.items()
      #expect(left.map(\.kind) == ["stay"])
      #expect(left.first?.start == report.times.last?.upperBound)
      #expect(left.first.map { $0.start <= time(pause) && $0.end > time(pause + 390) } == true)
      #expect(try ada.places().map(\.id) == [places[1].id])
      // Neither the fixes nor their mean, from which each differs by rounding.
      let near = (-300...300).map { step in
        LocationFix(
          timestamp: time(0), latitude: 48.123456789 + Double(step) * 1e-11, longitude: 11.5)
      }
      #expect(!holds(journal.path, near, ["48.12345"]))
      #expect(journal.check().problems == [])
      // What comes later brings nothing back.
      try ada.updateDays()
      #expect(try ada.places().map(\.id) == [places[1].id])
      #expect(!holds(journal.path, near, ["48.12345"]))
    }
  }

  @Test func aMeasurementGoesWithItsTracksAndEvents() throws {
    try withJournal { journal, ada in
      for (index, name) in ["first", "SECRET", "third"].enumerated() {
        let start = Double(index) * 1_000
        try ada.start(name, at: time(start))
        try ada.append(DayScript.batch(from: start, to: start + 400))
        try ada.note("note \(name)", at: time(start + 300))
        try ada.pause(at: time(start + 400))
        try ada.resume(at: time(start + 600))
        try ada.append(DayScript.batch(from: start + 600, to: start + 900))
        if index < 2 { try ada.stop(at: time(start + 900)) }
      }
      let before = try ada.measurements()
      #expect(throws: JournalError.wrongState(.recording, wanted: .stopped)) {
        try ada.erase(before[2])
      }
      let fixes = before.map { $0.tracks.flatMap { track in track.fixes } }
      let lost = try fixes[1].flatMap { try ada.fixes(in: $0..<$0 + 1) }
      let third = try fixes[2].flatMap { try ada.fixes(in: $0..<$0 + 1) }
      try ada.erase(before[1])
      #expect(throws: JournalError.unknownMeasurement) { try ada.erase(before[1]) }
      let after = try ada.measurements()
      #expect(after.map(\.modality) == ["first", "third"])
      #expect(after.map(\.id) == [before[0].id, before[2].id])
      let moved = try after[1].tracks.flatMap { try ada.fixes(in: $0.fixes) }
      #expect(moved == third)
      #expect(!holds(journal.path, lost, ["SECRET"]))
      #expect(journal.check().problems == [])
      // A new measurement gets a number that no other one has.
      try ada.stop(at: time(3_000))
      let id = try ada.start("fourth", at: time(3_100))
      #expect(!after.map(\.id).contains(id))
      #expect(try ada.measurements().count == 3)
    }
  }

  @Test func daysAndEditsForgetTheInterval() throws {
    try withDay { journal, ada in
      try ada.setPurpose("SECRET", from: time(6_000), to: time(7_000))
      try ada.correctActivity(to: .train, from: time(4_700), to: time(5_200))
      try ada.splitItem(at: time(5_500))
      let lost = DayScript.fixes(from: 5_000, to: 9_100)
      try ada.erase(from: time(5_000), to: time(9_100))
      let items = try ada.items()
      #expect(items.map(\.kind) == ["stay", "trip", "stay", "trip", "gap", "stay"])
      #expect(items.count == 6 && items[4].start == time(5_000))
      #expect(!holds(journal.path, lost, ["SECRET"]))
      let edits = try ada.edits()
      #expect(edits.map(\.end) == [time(5_000)] && edits.map(\.change) == [.activity(.train)])
      #expect(journal.check().problems == [])
      // What comes later is computed as before.
      var late = DayScript.batch(from: 17_000, to: 18_000)
      late.fixes = late.fixes.map { fix in
        var fix = fix
        fix.timestamp = fix.timestamp.advanced(byNanoseconds: 1_000_000_000_000)
        return fix
      }
      try ada.append(late)
      try ada.updateDays()
      let later = try ada.items()
      #expect(later.map(\.kind) == ["stay", "trip", "stay", "trip", "gap", "stay"])
      #expect(later.last.map { $0.end > time(18_900) } == true)
      #expect(journal.check().problems == [])
      // All of it.
      try ada.erase(from: time(-1e6), to: time(1e6))
      #expect(try ada.daySpan() == nil)
      #expect(try ada.places().isEmpty)
      #expect(try ada.counts().fixes == 0)
    }
  }

  /// The places of the day, at home twice and at work once, by their names; and a copy of them in
  /// the units that are made next.
  private func recordPlaces(_ ada: UserJournal) throws -> [Place] {
    try ada.append(DayScript.batch(from: 0, to: 18_000))
    try ada.updateDays()
    for place in try ada.places() {
      let isHome = abs(place.latitude - DayScript.home.latitude) < 0.01
      try ada.renamePlace(place.id, to: isHome ? "home" : "SECRET clinic")
    }
    let (home, work) = (DayScript.home, DayScript.work)
    try ada.addPlace(
      Place(name: "SECRET desk", latitude: work.latitude + 1e-4, longitude: work.longitude + 1e-4))
    try ada.addPlace(
      Place(name: "island", latitude: home.latitude - 1, longitude: home.longitude))
    return try ada.places()
  }

  @Test func aPlaceGoesWithItsOnlyStayAlsoWhenItHasAName() throws {
    let path = folder.path("journal")
    let (journal, ada) = try openJournal(path)
    let places = try recordPlaces(ada)
    #expect(places.count == 4 && !places.contains { $0.isLearned })
    try ada.setPurpose("SECRET visit", from: time(5_000), to: time(8_000))
    try ada.setPlace(places[0].id, from: time(0), to: time(3_000))
    try UnitScript.makeUnits(ada)
    try ada.erase(from: time(4_400), to: time(9_100))
    let lost = places.filter { $0.name?.hasPrefix("SECRET") ?? false }
    #expect(lost.count == 2)
    #expect(Set(try ada.places().map(\.name)) == ["home", "island"])
    let numbers = lost.flatMap { [$0.latitude, $0.longitude] }
      .filter { $0 != DayScript.home.longitude }
    let coordinates = numbers.map {
      LocationFix(timestamp: time(0), latitude: $0, longitude: 0, horizontalAccuracy: nil)
    }
    #expect(!holds(path, coordinates, ["SECRET"]))
    #expect(journal.check().problems == [])
    // Nor does the archive hear of it.
    #expect(try ada.units().allSatisfy { $0.state == .withdrawn })
    try ada.updateDays()
    try UnitScript.makeUnits(ada)
    let copy = try Journal(path: folder.path("archive")).user("ada")
    for status in try ada.units(in: .pending) {
      try copy.append(ada.unit(status))
    }
    #expect(Set(try copy.places().map(\.name)) == ["home", "island"])
  }

  @Test(arguments: [false, true])
  func aPlaceStaysWhereAnotherStayOrAPartOfOneIsLeft(isGivenElsewhere: Bool) throws {
    try withJournal { _, ada in
      let clinic = try #require(try recordPlaces(ada).first { $0.name == "SECRET clinic" })
      if isGivenElsewhere {
        try ada.setPlace(clinic.id, from: time(13_000), to: time(18_000))
        try ada.erase(from: time(4_400), to: time(9_100))
      } else {
        try ada.erase(from: time(4_400), to: time(6_000))
      }
      #expect(try ada.places().contains(clinic))
    }
  }

  @Test func theEventsOfAMeasurementKeepOutOfTheInterval() throws {
    try withJournal { _, ada in
      try ada.start("walk", at: time(10))
      try ada.note("SECRET", at: time(30))
      try ada.pause(at: time(40))
      try ada.resume(at: time(60))
      try ada.stop(at: time(90))
      try ada.start("inside", at: time(100))
      try ada.stop(at: time(110))
      try ada.start("ride", at: time(120))
      try ada.stop(at: time(200))
      try ada.erase(from: time(20), to: time(150))
      let left = try ada.measurements()
      #expect(left.map(\.modality) == ["walk", "ride"])
      #expect(
        left.map { $0.events.map(\.timestamp) } == [
          [10, 20, 20, 20].map(time), [150, 200].map(time),
        ])
      #expect(left.allSatisfy { $0.state == .stopped })
    }
  }
}
