import BenchmarkScores
import Locomotion
import Testing

struct TravelScoreTests {
  private func instant(_ seconds: Int) -> Timestamp {
    Timestamp(nanoseconds: Int64(seconds) * 1_000_000_000)
  }

  private func truth(_ travel: (Int) -> Activity?) -> LocationTruth {
    LocationTruth(
      moments: (0...100).map {
        .init(timestamp: instant($0), latitude: 48, longitude: 11, travel: travel($0))
      })
  }

  private func trip(_ start: Int, _ end: Int, _ activity: Activity?) -> TimelineItem {
    .trip(
      Trip(legs: [
        Trip.Leg(
          start: instant(start), end: instant(end), activity: activity, distance: nil, steps: 0)
      ]))
  }

  @Test func countsSecondsByTheirTrueActivity() throws {
    let truth = truth { $0 < 40 ? .walking : $0 < 60 ? nil : .train }
    let score = TravelScore(
      [trip(10, 70, .walking), trip(70, 95, .train)], truth: truth)
    #expect(score.seconds == [.walking: 40, .train: 40])
    #expect(score.rightSeconds == [.walking: 30, .train: 25])
    #expect(try #require(score.fraction) == 55.0 / 80)
  }

  @Test func haltsAreNotScored() {
    let score = TravelScore([trip(0, 100, .walking)], truth: truth { _ in .stationary })
    #expect(score.fraction == nil)
  }

  @Test func recordingsAddUp() {
    var score = TravelScore([trip(0, 50, .running)], truth: truth { _ in .running })
    score.merge(TravelScore([], truth: truth { _ in .running }))
    #expect(score.fraction == 0.25)
  }
}
