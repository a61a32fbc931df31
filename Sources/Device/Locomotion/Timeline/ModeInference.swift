public import LocomotionActivityRecognition

/// How likely each mode of a leg is: by the sensors, and by the user's habit.
///
/// Both are parts of one posterior: a habit can outweigh doubtful evidence, and clear evidence a
/// habit.
public struct ModeInference: Hashable, Sendable {
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
