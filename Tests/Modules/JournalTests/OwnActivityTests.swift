import Foundation
import Locomotion
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionSensing
import TestSupport
import Testing

/// Activities beside the six in the days of a journal.
@Suite struct OwnActivityTests {
  private let folder = ScratchFolder()

  private let scooter = CustomActivity(name: "scooter", behavesLike: .cycling)
  private let skiing = CustomActivity(name: "skiing", behavesLike: nil)

  private func withTrip(_ body: (Journal, UserJournal) throws -> Void) throws {
    try withJournal { journal, user in
      try user.append(DayScript.batch(from: 0, to: 9_000))
      try user.updateDays()
      try body(journal, user)
    }
  }

  private func legs(_ user: UserJournal) throws -> [Trip.Leg] {
    try user.dayItems(from: DayScript.time(0), to: DayScript.time(9_000)).flatMap(\.legs)
  }

  @Test func aCorrectionNamesALegAndItsTotalsAndIsTakenBack() throws {
    try withTrip { journal, user in
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
    try withTrip { _, user in
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
    try withTrip { _, user in
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
    var weights = Array(
      repeating: Float(0), count: 1 + count * (1 + ActivityModel.knotsPerFeature))
    weights[0] = 20
    return base.with(
      ActivityModel.CustomTerm(
        activities: [activity], means: base.parameters.means, scales: base.parameters.scales,
        knots: base.parameters.knots, weights: weights))
  }

  @Test func whatAModelFindsIsStoredAndComputedAgain() throws {
    let path = folder.path("journal")
    let stroll = try #require(CustomActivity(name: "stroll", behavesLike: .walking))
    do {
      let user = try folder.user()
      try user.append(Self.walk())
      try user.updateDays(model: model(of: stroll))
      #expect(try legs(user).map(\.name).contains("stroll"))
    }
    let journal = try Journal(path: path)
    let user = try journal.user("ada")
    #expect(try legs(user).map(\.name).contains("stroll") && journal.check().problems == [])
    try user.erase(from: DayScript.time(0), to: DayScript.time(9_000))
    #expect(try legs(user).isEmpty)
  }

  /// Half an hour of rest, twenty minutes of walking and rest again: accelerations and fixes.
  private static func walk() -> JournalBatch {
    var random = SplitMix64(seed: 3)
    var batch = JournalBatch()
    for index in 0..<(50 * 4_800) {
      let second = Double(index) / 50
      let walks = 1_800..<3_000 ~= second
      let swing = walks ? 2.5 * sin(2 * .pi * 1.9 * second) : 0
      batch.accelerations.append(
        x: random.nextNormal() * (walks ? 0.8 : 0.02), y: 0.3,
        z: 9.8 + swing + random.nextNormal() * (walks ? 0.5 : 0.02), at: DayScript.time(second))
    }
    for second in stride(from: 0.0, to: 4_800, by: 2) {
      let metres = 1.4 * min(max(second - 1_800, 0), 1_200)
      batch.fixes.append(
        LocationFix(
          timestamp: DayScript.time(second),
          latitude: DayScript.home.latitude + (metres + random.nextNormal()) / 111_200,
          longitude: DayScript.home.longitude + random.nextNormal() / 74_300,
          horizontalAccuracy: 5, speed: 1_800..<3_000 ~= second ? 1.4 : 0))
    }
    return batch
  }
}

extension FaultTests {
  /// Items of a file that has no column for custom activities.
  @Suite(.serialized) struct OlderItemTests {
    private let folder = ScratchFolder()

    @Test func aFileOfVersionFiveIsReadAsItIsAndThenMigrated() throws {
      FaultFileSystem.register()
      let path = folder.path("journal")
      var items: [TimelineItem] = []
      do {
        let user = try folder.user()
        try user.append(DayScript.batch(from: 0, to: 9_000))
        try user.updateDays()
        items = try user.dayItems(from: DayScript.time(0), to: DayScript.time(9_000))
      }
      #expect(FaultFileSystem.execute(OlderStore.statements(version: 5), at: path))
      let reader = try Journal(path: path, access: .reading)
      #expect(FaultFileSystem.version(at: path) == 5 && reader.check().problems == [])
      let seen = try reader.user("ada").dayItems(from: DayScript.time(0), to: DayScript.time(9_000))
      #expect(seen.map(\.start) == items.map(\.start))
      #expect(seen.flatMap(\.legs).map(\.distance) == items.flatMap(\.legs).map(\.distance))
      let journal = try Journal(path: path)
      #expect(
        FaultFileSystem.version(at: path) == StoreFormat.version && journal.check().problems == []
      )
      // What it had no columns for is computed again.
      let ada = try journal.user("ada")
      try ada.updateDays()
      let now = try ada.dayItems(from: DayScript.time(0), to: DayScript.time(9_000))
      #expect(now == items)
    }
  }
}
