import LocomotionPositioning
import TestSupport
import Testing

struct MovingStateDetectorTests {
  private func estimate(_ second: Int, speed: Double?) -> LocationEstimate {
    LocationEstimate(
      timestamp: .at(second), latitude: 48, longitude: 11, radius68: 5,
      speed: speed, speedDeviation: speed.map { _ in 0.3 }, course: nil)
  }

  private func decisions(
    _ seconds: Range<Int>, speed: Double? = nil, level: Float? = nil,
    _ detector: inout MovingStateDetector
  ) -> [MovingDecision] {
    seconds.map { second in
      detector.update(
        at: .at(second), location: speed.map { estimate(second, speed: $0) },
        isFresh: speed != nil, acceleration: level.map { AccelerationEvidence(level: $0) })
    }
  }

  /// A table, a walk, and nothing.
  @Test(
    arguments: [(0.02, .stationary), (3, .moving), (nil, .uncertain)] as [(Float?, MovingState)])
  func theAccelerometerAloneTellsWithinSeconds(level: Float?, state: MovingState) {
    var detector = MovingStateDetector()
    let result = decisions(0..<60, level: level, &detector)
    #expect(result[5...].allSatisfy { $0.state == state })
    if state == .stationary { #expect(result[3].state == state && result[59].probability < 0.02) }
  }

  @Test func bothAgreeFasterThanEither() {
    func secondsToMove(_ speed: Double?, _ level: Float?) -> Int {
      var detector = MovingStateDetector()
      _ = decisions(
        0..<60, speed: speed.map { _ in 0 }, level: level.map { _ in 0.02 }, &detector)
      let result = decisions(60..<90, speed: speed, level: level, &detector)
      return result.firstIndex { $0.state == .moving } ?? .max
    }
    let both = secondsToMove(2, 2)
    #expect(both <= secondsToMove(2, nil) && both <= secondsToMove(nil, 2) && both <= 3)
  }

  /// Location alone, the accelerometer alone, and both: a start and a stop, dated to the second or
  /// two and told apart from when they were seen.
  @Test(arguments: [(true, false), (false, true), (true, true)])
  func startsAndStopsAreDatedBack(_ hasLocation: Bool, _ hasAccelerometer: Bool) throws {
    var detector = MovingStateDetector()
    func live(_ seconds: Range<Int>, speed: Double, level: Float) -> [MovingDecision] {
      decisions(
        seconds, speed: hasLocation ? speed : nil, level: hasAccelerometer ? level : nil,
        &detector)
    }
    _ = live(0..<60, speed: 0.05, level: 0.02)
    #expect(detector.transition == nil)
    let start = live(60..<90, speed: 1.4, level: 2.5)
    let seen = 60 + (try #require(start.firstIndex { $0.state == .moving }))
    var transition = try #require(detector.transition)
    #expect(transition.state == .moving && transition.decided == Timestamp.at(seen))
    #expect(abs(transition.began.seconds(since: .at(60))) <= 2)
    #expect(transition.decided.seconds(since: transition.began) <= 4)
    let stop = live(90..<150, speed: 0.05, level: 0.02)
    let halted = 90 + (try #require(stop.firstIndex { $0.state == .stationary }))
    transition = try #require(detector.transition)
    #expect(transition.state == .stationary && transition.decided == Timestamp.at(halted))
    #expect(abs(transition.began.seconds(since: .at(90))) <= 1)
    #expect(transition.decided.seconds(since: transition.began) <= 6)
  }

  @Test func withoutEvidenceAMovingPhoneBecomesUncertain() {
    var detector = MovingStateDetector()
    _ = decisions(0..<30, speed: 12, &detector)
    let silence = decisions(30..<120, &detector)
    #expect(silence[..<59].allSatisfy { $0.state == .moving })
    #expect(silence[61...].allSatisfy { $0.state == .uncertain })
    // Without evidence the probability goes to the prior, 120/(300 + 120).
    let late = detector.update(at: .at(100_000), location: nil, isFresh: false, acceleration: nil)
    #expect(abs(late.probability - 120.0 / 420) < 1e-9)
  }

  @Test func staleLocationsAreNoEvidence() {
    var detector = MovingStateDetector()
    for second in 0..<50 {
      _ = detector.update(
        at: .at(second), location: estimate(second, speed: 20), isFresh: false, acceleration: nil)
    }
    #expect(detector.decision.state == .uncertain)
  }

  @Test func oneOddSecondDoesNotChangeTheDecision() {
    var detector = MovingStateDetector()
    _ = decisions(0..<60, speed: 0, level: 0.02, &detector)
    #expect(decisions(60..<61, level: 2, &detector)[0].state == .stationary)
    #expect(decisions(61..<70, speed: 0, level: 0.02, &detector).last?.state == .stationary)
  }

  @Test func strangeInputsChangeNothing() {
    var detector = MovingStateDetector()
    _ = decisions(0..<20, speed: 12, &detector)
    let before = detector.decision
    for time in [Int64.min, .max] {
      let decision = detector.update(
        at: Timestamp(nanoseconds: time), location: estimate(20, speed: 0), isFresh: true,
        acceleration: AccelerationEvidence(level: 0.01))
      #expect(decision == before)
    }
    for level in [Float.nan, .infinity, -1] {
      let decision = detector.update(
        at: .at(19), location: nil, isFresh: true, acceleration: AccelerationEvidence(level: level))
      #expect(decision == before)
    }
    #expect(
      detector.update(
        at: .at(19), location: estimate(19, speed: .nan), isFresh: true,
        acceleration: nil) == before)
  }

  @Test func aDetectorIsAStage() {
    var random = SplitMix64(seed: 15)
    let evidence = (0..<200).map { _ in
      (speed: random.nextUniform() < 0.5 ? 4 * random.nextUniform() : nil, random.nextUniform())
    }
    let broken = checkStage(
      MovingStateDetector(), Array(evidence.enumerated()), into: [Double](),
      reset: { $0.reset() }
    ) { detector, seconds, _ in
      for (second, (speed, level)) in seconds {
        _ = decisions(
          second..<(second + 1), speed: speed, level: Float(level), &detector)
      }
    }
    #expect(broken == [])
  }

  @Test func aDecisionOfTheFilterOnAFreshFixStandsForAllEvidence() {
    var detector = MovingStateDetector()
    func update(_ second: Int64, isFresh: Bool, filtered: MovingDecision?) -> MovingDecision {
      detector.update(
        at: Timestamp(nanoseconds: second * 1_000_000_000), location: nil, isFresh: isFresh,
        acceleration: AccelerationEvidence(level: 0.01), filtered: filtered)
    }
    for second in 0..<60 { _ = update(Int64(second), isFresh: false, filtered: nil) }
    #expect(detector.decision.state == .stationary)
    let moving = MovingDecision(state: .moving, probability: 0.93)
    // Without a fresh fix an old decision says nothing.
    #expect(update(60, isFresh: false, filtered: moving).state == .stationary)
    #expect(update(61, isFresh: true, filtered: moving) == moving)
    // An undecided filter leaves the detector to its own evidence.
    let undecided = MovingDecision(state: .uncertain, probability: 0.5)
    for second in 62..<90 { _ = update(Int64(second), isFresh: true, filtered: undecided) }
    #expect(detector.decision.state == .stationary)
  }
}
