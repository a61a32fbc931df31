import BenchmarkScores
import LocomotionPositioning
import LocomotionSensing
import Testing

struct StayBaselineTests {
  private let script = TrackScript()

  private func seconds(_ stays: [StayInterval]) -> [[Double]] {
    stays.map { [$0.start.seconds, $0.end.seconds] }
  }

  private func rest(_ times: [Double], east: Double, _ state: MovingState = .stationary)
    -> [LocatedPoint]
  {
    times.map { script.point($0, east: east, state) }
  }

  private func every(_ step: Double, from start: Double, to end: Double) -> [Double] {
    Array(stride(from: start, through: end, by: step))
  }

  // MARK: Sliding window

  @Test func slidingWindowEndsAStayAtThePointOutside() {
    let points =
      rest(every(60, from: 0, to: 600), east: 0)
      + [script.point(660, east: 500), script.point(720, east: 1_000)]
      + rest(every(60, from: 780, to: 1_200), east: 2_000)
    let stays = SlidingWindowStays().stays(in: points)
    #expect(seconds(stays) == [[0, 660], [780, 1_200]])
    let centre = stays[0]
    #expect(centre.latitude.map { abs($0 - 48.137) < 1e-9 } ?? false)
  }

  @Test func slidingWindowNeedsFiveMinutes() {
    let short = rest([0, 100, 299], east: 0) + [script.point(299.9, east: 500)]
    #expect(SlidingWindowStays().stays(in: short).isEmpty)
    let enough = rest([0, 100, 299], east: 0) + [script.point(300, east: 500)]
    #expect(seconds(SlidingWindowStays().stays(in: enough)) == [[0, 300]])
  }

  @Test func slidingWindowSplitsAStayAtAnOutlier() {
    // One outlier of 120 m in half an hour at one place.
    var points = rest(every(60, from: 0, to: 1_800), east: 0)
    points[10] = script.point(600, east: 120)
    #expect(
      seconds(SlidingWindowStays().stays(in: points)) == [[0, 600], [660, 1_800]])
  }

  @Test func slidingWindowRestartsAfterAGap() {
    let points = rest([0, 200], east: 0) + rest([1_101, 1_200, 1_500], east: 0)
    #expect(seconds(SlidingWindowStays().stays(in: points)) == [[1_101, 1_500]])
    let shorter = rest([0, 200, 1_100, 1_200], east: 0)
    #expect(seconds(SlidingWindowStays().stays(in: shorter)) == [[0, 1_200]])
  }

  @Test func slidingWindowCentresAreMedians() {
    let east = [0.0, 10, 90, 20, 30, 500]
    let points = east.enumerated().map { script.point(100 * Double($0), east: $1) }
    let stay = SlidingWindowStays().stays(in: points).first
    let place = stay.flatMap { stay in
      stay.latitude.flatMap { latitude in
        stay.longitude.map { script.plane.position(latitude: latitude, longitude: $0).x }
      }
    }
    #expect(place.map { abs($0 - 20) < 1e-3 } ?? false)
  }

  // MARK: Activity messages

  @Test func messagesGiveStopsAndPaths() {
    let points =
      rest(every(30, from: 0, to: 570), east: 0)
      + rest(every(30, from: 600, to: 870), east: 800, .moving)
      + rest(every(30, from: 900, to: 1_500), east: 1_600)
    #expect(seconds(ActivityMessageStays().stays(in: points)) == [[0, 600], [900, 1_500]])
  }

  @Test func eventsUnderAMinuteMergeIntoTheOneBefore() {
    let points =
      rest(every(10, from: 0, to: 590), east: 0)
      + rest(every(10, from: 600, to: 640), east: 5, .moving)
      + rest(every(10, from: 650, to: 1_000), east: 0)
    #expect(seconds(ActivityMessageStays().stays(in: points)) == [[0, 1_000]])
    // A brief halt in a path is merged, too.
    let halt =
      rest(every(10, from: 0, to: 90), east: 0, .moving)
      + rest(every(10, from: 100, to: 140), east: 500)
      + rest(every(10, from: 150, to: 300), east: 1_000, .moving)
    #expect(ActivityMessageStays().stays(in: halt).isEmpty)
  }

  @Test func stopsWithin100MetresMergeWithThePathBetween() {
    func stays(apart: Double) -> [[Double]] {
      seconds(
        ActivityMessageStays().stays(
          in: rest(every(30, from: 0, to: 570), east: 0)
            + rest(every(30, from: 600, to: 870), east: 400, .moving)
            + rest(every(30, from: 900, to: 1_500), east: apart)))
    }
    #expect(stays(apart: 99) == [[0, 1_500]])
    #expect(stays(apart: 101) == [[0, 600], [900, 1_500]])
  }

  @Test func gapsOverTwoMinutesAreUntracked() {
    let points =
      rest(every(60, from: 0, to: 600), east: 0) + rest(every(60, from: 721, to: 1_321), east: 0)
    #expect(seconds(ActivityMessageStays().stays(in: points)) == [[0, 600], [721, 1_321]])
  }

  @Test func anUndecidedPointChangesNothing() {
    var points = rest(every(30, from: 0, to: 600), east: 0)
    points[5].movingState = .uncertain
    points[9].movingState = nil
    #expect(seconds(ActivityMessageStays().stays(in: points)) == [[0, 600]])
  }

  @Test(arguments: [0, 1]) func tooFewPointsGiveNoStay(count: Int) {
    let points = Array(rest([3], east: 0).prefix(count))
    #expect(SlidingWindowStays().stays(in: points).isEmpty)
    #expect(ActivityMessageStays().stays(in: points).allSatisfy { $0.duration == 0 })
  }
}
