import Foundation
internal import Locomotion
import LocomotionJournal
import TestSupport
import Testing

/// What repeats in weeks of a commuter is learned: their places, and how they travel between them.
@Suite struct HabitTests {
  /// The longest leg of a trip.
  private func mainLeg(_ item: TimelineItem) -> Trip.Leg? {
    item.legs.max { ($0.distance ?? 0) < ($1.distance ?? 0) }
  }

  private static let taughtDays = 28

  /// Records six weeks day by day; in the first four, if the journal is taught, the wrong modes are
  /// corrected each noon, and the right ones of every other day confirmed.
  ///
  /// - Returns: The last two weeks: the journeys found, and those whose mode is right.
  private func live(
    _ script: WeekScript, isTaught: Bool, in ada: UserJournal
  ) throws -> (found: Int, right: Int) {
    var (found, right) = (0, 0)
    for day in 0..<42 {
      let start = Double(day) * WeekScript.day
      try ada.append(script.batch(from: start, to: start + WeekScript.day))
      try ada.updateDays()
      let noon = WeekScript.monday + start + 43_200
      for item in try ada.dayItems(from: .at(noon - 86_400), to: .at(noon)) {
        guard let leg = mainLeg(item), let truth = script.journey(from: item.start, to: item.end)
        else { continue }
        if day > Self.taughtDays {
          found += 1
          if leg.activity == truth.mode { right += 1 }
        } else if isTaught, leg.activity != truth.mode || day % 2 == 0 {
          try ada.correctActivity(to: truth.mode, from: leg.start, to: leg.end)
        }
      }
    }
    return (found, right)
  }

  @Test(arguments: WeekScript.commutes, TestLength.runs([20], long: [8.0, 20]))
  func confirmedTripsNameThoseThatFollow(commute: [Activity], error: Double) throws {
    let script = WeekScript(weeks: 6, commute: commute, error: error, seed: 5)
    try withJournal { journal, ada in
      let bob = try journal.user("bob")
      let without = try live(script, isTaught: false, in: bob)
      let with = try live(script, isTaught: true, in: ada)
      #expect(with.found == without.found && with.found > 40)
      #expect(with.right >= without.right)
      if Set(commute).count == 1 { #expect(Double(with.right) >= 0.99 * Double(with.found)) }
    }
  }

  @Test(arguments: [5.0, 12, 25])
  func staysAtOnePlaceHaveOneNumber(error: Double) throws {
    let script = WeekScript(weeks: 4, commute: WeekScript.commutes[0], error: error, seed: 9)
    try withJournal { _, ada in
      for day in 0..<28 {
        let start = Double(day) * WeekScript.day
        try ada.append(script.batch(from: start, to: start + WeekScript.day))
        try ada.updateDays()
      }
      let stays = try ada.items().compactMap { item in
        item.asStay.map { (script.site(from: item.start, to: item.end), $0.place?.id) }
      }
      var (pairs, right) = (0, 0)
      for (index, one) in stays.enumerated() {
        for other in stays[..<index] where one.0 != nil && other.0 != nil {
          pairs += 1
          if (one.0 == other.0) == (one.1 == other.1 && one.1 != nil) { right += 1 }
        }
      }
      #expect(pairs > 4_000 && Double(right) >= 0.99 * Double(pairs))
      #expect(try ada.places().count == WeekScript.Site.allCases.count)
    }
  }

  private static let utc: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  private func time(_ day: Int, _ hour: Double) -> Timestamp {
    .at(WeekScript.monday + Double(day) * WeekScript.day + hour * 3_600)
  }

  /// A journal with three weeks and a half of a script, updated once.
  private func withWeeks(
    _ commute: [Activity] = WeekScript.commutes[0], until days: Double = 24.4,
    _ body: (UserJournal, UserJournal, WeekScript) throws -> Void
  ) throws {
    let script = WeekScript(weeks: 4, commute: commute, error: 10, seed: 3)
    try withJournal { journal, ada in
      let bob = try journal.user("bob")
      try ada.append(script.batch(from: 0, to: days * WeekScript.day))
      try ada.updateDays()
      try body(ada, bob, script)
    }
  }

  /// The number of the place where the user is at noon or so.
  private func place(_ ada: UserJournal, _ day: Int, _ hour: Double) throws -> Int? {
    try ada.dayItems(from: time(day, hour), to: time(day, hour + 0.1)).first?.asStay?.place?.id
  }

  @Test func homeAndWorkAreProposedAndNeverCertain() throws {
    try withWeeks { ada, _, _ in
      let summaries = try ada.placeSummaries(in: Self.utc)
      let (home, work) = (try place(ada, 7, 3), try place(ada, 7, 10))
      let roles = summaries.compactMap { summary in
        summary.role.map { (summary.place.id, $0.kind, $0.probability) }
      }
      #expect(roles.count == 2)
      #expect(roles.contains { $0.0 == home && $0.1 == .home && 0.9..<1 ~= $0.2 })
      #expect(roles.contains { $0.0 == work && $0.1 == .work && 0.9..<1 ~= $0.2 })
      let atHome = try #require(summaries.first { $0.place.id == home })
      // Of three weeks and a half, most nights.
      #expect(20 * 36_000..<24 * 86_400 ~= atHome.duration)
    }
  }

  @Test func aLegInDoubtHasTwoAnswersUntilItIsCorrected() throws {
    try withWeeks { ada, _, _ in
      func doubt(_ day: Int) throws -> LegQuestion? {
        try ada.doubtfulLeg(from: time(day, 0), to: time(day, 24))
      }
      for day in 0..<24 {
        guard let question = try doubt(day) else { continue }
        #expect(question.answers.count == 2)
        #expect(question.answers[0].probability >= question.answers[1].probability)
        #expect(question.answers[1].probability >= 0.15)
        try ada.correctActivity(
          to: question.answers[1].activity, from: question.start, to: question.end)
        let next = try doubt(day)
        #expect(next.map { $0.end <= question.start || question.end <= $0.start } ?? true)
        return
      }
      Issue.record("no leg is in doubt")
    }
  }

  @Test func mergingAPlaceCanBeUndone() throws {
    try withWeeks { ada, _, _ in
      let work = try #require(try place(ada, 1, 10))
      let canteen = try #require(try place(ada, 1, 12.7))
      #expect(work != canteen)
      let before = try ada.dayItems(from: time(0, 0), to: time(24, 0))
      try ada.mergePlace(canteen, into: work)
      #expect(try place(ada, 1, 12.7) == work)
      #expect(try !ada.places().contains { $0.id == canteen })
      #expect(throws: JournalError.self) { try ada.mergePlace(work, into: canteen) }
      #expect(throws: JournalError.self) { try ada.mergePlace(work, into: work) }
      #expect(throws: JournalError.unknownPlace) { try ada.mergePlace(99, into: work) }
      let edit = try #require(try ada.edits().last)
      #expect(edit.change == .samePlace(canteen, as: work))
      try ada.removeEdit(edit)
      #expect(try ada.dayItems(from: time(0, 0), to: time(24, 0)) == before)
    }
  }

  @Test func aStayCanBeAtAPlaceOfItsOwn() throws {
    try withWeeks { ada, _, _ in
      let home = try #require(try place(ada, 7, 3))
      let new = try ada.splitPlace(atStayFrom: time(7, 2), to: time(7, 4), name: "annex")
      #expect(try place(ada, 7, 3) == new.id && new.id != home && new.name == "annex")
      #expect(throws: JournalError.self) {
        try ada.splitPlace(atStayFrom: time(60, 2), to: time(60, 4))
      }
      for edit in try ada.edits() { try ada.removeEdit(edit) }
      #expect(try place(ada, 7, 3) == home)
    }
  }

