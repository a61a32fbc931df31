public import LocomotionSensing

/// The delay after failures: doubled with each, and random between half and one and a half of that.
///
/// So that devices that lost the archive at the same time do not come back at the same time. A pure
/// value: time comes in, and the random numbers are those of the seed.
public struct SyncBackOff: Hashable, Sendable {
  /// How many sendings have failed since the last success.
  public private(set) var failures = 0
  private var start = Timestamp(nanoseconds: 0)
  private var delay = 0.0
  private var state: UInt64

  /// A state without failures.
  public init(seed: UInt64) {
    state = seed
  }

  /// Forgets the failures.
  public mutating func succeed() {
    failures = 0
    delay = 0
  }

  /// Notes a failure at this time.
  ///
  /// - Parameters:
  ///   - now: The present time.
  ///   - retryAfter: The seconds for which the archive asked, if any.
  ///   - policy: The delays.
  public mutating func fail(at now: Timestamp, retryAfter: Double?, _ policy: SyncPolicy) {
    failures += 1
    start = now
    let mean = min(
      policy.longestDelay, policy.firstDelay * Double(1 << min(failures - 1, 30)))
    delay = mean * (0.5 + random())
    if let retryAfter, retryAfter > 0 {
      // Not before it, and not all at once after it.
      delay = min(retryAfter, policy.longestRetryAfter) + delay / 10
    }
  }

  /// The seconds until the next sending; 0 when it may be now.
  ///
  /// A clock that was set back lets the delay begin anew: it is never longer than it was.
  public mutating func remaining(at now: Timestamp) -> Double {
    guard delay > 0 else { return 0 }
    if now < start { start = now }
    let rest = delay - now.seconds(since: start)
    // Less than a clock may resolve: waiting for it could go on for ever.
    return rest < 0.001 ? 0 : rest
  }

  /// SplitMix64 (Steele, Lea, Flood, 2014), to a number from 0 up to 1.
  private mutating func random() -> Double {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return Double((z ^ (z >> 31)) >> 11) / 9_007_199_254_740_992
  }
}
