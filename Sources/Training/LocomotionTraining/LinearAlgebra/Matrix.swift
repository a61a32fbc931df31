/// Stops the program when there are not as many of something as expected.
@inline(__always)
func expectCount(_ found: Int, _ expected: Int, _ things: StaticString) {
  precondition(found == expected, "expected \(expected) \(things), got \(found)")
}

/// A dense matrix of `Double`, row by row.
struct Matrix: Equatable, Sendable, Codable {
  let rows: Int
  let columns: Int
  /// The elements in row-major order, `rows` × `columns` of them.
  private(set) var elements: ContiguousArray<Double>

  /// A matrix of zeros.
  ///
  /// - Precondition: `rows` and `columns` are not negative.
  init(rows: Int, columns: Int) {
    precondition(
      rows >= 0 && columns >= 0, "expected a shape of 0 x 0 or more, got \(rows) x \(columns)")
    self.rows = rows
    self.columns = columns
    self.elements = ContiguousArray(repeating: 0, count: rows * columns)
  }

  /// A matrix from its elements in row-major order.
  ///
  /// - Precondition: there are `rows` × `columns` elements.
  init(rows: Int, columns: Int, elements: some Collection<Double>) {
    precondition(
      rows >= 0 && columns >= 0 && elements.count == rows * columns,
      "expected \(rows) x \(columns) elements, got \(elements.count)")
    self.rows = rows
    self.columns = columns
    self.elements = ContiguousArray(elements)
  }

  /// The element in row `row` and column `column`, both counted from 0.
  ///
  /// - Precondition: the element exists.
  subscript(row: Int, column: Int) -> Double {
    get { elements[offset(row, column)] }
    set { elements[offset(row, column)] = newValue }
  }

  private func offset(_ row: Int, _ column: Int) -> Int {
    precondition(
      row >= 0 && row < rows && column >= 0 && column < columns,
      "expected an index inside \(rows) x \(columns), got (\(row), \(column))")
    return row * columns + column
  }

  /// Calls `body` with the elements in row-major order, for writing without a copy.
  mutating func withElements<Result>(
    _ body: (inout MutableSpan<Double>) -> Result
  ) -> Result {
    var span = elements.mutableSpan
    return body(&span)
  }

  /// The matrix with rows and columns exchanged.
  var transposed: Matrix {
    var result = Matrix(rows: columns, columns: rows)
    for row in 0..<rows {
      for column in 0..<columns {
        result.elements[column * rows + row] = elements[row * columns + column]
      }
    }
    return result
  }

  /// The matrix product (BLAS `dgemm`).
  ///
  /// - Precondition: `lhs` has as many columns as `rhs` has rows.
  /// - Complexity: O(`lhs.rows` · `lhs.columns` · `rhs.columns`); allocates the result.
  static func * (lhs: Matrix, rhs: Matrix) -> Matrix {
    precondition(
      lhs.columns == rhs.rows,
      "expected \(lhs.columns) rows on the right, got \(rhs.rows)")
    var result = Matrix(rows: lhs.rows, columns: rhs.columns)
    LAPACKBackend.multiply(
      lhs.elements, rhs.elements, into: &result.elements,
      rows: lhs.rows, inner: lhs.columns, columns: rhs.columns)
    return result
  }
}

/// A dense symmetric matrix, of which the upper triangle is kept.
///
/// It is the natural accumulator for normal equations: the Gram matrix of stacked rows is the sum
/// of the parts' Gram matrices, so that parts can be added, subtracted and weighted later.
struct SymmetricMatrix: Equatable, Sendable, Codable {
  /// The number of rows, and of columns.
  let order: Int
  /// Row-major with full rows; elements below the diagonal stay 0.
  private var elements: ContiguousArray<Double>

  /// The zero matrix.
  ///
  /// - Precondition: `order` is not negative.
  init(order: Int) {
    precondition(order >= 0, "expected an order of 0 or more, got \(order)")
    self.order = order
    self.elements = ContiguousArray(repeating: 0, count: order * order)
  }

  /// The element in row `row` and column `column`, which equals the one with the two exchanged.
  ///
  /// - Precondition: the element exists.
  subscript(row: Int, column: Int) -> Double {
    get { elements[offset(row, column)] }
    set { elements[offset(row, column)] = newValue }
  }

  private func offset(_ row: Int, _ column: Int) -> Int {
    precondition(
      min(row, column) >= 0 && max(row, column) < order,
      "expected an index inside \(order) x \(order), got (\(row), \(column))")
    return min(row, column) * order + max(row, column)
  }

  /// Adds `scale` · XᵀX of the first rows, or all (BLAS `dsyrk`).
  ///
  /// - Precondition: `x` has ``order`` columns and at least `count` rows.
  /// - Complexity: O(`count` · `order`²); allocates nothing.
  mutating func addGram(of x: Matrix, firstRows count: Int? = nil, scale: Double = 1) {
    let count = count ?? x.rows
    expectCount(x.columns, order, "columns")
    precondition(
      count >= 0 && count <= x.rows, "expected at most \(x.rows) rows, got \(count)")
    LAPACKBackend.addGram(
      of: x.elements, rows: count, columns: order, scale: scale, to: &elements)
  }

