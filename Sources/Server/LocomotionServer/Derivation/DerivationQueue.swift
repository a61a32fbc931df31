/// One device of a user.
struct DeviceStream: Hashable, Sendable {
  let user: String
  let device: String
}

/// The devices whose days are to be derived, and whose turn it is.
struct DerivationQueue: Sendable {
  /// A device that waits.
  struct Wait: Sendable {
    /// Since when.
    let first: ContinuousClock.Instant
    /// When it has sent something last.
    var last: ContinuousClock.Instant
    /// Not before this, because the last attempt failed.
    var earliest: ContinuousClock.Instant?
    /// Whether a portion of the work was not enough.
    var isBegun = false
    /// Whether what was begun was given up for others', which had taken less time.
    var isGivenUp = false

    /// Whether the device's time has come.
    func isReady(
      _ now: ContinuousClock.Instant, _ settings: ArchiveDerivation.Settings
    ) -> Bool {
      if let earliest, now < earliest { return false }
      return isBegun || now - last >= .seconds(settings.quietInterval)
        || now - first >= .seconds(settings.longestWait)
    }
  }

  private var waits: [DeviceStream: Wait] = [:]
  /// The number of the turn in which a user who waits was served last.
  private var turns: [String: Int] = [:]
  private var turn = 0

  var count: Int { waits.count }

  /// Since when the device waits that waits longest; nil when none does.
  var oldest: ContinuousClock.Instant? { waits.values.lazy.map(\.first).min() }

  /// Adds a device that has sent something.
  mutating func add(_ stream: DeviceStream, at now: ContinuousClock.Instant) {
    waits[stream, default: Wait(first: now, last: now)].last = now
  }

  /// Takes out the device whose turn it is: of the users, the one who was served longest ago; of
  /// their devices, the one that waits longest.
  mutating func next(
    where isReady: (DeviceStream, Wait) -> Bool
  ) -> (stream: DeviceStream, wait: Wait)? {
    let ready = waits.filter { isReady($0.key, $0.value) }
    let next = ready.min {
      (turns[$0.key.user] ?? 0, $0.value.first) < (turns[$1.key.user] ?? 0, $1.value.first)
    }
    guard let next else { return nil }
    waits[next.key] = nil
    turn += 1
    turns[next.key.user] = turn
    if turns.count > 2 * waits.count + 16 {
      let users = Set(waits.keys.map(\.user) + [next.key.user])
      turns = turns.filter { users.contains($0.key) }
    }
    return (next.key, next.value)
  }

  /// Puts a device back whose days are not derived yet.
  mutating func putBack(
    _ stream: DeviceStream, _ wait: Wait, isBegun: Bool,
    notBefore earliest: ContinuousClock.Instant? = nil
  ) {
    var again = waits[stream] ?? wait
    (again.isBegun, again.isGivenUp, again.earliest) = (isBegun, false, earliest)
    waits[stream] = again
  }

  /// Notes that the work on a device that waits was given up: it begins again later.
  mutating func giveUp(_ stream: DeviceStream) { waits[stream]?.isGivenUp = true }
}
