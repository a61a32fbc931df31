internal import Foundation
public import LocomotionJournal
public import LocomotionSensing

/// When units may be sent, how often a failed sending is repeated, and which raw samples stay.
public struct SyncPolicy: Hashable, Sendable {
  /// Whether units are sent over a cellular network too; default false, wireless LAN only.
  public var allowsCellular = false
  /// Whether units are sent while roaming; default false.
  public var allowsRoaming = false
  /// The most bytes that are sent over cellular networks on one day of UTC; default 20 MB.
  public var cellularBytesPerDay = 20_000_000
  /// The lowest level of the battery at which units are sent, 0 to 1; default 0.2.
  ///
  /// Not asked while charging, nor where the level is unknown.
  public var lowestBatteryLevel = 0.2
  /// The mean delay after a first failure, seconds; it doubles with each further one; default 15.
  public var firstDelay = 15.0
  /// The bound of the mean delay after failures, seconds; default an hour.
  public var longestDelay = 3_600.0
  /// The bound of a delay that the archive asks for by `Retry-After`, seconds; default a day.
  public var longestRetryAfter = 86_400.0
  /// How long the newest small batches wait for more before they are sent, seconds; default 600.
  ///
  /// Sent earlier they take more space for ever.
  public var closingInterval = 600.0
  /// Which raw samples stay on the device after the archive has confirmed them; default all.
  public var retention = SampleRetention.all

  /// The defaults.
  public init() {}
}

/// How a device is connected and supplied at one time.
public struct SyncConditions: Hashable, Sendable {
  /// The kinds of networks.
  public enum Network: Hashable, Sendable {
    /// No network.
    case none
    /// Wireless LAN, or a cable.
    case local
    /// A cellular network, or another one that is paid by volume.
    case cellular
  }

  /// The network that requests would take.
  public var network: Network
  /// Whether the cellular network is not the subscriber's own.
  public var isRoaming: Bool
  /// The level of the battery, 0 to 1; nil when unknown or there is none.
  public var batteryLevel: Double?
  /// Whether the battery is being charged.
  public var isCharging: Bool

  /// Conditions from their parts; by default those of a machine on a cable.
  public init(
    network: Network = .local, isRoaming: Bool = false, batteryLevel: Double? = nil,
    isCharging: Bool = false
  ) {
    self.network = network
    self.isRoaming = isRoaming
    self.batteryLevel = batteryLevel
    self.isCharging = isCharging
  }
}

/// Why nothing is sent now, though there is something to send.
public enum SyncHold: Hashable, Sendable {
  /// There is no network.
  case offline
  /// The policy allows wireless LAN only.
  case cellular
  /// The network is not the subscriber's own.
  case roaming
  /// What may be sent over cellular networks on this day has been sent.
  case cellularLimit
  /// The battery's level is too low.
  case battery
  /// The caller has paused.
  case paused
  /// A failed sending is repeated after so many seconds.
  case delay(seconds: Double)
}

extension SyncPolicy {
  /// Whether the conditions allow sending; the limit of bytes is asked separately, because what was
  /// sent is in the journal.
  ///
  /// - Returns: Why not; nil when they do.
  public func hold(_ conditions: SyncConditions) -> SyncHold? {
    switch conditions.network {
    case .none: return .offline
    case .local: break
    case .cellular:
      // Roaming first: it costs most, and the person can tell by it what to change.
      if conditions.isRoaming, !allowsRoaming { return .roaming }
      if !allowsCellular { return .cellular }
    }
    if let level = conditions.batteryLevel, !conditions.isCharging, !(level >= lowestBatteryLevel) {
      return .battery
    }
    return nil
  }

  /// The number of the day of UTC, counted from 1970.
  static func day(of time: Timestamp) -> Int { Int(time.interval(of: 86_400_000_000_000)) }

  /// Reads a policy from lines `key = value`; empty ones and those that begin with `#` are nothing.
  ///
  /// | Key | Value | Default |
  /// |---|---|---|
  /// | `cellular` | `yes` or `no` | `no` |
  /// | `roaming` | `yes` or `no` | `no` |
  /// | `cellular-bytes-per-day` | bytes | 20000000 |
  /// | `lowest-battery` | 0 to 1 | 0.2 |
  /// | `first-delay` | seconds | 15 |
  /// | `longest-delay` | seconds | 3600 |
  /// | `closing-interval` | seconds | 600 |
  /// | `keep` | `all`, `none`, or a number of days | `all` |
  ///
  /// - Throws: ``SyncError/notAPolicy(line:reason:)`` for an unknown or repeated key, or a value
  ///   that is out of range.
  package init(text: String) throws(SyncError) {
    self.init()
    var seen: Set<String> = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let content = line.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !content.isEmpty, !content.hasPrefix("#") else { continue }
      let parts = content.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard parts.count == 2 else {
        throw .notAPolicy(line: index + 1, reason: "expected 'key = value', found no '='")
      }
      let (key, value) = (parts[0], parts[1])
      guard seen.insert(key).inserted else {
        throw .notAPolicy(line: index + 1, reason: "expected '\(key)' once, found it again")
      }
      if let expected = set(key, to: value) {
        throw .notAPolicy(
          line: index + 1, reason: "'\(key)': expected \(expected), found '\(value)'")
      }
    }
  }

  /// Sets one value; what was expected when that isn't possible.
  private mutating func set(_ key: String, to value: String) -> String? {
    func set(_ path: WritableKeyPath<Self, Bool>) -> String? {
      guard let isAllowed = ["yes": true, "no": false][value] else { return "'yes' or 'no'" }
      self[keyPath: path] = isAllowed
      return nil
    }
    func set(
      _ path: WritableKeyPath<Self, Double>, _ range: ClosedRange<Double>, _ words: String
    ) -> String? {
      guard let number = Double(value), range ~= number else { return words }
      self[keyPath: path] = number
      return nil
    }
    switch (key, value) {
    case ("cellular", _): return set(\.allowsCellular)
    case ("roaming", _): return set(\.allowsRoaming)
    case ("cellular-bytes-per-day", _):
      guard let bytes = Int(value), bytes >= 0 else { return "a number of bytes" }
      cellularBytesPerDay = bytes
    case ("lowest-battery", _): return set(\.lowestBatteryLevel, 0...1, "a number from 0 to 1")
    case ("first-delay", _): return set(\.firstDelay, 0.001...86_400, "0.001 to 86400 seconds")
    case ("longest-delay", _):
      return set(\.longestDelay, 0.001...86_400, "0.001 to 86400 seconds")
    case ("closing-interval", _): return set(\.closingInterval, 0...86_400, "0 to 86400 seconds")
    case ("keep", "all"): retention = .all
    case ("keep", "none"): retention = .none
    case ("keep", _):
      guard let days = Int(value), 0...36_500 ~= days else {
        return "'all', 'none' or a number of days"
      }
      retention = .days(days)
    default: return "a key of a policy"
    }
    return nil
  }
}

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
