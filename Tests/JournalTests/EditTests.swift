import Foundation
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionSensing
import Testing

/// A user's edits change the items, survive computation, and can be taken back.
@Suite struct EditTests {
  private func time(_ second: Double) -> Timestamp { DayScript.time(second) }

  private func items(_ journal: borrowing Journal, _ user: JournalUser) throws -> [DayItem] {
    let items = try journal.dayItems(of: user, from: time(-1e6), to: time(1e6))
    for (item, next) in zip(items, items.dropFirst()) {
      #expect(item.end == next.start && item.start < item.end)
    }
    return items
  }

  /// Calls `body` with the items before and after the last part of the day is recorded.
  private func withDay(
    _ edit: (inout Journal, JournalUser, [DayItem]) throws -> Void,
    then expect: (borrowing Journal, JournalUser, [DayItem]) throws -> Void
  ) throws {
    try withTemporaryFolder { folder in
      var journal = try Journal(path: folder.appendingPathComponent("journal").path)
      let user = try journal.user("ada")
      try journal.append(DayScript.batch(from: 0, to: 14_000), for: user)
      try journal.updateDays(of: user)
      try edit(&journal, user, try items(journal, user))
      try expect(journal, user, try items(journal, user))
      try journal.append(DayScript.batch(from: 14_000, to: 18_000), for: user)
      // Late data, so that everything is computed again.
      var late = JournalBatch()
      late.fixes = [
        LocationFix(
          timestamp: time(1), latitude: DayScript.home.latitude,
          longitude: DayScript.home.longitude, horizontalAccuracy: 6)
      ]
      try journal.append(late, for: user)
      try journal.updateDays(of: user)
      try expect(journal, user, try items(journal, user))
      #expect(journal.check().problems == [])
      for edit in try journal.edits(of: user).reversed() {
        try journal.removeEdit(edit, for: user)
        #expect(throws: JournalError.unknownEdit) { try journal.removeEdit(edit, for: user) }
      }
      let kinds = try items(journal, user).map(\.kind)
      #expect(kinds == ["stay", "trip", "stay", "gap", "stay"])
      #expect(journal.check().problems == [])
    }
  }

