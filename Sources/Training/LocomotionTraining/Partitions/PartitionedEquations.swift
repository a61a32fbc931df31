package import LocomotionActivityRecognition
import LocomotionLinearAlgebra

/// The normal equations of all windows, of which the classifiers follow: that of all windows, and
/// those without each person and without each data set.
package struct PartitionedEquations {
  /// The scores of windows by models that were not trained on them.
  package struct Scores: Sendable {
    /// Row by row one score per class, without the window's person.
    package var withoutPerson: [Double] = []
    /// For each row whether that model was trained on its class.
    package var knowsWithoutPerson: [Bool] = []
    /// The same without the window's data set; empty with one data set.
    package var withoutDataset: [Double] = []
    package var knowsWithoutDataset: [Bool] = []

    package init() {}
  }

  private let trainer: PartitionedTrainer
  private let equations: NormalEquations
  private let method: LinearMethod
  private let outliers: [Double]
  /// The classifier of all windows.
  package let fit: HingeRidgeTrainer.Fit
  /// The weights without each data set; empty with one data set.
  private let weightsByDataset: [String: Matrix]

  /// Solves the equations without anything, and without each data set.
  ///
  /// - Parameters:
  ///   - trainer: The trainer, which knows the counts of all windows.
  ///   - basis: The basis of all windows.
  ///   - sums: Those of ``PartitionedTrainer/sums(of:basis:)`` over all blocks.
  /// - Throws: ``TrainingError/notPositiveDefinite(minorOrder:)``.
  package init(
    _ trainer: PartitionedTrainer, basis: HingeBasis, sums: PartitionedTrainer.Sums
  ) throws(TrainingError) {
    self.trainer = trainer
    method = ModelTrainer(settings: trainer.settings).linearMethod(trainer.settings.method)
    outliers = sums.outliers
    var parts: NormalEquations.Sums = [:]
    for part in sums.parts {
      parts[.init(activity: part.activity, dataset: part.dataset)] = FixedPointSum(
        order: basis.columnCount, exponent: trainer.exponent, elements: part.elements)
    }
    equations = NormalEquations(
      basis: basis, balance: trainer.settings.fit.balance, cells: trainer.cells, sums: parts)
    fit = try HingeRidgeTrainer(settings: trainer.settings.fit).fit(
      equations, classes: trainer.classes, method: method)
    let datasets = Set(trainer.cells.map(\.cell.dataset)).sorted()
    var weights: [String: Matrix] = [:]
    if datasets.count > 1 {
      for dataset in datasets {
        weights[dataset] = try equations.solve(
          classes: trainer.classes, method: method, withoutDataset: dataset)
      }
    }
    weightsByDataset = weights
  }

  /// The scores of a block's windows by the models without their person and data set; 0 for altered
  /// copies, which aren't evaluated.
  ///
  /// - Throws: ``TrainingError/notPositiveDefinite(minorOrder:)``.
  /// - Precondition: as in ``PartitionedTrainer/sums(of:basis:)``.
  package func scores(of set: TrainingSet) throws(TrainingError) -> Scores {
    let classes = trainer.classes.count
    let groups = trainer.groups(of: set)
    var result = Scores()
    result.withoutPerson = Array(repeating: 0, count: set.count * classes)
    result.knowsWithoutPerson = Array(repeating: false, count: set.count)
    for subject in Set(groups.cells.map(\.cell.subject)).sorted() {
      let own = groups.cells.filter { $0.cell.subject == subject }
      let weights = try equations.solve(
        classes: trainer.classes, method: method,
        without: own.map { equations.gram(of: $0.cell, rows: $0.rows, in: set) })
      let known = activities { $0.subject != subject }
      for (cell, rows) in own where !cell.isAltered {
        equations.forEachScore(of: rows, in: set, weights: weights) { row, scores in
          for (index, score) in scores.enumerated() {
            result.withoutPerson[row * classes + index] = score
          }
          result.knowsWithoutPerson[row] = known.contains(cell.activity)
        }
      }
    }
    guard !weightsByDataset.isEmpty else { return result }
    result.withoutDataset = Array(repeating: 0, count: set.count * classes)
    result.knowsWithoutDataset = Array(repeating: false, count: set.count)
    for (cell, rows) in groups.cells where !cell.isAltered {
      guard let weights = weightsByDataset[cell.dataset] else { continue }
      let known = activities { $0.dataset != cell.dataset }
      equations.forEachScore(of: rows, in: set, weights: weights) { row, scores in
        for (index, score) in scores.enumerated() {
          result.withoutDataset[row * classes + index] = score
        }
        result.knowsWithoutDataset[row] = known.contains(cell.activity)
      }
    }
    return result
  }

  /// The activities of some cells.
  private func activities(_ isIncluded: (WindowGroups.Cell) -> Bool) -> Set<Activity> {
    Set(trainer.cells.filter { isIncluded($0.cell) }.map(\.cell.activity))
  }

  /// The calibrated model, and its report but for the importance of features and the comparison
  /// with other methods, which need all features in one place.
  ///
  /// - Parameters:
  ///   - set: All windows as recorded, in the order in which they are collected; their features may
  ///     be anything.
  ///   - scores: Their scores.
  /// - Returns: The model, whose manifest is a summary of the report, and the report.
  /// - Throws: ``TrainingError/notPositiveDefinite(minorOrder:)``.
  /// - Precondition: there are scores for each window.
  package func model(
    of set: TrainingSet, scores: Scores
  ) throws(TrainingError) -> (model: ActivityModel, report: TrainingReport) {
    var heldOut = [
      heldOutScores(set, by: .subject, scores.withoutPerson, scores.knowsWithoutPerson)
    ]
    if !weightsByDataset.isEmpty {
      heldOut.append(
        heldOutScores(set, by: .dataset, scores.withoutDataset, scores.knowsWithoutDataset))
    }
    let modelTrainer = ModelTrainer(settings: trainer.settings)
    let fitted = ModelTrainer.Fitted(
      fit: fit, moments: modelTrainer.moments(of: equations), heldOutByUnit: heldOut,
      noveltyLimit: fit.basis.noveltyLimit(
        outlierWeights: outliers, least: trainer.settings.leastNoveltyLimit))
    return try modelTrainer.calibrated(
      fitted, on: set, sources: trainer.sources)
  }

  /// The scores by people or by data sets left out, of whom some may have no window in `set`.
  private func heldOutScores(
    _ set: TrainingSet, by unit: CrossValidation.Unit, _ scores: [Double], _ isKnown: [Bool]
  ) -> HeldOutScores {
    let classes = trainer.classes.count
    precondition(
      scores.count == set.count * classes && isKnown.count == set.count,
      "expected \(set.count) x \(classes) scores, got \(scores.count)")
    let folds = Set(
      trainer.cells.map { unit == .subject ? $0.cell.subject : $0.cell.dataset }
    ).sorted()
    let places = Dictionary(uniqueKeysWithValues: zip(folds, folds.indices))
    let foldOfOrigin = set.origins.map {
      places[unit == .subject ? $0.subject : $0.dataset] ?? 0
    }
    var result = HeldOutScores(classes: trainer.classes, folds: folds, windows: set.count)
    for row in 0..<set.count {
      result.set(
        Array(scores[row * classes..<(row + 1) * classes]), window: row,
        fold: foldOfOrigin[set.originIndices[row]], hasModel: isKnown[row])
    }
    return result
  }
}
