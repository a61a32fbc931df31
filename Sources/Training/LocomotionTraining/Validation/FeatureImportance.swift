import LocomotionActivityRecognition
import LocomotionLinearAlgebra

/// The permutation importance of one feature on held-out windows.
///
/// The feature's values are permuted at random among all evaluated windows, and the accuracy, all
/// classes weighted alike, drops (Breiman 2001, "Random forests", section 10). Correlated features
/// can replace each other: a small drop means that the others suffice, not that the feature is
/// uninformative.
public struct FeatureImportance: Sendable, Hashable, Codable {
  /// The feature's stable name.
  public var feature: String
  /// The accuracy with the feature less the accuracy with its values permuted.
  public var accuracyDrop: Double

  /// The importance of every feature, the greatest drop first.
  ///
  /// - Parameters:
  ///   - set: The windows.
  ///   - windows: The windows to evaluate.
  ///   - basis: The basis expansion.
  ///   - classes: The classes in the order of the weights' columns.
  ///   - seed: The seed of the permutations.
  ///   - weights: The model of each window.
  /// - Returns: One entry per feature.
  static func ranking(
    of set: TrainingSet, windows: [Int], basis: HingeBasis, classes: [Activity], seed: UInt64,
    weights: (Int) -> Matrix
  ) -> [FeatureImportance] {
    guard !windows.isEmpty else { return [] }
    let table = TermTable(
      set: set, windows: windows, basis: basis, models: windows.map(weights))
    let truths = windows.map { classes.firstIndex(of: set.activities[$0]) ?? -1 }
    let whole = table.scores
    let reference = balancedAccuracy(whole, truths, classCount: classes.count)
    var generator = SeededGenerator(seed: seed)
    let schema = FeatureExtractor.schema
    let isOwn = set.featureCount == schema.count
    return (0..<basis.featureCount).map { feature in
      var order = Array(windows.indices)
      order.shuffle(using: &generator)
      var scores = whole
      for (index, other) in order.enumerated() {
        let own = table.terms(ofWindow: index, feature: feature, valuesOf: index)
        let exchanged = table.terms(ofWindow: index, feature: feature, valuesOf: other)
        for column in classes.indices {
          scores[index * classes.count + column] += exchanged[column] - own[column]
        }
      }
      return FeatureImportance(
        feature: isOwn ? schema.features[feature].id : "feature \(feature)",
        accuracyDrop: reference - balancedAccuracy(scores, truths, classCount: classes.count))
    }.sorted { ($1.accuracyDrop, $0.feature) < ($0.accuracyDrop, $1.feature) }
  }

  private static func balancedAccuracy(
    _ scores: [Double], _ truths: [Int], classCount: Int
  ) -> Double {
    var counts = [Double](repeating: 0, count: classCount)
    var right = counts
    for (index, truth) in truths.enumerated() where truth >= 0 {
      let own = index * classCount
      let best = (0..<classCount).reduce(0) { scores[own + $1] > scores[own + $0] ? $1 : $0 }
      counts[truth] += 1
      right[truth] += best == truth ? 1 : 0
    }
    return mean(zip(right, counts).compactMap { $1 > 0 ? $0 / $1 : nil }) ?? 0
  }
}

/// The terms that the features of some windows add to the scores.
private struct TermTable {
  let set: TrainingSet
  let windows: [Int]
  let basis: HingeBasis
  /// The model of each window.
  let models: [Matrix]

  /// One feature's term of the scores by a window's model, with the value of another window.
  func terms(ofWindow index: Int, feature: Int, valuesOf other: Int) -> [Double] {
    let value = set.features[windows[other] * set.featureCount + feature]
    let u = Double(basis.standardized(value, feature: feature))
    let weights = models[index]
    let first = 1 + feature * (1 + ActivityModel.knotsPerFeature)
    var terms = (0..<weights.columns).map { weights[first, $0] * u }
    for hinge in 0..<ActivityModel.knotsPerFeature {
      let knot = Double(basis.knots[feature * ActivityModel.knotsPerFeature + hinge])
      guard u > knot else { break }
      for column in terms.indices {
        terms[column] += weights[first + 1 + hinge, column] * (u - knot)
      }
    }
    return terms
  }

  /// The scores of all windows, one per class.
  var scores: [Double] {
    windows.indices.flatMap { index in
      var sums = (0..<models[index].columns).map { models[index][0, $0] }
      for feature in 0..<basis.featureCount {
        let terms = terms(ofWindow: index, feature: feature, valuesOf: index)
        for column in sums.indices { sums[column] += terms[column] }
      }
      return sums
    }
  }
}
