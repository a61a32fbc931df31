import Foundation
import Locomotion
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionRecordings
import LocomotionSalvage
import LocomotionSensing
import TestSupport
import Testing

/// Days tile the time, recognize their places, and keep the user's corrections.
@Suite struct DayTests {
  private let folder = ScratchFolder()

  private func items(
    _ user: UserJournal, from start: Double = -1e6, to end: Double = 1e6
  ) throws -> [TimelineItem] {
    let items = try user.dayItems(from: DayScript.time(start), to: DayScript.time(end))
    for (item, next) in zip(items, items.dropFirst()) {
      #expect(item.end == next.start && item.start < item.end)
    }
    for item in items where item.kind == "trip" {
      #expect(item.legs.first?.start == item.start && item.legs.last?.end == item.end)
      for (leg, next) in zip(item.legs, item.legs.dropFirst()) { #expect(leg.end == next.start) }
    }
    return items
  }

  private func expectTheDay(_ items: [TimelineItem]) {
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
      #expect(try items(user).isEmpty)
      #expect(try user.updateDays() != nil)
      #expect(try user.updateDays() == nil)
      let all = try items(user)
      expectTheDay(all)
      let span = try #require(try user.daySpan())
      #expect(span.start == all.first?.start && span.end == all.last?.end)
      #expect(try user.places().map(\.isLearned) == [true, true])
      // A part is cut at its ends, and its distance and steps are a fraction of the whole.
      let part = try items(user, from: 4_050, to: 10_000)
      #expect(part.map(\.kind) == ["trip", "stay", "gap"])
      #expect(part.first?.start == DayScript.time(4_050))
      #expect(part.last?.end == DayScript.time(10_000))
      #expect(abs((part[0].legs[0].distance ?? 0) - 6_750) < 500)
    }
  }

  /// Portions of the same length, the end before the beginning, and parts twice, as when a clock is
  /// set back.
  private static let arrivals: [[Range<Double>]] =
    [300.0, 1_000, 2_500, 7_000].map { portion in
      stride(from: 0.0, to: 18_000, by: portion).map { $0..<$0 + portion }
    } + [
      [4_600..<20_000, 0..<4_600],
      [0..<7_000, 5_000..<9_000, 12_600..<18_000, 200..<1_000],
    ]

  @Test(arguments: arrivals) func theDayIsTheSameInWhateverPartsItArrives(
    parts: [Range<Double>]
  ) throws {
    try withJournal { _, user in
      for part in parts {
        try user.append(DayScript.batch(from: part.lowerBound, to: part.upperBound))
        try user.updateDays()
        _ = try items(user)
      }
      expectTheDay(try items(user))
      #expect(try user.places().count == 2)
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
        let all = try items(user)
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
      let all = try items(user)
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
        PlaceDescription(
          name: "Home", latitude: DayScript.home.latitude + 50 / 111_200,
          longitude: DayScript.home.longitude))
      try user.append(DayScript.batch(from: 0, to: 18_000))
      try user.updateDays()
      let places = try items(user).compactMap { $0.asStay?.place }
      #expect(places.map(\.name) == ["Home", nil, "Home"])
      try user.renamePlace(places[1].id, to: "Work")
      #expect(try items(user)[2].asStay?.place?.name == "Work")
      try user.removePlace(named.id)
      let left = try items(user).map { $0.asStay?.place?.name }
      #expect(left == [nil, nil, "Work", nil, nil])
    }
  }

  @Test func damageIsReportedAndCorrectionsAndPlacesAreSalvaged() throws {
    let path = folder.path("journal")
    do {
      let user = try folder.user()
      try user.append(DayScript.batch(from: 0, to: 18_000))
      try user.updateDays()
      try user.addPlace(PlaceDescription(name: "x", latitude: 1, longitude: 2))
      try user.correctActivity(to: .train, from: DayScript.time(3_700), to: DayScript.time(4_400))
    }
    let sound = try folder.data("journal")
    let user = "(SELECT max(id) FROM"
    for statement in [
      "DELETE FROM items WHERE id = \(user) items)",
      "UPDATE places SET latitude = latitude + 1 WHERE id = \(user) places)",
      "DELETE FROM places WHERE id = \(user) places)",
      "DELETE FROM place_index WHERE id = \(user) places)",
      "UPDATE place_index SET x0 = 0, x1 = 0 WHERE id = \(user) places)",
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
    try folder.write(sound, to: "journal")
    #expect(FaultFileSystem.execute("DELETE FROM batches", at: path))
    let copy = folder.path("copy")
    _ = try Journal.salvage(from: path, to: copy)
    let journal = try Journal(path: copy)
    let ada = try journal.user("ada")
    #expect(try ada.places().map(\.name) == ["x"])
    #expect(try ada.corrections().map(\.activity) == [.train])
    #expect(journal.check().problems == [])
  }
}
