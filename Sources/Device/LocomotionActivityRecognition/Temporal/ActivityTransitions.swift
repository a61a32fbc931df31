internal import CLocomotionMath

/// The transition model of ``ActivityStates``: a continuous-time Markov chain.
///
///     d p / dt = Q p,   Q[i,j] = ease[i,j] / (dwell · mean ease of leaving),   columns of sum 0
///
/// Between rides, and between rest and a vehicle, people walk: a direct change is a twentieth as
/// likely, which stands for a walk too short to observe. Averaged over the classes the rate of
/// leaving is 1 / dwell, lower for rides and higher for the pauses between.
///
/// A vehicle moves for two minutes on average and stands for half a minute, and is entered and left
/// in either state. So a stop of a minute or two remains part of the ride, and a phone at rest for
/// longer comes to have arrived.
///
/// The chain is reversible (Norris, "Markov Chains", 1997, theorem 3.7.2), and without evidence all
/// classes become equally probable, as they are in training.
package struct ActivityTransitions: Sendable {
  /// The prior and the stationary distribution: equal probability for each class of the model.
  let prior: SIMD8<Float>
  /// The distribution at the start of a stream.
  ///
  /// Who starts a recording stands or walks: a phone in a hand is like one in a smooth ride. Chosen
  /// on clips of 5 to 15 s and rides of sets left out (1 to 12 for rest, 1 to 8 for walking).
  let start: SIMD8<Float>
  private static let startOdds: [Activity: Float] = [.stationary: 6, .walking: 4]
  /// The highest rate of leaving a state, 1/s.
  private let rate: Float
  /// The rate of leaving a state where nothing is observed, relative to ``rate``.
  ///
  /// A filter's dwell time also makes it quick to follow windows that overlap. Without windows it
  /// is the time that people stay in one activity, five minutes.
  private let silentRatio: Float
  /// I + Q / rate by column, in lanes of ``ActivityStates``; all elements are probabilities.
  private let columns: [SIMD8<Float>]

  /// The mean time for which a vehicle moves, seconds.
  private static let movingSeconds: Float = 120
  /// The mean time for which a vehicle stands, seconds.
  private static let standingSeconds: Float = 30

  /// The states of one class, each with its part of the class's probability.
  private static func states(of activity: Activity) -> [(lane: Int, part: Float)] {
    let moving = movingSeconds / (movingSeconds + standingSeconds)
    switch activity {
    case .automotive:
      return [(activity.rawValue, moving), (ActivityStates.standingRoad, 1 - moving)]
    case .train:
      return [(activity.rawValue, moving), (ActivityStates.standingRail, 1 - moving)]
    default: return [(activity.rawValue, 1)]
    }
  }

  /// The chain of `classes`, with a mean dwell time of `dwellSeconds`.
  package init(classes: [Activity], dwellSeconds: Float) {
    let leaving = classes.map { from in
      classes.reduce(0) { $0 + Self.ease(from, $1) }
    }
    let mean = leaving.reduce(0, +) / Float(classes.count)
    let scale = 1 / (mean * dwellSeconds)
    var prior = SIMD8<Float>.zero
    var start = SIMD8<Float>.zero
    // The rates by column, off the diagonal.
    var rates = [SIMD8<Float>](repeating: .zero, count: SIMD8<Float>.scalarCount)
    for from in classes {
      for state in Self.states(of: from) {
        prior[state.lane] = state.part / Float(classes.count)
        start[state.lane] = prior[state.lane] * (Self.startOdds[from] ?? 1)
        for to in classes where to != from {
          for other in Self.states(of: to) {
            rates[state.lane][other.lane] = Self.ease(from, to) * scale * other.part
          }
        }
      }
      if from.isMotorized, let standing = Self.states(of: from).last?.lane {
        rates[from.rawValue][standing] = 1 / Self.movingSeconds
        rates[standing][from.rawValue] = 1 / Self.standingSeconds
      }
    }
    let highest = rates.map { $0.sum() }.reduce(0, max)
    for lane in rates.indices {
      rates[lane] /= highest
      rates[lane][lane] = 1 - rates[lane].sum()
    }
    self.prior = prior
    self.start = start / start.sum()
    columns = rates
    rate = highest
    silentRatio = min(1, dwellSeconds / 300)
  }

  /// The relative rate of direct transitions between two classes; symmetric.
  private static func ease(_ from: Activity, _ to: Activity) -> Float {
    if from == to { return 0 }
    let both: Set<Activity> = [from, to]
    if both.contains(.walking) { return 1 }
    // Cyclists stop at lights, runners at crossings.
    if both.contains(.stationary) { return both.contains(where: { $0.isMotorized }) ? 0.05 : 1 }
    return 0.05
  }

  /// The prediction `seconds` ahead: exp(Q · seconds) applied to `states`.
  ///
  /// By uniformisation (Jensen, "Markoff chains as an aid in the study of Markoff processes",
  /// 1953): the n-th power of I + Q / rate weighted by the Poisson probability of n. All terms are
  /// positive, so nothing cancels, and the steps may be of any length and any number. After 1,800
  /// transitions on average the prediction has converged in Float32.
  ///
  /// Of `seconds`, `silent` are without observations, in which changes are rarer; in the others
  /// they are `hazardRatio` times as likely as on average.
  ///
  /// The result's sum is 1. Because the chain is reversible, the same function propagates backward
  /// variables that are multiplied by ``prior``.
  package func advance(
    _ states: SIMD8<Float>, by seconds: Float, silent: Float = 0, hazardRatio: Float = 1
  ) -> SIMD8<Float> {
    let observed = (seconds - silent) * hazardRatio
    var changes = min(1_800, max(0, (observed + silent * silentRatio) * rate))
    var states = states
    while changes > Self.mostChanges {
      states = advance(states, byChanges: Self.mostChanges)
      changes -= Self.mostChanges
    }
    return changes > 0 ? advance(states, byChanges: changes) : states / states.sum()
  }

  /// The probability of no change among more than 80 is subnormal.
  private static let mostChanges: Float = 60

  private func advance(_ states: SIMD8<Float>, byChanges changes: Float) -> SIMD8<Float> {
    var weight = exp(-changes)
    var term = states
    var sum = weight * term
    let last = Int(changes + 8 * changes.squareRoot() + 8)
    for count in 1...last {
      weight *= changes / Float(count)
      var next = SIMD8<Float>.zero
      for lane in columns.indices { next += columns[lane] * term[lane] }
      term = next
      sum += weight * term
    }
    return sum / sum.sum()
  }

  /// The prediction over the time before `evidence`.
  func advance(
    _ states: SIMD8<Float>, by evidence: ActivityClassifier.Evidence
  ) -> SIMD8<Float> {
    advance(
      states, by: evidence.elapsedSeconds, silent: evidence.silentSeconds,
      hazardRatio: evidence.hazardRatio)
  }
}

