import BenchmarkScores
import LocomotionPositioning
import LocomotionSensing
import Testing

struct LocationScoreTests {
  private let script = TrackScript()

  private func decisions(_ states: [(Double, MovingState)]) -> [MotionScore.Decision] {
    states.map { MotionScore.Decision(timestamp: TrackScript.time($0), state: $1) }
  }

  // MARK: Sizes

  @Test func sizesOfAHundredErrors() throws {
    let size = try #require(ErrorSize((1...100).map(Double.init).shuffled()))
    // Σk² = n(n + 1)(2n + 1)/6; quantiles at 1 + 99·fraction.
    #expect(abs(size.rms - (101.0 * 201 / 6).squareRoot()) < 1e-12)
    #expect(abs(size.median - 50.5) < 1e-12 && abs(size.percentile95 - 95.05) < 1e-12)
    #expect(size.maximum == 100)
    #expect(ErrorSize([]) == nil)
    let one = try #require(ErrorSize([7]))
    #expect(one.rms == 7 && one.median == 7 && one.percentile95 == 7 && one.maximum == 7)
  }

  @Test func ratiosAreTakenPerStatistic() throws {
    let size = try #require(ErrorSize([1, 2, 3]))
    let double = try #require(ErrorSize([2, 4, 6]))
    let half = try #require(size.relative(to: double))
    #expect(half.rms == 0.5 && half.median == 0.5 && half.maximum == 0.5)
    #expect(half.percentile95 == 0.5)
    let none = try #require(ErrorSize([0, 0]))
    #expect(size.relative(to: none) == nil)
  }

  // MARK: Tracks

  @Test func aConstantOffsetGivesThatError() throws {
    let truth = script.ride()
    let fixes = (0...180).map { (k: Int) in
      script.fix(Double(k), east: 10 * Double(min(max(k - 60, 0), 60)), north: 4)
    }
    let points = (0...180).map { (k: Int) in
      script.point(Double(k), east: 10 * Double(min(max(k - 60, 0), 60)) + 3, radius: 3.5)
    }
    let score = TrackScore(name: "x", points: points, fixes: fixes, truth: truth)
    let (size, raw) = (
      try #require(ErrorSize(score.errors)), try #require(ErrorSize(score.rawErrors))
    )
    // A tangent plane shortens 600 m by 10⁻⁹ of it.
    #expect(score.fixes == 181 && score.errors.count == 181)
    for (value, expected) in [
      (size.rms, 3.0), (size.median, 3), (size.maximum, 3), (raw.rms, 4), (raw.percentile95, 4),
    ] {
      #expect(abs(value - expected) < 1e-6)
    }
    #expect(size.relative(to: raw).map { abs($0.rms - 0.75) < 1e-6 } ?? false)
    #expect(score.coverageMoving.fraction == 1 && score.coverageResting.fraction == 1)
    #expect(score.coverageMoving.claims == 60 && score.coverageResting.claims == 121)
    #expect(abs(score.length.truth - 600) < 1e-5 && abs(score.length.measured - 600) < 1e-5)
    #expect(score.motion == nil && score.odometer == nil)
  }

  @Test func coverageIsSeparateForMovingAndResting() {
    let fixes = (0...180).map { script.fix(Double($0)) }
    let truth = script.ride()
    // 0 m off at rest before the ride, 600 m after it; while moving 0 to 590 m.
    let points = (0...180).map { script.point(Double($0), radius: 299.9) }
    let score = TrackScore(name: "x", points: points, fixes: fixes, truth: truth)
    #expect(score.coverageMoving.fraction == 0.5)
    #expect(score.coverageResting.fraction.map { abs($0 - 60.0 / 121) < 1e-12 } ?? false)
  }

  @Test func missingPositionsAreExcludedFromBothErrors() {
    let truth = LocationTruth(moments: (0...9).map { script.moment(Double($0)) })
    let fixes = (0...9).map { script.fix(Double($0), east: $0 < 5 ? 1 : 50) }
    let points = (0...9).map { $0 < 5 ? script.point(Double($0), east: 1) : nil }
    let score = TrackScore(name: "x", points: points, fixes: fixes, truth: truth)
    #expect(score.fixes == 10 && score.errors.count == 5)
    #expect(score.rawErrors == score.errors)
  }

