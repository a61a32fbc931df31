import LocomotionActivityRecognition
import LocomotionLinearAlgebra

/// The normal equations of a ridge regression, as separate sums per class and data set.
///
/// Targets are +1 for the window's class and −1 for the others. The first column of the basis is
/// constant, so that the first row of a class's Gram matrix is the sum of its windows' columns, and
/// the right-hand side of every class is a signed sum of such rows: the Gram matrices are enough.
///
/// Weights factor into one that depends on the window's cell (class, data set, person, altered, its
/// own weight) alone, which is applied in the Gram matrices, and one per class and data set, which
/// is applied on solving. So a person is held out by subtracting that person's Gram matrices, which
/// is equivalent to forming the sums without them.
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
  private let precision: HingeRidgeTrainer.Precision
  private let parts: [Part]
  private var cells: [(cell: WindowGroups.Cell, windows: Int)] = []

  init(
    _ set: TrainingSet, groups: WindowGroups, basis: HingeBasis, balance: WindowBalance,
    precision: HingeRidgeTrainer.Precision = .single
  ) {
    self.basis = basis
    self.balance = balance
    self.precision = precision
    var sum = GramSum(basis: basis, precision: precision, blockRows: Self.blockRows)
    var parts: [Part] = []
    for (index, (cell, rows)) in groups.cells.enumerated() {
      cells.append((cell, rows.count))
      sum.add(rows, of: set, weight: balance.rawRowWeight(of: cell))
      // Cells are sorted by class and data set: those of one part are consecutive.
      let next = index + 1 < groups.cells.count ? groups.cells[index + 1].cell : nil
      if next?.activity != cell.activity || next?.dataset != cell.dataset {
        parts.append(Part(activity: cell.activity, dataset: cell.dataset, gram: sum.take()))
      }
    }
    self.parts = parts
  }

  /// The Gram matrix of one cell, weighted as in the sums.
  func gram(of cell: WindowGroups.Cell, rows: [Int], in set: TrainingSet) -> CellGram {
    var sum = GramSum(basis: basis, precision: precision, blockRows: Self.blockRows)
    sum.add(rows, of: set, weight: balance.rawRowWeight(of: cell))
    return CellGram(cell: cell, gram: sum.take())
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

/// The Gram matrix of the columns of a basis, summed over windows block by block.
private struct GramSum {
  private let basis: HingeBasis
  private let blockRows: Int
  /// The block of ``HingeRidgeTrainer/Precision/single``; empty otherwise.
  private var single: RowBlock
  /// That of ``HingeRidgeTrainer/Precision/double``; nil otherwise.
  private var double: Matrix?
  private var sum: SymmetricMatrix

  init(basis: HingeBasis, precision: HingeRidgeTrainer.Precision, blockRows: Int) {
    self.basis = basis
    self.blockRows = blockRows
    single = basis.block(rows: precision == .single ? blockRows : 0)
    double =
      precision == .double ? Matrix(rows: blockRows, columns: basis.columnCount) : nil
    sum = SymmetricMatrix(order: basis.columnCount)
  }

  mutating func add(_ rows: [Int], of set: TrainingSet, weight: Double) {
    for start in stride(from: 0, to: rows.count, by: blockRows) {
      let slice = rows[start..<min(start + blockRows, rows.count)]
      if var block = double.take() {
        basis.expand(set, rows: slice, into: &block)
        sum.addGram(of: block, firstRows: slice.count, scale: weight)
        double = block
      } else {
        basis.addGram(of: set, rows: slice, scale: weight, to: &sum, with: &single)
      }
    }
  }

  /// The sum so far, which begins anew.
  mutating func take() -> SymmetricMatrix {
    let result = double == nil ? basis.gram(from: sum) : sum
    sum = SymmetricMatrix(order: basis.columnCount)
    return result
  }
}
