import Locomotion
import TestSupport
import Testing

/// The receiver rests when the phone does, and wakes up in time.
@Suite struct PowerPolicyTests {
  /// What a phone sees `metres` north of home; the accelerometer runs unless `isBlind`.
  private func seen(
    _ moving: MovingState, metres: Double? = nil, radius: Double = 6, isBlind: Bool = false
  ) -> PowerPolicy.Observation {
    let location = metres.map {
      LocationEstimate(
        timestamp: .at(0), latitude: 48 + $0 / 111_200, longitude: 11, radius68: radius,
        speed: nil, speedDeviation: nil, course: nil)
    }
    return PowerPolicy.Observation(
      moving: moving, location: location, hasNewFix: metres != nil, hasAccelerations: !isBlind)
  }

  /// The seconds at which phases begin while the same is seen; fixes come only to a receiver that
  /// is on, and two seconds late.
  private func phases(
    _ policy: inout PowerPolicy, _ seconds: Range<Int>, metres: Double = 0, isBlind: Bool = false,
    _ moving: MovingState
  ) -> [(Int, PowerPolicy.Phase)] {
    var phases: [(Int, PowerPolicy.Phase)] = []
    var onSince = seconds.lowerBound
    for second in seconds {
      let isOn = policy.phase != .sleeping
      if !isOn { onSince = second + 1 }
      let hasFix = isOn && (policy.phase == .recording || second >= onSince + 2)
      policy.update(at: .at(second), seen(moving, metres: hasFix ? metres : nil, isBlind: isBlind))
      if phases.last?.1 != policy.phase { phases.append((second, policy.phase)) }
    }
    return phases
  }

  @Test func aPhoneWhoseAccelerometerIsAtRestIsLookedAtEveryQuarterOfAnHour() {
    var policy = PowerPolicy()
    let found = phases(&policy, 0..<2_000, .stationary)
    #expect(found.map(\.0) == [0, 180, 1_080, 1_083, 1_983, 1_986])
    #expect(
      found.map(\.1) == [.recording, .sleeping, .looking, .sleeping, .looking, .sleeping])
    #expect(
      policy.request == PowerPolicy.Request(accuracy: .none, wakeUp: .at(1_986 + 60)))
  }

  @Test func withoutAnAccelerometerItIsLookedAtEveryMinute() {
    var policy = PowerPolicy()
    let found = phases(&policy, 0..<400, isBlind: true, .stationary)
    #expect(found.map(\.0) == [0, 180, 240, 243, 303, 306, 366, 369])
    #expect(found.map(\.1).suffix(2) == [.looking, .sleeping])
  }

  @Test func displacementEndsALookAndHandlingDoesNot() {
    for (metres, phase) in [(60.0, PowerPolicy.Phase.recording), (5, .sleeping)] {
      var policy = PowerPolicy()
      _ = phases(&policy, 0..<200, .stationary)
      #expect(policy.phase == .sleeping)
      policy.update(at: .at(200), seen(.moving))
      #expect(policy.phase == .looking && policy.request.accuracy == .best)
      _ = phases(&policy, 201..<235, metres: metres, .moving)
      #expect(policy.phase == phase)
    }
  }

  @Test func handlingInOnePlaceLetsThePhoneSleepAndATripDoesNot() {
    var policy = PowerPolicy()
    let found = phases(&policy, 0..<181, metres: 3, .moving)
    #expect(found.map(\.1) == [.recording, .sleeping])
    // While the handling goes on it is looked at once a minute.
    let later = phases(&policy, 181..<500, metres: 3, .moving)
    #expect(later.count { $0.1 == .looking } <= 4 && policy.phase != .recording)

    var trip = PowerPolicy()
    for second in 0..<1_000 {
      trip.update(at: .at(second), seen(.moving, metres: Double(second)))
      #expect(trip.phase == .recording)
    }
    // A tunnel has no fixes, and the phone may be anywhere.
    for second in 1_000..<2_000 {
      trip.update(at: .at(second), seen(.moving))
      #expect(trip.phase == .recording)
    }
  }

  @Test func aLookWithoutAFixEndsAfterHalfAMinute() {
    var policy = PowerPolicy()
    _ = phases(&policy, 0..<200, .stationary)
    for second in 200..<231 {
      policy.update(at: .at(second), seen(.moving))
      #expect(policy.phase == (second < 230 ? .looking : .sleeping))
    }
  }

  @Test func accuracyIsLoweredLateAndRaisedAtOnceAfterSleep() {
    var policy = PowerPolicy()
    var accuracies: [PowerPolicy.Accuracy] = []
    for second in 0..<179 {
      accuracies.append(
        policy.update(at: .at(second), seen(.stationary, metres: 0, radius: 8)).accuracy)
    }
    #expect(accuracies[..<60].allSatisfy { $0 == .best })
    #expect(accuracies.last == .tenMetres)
    for second in 179..<400 {
      let metres = Double(second - 178) * 2
      accuracies.append(
        policy.update(at: .at(second), seen(.moving, metres: metres, radius: 8)).accuracy)
    }
    #expect(accuracies.last == .best)
  }

  @Test func theReceiverMayBeKeptAliveAsleep() {
    var settings = PowerPolicy.Settings()
    settings.accuracyAsleep = .kilometres
    var policy = PowerPolicy(settings: settings)
    _ = phases(&policy, 0..<200, .stationary)
    #expect(policy.phase == .sleeping && policy.request.accuracy == .kilometres)
  }

  @Test func timesThatRunBackwardsAndSettingsThatMakeNoSenseAreSurvived() {
    var settings = PowerPolicy.Settings()
    settings.sleepBetweenLooks = .nan
    settings.longestLook = .infinity
    settings.restBeforeSleep = -1
    settings.handlingRadius = .nan
    settings.longestSleep = -.infinity
    var policy = PowerPolicy(settings: settings)
    var random = SplitMix64(seed: 1)
    for _ in 0..<10_000 {
      let number = Double(bitPattern: random.next())
      let request = policy.update(
        at: Timestamp(nanoseconds: Int64(bitPattern: random.next())),
        seen(
          MovingState.allCases[Int(random.next() % 3)],
          metres: random.next() % 2 == 0 ? nil : number, radius: number,
          isBlind: random.next() % 2 == 0))
      #expect((request.accuracy == .none) == (policy.phase == .sleeping))
    }
  }
}