  @Test func fixesWithoutTruthAreNotScored() {
    let truth = LocationTruth(moments: [script.moment(0), script.moment(1), script.moment(9)])
    let fixes = [-1, 0.5, 5, 9, 10].map { script.fix($0) }
    let score = TrackScore(
      name: "x", points: fixes.map { script.point($0.timestamp.seconds) }, fixes: fixes,
      truth: truth)
    #expect(score.fixes == 2 && score.errors.allSatisfy { $0 < 1e-6 })
  }

  @Test func jitterLengthensATrack() throws {
    let truth = LocationTruth(
      moments: (0...100).map { script.moment(Double($0), north: Double($0)) })
    let fixes = (0...100).map { script.fix(Double($0), north: Double($0)) }
    // A zigzag of ±0.5 m: every step becomes √2 m.
    let points = (0...100).map {
      script.point(Double($0), east: $0.isMultiple(of: 2) ? 0.5 : -0.5, north: Double($0))
    }
    let score = TrackScore(
      name: "x", points: points, fixes: fixes, truth: truth, odometerDistance: 90)
    let error = try #require(score.length.error)
    #expect(abs(error - (2.0.squareRoot() - 1)) < 1e-6)
    #expect(abs(try #require(score.odometer?.error) + 0.1) < 1e-6)
    // At rest there is no length to compare with.
    let still = LocationTruth(moments: (0...9).map { script.moment(Double($0), isMoving: false) })
    let table = TrackScore(
      name: "x", points: Array(points[...9]), fixes: Array(fixes[...9]), truth: still,
      odometerDistance: 2)
    #expect(table.length.error == nil && table.odometer?.truth == 0)
  }

  @Test func mergedScoresEqualThatOfTheWholeTrack() {
    let truth = script.ride()
    let fixes = (0...180).map { script.fix(Double($0), north: Double($0 % 7)) }
    let points = fixes.map {
      script.point($0.timestamp.seconds, east: 2, radius: 100, .moving)
    }
    func score(_ range: ClosedRange<Int>) -> TrackScore {
      TrackScore(
        name: "x", points: Array(points[range]), fixes: Array(fixes[range]), truth: truth,
        odometerDistance: 5)
    }
    var both = score(0...80)
    both.merge(score(81...180))
    let whole = score(0...180)
    #expect(both.errors == whole.errors && both.rawErrors == whole.rawErrors)
    #expect(both.coverageMoving == whole.coverageMoving)
    #expect(both.motion?.decisions == 181 && both.motion?.wrong == whole.motion?.wrong)
    #expect(both.odometer?.measured == 10)
    // Only the step between the parts is missing.
    #expect(abs(whole.length.truth - both.length.truth - 10) < 1e-6)
  }

  // MARK: Moving states

  @Test func statesAreRightWrongOrUndecided() {
    let score = MotionScore(
      decisions([
        (1, .stationary), (2, .moving), (3, .uncertain), (70, .moving), (71, .stationary),
        (900, .moving),
      ]), truth: script.ride())
    #expect(score.decisions == 5 && score.wrong == 3 && score.undecided == 1)
    #expect(score.error == 0.6)
    #expect(MotionScore().error == nil)
  }

  @Test func ambiguousTruthIsNotScored() {
    let truth = LocationTruth(
      moments: (0...30).map {
        script.moment(Double($0), isMoving: $0 < 10 ? false : $0 < 20 ? nil : true)
      })
    let score = MotionScore(
      decisions((0...30).map { (Double($0), .stationary) }), truth: truth)
    #expect(score.decisions == 21 && score.wrong == 11)
    // From rest through an ambiguous state to motion there is no instant of a start.
    #expect(score.startLatencies.isEmpty && score.missedStarts == 0)
  }

