import Foundation
import LocomotionActivityRecognition
import LocomotionLinearAlgebra

/// The method that computes a linear model's weights from weighted sums.
enum LinearMethod {
  /// Least squares of ±1 indicators; the penalty is added to the diagonal except for the constant
  /// column. A class that has no window is −1 everywhere.
  case ridge(Double)
  /// Least squares of ±1 indicators, pulled toward the weights of a base with a strength.
  ///
  /// The constant column is pulled too. Classes without windows keep the base's weights, and so do
  /// all when the strength is infinite. The others, when there are several, keep the sum of their
  /// weights: they change relative to each other only, so that the absent ones are unaffected.
  case adaptation(base: Matrix, strength: Double)
  /// Linear discriminants with equal priors and a pooled covariance that is shrunk by this
  /// fraction.
  case discriminant(shrinkage: Double)

  /// The weights: one row per column of the basis, one column per class.
  func weights(
    from grams: WeightedGrams, classes: [Activity]
  ) throws(TrainingError) -> Matrix {
    switch self {
    case .ridge(let ridge):
      var (system, rightHandSides) = Self.system(grams, classes: classes)
      system.addToDiagonal(ridge, from: 1)
      return try Self.solve(system, rightHandSides)
    case .adaptation(let base, let strength):
      guard strength.isFinite else { return base }
      return try Self.adapted(base, strength: strength, to: grams, classes: classes)
    case .discriminant(let shrinkage):
      return try Self.discriminants(grams, classes: classes, shrinkage: shrinkage)
    }
  }

  /// The normal equations of the indicators, without a penalty.
  private static func system(
    _ grams: WeightedGrams, classes: [Activity]
  ) -> (system: SymmetricMatrix, rightHandSides: Matrix) {
    var rightHandSides = Matrix(rows: grams.columnCount, columns: classes.count)
    for (gram, activity, scale) in grams.terms {
      for (column, other) in classes.enumerated() {
        let signed = other == activity ? scale : -scale
        for row in 0..<grams.columnCount {
          rightHandSides[row, column] += signed * gram[0, row]
        }
      }
    }
    return (grams.total, rightHandSides)
  }

  /// Solves for the difference δ from the base: (G + sI) δ = b − G w₀, less the mean over the
  /// classes that have windows.
  ///
  /// The matrix is the same for every class, hence so is the solution under the constraint that the
  /// differences sum to 0.
  private static func adapted(
    _ base: Matrix, strength: Double, to grams: WeightedGrams, classes: [Activity]
  ) throws(TrainingError) -> Matrix {
    var (system, residuals) = system(grams, classes: classes)
    let explained = system.dense * base
    let present = classes.indices.filter { grams.activities.contains(classes[$0]) }
    for row in 0..<base.rows {
      let differences = classes.indices.map { residuals[row, $0] - explained[row, $0] }
      let mean =
        present.count > 1
        ? present.reduce(0) { $0 + differences[$1] } / Double(present.count) : 0
      for column in classes.indices {
        residuals[row, column] = present.contains(column) ? differences[column] - mean : 0
      }
    }
    system.addToDiagonal(strength)
    var weights = try solve(system, residuals)
    for row in 0..<base.rows {
      for column in 0..<base.columns { weights[row, column] += base[row, column] }
    }
    return weights
  }

  /// The discriminants of the linear columns; the hinges get 0.
  ///
  /// Fisher 1936; Hastie, Tibshirani, Friedman, "The elements of statistical learning", eq. 4.10.
  /// The pooled covariance is the mean of the classes' covariances, and is shrunk toward a multiple
  /// of the identity with the same trace. A class without windows is never the answer.
  private static func discriminants(
    _ grams: WeightedGrams, classes: [Activity], shrinkage: Double
  ) throws(TrainingError) -> Matrix {
    let stride = 1 + ActivityModel.knotsPerFeature
    let columns = Swift.stride(from: 1, to: grams.columnCount, by: stride).map { $0 }
    let present = classes.filter(grams.activities.contains)
    var covariance = SymmetricMatrix(order: columns.count)
    var means = Matrix(rows: columns.count, columns: present.count)
    for (index, activity) in present.enumerated() {
      var sums = SymmetricMatrix(order: grams.columnCount)
      for (gram, other, scale) in grams.terms where other == activity {
        sums.add(gram, scale: scale)
      }
      let mass = sums[0, 0]
      for (row, column) in columns.enumerated() { means[row, index] = sums[0, column] / mass }
      for row in columns.indices {
        for other in row..<columns.count {
          let square = sums[columns[row], columns[other]] / mass
          covariance[row, other] +=
            (square - means[row, index] * means[other, index]) / Double(present.count)
        }
      }
    }
    let trace = columns.indices.reduce(0) { $0 + covariance[$1, $1] }
    var shrunk = SymmetricMatrix(order: columns.count)
    shrunk.add(covariance, scale: 1 - shrinkage)
    shrunk.addToDiagonal(shrinkage * trace / Double(columns.count))
    let slopes = try solve(shrunk, means)

    var weights = Matrix(rows: grams.columnCount, columns: classes.count)
    for (column, activity) in classes.enumerated() {
      guard let index = present.firstIndex(of: activity) else {
        weights[0, column] = neverAnswered
        continue
      }
      weights[0, column] = -log(Double(present.count))
      for (row, place) in columns.enumerated() {
        weights[place, column] = slopes[row, index]
        weights[0, column] -= slopes[row, index] * means[row, index] / 2
      }
    }
    return weights
  }

  /// The score, a log probability, of a class that was not trained on.
  private static let neverAnswered = -1000.0

  static func solve(
    _ system: SymmetricMatrix, _ rightHandSides: Matrix
  ) throws(TrainingError) -> Matrix {
    do throws(LinearAlgebraError) {
      return try system.choleskyFactor().solve(rightHandSides)
    } catch {
      switch error {
      case .notPositiveDefinite(let minorOrder):
        throw .notPositiveDefinite(minorOrder: minorOrder)
      }
    }
  }
}
