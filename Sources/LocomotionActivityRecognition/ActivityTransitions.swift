internal import CLocomotionMath

/// How activities follow each other: a Markov chain in continuous time.
///
/// Every class is left at the rate 1 / dwell. Where it leads to is a symmetric matrix B with rows
/// of sum 1, so that in the long run all classes are alike. A change passes through standing or
/// walking: a direct change among running, cycling and riding is a fifth as likely, which stands
/// for the pause that was too short to see. B is scaled to its row sums by the iteration of
/// Sinkhorn and Knopp ("Concerning nonnegative matrices and doubly stochastic matrices", 1967).
struct ActivityTransitions: Sendable {
  /// Equal probability for each class of the model: what the belief relaxes to.
  let prior: SIMD8<Float>
  private let dwellSeconds: Float
  /// B by column, in lanes by `Activity.rawValue`.
  private let columns: [SIMD8<Float>]

  /// The chain of `classes`, each kept for `dwellSeconds` on average.
  init(classes: [Activity], dwellSeconds: Float) {
    self.dwellSeconds = dwellSeconds
    let ease = classes.map { from in classes.map { Self.ease(from, $0) } }
    var scale = [Double](repeating: 1, count: classes.count)
    for _ in 0..<100 {
      for row in classes.indices {
        let sum = classes.indices.reduce(0) { $0 + ease[row][$1] * scale[$1] }
        scale[row] = (scale[row] / sum).squareRoot()
      }
    }
    var prior = SIMD8<Float>.zero
    var columns = [SIMD8<Float>](repeating: .zero, count: Activity.allCases.count)
    for (row, from) in classes.enumerated() {
      prior[from.rawValue] = 1 / Float(classes.count)
      for (column, to) in classes.enumerated() {
        let share = scale[row] * ease[row][column] * scale[column]
        columns[to.rawValue][from.rawValue] = Float(share)
      }
    }
    self.prior = prior
    self.columns = columns
  }

  /// How easily one class follows another directly; relative and symmetric.
  private static func ease(_ from: Activity, _ to: Activity) -> Double {
    let pauses: Set<Activity> = [.stationary, .walking]
    if from == to { return 0 }
    return pauses.contains(from) || pauses.contains(to) ? 1 : 0.2
  }

  /// The belief after `seconds` without evidence: exp((B − I) seconds / dwell) applied to `belief`.
  ///
  /// By uniformisation (Jensen, "Markoff chains as an aid in the study of Markoff processes",
  /// 1953): the n-th power of B weighted by the Poisson probability of n changes. All terms are
  /// positive, so nothing cancels, and the steps may be of any length and any number. Beyond 60
  /// dwells the belief no longer moves in Float32.
  ///
  /// The result's sum is 1. Because B is symmetric, the same function carries beliefs backwards.
  func advance(_ belief: SIMD8<Float>, by seconds: Float) -> SIMD8<Float> {
    let changes = min(60, max(0, seconds / dwellSeconds))
    guard changes > 0 else { return belief / belief.sum() }
    var weight = exp(-changes)
    var term = belief
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
}
