import LocomotionActivityRecognition
import LocomotionLinearAlgebra

/// The normal equations of a ridge regression, as separate sums per class and data set.
///
/// Targets are +1 for the window's class and −1 for the others. The first column of the basis is
/// constant, so that the first row of a class's Gram matrix is the sum of its windows' columns, and
/// the right-hand side of every class is a signed sum of such rows: the Gram matrices are enough.
///
/// Weights factor into one that depends on the window's cell (class, data set, person, altered)
/// alone, which is applied in the Gram matrices, and one per class and data set, which is applied
/// on solving. So a person is held out by subtracting that person's Gram matrices, which is
/// equivalent to forming the sums without them.
struct NormalEquations {
  private struct Part {
    var activity: Activity
    var dataset: String
    var gram: SymmetricMatrix
  }

  /// A cell's Gram matrix, for subtraction.
  struct CellGram {
    var cell: WindowGroups.Cell
    var gram: SymmetricMatrix
  }

  private static let blockRows = 1024

  let basis: HingeBasis
  let balance: WindowBalance
  private let parts: [Part]
  private var cells: [(cell: WindowGroups.Cell, windows: Int)] = []

  init(_ set: TrainingSet, groups: WindowGroups, basis: HingeBasis, balance: WindowBalance) {
    self.basis = basis
    self.balance = balance
    var block = basis.block(rows: Self.blockRows)
    var parts: [Part] = []
    for (cell, rows) in groups.cells {
      cells.append((cell, rows.count))
      // Cells are sorted by class and data set: those of one part are consecutive.
      if parts.last?.activity != cell.activity || parts.last?.dataset != cell.dataset {
        parts.append(
          Part(
            activity: cell.activity, dataset: cell.dataset,
            gram: SymmetricMatrix(order: basis.columnCount)))
      }
      Self.accumulate(
        set, rows, basis, weight: balance.rawRowWeight(of: cell, windows: rows.count),
        block: &block,
        into: &parts[parts.count - 1].gram)
    }
    self.parts = parts.map {
      Part(activity: $0.activity, dataset: $0.dataset, gram: basis.gram(from: $0.gram))
    }
  }

  /// The Gram matrix of one cell, weighted as in the sums.
  func gram(of cell: WindowGroups.Cell, rows: [Int], in set: TrainingSet) -> CellGram {
    var block = basis.block(rows: Self.blockRows)
    var sum = SymmetricMatrix(order: basis.columnCount)
    Self.accumulate(
      set, rows, basis, weight: balance.rawRowWeight(of: cell, windows: rows.count), block: &block,
      into: &sum)
    return CellGram(cell: cell, gram: basis.gram(from: sum))
  }

  /// Calls `body` with each row and its scores, one per column of `weights`.
  func forEachScore(
    of rows: [Int], in set: TrainingSet, weights: Matrix, _ body: (Int, [Double]) -> Void
  ) {
    for start in stride(from: 0, to: rows.count, by: Self.blockRows) {
      let slice = rows[start..<min(start + Self.blockRows, rows.count)]
      var block = Matrix(rows: slice.count, columns: basis.columnCount)
      basis.expand(set, rows: slice, into: &block)
      let scores = block * weights
      for (index, row) in slice.enumerated() {
        body(row, (0..<weights.columns).map { scores[index, $0] })
      }
    }
  }

  private static func accumulate(
    _ set: TrainingSet, _ rows: [Int], _ basis: HingeBasis, weight: Double,
    block: inout RowBlock, into sum: inout SymmetricMatrix
  ) {
    for start in stride(from: 0, to: rows.count, by: blockRows) {
      let slice = rows[start..<min(start + blockRows, rows.count)]
      basis.addGram(of: set, rows: slice, scale: weight, to: &sum, with: &block)
    }
  }

  /// The weights of the linear model: one row per column of the basis, one column per class.
  ///
  /// The weights of the remaining windows sum to 1.
  ///
  /// - Parameters:
  ///   - classes: The classes in the order of the result's columns.
  ///   - method: The method that computes the weights from the sums.
  ///   - removed: Cells to hold out.
  /// - Returns: The weights.
  /// - Throws: ``TrainingError/notPositiveDefinite(minorOrder:)``.
  func solve(
    classes: [Activity], method: LinearMethod, without removed: [CellGram] = []
  ) throws(TrainingError) -> Matrix {
    let gone = Set(removed.map(\.cell))
    return try method.weights(
      from: sums(remaining: cells.filter { !gone.contains($0.cell) }, removed: removed),
      classes: classes)
  }

  /// The weights without the windows of one data set.
  func solve(
    classes: [Activity], method: LinearMethod, withoutDataset dataset: String
  ) throws(TrainingError) -> Matrix {
    try method.weights(
      from: sums(remaining: cells.filter { $0.cell.dataset != dataset }, removed: []),
      classes: classes)
  }

  /// The Gram matrices of the remaining windows as a weighted sum.
  private func sums(
    remaining: [(cell: WindowGroups.Cell, windows: Int)], removed: [CellGram]
  ) -> WeightedGrams {
    let masses = ClassMasses(remaining, balance: balance)
    var grams = WeightedGrams(columnCount: basis.columnCount)
    for part in parts {
      let factor = masses.factor(part.activity, dataset: part.dataset)
      if factor > 0 { grams.append(part.gram, of: part.activity, scale: factor) }
    }
    for entry in removed {
      let factor = masses.factor(entry.cell.activity, dataset: entry.cell.dataset)
      if factor > 0 { grams.append(entry.gram, of: entry.cell.activity, scale: -factor) }
    }
    return grams
  }
}

/// Gram matrices by class with their scales, from which every linear method is solved.
struct WeightedGrams {
  private(set) var terms: [(gram: SymmetricMatrix, activity: Activity, scale: Double)] = []
  let columnCount: Int

  init(columnCount: Int) {
    self.columnCount = columnCount
  }

  mutating func append(_ gram: SymmetricMatrix, of activity: Activity, scale: Double) {
    terms.append((gram, activity, scale))
  }

  /// The activities that take part.
  var activities: Set<Activity> { Set(terms.map(\.activity)) }
}
