import Locomotion
import TestSupport
import Testing

/// The receiver rests when the phone does, and wakes up in time.
@Suite struct PowerPolicyTests {
  private func time(_ seconds: Int) -> Timestamp {
    Timestamp(nanoseconds: Int64(seconds) * 1_000_000_000)
  }

  @Test func aPhoneAtRestSleepsAfterThreeMinutesAndIsLookedAtEveryMinute() {
    var policy = PowerPolicy()
    var phases: [(Int, PowerPolicy.Phase)] = []
    for second in 0..<400 {
      _ = policy.update(at: time(second), moving: .stationary, radius68: 5)
      if phases.last?.1 != policy.phase { phases.append((second, policy.phase)) }
    }
    #expect(phases.map(\.0) == [0, 180, 240, 241, 301, 302, 362, 363])
    #expect(
      phases.map(\.1) == [
        .recording, .sleeping, .looking, .sleeping, .looking, .sleeping, .looking, .sleeping,
      ])
    #expect(policy.request.accuracy == .none)
    #expect(policy.request.wakeUp == time(363 + 60))
  }

  @Test func movementEndsSleepAndLook() {
    var policy = PowerPolicy()
    for second in 0...200 {
      _ = policy.update(at: time(second), moving: .stationary, radius68: 5)
    }
    #expect(policy.phase == .sleeping)
    let request = policy.update(at: time(201), moving: .moving, radius68: nil)
    #expect(policy.phase == .recording)
    #expect(request == PowerPolicy.Request(accuracy: .best, wakeUp: nil))
    // And it is awake for three minutes of rest again.
    for second in 202..<382 {
      _ = policy.update(at: time(second), moving: .stationary, radius68: 5)
    }
    #expect(policy.phase == .recording)
    _ = policy.update(at: time(382), moving: .stationary, radius68: 5)
    #expect(policy.phase == .sleeping)
  }

  @Test func aLookWithoutAFixEndsAndAnUncertainOneWithFixesGoesOn() {
    for (radius, end) in [(nil, PowerPolicy.Phase.sleeping), (40, .looking)] as [(Double?, _)] {
      var policy = PowerPolicy()
      for second in 0...240 {
        _ = policy.update(at: time(second), moving: .stationary, radius68: 5)
      }
      #expect(policy.phase == .looking)
      for second in 241...270 {
        _ = policy.update(at: time(second), moving: .uncertain, radius68: radius)
      }
      #expect(policy.phase == end)
    }
  }

  @Test func accuracyIsLoweredLateAndRaisedAtOnceAfterSleep() {
    var policy = PowerPolicy()
    var accuracies: [PowerPolicy.Accuracy] = []
    for second in 0..<179 {
      accuracies.append(
        policy.update(at: time(second), moving: .stationary, radius68: 8).accuracy)
    }
    #expect(accuracies[..<60].allSatisfy { $0 == .best })
    #expect(accuracies.last == .tenMetres)
    _ = policy.update(at: time(179), moving: .moving, radius68: 8)
    for second in 180..<400 {
      accuracies.append(policy.update(at: time(second), moving: .moving, radius68: 8).accuracy)
    }
    #expect(accuracies.last == .best)
  }

  /// Rests of two to five hours and 42 trips; only a receiver that runs sees movement.
  @Test func aSimulatedWeekRunsTheReceiverForLittleMoreThanItsTrips() {
    var policy = PowerPolicy()
    var random = SplitMix64(seed: 4)
    var (receiver, missed, moving) = (0, 0, 0)
    var second = 0
    for _ in 0..<42 {
      let rest = 7_200 + Int(random.next() % 10_000)
      let trip = 600 + Int(random.next() % 2_000)
      for place in 0..<rest + trip {
        let isMoving = place >= rest
        let isSeen = policy.request.accuracy != .none
        let state: MovingState = isSeen ? (isMoving ? .moving : .stationary) : .uncertain
        _ = policy.update(at: time(second), moving: state, radius68: isSeen ? 6 : nil)
        receiver += isSeen ? 1 : 0
        moving += isMoving ? 1 : 0
        missed += isMoving && !isSeen ? 1 : 0
        second += 1
      }
    }
    // Per hour of rest 60 looks of a second or two, and three minutes after each trip.
    #expect(Double(receiver) < 1.05 * Double(moving) + 42 * 180 + Double(second) / 25)
    // A trip begins unseen for half a minute in the mean, and for a minute at the most.
    #expect(missed < 42 * 61)
    #expect(Double(missed) < 0.05 * Double(moving))
    print("receiver on \(receiver) s of \(second), moving \(moving) s, of them missed \(missed) s")
  }

  @Test func timesThatRunBackwardsAndSettingsThatMakeNoSenseAreSurvived() {
    var settings = PowerPolicy.Settings()
    settings.sleepBetweenLooks = .nan
    settings.longestLook = .infinity
    settings.restBeforeSleep = -1
    var policy = PowerPolicy(settings: settings)
    var random = SplitMix64(seed: 1)
    for _ in 0..<10_000 {
      let request = policy.update(
        at: Timestamp(nanoseconds: Int64(bitPattern: random.next())),
        moving: MovingState.allCases[Int(random.next() % 3)],
        radius68: random.next() % 2 == 0 ? nil : Double(bitPattern: random.next()))
      #expect((request.accuracy == .none) == (policy.phase == .sleeping))
    }
  }

  @Test func reportsAreFarEnoughApart() {
    var thresholds = ReportingThresholds.foreground
    func isReported(_ second: Int, _ metres: Double, _ accuracy: Double?) -> Bool {
      thresholds.reports(
        LocationFix(
          timestamp: time(second), latitude: metres / 111_000, longitude: 0,
          horizontalAccuracy: accuracy))
    }
    #expect(!isReported(0, 0, nil))
    #expect(!isReported(0, 0, 26))
    #expect(isReported(1, 0, 25))
    #expect(!isReported(16, 50, 5))
    #expect(!isReported(17, 14, 5))
    #expect(isReported(18, 20, 5))
    #expect(!isReported(40, 30, 5))
    #expect(isReported(10, 30, 5))
    thresholds = .background
    #expect(isReported(0, 0, 90))
    #expect(!isReported(60, 90, 90))
    #expect(isReported(61, 110, 90))
  }
}
