/// How likely each mode of a leg is: by the sensors, and by the user's habit.
///
/// Both are parts of one posterior: a habit can outweigh doubtful evidence, and clear evidence a
/// habit.
public struct ModeInference: Equatable, Sendable {
  /// What the sensors say: the mean over the leg's seconds, without rest; the mean of calibrated
  /// probabilities is that of a second taken at random.
  public let sensors: ActivityProbabilities
  /// How likely it is that the sensors tell the mode of a trip between these places, 0 to 1, by
  /// those whose mode is known; 1 when none is.
  public let reliability: Double
  /// What the earlier trips between the same places say; uniform when none was confirmed.
  public let habit: ActivityProbabilities
  /// The number of confirmed trips behind ``habit``.
  public let confirmedTrips: Int

  /// The probability of each mode: habit · (reliability · sensors + (1 − reliability) / 5).
  ///
  /// The likelihood is that of contaminated observations: with the probability of
  /// ``reliability`` the sensors' answer, else any of the five modes alike (Huber, "Robust
  /// estimation of a location parameter", Annals of Mathematical Statistics 35, 1964).
  public var posterior: ActivityProbabilities {
    let modes = Float(Activity.allCases.count - 1)
    return ActivityProbabilities(weights: { mode in
      guard mode != .stationary else { return 0 }
      let share = Float(reliability) * sensors[mode] + Float(1 - reliability) / modes
      return habit[mode] * share
    })
  }

  /// An inference without habits.
  public init(sensors: ActivityProbabilities) {
    self.init(sensors: sensors, reliability: 1, habit: .uniform, confirmedTrips: 0)
  }

  /// An inference from its parts.
  package init(
    sensors: ActivityProbabilities, reliability: Double, habit: ActivityProbabilities,
    confirmedTrips: Int
  ) {
    self.sensors = sensors
    self.reliability = reliability
    self.habit = habit
    self.confirmedTrips = confirmedTrips
  }
}

extension ActivityProbabilities {
  /// The probabilities of the five modes in 255ths, 8 bits each: at least 1 each, and 255 together.
  ///
  /// What ``init(modeBits:)`` makes of them has the same ones, so that a leg says the same before
  /// it is stored and after.
  package var modeBits: Int64 {
    let modes = Activity.allCases.dropFirst()
    let sum = modes.reduce(Float(0)) { $0 + self[$1] }
    let shares = modes.map { sum > 0 ? self[$0] / sum * 255 : 51 }
    // A thousandth, for what the division left of a whole number.
    var counts = shares.map { max(1, ($0 + 0.001).rounded(.down)) }
    while true {
      let rest = 255 - counts.reduce(0, +)
      guard rest != 0 else { break }
      let changed = counts.indices.filter { rest > 0 || counts[$0] > 1 }
        .max { rest * (shares[$0] - counts[$0]) < rest * (shares[$1] - counts[$1]) }
      guard let changed else { break }
      counts[changed] += rest > 0 ? 1 : -1
    }
    return counts.reversed().reduce(0) { $0 << 8 | Int64($1) }
  }

  /// The probabilities from ``modeBits``; nil from 0, which no probabilities have.
  package init?(modeBits: Int64) {
    guard modeBits > 0 else { return nil }
    self.init(weights: { mode in
      guard mode != .stationary else { return 0 }
      // None is impossible, whatever an older version stored.
      return max(Float(modeBits >> (8 * Int64(mode.rawValue - 1)) & 0xFF), 0.5)
    })
  }

  /// The probabilities of the modes alone, as a journal keeps them.
  package var ofModes: ActivityProbabilities {
    ActivityProbabilities(modeBits: modeBits) ?? .uniform
  }
}