/// The probabilities of the temporal model's states: the activities, with a vehicle that moves and
/// one that stands apart.
///
/// A car at a light and a train in a station feel like rest. They are part of the ride all the
/// same, and so are states of their own, see <doc:TemporalModel>.
public struct ActivityStates: Equatable, Sendable {
  /// The activities by `Activity.rawValue`, vehicles in motion; then the standing road vehicle and
  /// the standing train.
  var lanes: SIMD8<Float>

  /// The lane of the road vehicle that stands.
  static let standingRoad = 6
  /// The lane of the train that stands.
  static let standingRail = 7

  package init(lanes: SIMD8<Float>) {
    self.lanes = lanes
  }

  /// Divides `weights` by their sum; `fallback` if that isn't positive.
  init(normalising weights: SIMD8<Float>, else fallback: SIMD8<Float>) {
    // Dividing by the largest first avoids overflow and subnormal sums.
    let largest = weights.max()
    guard largest > 0, largest.isFinite else {
      lanes = fallback
      return
    }
    let scaled = weights / largest
    lanes = scaled / scaled.sum()
  }

  /// The probability of each activity, whether its vehicle stands or moves.
  public var activities: ActivityProbabilities {
    var folded = lanes
    folded[Activity.automotive.rawValue] += lanes[Self.standingRoad]
    folded[Activity.train.rawValue] += lanes[Self.standingRail]
    return ActivityProbabilities(normalising: folded)
  }
}
