import LocomotionActivityRecognition
import LocomotionLinearAlgebra

extension HingeRidgeTrainer.Fit {
  /// A fit whose weights have one row per column of the basis and one column per class.
  init(classes: [Activity], basis: HingeBasis, matrix: Matrix) {
    self.init(classes: classes, basis: basis, weights: Array(matrix.transposed.elements))
  }

  /// The function of a trained model.
  init(of parameters: ActivityModel.Parameters) {
    self.init(
      classes: parameters.classes,
      basis: HingeBasis(
        means: parameters.means, scales: parameters.scales, knots: parameters.knots),
      weights: parameters.weights.map { Double($0) })
  }

  /// The weights with one row per column of the basis and one column per class.
  var matrix: Matrix {
    Matrix(rows: classes.count, columns: basis.columnCount, elements: weights).transposed
  }

  /// The function as a further term of a model, in single precision.
  func term(
    filteredTemperature: Double, hindsightTemperature: Double
  ) -> ActivityModel.RotationTerm {
    ActivityModel.RotationTerm(
      means: basis.means, scales: basis.scales, knots: basis.knots,
      weights: weights.map { Float($0) }, filteredTemperature: Float(filteredTemperature),
      hindsightTemperature: Float(hindsightTemperature))
  }
}

extension HingeBasis {
  /// Twice the number of outlying features that 99.9 % of the windows don't exceed, or `least`.
  func noveltyLimit(for set: TrainingSet, least: Int) -> Int {
    let weights = outlierWeights(of: set)
    let target = 0.999 * (weights.reduce(0, +) - 1)
    var sum = 0.0
    let quantile = weights.firstIndex { weight in
      sum += weight
      return sum > target
    }
    return max(least, 2 * (quantile ?? 0))
  }

  /// The weight of the windows by their number of outlying features.
  private func outlierWeights(of set: TrainingSet) -> [Double] {
    var weights = [Double](repeating: 0, count: set.featureCount + 1)
    for row in 0..<set.count {
      let outliers = zip(set.features(ofRow: row), means.indices).count { value, feature in
        abs(standardized(value, feature: feature)) > 5
      }
      weights[outliers] += set.weights[row]
    }
    return weights
  }
}

extension HeldOutScores {
  /// The importance of each feature for the folds' models, on held-out windows.
  func importances(
    on set: TrainingSet, basis: HingeBasis, seed: UInt64
  ) -> [FeatureImportance] {
    FeatureImportance.ranking(
      of: set, windows: evaluatedWindows(of: set), basis: basis, classes: classes, seed: seed
    ) { foldWeights[foldOfWindow[$0]] }
  }
}
