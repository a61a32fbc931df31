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
    let models = windows.map(weights)
    func terms(ofWindow index: Int, feature: Int, valuesOf other: Int) -> [Double] {
      basis.terms(
        of: set.features[windows[other] * set.featureCount + feature], feature: feature,
        weights: models[index])
    }
    let whole = windows.indices.map { index in
      var sums = classes.indices.map { models[index][0, $0] }
      for feature in 0..<basis.featureCount {
        let terms = terms(ofWindow: index, feature: feature, valuesOf: index)
        for column in sums.indices { sums[column] += terms[column] }
      }
      return sums
    }
    let truths = windows.map { classes.firstIndex(of: set.activities[$0]) ?? -1 }
    let reference = balancedAccuracy(whole, truths)
    var generator = SeededGenerator(seed: seed)
    let schema = FeatureExtractor.schema
    let isOwn = set.featureCount == schema.count
    return (0..<basis.featureCount).map { feature in
      let order = windows.indices.shuffled(using: &generator)
      let scores = order.enumerated().map { index, other in
        let own = terms(ofWindow: index, feature: feature, valuesOf: index)
        let exchanged = terms(ofWindow: index, feature: feature, valuesOf: other)
        return classes.indices.map { whole[index][$0] + (exchanged[$0] - own[$0]) }
      }
      return FeatureImportance(
        feature: isOwn ? schema.features[feature].id : "feature \(feature)",
        accuracyDrop: reference - balancedAccuracy(scores, truths))
    }.sorted { ($1.accuracyDrop, $0.feature) < ($0.accuracyDrop, $1.feature) }
  }

  /// The mean recall of the classes.
  private static func balancedAccuracy(_ scores: [[Double]], _ truths: [Int]) -> Double {
    let rights = zip(scores, truths).map { $0.firstIndexOfMaximum == $1 }
    let byClass = Dictionary(grouping: truths.indices.filter { truths[$0] >= 0 }) { truths[$0] }
    return mean(
      byClass.sorted { $0.key < $1.key }.compactMap { _, rows in
        ratio(rows.count { rights[$0] }, rows.count)
      }) ?? 0
  }
}

extension HingeBasis {
  /// What a feature's value adds to the scores, one term per column of `weights`.
  fileprivate func terms(of value: Float, feature: Int, weights: Matrix) -> [Double] {
    let u = Double(standardized(value, feature: feature))
    let first = 1 + feature * (1 + ActivityModel.knotsPerFeature)
    var terms = (0..<weights.columns).map { weights[first, $0] * u }
    for hinge in 0..<ActivityModel.knotsPerFeature {
      let knot = Double(knots[feature * ActivityModel.knotsPerFeature + hinge])
      guard u > knot else { break }
      for column in terms.indices {
        terms[column] += weights[first + 1 + hinge, column] * (u - knot)
      }
    }
    return terms
  }
}
