internal import CLocomotionMath

/// The steps that a step detector finds in the accelerations, as evidence beside the window's
/// features.
///
/// The features describe five seconds; a step detector follows one rhythm for longer, and where it
/// is sure, nobody sits in a vehicle. It enters the temporal filter as a separate likelihood. Both
/// see the same accelerations, so that its exponent is below 1.
public struct SteppingObservation: Equatable, Sendable {
  /// The step rate, steps per minute; nil when not stepping is more probable.
  public var stepsPerMinute: Float?
  /// The probability of stepping at that rate, or at any when there is none, 0 to 1.
  public var probability: Float

  /// An observation from its parts.
  public init(stepsPerMinute: Float?, probability: Float) {
    self.stepsPerMinute = stepsPerMinute
    self.probability = probability
  }

  /// What is told apart; indices of ``fractions``.
  private enum Outcome: Int, CaseIterable {
    case none, doubtful, slow, walk, run
  }

  private var outcome: Outcome {
    guard let stepsPerMinute else { return .none }
    guard probability >= 0.9 else { return .doubtful }
    return stepsPerMinute < 70 ? .slow : stepsPerMinute < 135 ? .walk : .run
  }

  /// The fractions of the outcomes in 1/1000, one row per class by `Activity.rawValue`.
  ///
  /// Counted once per window of the labelled sets, people and sets weighed as in training, and
  /// rounded; no outcome is ruled out for any class. Slow walking is rarer in the sets than among
  /// people: its fraction is a guess. A rider's steps are pedals, and cobbles that look like a run;
  /// at a walker's rate 50 were counted, and 20 stand here, for riders of a few cadences gave most.
  private static let fractions: [[Float]] = [
    [960, 10, 5, 10, 10],
    [80, 15, 60, 840, 10],
    [20, 10, 5, 30, 930],
    [820, 30, 15, 20, 80],
    [960, 10, 5, 10, 10],
    [960, 10, 5, 10, 10],
  ]

  /// The exponent of the fractions, relative to the window's probabilities.
  ///
  /// Chosen on fourteen sets that had no part in training (0.4, 0.7 and 1, with 50, 20 and 10 for
  /// riders at a walker's rate): against 0.4 and 50 walking gains 1.2 points live and the worst set
  /// 3, cycling loses none there and .6 on eight sets of training, where walking gains .7.
  private static let exponent: Float = 0.7
  /// The same where no steps are found: the detector needs seconds to find them, and soft ones it
  /// misses.
  private static let exponentOfNone: Float = 0.12

  /// The likelihoods by outcome, with a lane per class.
  private static let likelihoodsByOutcome: [SIMD8<Float>] = Outcome.allCases.map { outcome in
    let exponent = outcome == .none ? exponentOfNone : exponent
    var lanes = SIMD8<Float>.zero
    for (lane, row) in fractions.enumerated() {
      lanes[lane] = exp(exponent * log(row[outcome.rawValue] / 1000))
    }
    return lanes
  }

  /// The likelihood of each class up to a factor.
  var likelihoods: SIMD8<Float> { Self.likelihoodsByOutcome[outcome.rawValue] }
}

extension ActivityProbabilities {
  /// The probabilities updated with the steps that were found.
  public func weighed(by steps: SteppingObservation) -> ActivityProbabilities {
    ActivityProbabilities(normalising: lanes * steps.likelihoods)
  }
}
