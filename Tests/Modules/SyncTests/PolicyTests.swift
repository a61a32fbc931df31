import LocomotionJournal
import LocomotionSensing
import LocomotionSync
import Testing

@Suite struct PolicyTests {
  /// Every combination of what the policy asks, against a table in words.
  @Test func theConditionsDecideAsTheTableSays() {
    for allowsCellular in [false, true] {
      for allowsRoaming in [false, true] {
        var policy = SyncPolicy()
        policy.allowsCellular = allowsCellular
        policy.allowsRoaming = allowsRoaming
        for isRoaming in [false, true] {
          for (level, isCharging, isLow) in [
            (nil, false, false), (0.2, false, false), (0.19, false, true), (0.01, true, false),
            (Double.nan, false, true),
          ] as [(Double?, Bool, Bool)] {
            func hold(_ network: SyncConditions.Network) -> SyncHold? {
              policy.hold(
                SyncConditions(
                  network: network, isRoaming: isRoaming, batteryLevel: level,
                  isCharging: isCharging))
            }
            let battery: SyncHold? = isLow ? .battery : nil
            #expect(hold(.none) == .offline)
            // Roaming concerns cellular networks only.
            #expect(hold(.local) == battery)
            let expected: SyncHold? =
              isRoaming && !allowsRoaming ? .roaming : allowsCellular ? battery : .cellular
            #expect(hold(.cellular) == expected)
          }
        }
      }
    }
  }

  @Test func delaysDoubleUpToTheirBoundAndNeverBeginBeforeWhatWasAskedFor() {
    let policy = SyncPolicy()
    let now = Timestamp(nanoseconds: 1_700_000_000_000_000_000)
    var backOff = SyncBackOff(seed: 3)
    #expect(backOff.remaining(at: now) == 0)
    var seen: Set<Double> = []
    for failures in 1...40 {
      backOff.fail(at: now, retryAfter: nil, policy)
      let mean = min(3_600, 15 * Double(1 << min(failures - 1, 20)))
      let delay = backOff.remaining(at: now)
      #expect(mean / 2...mean * 1.5 ~= delay)
      seen.insert(delay / mean)
    }
    #expect(seen.count == 40)
    #expect(backOff.failures == 40)
    backOff.fail(at: now, retryAfter: 7_200, policy)
    #expect(7_200...7_200 + 540 ~= backOff.remaining(at: now))
    backOff.fail(at: now, retryAfter: 1e300, policy)
    #expect(86_400...86_400 + 540 ~= backOff.remaining(at: now))
    backOff.succeed()
    #expect(backOff.remaining(at: now) == 0)
  }

  @Test func aClockThatIsSetBackLengthensNoDelay() {
    let policy = SyncPolicy()
    let now = Timestamp(nanoseconds: 1_700_000_000_000_000_000)
    var backOff = SyncBackOff(seed: 3)
    backOff.fail(at: now, retryAfter: nil, policy)
    let delay = backOff.remaining(at: now)
    let earlier = now.advanced(byNanoseconds: -400 * 86_400_000_000_000)
    #expect(backOff.remaining(at: earlier) == delay)
    #expect(backOff.remaining(at: earlier.advanced(byNanoseconds: 60_000_000_000)) == 0)
  }

  @Test func theSameSeedGivesTheSameDelays() {
    let now = Timestamp(nanoseconds: 0)
    var (one, other, third) = (SyncBackOff(seed: 1), SyncBackOff(seed: 1), SyncBackOff(seed: 2))
    for _ in 0..<10 {
      one.fail(at: now, retryAfter: nil, .init())
      other.fail(at: now, retryAfter: nil, .init())
      third.fail(at: now, retryAfter: nil, .init())
    }
    #expect(one == other)
    #expect(one.remaining(at: now) != third.remaining(at: now))
  }

  @Test func aPolicyIsReadFromItsLines() throws {
    let policy = try SyncPolicy(
      text: """
        # at home only
        cellular = yes
        roaming=no
        cellular-bytes-per-day = 5000000

        lowest-battery = 0.5
        first-delay = 1
        longest-delay = 60
        closing-interval = 0
        keep = 30\r
        """)
    #expect(policy.allowsCellular && !policy.allowsRoaming)
    #expect(policy.cellularBytesPerDay == 5_000_000)
    #expect(policy.lowestBatteryLevel == 0.5)
    #expect((policy.firstDelay, policy.longestDelay, policy.closingInterval) == (1, 60, 0))
    #expect(policy.retention == .days(30))
    #expect(try SyncPolicy(text: "") == SyncPolicy())
    #expect(try SyncPolicy(text: "keep = none").retention == .none)
  }

  @Test(arguments: [
    ("cellular", 1, "'key = value'"), ("\nwifi = yes", 2, "'wifi'"),
    ("cellular = true", 1, "'yes' or 'no', found 'true'"),
    ("lowest-battery = 20", 1, "0 to 1, found '20'"),
    ("keep = -1", 1, "a number of days, found '-1'"),
    ("first-delay = inf", 1, "seconds"), ("keep = all\n\nkeep = none", 3, "once"),
  ])
  func aPolicyThatIsNoneIsRefusedWithItsLine(text: String, line: Int, words: String) {
    let error = #expect(throws: SyncPolicyError.self) { try SyncPolicy(text: text) }
    #expect(error?.line == line)
    #expect(error?.description.contains(words) == true)
  }
}
