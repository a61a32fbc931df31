internal import CLocomotionMath

/// The temporal filter of custom activities: for each activity of the six, which kind of it.
///
/// The custom activities that behave like one activity and its ordinary kind are the states of a
/// hidden Markov model of their own, in which every change is equally likely (Rabiner, "A tutorial
/// on hidden Markov models", Proc. IEEE 77(2), 1989, eq. 19-20). A window is evidence of the kind
/// to the degree that the activity itself is probable; without evidence the kinds become equally
/// probable. Those that behave like none share a model in which the ordinary kind is all of the
/// six.
struct CustomActivityFilter: Sendable {
  /// For each lane the lanes of the same model, as 1 and 0.
  private let members: [SIMD8<Float>]
  /// The prior and stationary probability of each lane: equal to that of the ordinary kind, and
  /// outside the six to that of each of the six.
  let prior: SIMD8<Float>
  let activities: [CustomActivity]
  private let rate: Float

  /// A filter for the custom activities of `model`; nil when it has none.
  init?(_ model: ActivityModel) {
    guard let activities = model.parameters.custom?.activities else { return nil }
    self.activities = activities
    rate = 1 / model.parameters.dwellSeconds
    var prior = SIMD8<Float>.zero
    members = activities.map { activity in
      var lanes = SIMD8<Float>.zero
      for (lane, other) in activities.enumerated() where other.behavesLike == activity.behavesLike {
        lanes[lane] = 1
      }
      return lanes
    }
    for (lane, activity) in activities.enumerated() {
      let ordinary = activity.behavesLike == nil ? model.parameters.classes.count : 1
      prior[lane] = 1 / (Float(ordinary) + members[lane].sum())
    }
    self.prior = prior
  }

  /// The probability of the ordinary kind in the model of each lane.
  func ordinary(_ lanes: SIMD8<Float>) -> SIMD8<Float> {
    var result = SIMD8<Float>(repeating: 1)
    for lane in members.indices { result[lane] = max(0, 1 - (lanes * members[lane]).sum()) }
    return result
  }

  /// The prediction `seconds` ahead: a relaxation towards the prior.
  func predict(_ lanes: SIMD8<Float>, seconds: Float) -> SIMD8<Float> {
    prior + (lanes - prior) * exp(-max(0, seconds) * rate)
  }

  /// The posterior given the scores of a window, of which `exponent` counts, while the six have
  /// these probabilities.
  func update(
    _ lanes: SIMD8<Float>, with scores: SIMD8<Float>, exponent: Float,
    activities probabilities: ActivityProbabilities
  ) -> SIMD8<Float> {
    var weights = SIMD8<Float>.zero
    for (lane, activity) in activities.enumerated() {
      let share = activity.behavesLike.map { probabilities[$0] } ?? 1
      weights[lane] = lanes[lane] * exp(exponent * share * Self.bounded(scores[lane]))
    }
    return normalised(weights, ordinary: ordinary(lanes))
  }

  /// No kind is ruled out by one window: a factor of 10⁶ at most.
  private static func bounded(_ score: Float) -> Float { max(-13.8, min(13.8, score)) }

  /// The lane of the kind that is answered for `activity`, nil for the ordinary kind: the most
  /// probable, unless that `held` is less than `changeRatio` times less probable.
  func answer(
    _ lanes: SIMD8<Float>, of activity: Activity?, held: Int? = nil, changeRatio: Float = 1
  ) -> Int? {
    var best: Int?
    for lane in activities.indices where activities[lane].behavesLike == activity {
      if best.map({ lanes[lane] > lanes[$0] }) ?? true { best = lane }
    }
    guard let best else { return nil }
    let ordinary = ordinary(lanes)[best]
    let held = held.flatMap { members[best][$0] > 0 ? $0 : nil }
    let heldProbability = held.map { lanes[$0] } ?? ordinary
    if max(lanes[best], ordinary) <= changeRatio * heldProbability { return held }
    return lanes[best] > ordinary ? best : nil
  }

  /// The lane of what is answered beside `decision`: an activity outside the six, or a kind of the
  /// decided one, as in ``answer(_:of:held:changeRatio:)``.
  func answer(
    _ lanes: SIMD8<Float>, for decision: ActivityDecision, held: Int? = nil, changeRatio: Float = 1
  ) -> Int? {
    switch decision.unknownReason {
    case .notEnoughData, .badSignal: return nil
    default: break
    }
    if let outside = answer(lanes, of: nil, held: held, changeRatio: changeRatio) { return outside }
    guard let activity = decision.activity else { return nil }
    return answer(lanes, of: activity, held: held, changeRatio: changeRatio)
  }

  /// The decision with the custom activity in `lane`, and the probabilities of all.
  func naming(
    _ decision: ActivityDecision, _ lane: Int?, _ lanes: SIMD8<Float>
  ) -> ActivityDecision {
    var result = decision
    if let lane, activities[lane].behavesLike == nil {
      result = ActivityDecision(unknown: .customActivity, probabilities: decision.probabilities)
    }
    result.customActivity = lane.map { activities[$0] }
    result.customProbabilities = CustomProbabilities(lanes: lanes)
    return result
  }

  /// The smoothed probabilities, given the filtered ones, and the smoothed ones `seconds` later.
  ///
  /// Kitagawa, "Non-Gaussian state-space modeling of nonstationary time series", JASA 82(400),
  /// 1987, equation 2.4.
  func smooth(
    _ filtered: SIMD8<Float>, before later: SIMD8<Float>, seconds: Float
  ) -> SIMD8<Float> {
    let stays = exp(-max(0, seconds) * rate)
    let predicted = predict(filtered, seconds: seconds)
    let least = SIMD8<Float>(repeating: 1e-9)
    let ratio = later / pointwiseMax(predicted, least)
    let ordinaryRatio = ordinary(later) / pointwiseMax(ordinary(predicted), least)
    // Of all kinds, weighted by the probability to change to them.
    var mean = ordinary(prior) * ordinaryRatio
    for lane in members.indices { mean[lane] += (prior * ratio * members[lane]).sum() }
    let weights = filtered * (stays * ratio + (1 - stays) * mean)
    let ordinaryWeights = ordinary(filtered) * (stays * ordinaryRatio + (1 - stays) * mean)
    return normalised(weights, ordinary: ordinaryWeights)
  }

  /// `weights` divided by the sum over the kinds of the same activity.
  private func normalised(
    _ weights: SIMD8<Float>, ordinary: SIMD8<Float>
  ) -> SIMD8<Float> {
    var result = SIMD8<Float>.zero
    for lane in members.indices {
      let part = weights[lane] / (ordinary[lane] + (weights * members[lane]).sum())
      result[lane] = part >= 0 && part <= 1 ? part : prior[lane]
    }
    return result
  }
}
