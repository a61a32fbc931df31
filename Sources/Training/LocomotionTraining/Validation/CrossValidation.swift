package import LocomotionActivityRecognition
import LocomotionLinearAlgebra

// Cross-validation over people, or over data sets.
//
// All folds share one basis, which is fitted to all windows without their labels; the weights of
// each fold are fitted to the other folds alone. The Gram matrices of all windows are formed once,
// and each person's once more for that person's fold, so that leave-one-person-out costs about two
// trainings plus one Cholesky factor per person, in memory that doesn't grow with the number of
// people.

/// The unit of a fold of a cross-validation.
package enum FoldUnit: String, Sendable, Hashable, Codable {
  /// One person.
  case subject
  /// One data set with all its people.
  case dataset

  /// The name of the fold of a cell.
  func name(of cell: WindowGroups.Cell) -> String {
    self == .subject ? cell.subject : cell.dataset
  }
}

extension HingeRidgeTrainer {
  /// The held-out scores: those of every window by the model trained without its person or data
  /// set.
  ///
  /// - Parameters:
  ///   - set: Labelled windows of two or more classes.
  ///   - unit: The unit of a fold.
  ///   - basis: The basis expansion; ``basis(for:)`` of the set when nil.
  /// - Returns: The scores, in the order of the set's rows.
  /// - Throws: ``TrainingError/empty``, ``TrainingError/singleClass(_:)``,
  ///   ``TrainingError/nothingToLeaveOut`` or ``TrainingError/notPositiveDefinite(minorOrder:)``.
  package func heldOutScores(
    on set: TrainingSet, leavingOut unit: FoldUnit, basis: HingeBasis? = nil
  ) throws(TrainingError) -> HeldOutScores {
    try equations(set, basis: basis)
      .heldOutScores(leavingOut: unit, by: [.ridge(settings.ridge)])[0]
  }

  /// The model of all windows but those of a data set, for each data set by its name.
  ///
  /// The models aren't calibrated: only the order of their scores means anything.
  ///
  /// - Throws: ``TrainingError/empty``, ``TrainingError/singleClass(_:)`` or
  ///   ``TrainingError/notPositiveDefinite(minorOrder:)``.
  package func modelsLeavingOutDatasets(
    of set: TrainingSet
  ) throws(TrainingError) -> [String: ActivityModel] {
    let equations = try equations(set)
    var models: [String: ActivityModel] = [:]
    for (dataset, windows) in set.countsByDataset where windows > 0 {
      let sums = equations.sums(without: equations.cells.filter { $0.cell.dataset == dataset })
      let fit = Fit(
        classes: equations.classes, basis: equations.basis,
        matrix: try LinearMethod.ridge(settings.ridge).weights(
          from: sums, classes: equations.classes))
      let calibration = ModelCalibration(
        windowTemperature: 0.3, filter: .init(dwellSeconds: 60, evidenceExponent: 0.4),
        confidenceThreshold: 0.5)
      var parameters = ActivityModel.Parameters(fit, calibration, noveltyLimit: 12)
      parameters.moments = sums.moments
      models[dataset] = ActivityModel(parameters)
    }
    return models
  }
}

extension NormalEquations {
  /// The held-out scores by several methods, which share the sums.
  ///
  /// - Throws: ``TrainingError/nothingToLeaveOut`` or
  ///   ``TrainingError/notPositiveDefinite(minorOrder:)``.
  func heldOutScores(
    leavingOut unit: FoldUnit, by methods: [LinearMethod]
  ) throws(TrainingError) -> [HeldOutScores] {
    let folds = Set(cells.map { unit.name(of: $0.cell) }).sorted()
    guard folds.count > 1 else { throw .nothingToLeaveOut }
    var results = methods.map { _ in
      HeldOutScores(classes: classes, folds: folds, windows: set.count)
    }
    for (fold, name) in folds.enumerated() {
      let out = cells.filter { unit.name(of: $0.cell) == name }
      let trained = Set(
        cells.lazy.filter { unit.name(of: $0.cell) != name }.map(\.cell.activity))
      let sums = sums(without: out)
      for (index, method) in methods.enumerated() {
        let weights = try method.weights(from: sums, classes: classes)
        results[index].foldWeights.append(weights)
        for (cell, rows) in out {
          basis.forEachScore(of: rows, in: set, weights: weights) { row, scores in
            results[index].set(
              scores, window: row, fold: fold, hasModel: trained.contains(cell.activity))
          }
        }
      }
    }
    return results
  }
}
