import Foundation
import LocomotionActivityRecognition

/// Temperature scaling: the single temperature that calibrates scores as probabilities.
///
/// p = softmax(s / T), with the T that minimises the weighted log loss of held-out windows (Guo,
/// Pleiss, Sun, Weinberger 2017, "On calibration of modern neural networks", section 4.2). The loss
/// is convex in 1/T, so that there is one minimum.
package enum TemperatureCalibration {
  /// The range of temperatures that are considered, 10⁻³ to 10³.
  static let range = 1e-3...1e3

  /// The temperature of least log loss for `scores`.
  ///
  /// Newton's method on the derivative with respect to 1/T, kept inside a bracket by bisection.
  /// Scores that separate the classes perfectly get the lowest temperature of ``range``; scores
  /// that are worse than chance get the highest.
  ///
  /// - Parameters:
  ///   - scores: The scores window by window, one per class.
  ///   - classCount: The number of classes.
  ///   - truths: The index of the right class of each window.
  ///   - weights: The weight of each window, not negative.
  /// - Returns: The temperature; 1 when no window has weight.
  /// - Precondition: there are `classCount` scores and one weight for each window.
  package static func temperature(
    scores: [Double], classCount: Int, truths: [Int], weights: [Double]
  ) -> Double {
    precondition(
      scores.count == truths.count * classCount,
      "expected \(truths.count) x \(classCount) scores, got \(scores.count)")
    precondition(
      weights.count == truths.count, "expected \(truths.count) weights, got \(weights.count)")
    guard weights.contains(where: { $0 > 0 }) else { return 1 }
    var low = 1 / range.upperBound
    var high = 1 / range.lowerBound
    func slope(_ inverse: Double) -> (first: Double, second: Double) {
      lossDerivatives(
        inverse, scores: scores, classCount: classCount, truths: truths, weights: weights)
    }
    if slope(low).first >= 0 { return 1 / low }
    if slope(high).first <= 0 { return 1 / high }
    var inverse = 1.0
    for _ in 0..<200 {
      let (first, second) = slope(inverse)
      if first > 0 { high = inverse } else { low = inverse }
      var next = inverse - first / second
      // Bisection in the logarithm: the range spans six decades.
      if !(next > low && next < high) { next = (low * high).squareRoot() }
      if abs(next - inverse) <= 1e-12 * inverse { return 1 / next }
      inverse = next
    }
    return 1 / inverse
  }

  /// The temperature of least log loss for posteriors over activities, for which both kinds of
  /// vehicle are one.
  ///
  /// - Returns: The temperature for `ActivityProbabilities.tempered(_:)`.
  static func temperature(
    of posteriors: [ActivityProbabilities], classes: [Activity], truths: [Activity],
    weights: [Double]
  ) -> Double {
    let parents = Activity.allCases.filter { activity in
      classes.contains { $0.parent == activity }
    }
    let scores = posteriors.flatMap { posterior -> [Double] in
      let merged = posterior.mergingRail
      return parents.map { parent -> Double in
        let probability = Double(merged[parent])
        return log(max(1e-12, probability))
      }
    }
    return temperature(
      scores: scores, classCount: parents.count,
      truths: truths.map { parents.firstIndex(of: $0.parent) ?? 0 }, weights: weights)
  }

  /// The first two derivatives of the log loss with respect to the inverse temperature.
  ///
  /// With b = 1/T and p = softmax(b s): Σ w (E_p[s] − s_truth) and Σ w Var_p[s].
  private static func lossDerivatives(
    _ inverse: Double, scores: [Double], classCount: Int, truths: [Int], weights: [Double]
  ) -> (first: Double, second: Double) {
    var first = 0.0
    var second = 0.0
    for (row, truth) in truths.enumerated() where weights[row] > 0 {
      let own = scores[row * classCount..<(row + 1) * classCount]
      let right = own[own.startIndex + truth]
      let top = own.max() ?? 0
      var sum = 0.0
      var mean = 0.0
      var square = 0.0
      for score in own {
        let weight = exp(inverse * (score - top))
        // Relative to the true class's score, which avoids cancellation.
        let difference = score - right
        sum += weight
        mean += weight * difference
        square += weight * difference * difference
      }
      mean /= sum
      first += weights[row] * mean
      second += weights[row] * max(0, square / sum - mean * mean)
    }
    return (first, second)
  }

  /// The probabilities of one window.
  ///
  /// - Precondition: the temperature is positive.
  package static func probabilities(
    scores: some Collection<Double>, temperature: Double
  ) -> [Double] {
    precondition(temperature > 0, "expected a positive temperature, got \(temperature)")
    let top = scores.max() ?? 0
    let weights = scores.map { exp(($0 - top) / temperature) }
    let sum = weights.reduce(0, +)
    return weights.map { $0 / sum }
  }
}