  @Test(arguments: [true, false]) func latenciesCountFromTheTrueChange(isMarked: Bool) {
    let score = MotionScore(
      decisions(
        (0...180).map { (Double($0), (63..<128).contains($0) ? .moving : .stationary) }),
      truth: script.ride(isMarked: isMarked))
    #expect(score.startLatencies.count == 1 && score.stopLatencies.count == 1)
    // Without marks the truth is derived from half a second on both sides, at the moments.
    let early = isMarked ? 0.0 : 1
    #expect(score.startLatencies.allSatisfy { $0 == 3 || $0 == 3 + early })
    #expect(score.stopLatencies.allSatisfy { $0 == 8 || $0 == 8 - early })
    #expect(score.missedStarts == 0 && score.missedStops == 0)
  }

  @Test func earlyDetectionHasZeroLatencyAndNoDetectionIsAMiss() {
    let early = MotionScore(
      decisions([(10, .stationary), (55, .moving), (65, .moving), (125, .moving)]),
      truth: script.ride())
    #expect(early.startLatencies == [0])
    #expect(early.stopLatencies.isEmpty && early.missedStops == 1)
    // Without any decision during the new state nothing is scored.
    let silent = MotionScore(decisions([(10, .stationary)]), truth: script.ride())
    #expect(silent.missedStarts == 0 && silent.startLatencies.isEmpty)
  }

  @Test func aHaltOfSecondsIsNotAStop() {
    let truth = LocationTruth(
      moments: (0...100).map { second in
        script.moment(Double(second), isMoving: !(50..<54).contains(second))
      })
    let score = MotionScore(
      decisions((0...100).map { (Double($0), .moving) }), truth: truth)
    #expect(score.missedStops == 0 && score.startLatencies.isEmpty && score.wrong == 4)
  }

  // MARK: Stays

  private func stay(_ start: Double, _ end: Double, east: Double? = 0) -> StayInterval {
    let place = script.plane.geodetic(SIMD2(east ?? 0, 0))
    return StayInterval(
      start: TrackScript.time(start), end: TrackScript.time(end),
      latitude: east == nil ? nil : place.latitude, longitude: east == nil ? nil : place.longitude)
  }

  @Test func staysMatchAtAnIntersectionOverUnionOfHalf() {
    // An overlap of 300 of 600 s is half; 299 is less.
    let found = StayScore(name: "x", detected: [stay(300, 600)], truth: [stay(0, 600)])
    #expect(found.matches == 1 && found.f1 == 1)
    let lost = StayScore(name: "x", detected: [stay(301, 601)], truth: [stay(0, 600)])
    #expect(lost.matches == 0 && lost.f1 == 0 && lost.precision == 0 && lost.recall == 0)
  }

  @Test func precisionRecallAndErrors() throws {
    let score = StayScore(
      name: "x",
      detected: [
        stay(10, 1_030, east: 6), stay(2_000, 2_200), stay(2_950, 3_990, east: nil),
        stay(8_000, 9_000),
      ],
      truth: [stay(0, 1_000), stay(3_000, 4_000), stay(5_000, 6_000), stay(7_000, 7_299)])
    // The stay of 200 s and the truth of 299 s do not count.
    #expect(score.truths == 3 && score.detections == 3 && score.matches == 2)
    #expect(score.precision == 2.0 / 3 && score.recall == 2.0 / 3 && score.f1 == 2.0 / 3)
    #expect(score.startErrors == [10, -50] && score.endErrors == [30, -10])
    #expect(score.centreErrors.count == 1)
    #expect(abs(try #require(score.centreErrors.first) - 6) < 1e-6)
  }

  @Test func aTrueStayIsMatchedOnce() {
    let score = StayScore(
      name: "x", detected: [stay(0, 500), stay(500, 1_000)], truth: [stay(0, 1_000)])
    #expect(score.matches == 1 && score.precision == 0.5 && score.recall == 1)
  }

  @Test func mergedStaysAddUp() {
    var score = StayScore(name: "x", detected: [stay(0, 900)], truth: [stay(0, 1_000)])
    score.merge(StayScore(name: "x", detected: [], truth: [stay(0, 1_000)]))
    #expect(score.recall == 0.5 && score.precision == 1 && score.endErrors == [-100])
    #expect(StayScore(name: "x", detected: [], truth: []).f1 == nil)
  }
}