  @Test func habitsAreNobodyElses() throws {
    try withWeeks { ada, bob, script in
      try bob.append(script.batch(from: 0, to: 10 * WeekScript.day))
      try bob.updateDays()
      let before = try bob.dayItems(from: time(0, 0), to: time(10, 0))
      for item in try ada.dayItems(from: time(0, 0), to: time(10, 0)) {
        for leg in item.legs { try ada.correctActivity(to: .train, from: leg.start, to: leg.end) }
      }
      #expect(try bob.dayItems(from: time(0, 0), to: time(10, 0)) == before)
      #expect(before.flatMap(\.legs).allSatisfy { $0.inference?.confirmedTrips ?? 0 == 0 })
    }
  }

  @Test func whatIsErasedIsNoHabit() throws {
    try withWeeks { ada, _, _ in
      let commute = try #require(
        try ada.dayItems(from: time(1, 7), to: time(1, 9.5)).first { !$0.legs.isEmpty })
      try ada.correctActivity(to: .train, from: commute.start, to: commute.end)
      func habit() throws -> Int {
        try ada.dayItems(from: time(8, 7), to: time(8, 9.5)).flatMap(\.legs)
          .compactMap { $0.inference?.confirmedTrips }.max() ?? 0
      }
      #expect(try habit() == 1)
      try ada.erase(from: time(1, 6), to: time(1, 10))
      #expect(try habit() == 0)
    }
  }

  /// The recorder is kept from call to call, with what it has buffered.
  @Test func aSessionKeepsItsRecorder() async throws {
    let folder = ScratchFolder()
    let session = try JournalSession(path: folder.path("journal"))
    let ada = try await session.user("ada")
    let start = time(30, 0)
    try await ada.withRecorder { try $0.start("WALKING", at: start) }
    var batch = SensorBatch()
    batch.accelerations.append(x: 0, y: 0, z: 9.81, at: start)
    try await ada.withRecorder { [batch] in try $0.add(batch) }
    #expect(try await ada.withRecorder { $0.pendingCount } == 1)
    try await ada.withRecorder { try $0.stop(at: start.advanced(byNanoseconds: 1)) }
    #expect(try await ada.withJournal { try $0.counts() }.samples == 1)
    #expect(try await ada.withRecorder { $0.state } == .stopped)
  }
}

