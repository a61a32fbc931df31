import Foundation
import Locomotion
import LocomotionJournal
import LocomotionRecordings
import TestSupport
import Testing

/// Days tile the time, recognize their places, and keep the user's corrections.
@Suite struct DayTests {
  private let folder = ScratchFolder()

  private func expectTheDay(_ items: [TimelineItem]) {
    for item in items where item.kind == "trip" {
      #expect(item.legs.first?.start == item.start && item.legs.last?.end == item.end)
      for (leg, next) in zip(item.legs, item.legs.dropFirst()) { #expect(leg.end == next.start) }
    }
    #expect(items.map(\.kind) == ["stay", "trip", "stay", "gap", "stay"])
    let starts = items.map { $0.start.seconds - DayScript.midnight }
    let expected = [0, 3_600, 4_500, 9_000, 12_600 + DayScript.absence]
    for (start, expected) in zip(starts, expected) {
      #expect(abs(start - expected) <= 60, "\(starts)")
    }
    guard items.count == 5 else { return }
    let places = items.compactMap { $0.asStay?.place?.id }
    #expect(places.count == 3 && places[0] == places[2] && places[0] != places[1])
    #expect(abs((items[1].legs[0].distance ?? 0) - 13_500) < 150)
    #expect(items.last?.isPartial == true)
  }

  @Test func aDayHasStaysTripsAndGapsAndItsPlacesAreRecognized() throws {
    try withJournal { _, user in
      #expect(try user.daySpan() == nil)
      #expect(try user.updateDays() == nil)
      try user.append(DayScript.batch(from: 0, to: 20_000))
      #expect(try user.items().isEmpty)
      #expect(try user.updateDays() != nil)
      #expect(try user.updateDays() == nil)
      let all = try user.items()
      expectTheDay(all)
      let span = try #require(try user.daySpan())
      #expect(span.start == all.first?.start && span.end == all.last?.end)
      #expect(try user.places().map(\.isLearned) == [true, true])
      // A part is cut at its ends, and its distance and steps are a fraction of the whole.
      let part = try user.items(from: 4_050, to: 10_000)
      #expect(part.map(\.kind) == ["trip", "stay", "gap"])
      #expect(part.first?.start == DayScript.time(4_050))
      #expect(part.last?.end == DayScript.time(10_000))
      #expect(abs((part[0].legs[0].distance ?? 0) - 6_750) < 500)
    }
  }

  @Test func correctionsAndPurposesSurviveRecomputation() throws {
    try withJournal { _, user in
      try user.append(DayScript.batch(from: 0, to: 5_000))
      try user.updateDays()
      func time(_ second: Double) -> Timestamp { DayScript.time(second) }
      try user.correctActivity(to: .train, from: time(3_700), to: time(4_400))
      try user.correctActivity(to: .cycling, from: time(4_000), to: time(4_200))
      try user.correctActivity(to: .walking, from: time(1_000), to: time(1_200))
      try user.setPurpose("sleeping", from: time(1_200), to: time(3_600))
      try user.setPurpose("work", from: time(4_600), to: time(4_900))
      for _ in 0..<2 {
        let all = try user.items()
        #expect(all.prefix(5).map(\.kind) == ["stay", "trip", "stay", "trip", "stay"])
        #expect(all[1].legs.map(\.activity) == [.walking])
        #expect(all[1].start == time(1_000) && all[1].end == time(1_200))
        let words = all[3].legs.filter(\.isCorrected)
        #expect(words.map(\.activity) == [.train, .cycling, .train])
        #expect(words.map(\.start) == [3_700, 4_000, 4_200].map(time))
        #expect(all[0].asStay?.purpose == nil)
        #expect(all[2].asStay?.purpose == "sleeping" && all[4].asStay?.purpose == "work")
        try user.append(DayScript.batch(from: 5_000, to: 18_000))
        try user.updateDays()
      }
      #expect(try user.corrections().map(\.activity) == [.walking, .train, .cycling, .train])
      // The trip becomes a stay, and the purpose is removed.
      try user.correctActivity(to: .stationary, from: time(3_000), to: time(5_000))
      try user.setPurpose("", from: time(4_600), to: time(4_900))
      let all = try user.items()
      #expect(all.map(\.kind) == ["stay", "trip", "stay", "stay", "gap", "stay"])
      #expect(all.allSatisfy { $0.asStay?.purpose != "work" })
      #expect(throws: JournalError.invalidInterval) {
        try user.correctActivity(to: .train, from: time(5), to: time(5))
      }
    }
  }

