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
  /// The normal equations of the windows of a cell, each with weight 1.
  private struct CellSums {
    var entry: WindowGroups.Entry
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
    cells = WindowGroups(windows).cells.map { entry in
      let (cell, members) = entry
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
      return CellSums(entry: entry, gram: gram, rightHandSide: columns.transposed * residuals)
    }
  }

  /// The term fitted to all windows; nil when they have only one class.
  func fit() throws(TrainingError) -> HingeRidgeTrainer.Fit? {
    try weights { _ in true }.map { .init(classes: classes, basis: basis, matrix: $0) }
  }

  /// The scores with the term added, where a window has rotation features; the term of each fold
  /// is fitted without it.
  func corrected(
    _ heldOut: HeldOutScores, of set: TrainingSet, leavingOut unit: FoldUnit
  ) throws(TrainingError) -> HeldOutScores {
    var result = heldOut
    for (fold, name) in heldOut.folds.enumerated() {
      guard let weights = try weights({ unit.name(of: $0) != name }) else { continue }
      let rows = (0..<set.count).filter {
        heldOut.foldOfWindow[$0] == fold && set.rotation(ofRow: $0) != nil
      }
      basis.forEachScore(
        of: Array(rows.indices), in: set.rotationRows(rows), weights: weights
      ) { result.add($1, toWindow: rows[$0]) }
    }
    return result
  }

  /// The weights fitted to the included cells; nil when there are none or only one class.
  private func weights(
    _ isIncluded: (WindowGroups.Cell) -> Bool
  ) throws(TrainingError) -> Matrix? {
    let included = cells.filter { isIncluded($0.entry.cell) }
    guard Set(included.map(\.entry.cell.activity)).count > 1 else { return nil }
    let masses = ClassMasses(included.map(\.entry), balance: settings.balance)
    let grams = WeightedGrams(
      terms: included.map {
        .init(
          gram: $0.gram, activity: $0.entry.cell.activity,
          scale: masses.rowWeight(of: $0.entry.cell), rightHandSide: $0.rightHandSide)
      }, columnCount: basis.columnCount)
    return try LinearMethod.ridge(settings.ridge).weights(from: grams, classes: classes)
  }
}
