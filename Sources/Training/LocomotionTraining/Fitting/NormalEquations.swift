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
/// is applied on solving. So a person is held out by subtracting that person's Gram matrices. The
/// sums over cells are exact (`FixedPointSum`): what is left is what the sums without the person
/// would be.
struct NormalEquations {
  /// A class in a data set.
  private struct PartKey: Hashable {
    var activity: Activity
    var dataset: String

    init(_ cell: WindowGroups.Cell) {
      (activity, dataset) = (cell.activity, cell.dataset)
    }
  }

  private struct Part {
    var key: PartKey
    var sum: FixedPointSum
    var gram: SymmetricMatrix
  }

  /// A cell's Gram matrix, for subtraction.
  struct CellGram {
    var cell: WindowGroups.Cell
    fileprivate var sum: FixedPointSum
  }

  private static let blockRows = 1024

  let basis: HingeBasis
  let balance: WindowBalance
  private let precision: HingeRidgeTrainer.Precision
  private let parts: [Part]
  private let cells: [(cell: WindowGroups.Cell, windows: Int)]
  private let exponent: Int

  init(
    _ set: TrainingSet, groups: WindowGroups, basis: HingeBasis, balance: WindowBalance,
    precision: HingeRidgeTrainer.Precision = .single
  ) {
    self.basis = basis
    self.balance = balance
    self.precision = precision
    cells = groups.cells.map { ($0.cell, $0.rows.count) }
    exponent = Self.exponent(cells, balance: balance)
    let empty = FixedPointSum(order: basis.columnCount, exponent: exponent)
    var block = GramBlock(basis: basis, precision: precision, rows: Self.blockRows)
    var sums: [PartKey: FixedPointSum] = [:]
    for (cell, rows) in groups.cells {
      sums[PartKey(cell), default: empty].add(
        block.gram(of: rows, in: set, weight: balance.rawRowWeight(of: cell)))
    }
    let ordered = sums.sorted {
      ($0.key.activity.rawValue, $0.key.dataset) < ($1.key.activity.rawValue, $1.key.dataset)
    }
    parts = ordered.map { key, sum in
      Part(key: key, sum: sum, gram: Self.gram(from: sum, basis, precision))
    }
  }

  /// The exponent of the unit of the sums: 2⁻¹⁰⁰ of the weight of all windows.
  ///
  /// That is far below the rounding of double precision; and since the columns are below 2⁴ where
  /// knots are within ±9, the sums are below 2¹⁰⁹ units.
  private static func exponent(
    _ cells: [(cell: WindowGroups.Cell, windows: Int)], balance: WindowBalance
  ) -> Int {
    let mass = cells.reduce(0) { $0 + balance.rawRowWeight(of: $1.cell) * Double($1.windows) }
    return mass > 0 && mass.isFinite ? Int(mass.exponent) + 1 - 100 : -100
  }

  private static func gram(
    from sum: FixedPointSum, _ basis: HingeBasis, _ precision: HingeRidgeTrainer.Precision
  ) -> SymmetricMatrix {
    precision == .single ? basis.gram(from: sum.matrix) : sum.matrix
  }