  /// Adds `scale` · XᵀX of the first rows, in single precision; the sum is formed in double
  /// precision.
  ///
  /// - Precondition: `block` has ``order`` columns and at least `count` rows.
  /// - Complexity: O(`count` · `order`²); allocates nothing. An element of XᵀX is within
  ///   `count` · 2⁻²⁴ of the sum of its terms' magnitudes.
  mutating func addGram(of block: inout RowBlock, firstRows count: Int, scale: Double = 1) {
    expectCount(block.columns, order, "columns")
    precondition(
      count >= 0 && count <= block.rows, "expected at most \(block.rows) rows, got \(count)")
    let order = order
    block.withGram(firstRows: count) { gram in
      let theirs = gram.span
      var mine = elements.mutableSpan
      for row in 0..<order {
        for index in row * order + row..<(row + 1) * order {
          mine[index] += scale * Double(theirs[index])
        }
      }
    }
  }

  /// AᵀSA of this S, with a sparse A that is given column by column.
  ///
  /// - Parameter combinations: For each column of A its elements that are not 0, by their rows.
  /// - Returns: The product, of as many rows and columns as A has columns.
  /// - Precondition: every row is below ``order``.
  func congruent(_ combinations: [[(row: Int, factor: Double)]]) -> SymmetricMatrix {
    let (order, width) = (order, combinations.count)
    let terms = combinations.flatMap { $0 }
    var line = [Double](repeating: 0, count: order)
    var result = SymmetricMatrix(order: width)
    var first = 0
    for (row, combination) in combinations.enumerated() {
      // A row of AᵀS, and of it the elements of the same row of (AᵀS)A.
      for index in 0..<order { line[index] = 0 }
      for (other, factor) in combination {
        for index in 0..<order {
          line[index] += factor * elements[min(other, index) * order + max(other, index)]
        }
      }
      var next = first
      first += combination.count
      for column in row..<width {
        var sum = 0.0
        for _ in 0..<combinations[column].count {
          sum += terms[next].factor * line[terms[next].row]
          next += 1
        }
        result.elements[row * width + column] = sum
      }
    }
    return result
  }

  /// Adds `scale` · `other`; a negative scale subtracts it.
  ///
  /// - Precondition: both have the same order.
  mutating func add(_ other: SymmetricMatrix, scale: Double = 1) {
    precondition(other.order == order, "expected order \(order), got \(other.order)")
    let count = order * order
    let theirs = other.elements.span
    var mine = elements.mutableSpan
    for index in 0..<count {
      mine[index] += scale * theirs[index]
    }
  }

  /// Adds `value` to the diagonal from row `first` on.
  ///
  /// - Precondition: 0 ≤ `first` ≤ ``order``.
  mutating func addToDiagonal(_ value: Double, from first: Int = 0) {
    precondition(
      first >= 0 && first <= order, "expected a row in 0 ... \(order), got \(first)")
    for row in first..<order {
      elements[row * order + row] += value
    }
  }

  /// The upper triangular factor U of UᵀU (LAPACK `dpotrf`).
  ///
  /// - Parameter failure: The error by the order, counted from 1, of a leading minor that isn't
  ///   positive definite.
  /// - Returns: U.
  /// - Throws: That error, also when an element that is reached is NaN.
  /// - Complexity: O(``order``³); allocates the factor.
  func choleskyFactor<Failure: Error>(
    or failure: (Int) -> Failure
  ) throws(Failure) -> Matrix {
    var factor = elements
    let failedMinor = LAPACKBackend.factorCholesky(&factor, order: order)
    guard failedMinor == 0 else { throw failure(failedMinor) }
    // OpenBLAS compares pivots with 0, which lets NaN pass.
    if let row = (0..<order).first(where: { !(factor[$0 * order + $0] > 0) }) {
      throw failure(row + 1)
    }
    return Matrix(rows: order, columns: order, elements: factor)
  }

  /// The X of AX = B of this A, by its factor and two triangular solutions (BLAS `dtrsm`).
  ///
  /// - Parameters:
  ///   - rightHandSides: B, one column per system.
  ///   - failure: As in ``choleskyFactor(or:)``.
  /// - Returns: X, one column per system.
  /// - Throws: As ``choleskyFactor(or:)`` does.
  /// - Precondition: B has ``order`` rows.
  func solve<Failure: Error>(
    _ rightHandSides: Matrix, or failure: (Int) -> Failure
  ) throws(Failure) -> Matrix {
    expectCount(rightHandSides.rows, order, "rows")
    var solution = rightHandSides.elements
    LAPACKBackend.solveCholesky(
      try choleskyFactor(or: failure).elements, order: order, rightHandSides: &solution,
      columns: rightHandSides.columns)
    return Matrix(rows: order, columns: rightHandSides.columns, elements: solution)
  }

  /// The first `count` rows r of a pivoted Cholesky factor: the sum of r rᵀ is near the matrix
  /// (LAPACK `dpstrf`).
  ///
  /// What is missing is positive semidefinite, and in each step the largest element of its diagonal
  /// is removed. Fewer rows where the rank is less.
  ///
  /// - Precondition: The matrix is positive semidefinite.
  /// - Complexity: O(``order``³); allocates the factor.
  func choleskyRows(_ count: Int) -> [[Double]] {
    var factor = elements
    let (columns, rank) = LAPACKBackend.factorPivotedCholesky(&factor, order: order)
    return (0..<min(count, rank)).map { row in
      var result = [Double](repeating: 0, count: order)
      for place in row..<order { result[columns[place]] = factor[row * order + place] }
      return result
    }
  }
}