  @Test func namedPlacesStayAndAreRecognized() throws {
    try withJournal { _, user in
      let named = try user.addPlace(
        Place(
          name: "Home", latitude: DayScript.home.latitude + 50 / 111_200,
          longitude: DayScript.home.longitude))
      try user.append(DayScript.batch(from: 0, to: 18_000))
      try user.updateDays()
      let places = try user.items().compactMap { $0.asStay?.place }
      #expect(places.map(\.name) == ["Home", nil, "Home"])
      try user.renamePlace(places[1].id, to: "Work")
      #expect(try user.items()[2].asStay?.place?.name == "Work")
      try user.removePlace(named.id)
      let left = try user.items().map { $0.asStay?.place?.name }
      #expect(left == [nil, nil, "Work", nil, nil])
    }
  }

  @Test func damageIsReported() throws {
    let path = folder.path("journal")
    do {
      let user = try folder.user()
      try user.append(DayScript.batch(from: 0, to: 18_000))
      try user.updateDays()
      try user.addPlace(Place(name: "x", latitude: 1, longitude: 2))
      try user.correctActivity(to: .train, from: DayScript.time(3_700), to: DayScript.time(4_400))
    }
    let sound = try folder.data("journal")
    let user = "(SELECT max(id) FROM"
    for statement in [
      "DELETE FROM items WHERE id = \(user) items)",
      "INSERT INTO remarks (id, kind, start, end, value) VALUES (9 << 40, 1, 0, 1, 'x')",
      "DELETE FROM days",
    ] {
      for ending in ["-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + ending)
      }
      try folder.write(sound, to: "journal")
      #expect(FaultFileSystem.execute(statement, at: path))
      let journal = try Journal(path: path, access: .reading)
      #expect(!journal.check().isSound, "\(statement)")
    }
  }
}

/// A user's edits change the items, survive computation, and can be taken back.
@Suite struct EditTests {
  private func time(_ second: Double) -> Timestamp { DayScript.time(second) }

  /// Calls `body` with the items before and after the last part of the day is recorded.
  private func withEdits(
    _ edit: (UserJournal, [TimelineItem]) throws -> Void,
    then expect: (UserJournal, [TimelineItem]) throws -> Void
  ) throws {
    try withDay(until: 14_000) { journal, user in
      try edit(user, user.items())
      try expect(user, user.items())
      try user.append(DayScript.batch(from: 14_000, to: 18_000))
      // Late data, so that everything is computed again.
      var late = JournalBatch()
      late.fixes = [
        LocationFix(
          timestamp: time(1), latitude: DayScript.home.latitude,
          longitude: DayScript.home.longitude, horizontalAccuracy: 6)
      ]
      try user.append(late)
      try user.updateDays()
      try expect(user, user.items())
      #expect(journal.check().problems == [])
      for edit in try user.edits().reversed() {
        try user.removeEdit(edit)
        #expect(throws: JournalError.unknownEdit) { try user.removeEdit(edit) }
      }
      let kinds = try user.items().map(\.kind)
      #expect(kinds == ["stay", "trip", "stay", "gap", "stay"])
    }
  }