  /// The Gram matrix of one cell, weighted as in the sums.
  func gram(of cell: WindowGroups.Cell, rows: [Int], in set: TrainingSet) -> CellGram {
    var block = GramBlock(basis: basis, precision: precision, rows: Self.blockRows)
    var sum = FixedPointSum(order: basis.columnCount, exponent: exponent)
    sum.add(block.gram(of: rows, in: set, weight: balance.rawRowWeight(of: cell)))
    return CellGram(cell: cell, sum: sum)
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
  ///   - dataset: A data set to hold out, whose sums aren't needed.
  /// - Returns: The weights.
  /// - Throws: ``TrainingError/notPositiveDefinite(minorOrder:)``.
  func solve(
    classes: [Activity], method: LinearMethod, without removed: [CellGram] = [],
    withoutDataset dataset: String? = nil
  ) throws(TrainingError) -> Matrix {
    try method.weights(from: sums(without: removed, withoutDataset: dataset), classes: classes)
  }

  /// The second moments of all windows, as the ridge regression weighs them, or without those of a
  /// data set; nil without windows.
  func moments(withoutDataset dataset: String? = nil) -> ActivityModel.MomentTerm? {
    let rows = sums(withoutDataset: dataset).total.choleskyRows(Self.momentRank)
    return rows.isEmpty ? nil : ActivityModel.MomentTerm(rounding: rows)
  }

  /// The rows of ``moments(withoutDataset:)``.
  ///
  /// Chosen on people of sets left out (24, 48, 96, 160, 200, all): from 96 on what a person gains
  /// by learning, and what others would lose, is that of all.
  private static let momentRank = 96

  /// The Gram matrices of the remaining windows as a weighted sum.
  private func sums(
    without removed: [CellGram] = [], withoutDataset dataset: String?
  ) -> WeightedGrams {
    let gone = Set(removed.map(\.cell))
    let remaining = cells.filter { $0.cell.dataset != dataset && !gone.contains($0.cell) }
    let masses = ClassMasses(remaining, balance: balance)
    let removedByPart = Dictionary(grouping: removed) { PartKey($0.cell) }
    var grams = WeightedGrams(columnCount: basis.columnCount)
    for part in parts {
      let factor = masses.factor(part.key.activity, dataset: part.key.dataset)
      guard factor > 0 else { continue }
      var gram = part.gram
      if let gone = removedByPart[part.key] {
        var sum = part.sum
        for entry in gone { sum.subtract(entry.sum) }
        gram = Self.gram(from: sum, basis, precision)
      }
      grams.terms.append(.init(gram: gram, activity: part.key.activity, scale: factor))
    }
    return grams
  }
}

/// Gram matrices by class with their scales, from which every linear method is solved.
struct WeightedGrams {
  /// A Gram matrix with its scale.
  struct Term {
    var gram: SymmetricMatrix
    var activity: Activity
    var scale: Double
    /// Its right-hand side, one column per class; nil for that of ±1 indicators.
    var rightHandSide: Matrix?
  }

  var terms: [Term] = []
  let columnCount: Int

  /// The weighted sum.
  var total: SymmetricMatrix {
    var sum = SymmetricMatrix(order: columnCount)
    for term in terms { sum.add(term.gram, scale: term.scale) }
    return sum
  }

  /// The activities that take part.
  var activities: Set<Activity> { Set(terms.map(\.activity)) }
}

/// Forms the Gram matrices of the columns of a basis, block by block of windows.
private struct GramBlock {
  private let basis: HingeBasis
  private let rows: Int
  /// The block of ``HingeRidgeTrainer/Precision/single``; empty otherwise.
  private var single: RowBlock
  /// That of ``HingeRidgeTrainer/Precision/double``; nil otherwise.
  private var double: Matrix?

  init(basis: HingeBasis, precision: HingeRidgeTrainer.Precision, rows: Int) {
    self.basis = basis
    self.rows = rows
    single = basis.block(rows: precision == .single ? rows : 0)
    double = precision == .double ? Matrix(rows: rows, columns: basis.columnCount) : nil
  }

  /// The sum over windows, in single precision of the other columns that `HingeBasis/gram(from:)`
  /// names.
  mutating func gram(of windows: [Int], in set: TrainingSet, weight: Double) -> SymmetricMatrix {
    var sum = SymmetricMatrix(order: basis.columnCount)
    for start in stride(from: 0, to: windows.count, by: rows) {
      let slice = windows[start..<min(start + rows, windows.count)]
      if var block = double.take() {
        basis.expand(set, rows: slice, into: &block)
        sum.addGram(of: block, firstRows: slice.count, scale: weight)
        double = block
      } else {
        basis.expand(set, rows: slice, into: &single)
        sum.addGram(of: &single, firstRows: slice.count, scale: weight)
      }
    }
    return sum
  }
}