/// Places are found within a radius, nearest first, everywhere on the Earth and by their user only.
@Suite struct PlaceTests {
  /// The expected result, by a linear search.
  private func oracle(
    _ places: [Place], within radius: Double, of latitude: Double, _ longitude: Double
  ) -> [String] {
    places.map { place in
      (
        place.name ?? "",
        Geodesic(from: (latitude, longitude), to: (place.latitude, place.longitude)).distance
      )
    }
    .filter { $0.1 <= radius }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
  }

  /// Places around a centre; at a pole, on all meridians.
  private func scatter(
    _ count: Int, latitude: Double, longitude: Double, metres: Double, seed: UInt64
  ) -> [Place] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { number in
      let north = random.nextNormal() * metres / 111_000
      let scale = max(cos(latitude * .pi / 180), 1e-9)
      let east = random.nextNormal() * metres / 111_000 / scale
      var place = (latitude: latitude + north, longitude: longitude + east)
      if abs(place.latitude) > 90 {
        place.latitude = (place.latitude > 0 ? 180 : -180) - place.latitude
      }
      place.longitude = place.longitude.remainder(dividingBy: 360)
      let name = String(number + 10_000)
      return Place(name: name, latitude: place.latitude, longitude: place.longitude)
    }
  }

  @Test(arguments: [
    (48.137, 11.575), (0, 180), (-17.8, -180), (65.0, 179.999), (90, 0), (90, -77), (-90, 123),
    (89.999, 45), (-89.998, -180), (0, 0), (-54.8, -68.3),
  ])
  func aSearchFindsAllPlacesNearestFirst(latitude: Double, longitude: Double) throws {
    try withJournal { journal, ada in
      let bob = try journal.user("bob")
      let places = scatter(
        1_500, latitude: latitude, longitude: longitude, metres: 400, seed: 11)
      try ada.restore(Array(places[..<700]), [])
      let others = places.map { Place(name: "x", latitude: $0.latitude, longitude: $0.longitude) }
      try bob.restore(others, [])
      try ada.restore(Array(places[700...]), [])
      for radius in [0, 1, 50, 200, 1_000, 30_000, 3e7] {
        let found = try ada.places(within: radius, ofLatitude: latitude, longitude: longitude)
        #expect(found.map(\.place.name) == oracle(places, within: radius, of: latitude, longitude))
        for (place, next) in zip(found, found.dropFirst()) {
          #expect(place.distance <= next.distance)
        }
      }
      let edge = try #require(
        try ada.places(within: 500, ofLatitude: latitude, longitude: longitude).last)
      let exact = try ada.places(within: edge.distance, ofLatitude: latitude, longitude: longitude)
      #expect(exact.last?.place == edge.place)
    }
  }

  @Test func placesCanBeRenamedAndRemovedAndNumbersAreNotReused() throws {
    try withJournal { journal, ada in
      let bob = try journal.user("bob")
      let home = try ada.addPlace(Place(name: "home", latitude: 10, longitude: 20))
      try ada.renamePlace(home.id, to: "old home")
      #expect(throws: JournalError.unknownPlace) {
        try bob.renamePlace(home.id, to: "mine")
      }
      #expect(throws: JournalError.unknownPlace) { try bob.removePlace(home.id) }
      #expect(try ada.places().map(\.name) == ["old home"])
      try ada.removePlace(home.id)
      #expect(throws: JournalError.unknownPlace) { try ada.removePlace(home.id) }
      #expect(try ada.places(within: 1e6, ofLatitude: 10, longitude: 20).isEmpty)
      let next = try ada.addPlace(Place(name: "work", latitude: 10, longitude: 20))
      #expect(next.id != home.id)
      for bad in [
        Place(name: "", latitude: 91, longitude: 0),
        Place(name: "", latitude: .nan, longitude: 0),
        Place(name: "", latitude: 0, longitude: 181),
        Place(name: "", latitude: 0, longitude: 0, radius: -1),
        Place(
          name: String(repeating: "x", count: 1_025), latitude: 0, longitude: 0),
      ] {
        #expect(throws: JournalError.self) { try ada.addPlace(bad) }
      }
      #expect(try ada.places().count == 1)
    }
  }
}