  @Test func anEdgeMovesIntoEitherItem() throws {
    try withEdits { user, items in
      // Home, trip, work, gap, home.
      try user.moveEdge(from: items[1].start, to: time(3_300))
      try user.moveEdge(from: items[2].start, to: time(4_800))
      try user.moveEdge(from: items[4].start, to: time(11_000))
      #expect(throws: JournalError.self) {
        try user.moveEdge(from: time(1_000), to: time(900))
      }
      for step in [0, -1] as [Int64] {
        // Neither to itself nor so that the gap grows.
        #expect(throws: JournalError.self) {
          try user.moveEdge(
            from: items[3].start, to: items[3].start.advanced(byNanoseconds: step))
        }
      }
      #expect(try user.edits().count == 3)
    } then: { user, items in
      #expect(items.map(\.kind) == ["stay", "trip", "stay", "gap", "stay"])
      guard items.count == 5 else { return }
      #expect(items[1].start == time(3_300) && items[1].end == time(4_800))
      #expect(items[4].start == time(11_000))
      #expect(items[1].legs.count == 1 && items[1].legs.allSatisfy { !$0.isCorrected })
      #expect(items[4].asStay?.place != nil && items[4].asStay?.location != nil)
      // An edge is no statement about the activity.
      let corrections = try user.corrections()
      #expect(corrections.isEmpty)
    }
  }

  @Test func itemsMergeIntoOneStay() throws {
    try withEdits { user, items in
      try user.mergeItems(asStay: true, from: items[0].start, to: items[2].end)
      #expect(throws: JournalError.self) {
        try user.mergeItems(asStay: true, from: time(100), to: time(200))
      }
    } then: { user, items in
      #expect(items.map(\.kind) == ["stay", "gap", "stay"])
      guard items.count == 3 else { return }
      // The stay at work was the longer one.
      let place = try #require(items[0].asStay?.place)
      #expect(abs(place.latitude - DayScript.work.latitude) < 1e-3)
      // Parts of it are the same stay.
      let part = try user.dayItems(from: time(3_700), to: time(3_800))
      #expect(part.map(\.kind) == ["stay"] && part[0].asStay?.place == place)
    }
  }

  @Test func tripsMergeAcrossAStay() throws {
    try withEdits { user, items in
      try user.correctActivity(to: .cycling, from: time(6_000), to: time(7_000))
      try user.mergeItems(asStay: false, from: items[1].start, to: time(7_000))
      #expect(throws: JournalError.self) {
        try user.mergeItems(asStay: false, from: time(7_100), to: time(12_700))
      }
    } then: { _, items in
      #expect(items.map(\.kind) == ["stay", "trip", "stay", "gap", "stay"])
      guard items.count == 5 else { return }
      #expect(items[1].end == time(7_000))
      #expect(items[1].legs.count == 2 && items[1].legs[1].activity == .cycling)
      #expect(items[1].legs[1].start == time(6_000))
    }
  }

  @Test func anItemIsSplitAndItsHalvesAreEditedApart() throws {
    try withEdits { user, _ in
      try user.splitItem(at: time(6_000))
      try user.splitItem(at: time(4_000))
      let cafe = try user.addPlace(
        Place(
          name: "café", latitude: DayScript.work.latitude, longitude: DayScript.work.longitude))
      try user.setPlace(cafe.id, from: time(4_600), to: time(5_900))
      try user.setPurpose("lunch", from: time(4_600), to: time(5_900))
      for instant in [9_000.0, 10_000] {
        #expect(throws: JournalError.self) { try user.splitItem(at: time(instant)) }
      }
      #expect(throws: JournalError.unknownPlace) {
        try user.setPlace(99, from: time(4_600), to: time(5_900))
      }
    } then: { _, items in
      #expect(items.map(\.kind) == ["stay", "trip", "trip", "stay", "stay", "gap", "stay"])
      guard items.count == 7 else { return }
      #expect(items[2].start == time(4_000) && items[4].start == time(6_000))
      #expect(items[3].asStay?.place?.name == "café" && items[3].asStay?.purpose == "lunch")
      #expect(items[4].asStay?.place?.name == nil && items[4].asStay?.purpose == nil)
    }
  }

  @Test func editsKeepTheirOrder() throws {
    try withEdits { user, items in
      try user.correctActivity(to: .train, from: time(3_700), to: time(4_400))
      try user.correctActivity(to: .running, from: time(3_700), to: time(4_400))
      let edits = try user.edits()
      #expect(edits.map(\.change) == [.activity(.train), .activity(.running)])
      #expect(edits.map(\.id) == [0, 1])
      try user.removeEdit(edits[0])
      try user.correctActivity(to: .walking, from: time(3_700), to: time(4_400))
      #expect(try user.edits().map(\.id) == [1, 2])
      #expect(Set(items.map(\.id)).count == items.count)
    } then: { _, items in
      #expect(items[1].legs.map(\.activity).contains(.walking))
      #expect(!items[1].legs.map(\.activity).contains(.running))
    }
  }
}

