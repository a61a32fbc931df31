internal import CLocomotionMath

/// The probability that the phone moves: a two-state Markov chain seen through noisy evidence.
///
/// The forward recursion of a hidden Markov model in continuous time (Rabiner, Proceedings of the
/// IEEE 77, 1989, section III.A): between observations the posterior decays towards its prior, and
/// each observation multiplies the odds.
struct MotionPosterior: Sendable, StateElement {
  /// How often a phone at rest starts to move, and how often a moving one stops, per second.
  struct Rates: Sendable {
    var starting = 1.0 / 300
    var stopping = 1.0 / 120

    /// The probability of moving when nothing else is known.
    var prior: Double { starting / (starting + stopping) }

    /// The fraction of what was known that is still known after `seconds`.
    func memory(after seconds: Double) -> Double { exp(-(starting + stopping) * seconds) }
  }

  var probability = 0.5
  /// The decision, which changes only when the probability has crossed to the other side clearly.
  var state = MovingState.uncertain

  /// The least probability of either hypothesis, so that the decision can change within a second
  /// or two.
  static let probabilityFloor = 0.003

  /// Lets `seconds` pass without evidence.
  mutating func predict(seconds: Double, rates: Rates) {
    probability = Self.predicted(probability, seconds: seconds, rates: rates)
  }

  static func predicted(_ probability: Double, seconds: Double, rates: Rates) -> Double {
    rates.prior + (probability - rates.prior) * rates.memory(after: max(0, seconds))
  }

  /// The probability of motion given all evidence: `filtered` at this instant, and `next` given all
  /// evidence `seconds` later.
  ///
  /// The backward recursion over filtered probabilities (Rabiner 1989, section III.A, written for
  /// the posterior as in Särkkä, *Bayesian Filtering and Smoothing*, 2013, section 8.1).
  static func smoothed(
    _ filtered: Double, before next: Double, seconds: Double, rates: Rates
  ) -> Double {
    let predicted = predicted(filtered, seconds: seconds, rates: rates)
    let memory = rates.memory(after: max(0, seconds))
    let stays = rates.prior + (1 - rates.prior) * memory
    let starts = rates.prior * (1 - memory)
    let (up, down) = (next / predicted, (1 - next) / (1 - predicted))
    let moving = filtered * (stays * up + (1 - stays) * down)
    let rest = (1 - filtered) * (starts * up + (1 - starts) * down)
    let total = moving + rest
    return total > 0 ? min(max(moving / total, 1e-6), 1 - 1e-6) : filtered
  }

  /// Multiplies the odds of motion by e to the power of `ratio`.
  mutating func update(logLikelihoodRatio: Double) {
    let rest = (1 - probability) * exp(-logLikelihoodRatio)
    probability = Self.bounded(probability / (probability + rest))
  }

  private static func bounded(_ probability: Double) -> Double {
    min(max(probability, probabilityFloor), 1 - probabilityFloor)
  }

  /// Decides, with hysteresis: a decision holds until the odds against it pass `threshold`.
  mutating func decide(threshold: Double = 0.6) {
    switch state {
    case .stationary:
      if probability > threshold { state = .moving }
    case .moving:
      if probability < 1 - threshold { state = .stationary }
    case .uncertain:
      if probability > 0.7 { state = .moving } else if probability < 0.3 { state = .stationary }
    }
  }

  /// Takes over the decision of another posterior.
  mutating func adopt(_ decision: MovingDecision) {
    probability = Self.bounded(decision.probability)
    state = decision.state
  }

  /// Withdraws the decision.
  mutating func setUncertain() {
    state = .uncertain
  }

  static let blank = MotionPosterior()

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&probability)
    archive.require(0...1 ~= probability)
    archive.pass(caseOf: &state)
  }
}
