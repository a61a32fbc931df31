import LocomotionActivityRecognition
import LocomotionLinearAlgebra

/// Fits the rotation term that is added to the scores of a model of the accelerations.
///
/// A second ridge regression of the same form as the first: its columns are hinges of the rotation
/// features, and its targets are the residuals of the first one, ±1 less the held-out score by a
/// model trained without the window's person. Residuals on training data would be too small.
/// Weights are balanced as usual, over the windows that have rotation features; augmented copies
/// have none.
struct RotationTermTrainer {
  /// The basis and the weights of a term.
  struct Fit {
    var basis: HingeBasis
    /// One row per column of the basis, one column per class.
    var weights: Matrix
  }

  /// The normal equations of the windows of a cell, each with weight 1.
  private struct CellSums {
    var cell: WindowGroups.Cell
    var windows: Int
    var gram: SymmetricMatrix
    var rightHandSide: Matrix
  }

  private let settings: HingeRidgeTrainer.Settings
  private let basis: HingeBasis
  private let cells: [CellSums]
  private let classes: [Activity]

  /// The sums over the windows of `set` that have rotation features; nil when there are none.
  ///
  /// - Parameters:
  ///   - set: The windows.
  ///   - heldOut: Their held-out scores by models of the accelerations.
  ///   - settings: Penalty and balance.
  init?(set: TrainingSet, heldOut: HeldOutScores, settings: HingeRidgeTrainer.Settings) {
    let rows = heldOut.evaluatedWindows(of: set).filter { set.rotation(ofRow: $0) != nil }
    guard !rows.isEmpty else { return nil }
    let windows = set.rotationRows(rows)
    let basis = HingeBasis(
      fitting: windows, weights: settings.balance.unlabelledWeights(for: windows))
    let classes = heldOut.classes
    self.settings = settings
    self.basis = basis
    self.classes = classes
    cells = WindowGroups(windows).cells.map { cell, members in
      var gram = SymmetricMatrix(order: basis.columnCount)
      var columns = Matrix(rows: members.count, columns: basis.columnCount)
      basis.expand(windows, rows: members[...], into: &columns)
      gram.addGram(of: columns)
      var residuals = Matrix(rows: members.count, columns: classes.count)
      for (index, member) in members.enumerated() {
        for (column, score) in heldOut.scores(ofWindow: rows[member]).enumerated() {
          residuals[index, column] = (classes[column] == cell.activity ? 1 : -1) - score
        }
      }
      return CellSums(
        cell: cell, windows: members.count, gram: gram,
        rightHandSide: columns.transposed * residuals)
    }
  }

  /// The term fitted to all windows.
  func fit() throws(TrainingError) -> Fit? {
    try weights { _ in true }.map { Fit(basis: basis, weights: $0) }
  }

  /// The scores with the term added, where a window has rotation features; the term of each fold
  /// is fitted without it.
  func corrected(
    _ heldOut: HeldOutScores, of set: TrainingSet, leavingOut unit: CrossValidation.Unit
  ) throws(TrainingError) -> HeldOutScores {
    var result = heldOut
    for (fold, name) in heldOut.folds.enumerated() {
      let weights = try weights { cell in
        unit.name(of: cell) != name
      }
      guard let weights else { continue }
      result.correct(
        (0..<set.count).filter { heldOut.foldOfWindow[$0] == fold }, of: set,
        by: Fit(basis: basis, weights: weights))
    }
    return result
  }

  /// The weights fitted to the included cells; nil when there are none or only one class.
  private func weights(
    _ isIncluded: (WindowGroups.Cell) -> Bool
  ) throws(TrainingError) -> Matrix? {
    let included = cells.filter { isIncluded($0.cell) }
    guard Set(included.map(\.cell.activity)).count > 1 else { return nil }
    let masses = ClassMasses(
      included.map { ($0.cell, $0.windows) }, balance: settings.balance)
    let grams = WeightedGrams(
      terms: included.map {
        .init(
          gram: $0.gram, activity: $0.cell.activity, scale: masses.rowWeight(of: $0.cell),
          rightHandSide: $0.rightHandSide)
      }, columnCount: basis.columnCount)
    return try LinearMethod.ridge(settings.ridge).weights(from: grams, classes: classes)
  }
}

extension RotationTermTrainer.Fit {
  /// The term as part of a model.
  func term(
    filteredTemperature: Double, hindsightTemperature: Double
  ) -> ActivityModel.RotationTerm {
    ActivityModel.RotationTerm(
      means: basis.means, scales: basis.scales, knots: basis.knots,
      weights: weights.transposed.elements.map { Float($0) },
      filteredTemperature: Float(filteredTemperature),
      hindsightTemperature: Float(hindsightTemperature))
  }
}

extension HeldOutScores {
  /// Adds a term to the scores of those of the given windows that have rotation features.
  mutating func correct(
    _ windows: [Int], of set: TrainingSet, by fit: RotationTermTrainer.Fit
  ) {
    let rows = windows.filter { set.rotation(ofRow: $0) != nil }
    guard !rows.isEmpty else { return }
    var columns = Matrix(rows: rows.count, columns: fit.basis.columnCount)
    fit.basis.expand(set.rotationRows(rows), rows: Array(rows.indices)[...], into: &columns)
    let terms = columns * fit.weights
    for (index, row) in rows.enumerated() {
      add(classes.indices.map { terms[index, $0] }, toWindow: row)
    }
  }
}
