import BenchmarkScores
import Foundation
import Locomotion
import LocomotionRecordings
import Testing

/// An hour: a stay until 1200 s, 10 m/s east until 2400 s, a stay.
struct DayScoreTests {
  private let script = TrackScript()

  private func time(_ seconds: Double) -> Timestamp { TrackScript.time(seconds) }

  private func stay(_ start: Double, _ end: Double) -> TimelineItem {
    .stay(Stay(start: time(start), end: time(end), location: nil))
  }

  private func trip(_ start: Double, _ end: Double, _ metres: Double?) -> TimelineItem {
    .trip(
      Trip(legs: [
        .init(
          start: time(start), end: time(end), activity: .automotive, distance: metres, steps: 0)
      ]))
  }

  /// From 1200 to 1300 s the truth doesn't say whether the phone moves, from 1300 to 1400 s its
  /// vehicle is at a halt of which the positions know nothing.
  private var truth: LocationTruth {
    LocationTruth(
      moments: (0...3_600).map { second in
        var moment = script.moment(
          Double(second), east: 10 * Double(min(max(second - 1_200, 0), 1_200)))
        moment.isMoving =
          (1_200..<1_300).contains(second) ? nil : (1_400..<2_400).contains(second)
        moment.travel = (1_300..<2_400).contains(second) ? .automotive : nil
        return moment
      },
      stays: [
        StayInterval(start: time(0), end: time(1_200), latitude: nil, longitude: nil),
        StayInterval(start: time(2_400), end: time(3_600), latitude: nil, longitude: nil),
      ])
  }

  private var items: [TimelineItem] {
    [stay(0, 1_210), trip(1_210, 2_390, 10_000), stay(2_390, 3_600)]
  }

  @Test func secondsAreRightInStaysAndOnTheWay() {
    let score = DayScore(name: "x", items: items, fixes: 7, truth: truth)
    // Of 3600 s 100 are unknown, and 10 before the second stay are wrong.
    let (right, rightOnTheWay) = (3_490.0 / 3_500, 1_090.0 / 1_100)
    #expect(score.seconds == 3_500 && score.rightSeconds == 3_490)
    #expect(score.rightFraction == right)
    #expect(score.stays.f1 == 1 && score.days == 1 && score.fixes == 7)
    #expect(score.travel.fraction == rightOnTheWay)
  }

  @Test func gapsAndMissingItemsAreWrong() {
    let gap = TimelineItem.gap(Gap(start: time(0), end: time(1_200)))
    let score = DayScore(
      name: "x", items: [stay(3_000, 3_600), gap], fixes: 0, truth: truth)
    #expect(score.rightSeconds == 600)
    #expect(DayScore(name: "x", items: [], fixes: 0, truth: truth).rightFraction == 0)
  }

  @Test func edgesAreScoredButForThoseOfTheTruth() {
    let score = DayScore(name: "x", items: items, fixes: 0, truth: truth)
    #expect(score.edgeErrors == [10, 10] && score.edgeCoverage.fraction == nil)
    let claiming = DayScore(
      name: "x", items: items, fixes: 0, truth: truth, edgeClaims: { _ in (start: 10, end: 9) })
    #expect(claiming.edgeCoverage.claims == 2 && claiming.edgeCoverage.kept == 1)
  }

  @Test func distancesAreThoseOfTheTrips() throws {
    // The truth moves from 1200 to 1300 s, which it doesn't deny, and from 1400 s on: 11 km.
    let score = DayScore(name: "x", items: items, fixes: 0, truth: truth)
    #expect(score.lengths.count == 1 && score.distanceCoverage.fraction == nil)
    #expect(abs(score.lengths[0].truth - 11_000) < 0.1 && score.lengths[0].measured == 10_000)
    let error = try #require(score.distanceError)
    #expect(abs(error - 1.0 / 11) < 1e-6)
    // The trip's own time has 10.8 km.
    for (deviation, isKept) in [(801.0, 1), (799, 0)] {
      let claiming = DayScore(
        name: "x", items: items, fixes: 0, truth: truth, distanceClaim: { _ in deviation })
      #expect(claiming.distanceCoverage.claims == 1)
      #expect(claiming.distanceCoverage.kept == isKept)
    }
  }

  @Test func daysAddUp() throws {
    let right = DayScore(name: "x", items: items, fixes: 7, truth: truth)
    let empty = DayScore(name: "x", items: [], fixes: 1, truth: truth)
    var evaluation = DaysEvaluation()
    evaluation.add(right, of: "one")
    evaluation.add(DayScore(name: "y", items: items, fixes: 7, truth: truth), of: "one")
    evaluation.add(empty, of: "two")
    #expect(evaluation.days.map(\.name) == ["one", "two"])
    let pooled = evaluation.pooled
    #expect(pooled.map(\.name) == ["x", "y"])
    let x = pooled[0]
    #expect(x.days == 2 && x.fixes == 8 && x.seconds == 7_000 && x.rightSeconds == 3_490)
    #expect(x.stays.matches == 2 && x.stays.truths == 4 && x.edgeErrors == [10, 10])
    let error = try #require(x.distanceError)
    #expect(abs(error - 6.0 / 11) < 1e-6)
    #expect(evaluation.text.contains("x") && evaluation.json.contains("\"f1\" : 0.66"))
  }

  @Test func tablesOfOtherProgramsAreTimelines() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).items.csv")
    defer { try? FileManager.default.removeItem(at: url) }
    let header = "kind,start,end,lat,lon,distance\n"
    let rows = "stay,0,10.5,48,11,\ntrip,10.5,20,,,77\ngap,20,30,,,\nstay,30,40,,,\n"
    try Data((header + rows).utf8).write(to: url)
    let place = Stay.Location(latitude: 48, longitude: 11, radius68: 0)
    let leg = Trip.Leg(start: time(10.5), end: time(20), activity: nil, distance: 77, steps: 0)
    #expect(
      try TimelineTable(path: url.path).items == [
        .stay(Stay(start: time(0), end: time(10.5), location: place)), .trip(Trip(legs: [leg])),
        .gap(Gap(start: time(20), end: time(30))), stay(30, 40),
      ])
    try Data((header + "nap,0,1,,,\n").utf8).write(to: url)
    #expect {
      try TimelineTable(path: url.path)
    } throws: {
      "\($0)".contains("line 2") && "\($0)".contains("nap")
    }
  }
}
