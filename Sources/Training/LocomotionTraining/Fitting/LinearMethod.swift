import Foundation
import LocomotionActivityRecognition
import LocomotionLinearAlgebra

/// The method that computes a linear model's weights from weighted sums.
enum LinearMethod {
  /// Least squares of ±1 indicators; the penalty is added to the diagonal except for the constant
  /// column. A class that has no window is −1 everywhere.
  case ridge(Double)
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
    case .discriminant(let shrinkage):
      return try Self.discriminants(grams, classes: classes, shrinkage: shrinkage)
    }
  }

  /// The normal equations of the indicators, or of other targets, without a penalty.
  private static func system(
    _ grams: WeightedGrams, classes: [Activity]
  ) -> (system: SymmetricMatrix, rightHandSides: Matrix) {
    var rightHandSides = Matrix(rows: grams.columnCount, columns: classes.count)
    for term in grams.terms {
      for (column, other) in classes.enumerated() {
        let signed = other == term.activity ? term.scale : -term.scale
        for row in 0..<grams.columnCount {
          rightHandSides[row, column] +=
            term.rightHandSide.map { term.scale * $0[row, column] } ?? signed * term.gram[0, row]
        }
      }
    }
    return (grams.total, rightHandSides)
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
      for term in grams.terms where term.activity == activity {
        sums.add(term.gram, scale: term.scale)
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

  private static func solve(
    _ system: SymmetricMatrix, _ rightHandSides: Matrix
  ) throws(TrainingError) -> Matrix {
    do throws(LinearAlgebraError) {
      return try system.solve(rightHandSides)
    } catch {
      switch error {
      case .notPositiveDefinite(let minorOrder):
        throw .notPositiveDefinite(minorOrder: minorOrder)
      }
    }
  }
}
