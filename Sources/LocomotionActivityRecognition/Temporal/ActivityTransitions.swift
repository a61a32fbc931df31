internal import CLocomotionMath

/// The transition model of the activities: a continuous-time Markov chain.
///
///     d p / dt = Q p,   Q[i,j] = ease[i,j] / (dwell · mean ease of leaving),   columns of sum 0
///
/// Changes pass through standing or walking: a direct change among running, cycling and riding is a
/// fifth as likely, which stands for a pause too short to observe. Q is symmetric, hence without
/// evidence all classes become equally probable, as they are in training; averaged over the classes
/// the rate of leaving is 1 / dwell, lower for rides and higher for the pauses.
package struct ActivityTransitions: Sendable {
  /// The prior and the stationary distribution: equal probability for each class of the model.
  package let prior: SIMD8<Float>
  /// The highest rate of leaving a class, 1/s.
  private let rate: Float
  /// The rate of leaving a class where nothing is observed, relative to ``rate``.
  ///
  /// A filter's dwell time also makes it quick to follow windows that overlap. Without windows it
  /// is the time that people stay in one activity, five minutes.
  private let silentRatio: Float
  /// I + Q / rate by column, in lanes by `Activity.rawValue`; all elements are probabilities.
  private let columns: [SIMD8<Float>]

  /// The chain of `classes`, with a mean dwell time of `dwellSeconds`.
  package init(classes: [Activity], dwellSeconds: Float) {
    let leaving = classes.map { from in
      classes.reduce(0) { $0 + Self.ease(from, $1) }
    }
    let highest = leaving.reduce(0, max)
    let mean = leaving.reduce(0, +) / Float(classes.count)
    var prior = SIMD8<Float>.zero
    var columns = [SIMD8<Float>](repeating: .zero, count: Activity.allCases.count)
    for (from, ease) in zip(classes, leaving) {
      prior[from.rawValue] = 1 / Float(classes.count)
      for to in classes {
        columns[from.rawValue][to.rawValue] =
          (from == to ? highest - ease : Self.ease(from, to)) / highest
      }
    }
    self.prior = prior
    self.columns = columns
    rate = highest / (mean * dwellSeconds)
    silentRatio = min(1, dwellSeconds / 300)
  }

  /// The relative rate of direct transitions between two classes; symmetric.
  private static func ease(_ from: Activity, _ to: Activity) -> Float {
    let pauses: Set<Activity> = [.stationary, .walking]
    if from == to { return 0 }
    return pauses.contains(from) || pauses.contains(to) ? 1 : 0.2
  }

  /// The prediction `seconds` ahead: exp(Q · seconds) applied to `posterior`.
  ///
  /// By uniformisation (Jensen, "Markoff chains as an aid in the study of Markoff processes",
  /// 1953): the n-th power of I + Q / rate weighted by the Poisson probability of n. All terms are
  /// positive, so nothing cancels, and the steps may be of any length and any number. After 60
  /// transitions on average the prediction has converged in Float32.
  ///
  /// Of `seconds`, `silent` are without observations, in which changes are rarer.
  ///
  /// The result's sum is 1. Because Q is symmetric, the same function propagates backward
  /// variables.
  package func advance(
    _ posterior: SIMD8<Float>, by seconds: Float, silent: Float = 0
  ) -> SIMD8<Float> {
    let changes = min(60, max(0, (seconds - silent + silent * silentRatio) * rate))
    guard changes > 0 else { return posterior / posterior.sum() }
    var weight = exp(-changes)
    var term = posterior
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
    _ posterior: SIMD8<Float>, by evidence: ActivityClassifier.Evidence
  ) -> SIMD8<Float> {
    advance(posterior, by: evidence.elapsedSeconds, silent: evidence.silentSeconds)
  }
}