  @Test func anEdgeMovesIntoEitherItem() throws {
    try withDay { journal, user, items in
      // Home, trip, work, gap, home.
      try journal.moveEdge(from: items[1].start, to: time(3_300), for: user)
      try journal.moveEdge(from: items[2].start, to: time(4_800), for: user)
      try journal.moveEdge(from: items[4].start, to: time(11_000), for: user)
      #expect(throws: JournalError.self) {
        try journal.moveEdge(from: time(1_000), to: time(900), for: user)
      }
      #expect(throws: JournalError.self) {
        try journal.moveEdge(from: items[3].start, to: items[3].start, for: user)
      }
    } then: { journal, user, items in
      #expect(items.map(\.kind) == ["stay", "trip", "stay", "gap", "stay"])
      guard items.count == 5 else { return }
      #expect(items[1].start == time(3_300) && items[1].end == time(4_800))
      #expect(items[4].start == time(11_000))
      #expect(items[1].legs.count == 1 && items[1].legs.allSatisfy { !$0.isCorrected })
      #expect(items[4].stay?.place != nil && items[4].stay?.location != nil)
      // An edge is no statement about the activity.
      let corrections = try journal.corrections(of: user)
      #expect(corrections.isEmpty)
    }
  }

  @Test func aGapCannotGrow() throws {
    try withDay { journal, user, items in
      #expect(throws: JournalError.self) {
        try journal.moveEdge(
          from: items[3].start, to: items[3].start.advanced(byNanoseconds: -1),
          for: user)
      }
      let edits = try journal.edits(of: user)
      #expect(edits.isEmpty)
    } then: { _, _, items in
      #expect(items.map(\.kind) == ["stay", "trip", "stay", "gap", "stay"])
    }
  }

  @Test func itemsMergeIntoOneStay() throws {
    try withDay { journal, user, items in
      try journal.mergeItems(asStay: true, from: items[0].start, to: items[2].end, for: user)
      #expect(throws: JournalError.self) {
        try journal.mergeItems(asStay: true, from: time(100), to: time(200), for: user)
      }
    } then: { journal, user, items in
      #expect(items.map(\.kind) == ["stay", "gap", "stay"])
      guard items.count == 3 else { return }
      // The stay at work was the longer one.
      let place = try #require(items[0].stay?.place)
      #expect(abs(place.latitude - DayScript.work.latitude) < 1e-3)
      // Parts of it are the same stay.
      let part = try journal.dayItems(of: user, from: time(3_700), to: time(3_800))
      #expect(part.map(\.kind) == ["stay"] && part[0].stay?.place == place)
    }
  }

  @Test func tripsMergeAcrossAStay() throws {
    try withDay { journal, user, items in
      try journal.correctActivity(to: .cycling, from: time(6_000), to: time(7_000), for: user)
      try journal.mergeItems(asStay: false, from: items[1].start, to: time(7_000), for: user)
      #expect(throws: JournalError.self) {
        try journal.mergeItems(asStay: false, from: time(7_100), to: time(12_700), for: user)
      }
    } then: { _, _, items in
      #expect(items.map(\.kind) == ["stay", "trip", "stay", "gap", "stay"])
      guard items.count == 5 else { return }
      #expect(items[1].end == time(7_000))
      #expect(items[1].legs.count == 2 && items[1].legs[1].activity == .cycling)
      #expect(items[1].legs[1].start == time(6_000))
    }
  }

  @Test func anItemIsSplitAndItsHalvesAreEditedApart() throws {
    try withDay { journal, user, _ in
      try journal.splitItem(at: time(6_000), for: user)
      try journal.splitItem(at: time(4_000), for: user)
      let cafe = try journal.addPlace(
        PlaceDescription(
          name: "café", latitude: DayScript.work.latitude, longitude: DayScript.work.longitude),
        for: user)
      try journal.setPlace(cafe.id, from: time(4_600), to: time(5_900), for: user)
      try journal.setPurpose("lunch", from: time(4_600), to: time(5_900), for: user)
      for instant in [9_000.0, 10_000] {
        #expect(throws: JournalError.self) { try journal.splitItem(at: time(instant), for: user) }
      }
      #expect(throws: JournalError.unknownPlace) {
        try journal.setPlace(99, from: time(4_600), to: time(5_900), for: user)
      }
    } then: { _, _, items in
      #expect(items.map(\.kind) == ["stay", "trip", "trip", "stay", "stay", "gap", "stay"])
      guard items.count == 7 else { return }
      #expect(items[2].start == time(4_000) && items[4].start == time(6_000))
      #expect(items[3].stay?.place?.name == "café" && items[3].stay?.purpose == "lunch")
      #expect(items[4].stay?.place?.name == nil && items[4].stay?.purpose == nil)
    }
  }

  @Test func editsKeepTheirOrderAndAnItemCanBeEncoded() throws {
    try withDay { journal, user, items in
      try journal.correctActivity(to: .train, from: time(3_700), to: time(4_400), for: user)
      try journal.correctActivity(to: .running, from: time(3_700), to: time(4_400), for: user)
      let edits = try journal.edits(of: user)
      #expect(edits.map(\.change) == [.activity(.train), .activity(.running)])
      #expect(edits.map(\.id) == [0, 1])
      try journal.removeEdit(edits[0], for: user)
      try journal.correctActivity(to: .walking, from: time(3_700), to: time(4_400), for: user)
      #expect(try journal.edits(of: user).map(\.id) == [1, 2])
      let data = try JSONEncoder().encode(items)
      #expect(try JSONDecoder().decode([DayItem].self, from: data) == items)
      #expect(Set(items.map(\.id)).count == items.count)
    } then: { _, _, items in
      #expect(items[1].legs.map(\.activity).contains(.walking))
      #expect(!items[1].legs.map(\.activity).contains(.running))
    }
  }
}
