import Foundation
import LocomotionActivityRecognition

/// The normal equations of a ridge regression, as separate sums per class and data set.
///
/// Targets are +1 for the window's class and −1 for the others, unless they are given. The first
/// column of the basis is constant, so that the first row of a class's Gram matrix is the sum of
/// its windows' columns, and the right-hand side of every class is a signed sum of such rows:
/// without other targets the Gram matrices are enough.
///
/// Weights factor into one that depends on the window's cell (class, data set, person, altered, its
/// own weight) alone, which is applied in the Gram matrices, and one per class and data set, which
/// is applied on solving. So a person is held out by subtracting that person's Gram matrices: what
/// is left is within the rounding of the whole sum of what the sum without the person would be.
struct NormalEquations {
  /// The sum over a class in a data set.
  private struct Part {
    var key: WindowGroups.Part
    /// Of the columns in which the products are formed.
    var sum: SymmetricMatrix
    /// Of the columns of the basis.
    var gram: SymmetricMatrix
  }

  let set: TrainingSet
  /// The classes in the order of the scores.
  let classes: [Activity]
  let basis: HingeBasis
  let balance: WindowBalance
  /// The windows by what decides their weight.
  let cells: [WindowGroups.Entry]
  private let precision: HingeRidgeTrainer.Precision
  private let parts: [Part]
  /// The right-hand side of each cell's windows, each with weight 1; empty for indicators.
  private let rightHandSides: [Matrix]

  /// The sums over labelled windows; the basis is fitted to them when nil, and the classes are
  /// theirs.
  ///
  /// `targets` gives those of a window by its row, one per class; ±1 when nil.
  ///
  /// - Throws: ``TrainingError/empty`` or ``TrainingError/singleClass(_:)``.
  init(
    _ set: TrainingSet, classes: [Activity]? = nil, basis: HingeBasis? = nil,
    balance: WindowBalance, precision: HingeRidgeTrainer.Precision = .single,
    targets: ((Int) -> [Double])? = nil
  ) throws(TrainingError) {
    self.set = set
    let present = set.classes
    self.classes = classes ?? present
    guard let first = present.first else { throw .empty }
    guard present.count > 1 else { throw .singleClass(first) }
    let basis = basis ?? HingeBasis(fitting: set, weights: balance.unlabelledWeights(for: set))
    self.basis = basis
    self.balance = balance
    self.precision = precision
    let cells = WindowGroups(set).cells
    self.cells = cells
    let empty = SymmetricMatrix(order: basis.columnCount)
    var block = GramBlock(basis: basis, precision: precision, rows: HingeBasis.blockRows)
    var sums: [WindowGroups.Part: SymmetricMatrix] = [:]
    for (cell, rows) in cells {
      block.addGram(
        of: rows, in: set, weight: balance.rawRowWeight(of: cell),
        to: &sums[cell.part, default: empty])
    }
    let ordered = sums.sorted {
      ($0.key.activity.rawValue, $0.key.dataset) < ($1.key.activity.rawValue, $1.key.dataset)
    }
    parts = ordered.map { key, sum in
      Part(key: key, sum: sum, gram: Self.gram(from: sum, basis, precision))
    }
    rightHandSides =
      targets.map { targets in
        cells.map { basis.rightHandSide(of: $0.rows, in: set, targets: targets) }
      } ?? []
  }

  private static func gram(
    from sum: SymmetricMatrix, _ basis: HingeBasis, _ precision: HingeRidgeTrainer.Precision
  ) -> SymmetricMatrix {
    precision == .single ? basis.gram(from: sum) : sum
  }

  /// The classifier of all windows, whose weights sum to 1, with a penalty.
  func fit(ridge: Double) throws(TrainingError) -> HingeRidgeTrainer.Fit {
    HingeRidgeTrainer.Fit(
      classes: classes, basis: basis, matrix: try sums().weights(of: classes, ridge: ridge))
  }

  /// The Gram matrices of all windows but those of some cells, as a weighted sum: the weights of
  /// the windows that are left sum to 1.
  func sums(without out: [WindowGroups.Entry] = []) -> WeightedGrams {
    let gone = Set(out.map(\.cell))
    let masses = ClassMasses(cells.filter { !gone.contains($0.cell) }, balance: balance)
    let outByPart = Dictionary(grouping: out) { $0.cell.part }
    var block = GramBlock(basis: basis, precision: precision, rows: HingeBasis.blockRows)
    var grams = WeightedGrams(columnCount: basis.columnCount)
    for part in parts {
      let factor = masses.factor(part.key)
      guard factor > 0 else { continue }
      var gram = part.gram
      if let entries = outByPart[part.key] {
        var sum = part.sum
        for (cell, rows) in entries {
          block.addGram(of: rows, in: set, weight: -balance.rawRowWeight(of: cell), to: &sum)
        }
        gram = Self.gram(from: sum, basis, precision)
      }
      grams.terms.append(.init(gram: gram, activity: part.key.activity, scale: factor))
    }
    for (entry, own) in zip(cells, rightHandSides) where !gone.contains(entry.cell) {
      grams.rightHandSides.append((own, masses.rowWeight(of: entry.cell)))
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
  }

  var terms: [Term] = []
  /// The right-hand sides, one column per class, with their scales; empty for ±1 indicators.
  var rightHandSides: [(matrix: Matrix, scale: Double)] = []
  let columnCount: Int

  var total: SymmetricMatrix {
    var sum = SymmetricMatrix(order: columnCount)
    for term in terms { sum.add(term.gram, scale: term.scale) }
    return sum
  }

  /// The weights of least squares of the targets, a row per column of the basis and a column per
  /// class; the penalty is added to the diagonal except for the constant column.
  ///
  /// The targets are ±1 indicators, where there are no right-hand sides. A class that has no window
  /// is −1 everywhere.
  func weights(of classes: [Activity], ridge: Double) throws(TrainingError) -> Matrix {
    var targets = Matrix(rows: columnCount, columns: classes.count)
    for term in terms where rightHandSides.isEmpty {
      for (column, activity) in classes.enumerated() {
        let signed = activity == term.activity ? term.scale : -term.scale
        for row in 0..<columnCount { targets[row, column] += signed * term.gram[0, row] }
      }
    }
    for (own, scale) in rightHandSides {
      for row in 0..<columnCount {
        for column in classes.indices { targets[row, column] += scale * own[row, column] }
      }
    }
    var system = total
    system.addToDiagonal(ridge, from: 1)
    return try system.solve(targets, or: TrainingError.notPositiveDefinite)
  }

  /// The second moments of the windows, as the ridge regression weighs them; nil without windows.
  var moments: ActivityModel.MomentTerm? {
    let rows = total.choleskyRows(Self.momentRank)
    return rows.isEmpty ? nil : ActivityModel.MomentTerm(rounding: rows)
  }

  /// The rows of ``moments``.
  ///
  /// Chosen on people of sets left out (24, 48, 96, 160, 200, all): from 96 on what a person gains
  /// by learning, and what others would lose, is that of all.
  private static let momentRank = 96
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

  /// Adds the sum over windows, in single precision of the other columns that
  /// `HingeBasis/gram(from:)` names.
  mutating func addGram(
    of windows: [Int], in set: TrainingSet, weight: Double, to sum: inout SymmetricMatrix
  ) {
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
  }
}
