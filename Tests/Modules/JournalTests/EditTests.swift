import Foundation
import Locomotion
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionSensing
import Testing

/// A user's edits change the items, survive computation, and can be taken back.
@Suite struct EditTests {
  private func time(_ second: Double) -> Timestamp { DayScript.time(second) }

  private func items(_ user: UserJournal) throws -> [TimelineItem] {
    let items = try user.dayItems(from: time(-1e6), to: time(1e6))
    for (item, next) in zip(items, items.dropFirst()) {
      #expect(item.end == next.start && item.start < item.end)
    }
    return items
  }

  /// Calls `body` with the items before and after the last part of the day is recorded.
  private func withDay(
    _ edit: (UserJournal, [TimelineItem]) throws -> Void,
    then expect: (UserJournal, [TimelineItem]) throws -> Void
  ) throws {
    try withJournal { journal, user in
      try user.append(DayScript.batch(from: 0, to: 14_000))
      try user.updateDays()
      try edit(user, try items(user))
      try expect(user, try items(user))
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
      try expect(user, try items(user))
      #expect(journal.check().problems == [])
      for edit in try user.edits().reversed() {
        try user.removeEdit(edit)
        #expect(throws: JournalError.unknownEdit) { try user.removeEdit(edit) }
      }
      let kinds = try items(user).map(\.kind)
      #expect(kinds == ["stay", "trip", "stay", "gap", "stay"])
    }
  }

  @Test func anEdgeMovesIntoEitherItem() throws {
    try withDay { user, items in
      // Home, trip, work, gap, home.
      try user.moveEdge(from: items[1].start, to: time(3_300))
      try user.moveEdge(from: items[2].start, to: time(4_800))
      try user.moveEdge(from: items[4].start, to: time(11_000))
      #expect(throws: JournalError.self) {
        try user.moveEdge(from: time(1_000), to: time(900))
      }
      #expect(throws: JournalError.self) {
        try user.moveEdge(from: items[3].start, to: items[3].start)
      }
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

  @Test func aGapCannotGrow() throws {
    try withDay { user, items in
      #expect(throws: JournalError.self) {
        try user.moveEdge(from: items[3].start, to: items[3].start.advanced(byNanoseconds: -1))
      }
      let edits = try user.edits()
      #expect(edits.isEmpty)
    } then: { _, items in
      #expect(items.map(\.kind) == ["stay", "trip", "stay", "gap", "stay"])
    }
  }

  @Test func itemsMergeIntoOneStay() throws {
    try withDay { user, items in
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
    try withDay { user, items in
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
    try withDay { user, _ in
      try user.splitItem(at: time(6_000))
      try user.splitItem(at: time(4_000))
      let cafe = try user.addPlace(
        PlaceDescription(
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
    try withDay { user, items in
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
