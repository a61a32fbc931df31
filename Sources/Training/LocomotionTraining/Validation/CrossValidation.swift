package import LocomotionActivityRecognition
import LocomotionLinearAlgebra

/// Cross-validates a trainer over people, or over data sets.
///
/// All folds share one basis, which is fitted to all windows without their labels; the weights of
/// each fold are fitted to the other folds alone. The Gram matrices of all windows are formed once,
/// and each person's once more for that person's fold, so that leave-one-person-out costs about two
/// trainings plus one Cholesky factor per person, in memory that doesn't grow with the number of
/// people.
package struct CrossValidation: Sendable {
  /// The unit of a fold.
  package enum Unit: String, Sendable, Hashable, Codable {
    /// One person.
    case subject
    /// One data set with all its people.
    case dataset

    /// The name of the fold of a cell.
    func name(of cell: WindowGroups.Cell) -> String {
      self == .subject ? cell.subject : cell.dataset
    }
  }

  /// Fits the models.
  let trainer: HingeRidgeTrainer

  /// A cross-validation of `trainer`.
  package init(trainer: HingeRidgeTrainer) {
    self.trainer = trainer
  }

  /// The held-out scores: those of every window by the model trained without its person or data
  /// set.
  ///
  /// - Parameters:
  ///   - set: Labelled windows of two or more classes.
  ///   - unit: The unit of a fold.
  ///   - basis: The basis expansion; `HingeRidgeTrainer.basis(for:)` of the set when nil.
  /// - Returns: The scores, in the order of the set's rows.
  /// - Throws: ``TrainingError/empty``, ``TrainingError/singleClass(_:)``,
  ///   ``TrainingError/nothingToLeaveOut`` or ``TrainingError/notPositiveDefinite(minorOrder:)``.
  package func heldOutScores(
    on set: TrainingSet, leavingOut unit: Unit, basis: HingeBasis? = nil
  ) throws(TrainingError) -> HeldOutScores {
    let classes = try HingeRidgeTrainer.classes(of: set)
    let groups = WindowGroups(set)
    let equations = NormalEquations(
      set, groups: groups, basis: basis ?? trainer.basis(for: set),
      balance: trainer.settings.balance, precision: trainer.precision)
    return try heldOutScores(
      on: set, leavingOut: unit, classes: classes, groups: groups, equations: equations,
      methods: [.ridge(trainer.settings.ridge)])[0]
  }

  /// The held-out scores by several methods, which share the sums.
  func heldOutScores(
    on set: TrainingSet, leavingOut unit: Unit, classes: [Activity], groups: WindowGroups,
    equations: NormalEquations, methods: [LinearMethod]
  ) throws(TrainingError) -> [HeldOutScores] {
    let folds = Set(groups.cells.map { unit.name(of: $0.cell) }).sorted()
    guard folds.count > 1 else { throw .nothingToLeaveOut }

    var results = methods.map { _ in
      HeldOutScores(classes: classes, folds: folds, windows: set.count)
    }
    for (fold, foldName) in folds.enumerated() {
      let out = groups.cells.filter { unit.name(of: $0.cell) == foldName }
      let trained = Set(
        groups.cells.lazy.filter { unit.name(of: $0.cell) != foldName }.map(\.cell.activity))
      let grams =
        unit == .subject
        ? out.map { equations.gram(of: $0.cell, rows: $0.rows, in: set) } : []
      for (index, method) in methods.enumerated() {
        let weights = try equations.solve(
          classes: classes, method: method, without: grams,
          withoutDataset: unit == .dataset ? foldName : nil)
        results[index].foldWeights.append(weights)
        for (cell, rows) in out {
          equations.forEachScore(of: rows, in: set, weights: weights) { row, scores in
            results[index].set(
              scores, window: row, fold: fold, hasModel: trained.contains(cell.activity))
          }
        }
      }
    }
    return results
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
    let classes = try HingeRidgeTrainer.classes(of: set)
    let basis = trainer.basis(for: set)
    let equations = NormalEquations(
      set, groups: WindowGroups(set), basis: basis, balance: trainer.settings.balance)
    var models: [String: ActivityModel] = [:]
    for (dataset, windows) in set.countsByDataset where windows > 0 {
      let weights = try equations.solve(
        classes: classes, method: .ridge(trainer.settings.ridge), withoutDataset: dataset)
      models[dataset] = ActivityModel(
        .init(
          classes: classes, means: basis.means, scales: basis.scales, knots: basis.knots,
          weights: weights.transposed.elements.map { Float($0) }, windowTemperature: 0.3,
          dwellSeconds: 60, evidenceExponent: 0.4, noveltyLimit: 12, confidenceThreshold: 0.5,
          moments: equations.moments(withoutDataset: dataset), manifest: ""))
    }
    return models
  }
}