/// Activities beside the six in the days of a journal.
@Suite struct OwnActivityTests {
  private let folder = ScratchFolder()

  private let scooter = CustomActivity(name: "scooter", behavesLike: .cycling)
  private let skiing = CustomActivity(name: "skiing", behavesLike: nil)

  private func legs(_ user: UserJournal) throws -> [Trip.Leg] {
    try user.items(from: 0, to: 9_000).flatMap(\.legs)
  }

  @Test func aCorrectionNamesALegAndItsTotalsAndIsTakenBack() throws {
    try withDay(until: 9_000) { journal, user in
      let before = try legs(user)
      let leg = try #require(before.first)
      try user.correctActivity(to: try #require(scooter), from: leg.start, to: leg.end)
      let named = try #require(try legs(user).first)
      #expect(named.name == "scooter" && named.activity == .cycling && named.isCorrected)
      let totals = try user.totals(from: DayScript.time(0), to: DayScript.time(9_000))
      #expect(totals.customTravel[try #require(scooter)] == totals.parts[.travel(.cycling)])
      #expect(totals.known.seconds <= 9_000)
      #expect(try user.corrections().map(\.activity) == [.cycling])
      let calendar = Calendar(identifier: .gregorian)
      let date = try #require(CivilDay(holding: leg.start, calendar))
      let day = Day(date, try user.dayItems(from: date.start, to: date.end))
      #expect(try day.json.contains(#""customActivity":"scooter""#))
      let again = try Journal(path: journal.path, access: .reading).user("ada")
      #expect(try legs(again) == legs(user))
      try user.removeEdit(try #require(user.edits().last))
      #expect(try legs(user) == before)
    }
  }

  /// It teaches nothing of the six, and takes what was stated of its time before.
  @Test func anActivityThatBehavesLikeNoneIsUnknownTravel() throws {
    try withDay(until: 9_000) { _, user in
      let leg = try #require(try legs(user).first)
      try user.correctActivity(to: .train, from: leg.start, to: leg.end)
      try user.correctActivity(to: try #require(skiing), from: leg.start, to: leg.end)
      let named = try #require(try legs(user).first)
      #expect(named.name == "skiing" && named.activity == nil)
      #expect(try user.corrections().isEmpty)
      let totals = try user.totals(from: DayScript.time(0), to: DayScript.time(9_000))
      #expect(totals.customTravel[try #require(skiing)] == totals.parts[.travel(nil)])
    }
  }

  @Test func aMovedEdgeGoesOnWithTheLegThatGrows() throws {
    try withDay(until: 9_000) { _, user in
      let leg = try #require(try legs(user).first)
      try user.correctActivity(to: try #require(skiing), from: leg.start, to: leg.end)
      let end = leg.end.advanced(byNanoseconds: 120_000_000_000)
      try user.moveEdge(from: leg.end, to: end)
      let grown = try legs(user)
      #expect(grown.map(\.name) == ["skiing"] && grown[0].end == end)
    }
  }

  /// A model that takes every ride for one of its own activities.
  private func model(of activity: CustomActivity) -> ActivityModel {
    let base = ActivityModel.default
    let count = base.featureCount
    var function = base.parameters.function
    function.weights = Array(
      repeating: 0, count: 1 + count * (1 + ActivityModel.knotsPerFeature))
    function.weights[0] = 20
    return base.with {
      $0.custom = ActivityModel.CustomTerm(activities: [activity], function: function)
    }
  }

  @Test func whatAModelFindsIsStoredAndComputedAgain() throws {
    let path = folder.path("journal")
    let stroll = try #require(CustomActivity(name: "stroll", behavesLike: .walking))
    do {
      let user = try folder.user()
      for batch in DayUpdateTests.batches { try user.append(JournalBatch(batch)) }
      try user.updateDays(model: model(of: stroll))
      #expect(try user.items().flatMap(\.legs).map(\.name).contains("stroll"))
    }
    let (journal, user) = try openJournal(path)
    let legs = try user.items().flatMap(\.legs)
    #expect(legs.map(\.name).contains("stroll") && journal.check().problems == [])
    let span = try #require(try user.daySpan())
    try user.erase(from: span.start, to: span.end)
    #expect(try user.items().isEmpty)
  }
}

/// Totals of days, weeks and months add up, also where clocks are changed.
@Suite struct TotalsTests {
  private func time(_ second: Double) -> Timestamp { DayScript.time(second) }

  private func berlin() throws -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
    calendar.firstWeekday = 2
    return calendar
  }

  @Test func totalsOfADayAreTheSumsOfItsItems() throws {
    try withDay { _, user in
      let totals = try user.totals(from: time(0), to: time(86_400))
      let items = try user.dayItems(from: time(0), to: time(86_400))
      #expect(totals == Totals(of: items, from: time(0), to: time(86_400)))
      #expect(totals.stays == 3 && totals.trips == 1)
      #expect(abs(totals.known.seconds + totals.unknownSeconds - 86_400 - DayScript.absence) < 1e-6)
      #expect(totals.unknownSeconds > 86_400 - 18_000)
      #expect(throws: JournalError.invalidInterval) {
        try user.totals(from: time(1), to: time(1))
      }
    }
  }

  @Test(arguments: [Calendar.Component.day, .weekOfYear, .month])
  func periodsTileTheTimeAndAddUp(period: Calendar.Component) throws {
    try withDay { _, user in
      let calendar = try berlin()
      let all = try user.totals(
        by: period, from: time(-40 * 86_400), to: time(200 * 86_400), in: calendar)
      for (one, next) in zip(all, all.dropFirst()) { #expect(one.end == next.start) }
      let whole = try user.totals(from: time(0), to: time(18_000))
      let sum = try #require(Totals.sum(all))
      #expect((sum.stays, sum.trips) == (whole.stays, whole.trips))
      #expect(abs(sum.known.seconds - whole.known.seconds) < 1e-6)
      let hours = Set(all.map { Int($0.end.seconds(since: $0.start) / 3_600) })
      // Winter and spring of 2023 and 2024: one day has 25 hours, another one 23.
      switch period {
      case .day: #expect(hours == [23, 24, 25] && all.count == 242)
      case .weekOfYear: #expect(hours.contains(167))
      default: #expect(hours.contains(29 * 24) && hours.contains(31 * 24 - 1))
      }
    }
  }

  @Test func tracksHaveTheFixesOfEachLeg() throws {
    try withDay { _, user in
      let items = try user.dayItems(from: time(0), to: time(18_000))
      let trip = try #require(items.first { $0.kind == "trip" })
      let tracks = try user.tracks(of: [trip])
      #expect(tracks.map(\.leg) == trip.legs)
      #expect(tracks[0].points.count > 150)
      #expect(
        tracks[0].points.allSatisfy {
          tracks[0].leg.start <= $0.timestamp && $0.timestamp < tracks[0].leg.end
        })
      // With more of the day the smoothing knows more; the difference is below a metre.
      let all = try user.tracks(of: items)
      #expect(all.map(\.leg) == trip.legs && all[0].points.count == tracks[0].points.count)
      for (one, other) in zip(all[0].points, tracks[0].points) {
        #expect(one.timestamp == other.timestamp && abs(one.latitude - other.latitude) < 1e-5)
      }
      #expect(try user.tracks(of: [items[0]]).isEmpty)
    }
  }

  @Test func datesAndTimestampsConvert() throws {
    let instant = Timestamp(nanoseconds: 1_700_000_000_250_000_000)
    #expect(Date(instant).timeIntervalSince1970 == 1_700_000_000.25)
    #expect(Timestamp(Date(instant)) == instant)
    #expect(Timestamp(Date(timeIntervalSince1970: 1e12)) == nil)
  }
}
