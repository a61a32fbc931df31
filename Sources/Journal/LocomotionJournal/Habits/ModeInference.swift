internal import Locomotion
public import LocomotionActivityRecognition
internal import LocomotionSensing

/// How likely each mode of a leg is: by the sensors, and by the user's habit.
///
/// Both are parts of one posterior: a habit can outweigh doubtful evidence, and clear evidence a
/// habit.
public struct ModeInference: Hashable, Sendable, Codable {
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
  init(
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
  /// The mean of the probabilities of a leg's seconds, which are in the order of time.
  ///
  /// Without rest; nil when no second has any.
  init?(modesIn samples: [LocomotionSample], from start: Timestamp, to end: Timestamp) {
    let first = samples.partitioningIndex { $0.end > start }
    var sums = [Float](repeating: 0, count: Activity.allCases.count)
    for sample in samples[first...].prefix(while: { $0.start < end }) {
      guard let probabilities = sample.activity?.probabilities else { continue }
      for mode in Activity.allCases.dropFirst() { sums[mode.rawValue] += probabilities[mode] }
    }
    guard sums.contains(where: { $0 > 0 }) else { return nil }
    self.init(weights: { sums[$0.rawValue] })
  }

  /// What the quantisation of ``modeBits`` makes of a probability of 0.
  private static let least: Float = 1 / 512

  /// The probabilities of the five modes, 8 bits each.
  var modeBits: Int64 {
    Activity.allCases.dropFirst().reduce(0) { bits, activity in
      bits | Int64((self[activity] * 255).rounded()) << (8 * Int64(activity.rawValue - 1))
    }
  }

  /// The probabilities from ``modeBits``; nil from 0, which no probabilities have.
  init?(modeBits: Int64) {
    guard modeBits > 0 else { return nil }
    self.init(weights: { activity in
      guard activity != .stationary else { return 0 }
      let byte = modeBits >> (8 * Int64(activity.rawValue - 1)) & 0xFF
      return max(Float(byte) / 255, Self.least)
    })
  }
}
