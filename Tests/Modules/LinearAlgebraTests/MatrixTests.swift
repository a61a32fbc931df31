import LocomotionLinearAlgebra
import TestSupport
import Testing

/// A matrix of standard normal numbers.
func normalMatrix(_ rows: Int, _ columns: Int, seed: UInt64) -> Matrix {
  var generator = SplitMix64(seed: seed)
  return Matrix(
    rows: rows, columns: columns,
    elements: (0..<rows * columns).map { _ in generator.nextNormal() })
}

/// The textbook product.
func naiveProduct(_ a: Matrix, _ b: Matrix) -> Matrix {
  var result = Matrix(rows: a.rows, columns: b.columns)
  for i in 0..<a.rows {
    for j in 0..<b.columns {
      result[i, j] = (0..<a.columns).reduce(0.0) { $0 + a[i, $1] * b[$1, j] }
    }
  }
  return result
}

/// The largest distance of two matrices' elements.
func largestDifference(_ a: Matrix, _ b: Matrix) -> Double {
  #expect(a.rows == b.rows && a.columns == b.columns)
  return zip(a.elements, b.elements).map { abs($0 - $1) }.max() ?? 0
}

struct MatrixTests {
  /// Rounding of a sum of n products of numbers below about 4: n · 16 · 2⁻⁵³, doubled.
  private func tolerance(_ terms: Int) -> Double { Double(terms) * 32 * 0x1p-53 }

  @Test(arguments: [(1, 1, 1), (2, 3, 4), (7, 1, 5), (1, 9, 1), (33, 65, 17), (64, 64, 64)])
  func productAgreesWithTheTextbook(rows: Int, inner: Int, columns: Int) {
    let a = normalMatrix(rows, inner, seed: 1)
    let b = normalMatrix(inner, columns, seed: 2)
    #expect(largestDifference(a * b, naiveProduct(a, b)) <= tolerance(inner))
  }

  @Test func productWithoutInnerTermsIsZero() {
    let product = Matrix(rows: 2, columns: 0) * Matrix(rows: 0, columns: 3)
    #expect(product == Matrix(rows: 2, columns: 3))
  }

  @Test func transposingTwiceChangesNothing() {
    let a = normalMatrix(5, 8, seed: 3)
    #expect(a.transposed.transposed == a)
    #expect(a.transposed[7, 4] == a[4, 7])
  }

  @Test func subscriptIsRowMajor() {
    var a = Matrix(rows: 2, columns: 3)
    a[1, 0] = 5
    #expect(a.elements == [0, 0, 0, 5, 0, 0])
  }

  @Test func aWrongNumberOfElementsStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      _ = Matrix(rows: 2, columns: 2, elements: [1, 2, 3])
    }
  }

  @Test func multiplyingUnfittingShapesStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      _ = Matrix(rows: 2, columns: 3) * Matrix(rows: 2, columns: 3)
    }
  }

  @Test func readingOutsideStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      // Inside the storage, but outside the row.
      _ = Matrix(rows: 2, columns: 3)[0, 3]
    }
  }
}

struct SymmetricMatrixTests {
  /// XᵀWX by definition.
  private func naiveGram(_ x: Matrix, weights: [Double]) -> Matrix {
    var weighted = x
    for row in 0..<x.rows {
      for column in 0..<x.columns {
        weighted[row, column] *= weights[row]
      }
    }
    return naiveProduct(x.transposed, weighted)
  }

  /// n products of three numbers, the first two below about 4 and the weight below 2.
  private func tolerance(_ terms: Int) -> Double { Double(terms) * 4 * 32 * 0x1p-53 }

  @Test(arguments: [
    (1, 1, 0), (3, 2, 0), (40, 17, 0), (700, 33, 0), (1, 1, 1), (40, 17, 6), (700, 33, 32),
    (30, 4, 4),
  ])
  func gramOfSinglePrecisionIsWithinItsRounding(rows: Int, columns: Int, sparse: Int) {
    var x = normalMatrix(rows, columns, seed: 9)
    for row in 0..<rows {
      for column in 0..<sparse where (3 * row + column) % 5 != 0 { x[row, column] = 0 }
    }
    x = Matrix(
      rows: rows, columns: columns, elements: x.elements.map { Double(Float($0)) })
    // One row more, which must be ignored.
    var block = RowBlock(rows: rows + 1, columns: columns, sparseColumns: sparse)
    block.withElements { elements, entries in
      for row in 0...rows {
        for column in 0..<columns {
          let value = row < rows ? Float(x[row, column]) : 9
          if column >= sparse {
            elements[row * (columns - sparse) + column - sparse] = value
          } else if value != 0 {
            entries.append((row: row, column: column, value: value))
          }
        }
      }
    }
    expectGram(of: &block, isThatOf: x)
  }

  /// Expects the sums over the first rows of `block` to be within single precision of `exact`'s.
  private func expectGram(of block: inout RowBlock, isThatOf exact: Matrix) {
    let (rows, columns) = (exact.rows, exact.columns)
    let magnitudes = Matrix(rows: rows, columns: columns, elements: exact.elements.map { abs($0) })
    let (expected, limits) = (
      naiveProduct(exact.transposed, exact), naiveProduct(magnitudes.transposed, magnitudes)
    )
    var gram = SymmetricMatrix(order: columns)
    gram.addGram(of: &block, firstRows: rows)
    gram.addGram(of: &block, firstRows: rows, scale: 0.5)
    for row in 0..<columns {
      for column in 0..<columns {
        let error = abs(gram[row, column] - 1.5 * expected[row, column])
        #expect(error <= 1.5 * Double(rows) * 0x1p-24 * limits[row, column] + 1e-12)
      }
    }
  }

  @Test func congruenceAgreesWithTheProductOfThree() {
    let x = normalMatrix(20, 7, seed: 10)
    var gram = SymmetricMatrix(order: 7)
    gram.addGram(of: x)
    let combinations: [[(row: Int, factor: Double)]] = [
      [(3, 1)], [(0, 2), (6, -1), (2, 0.5)], [], [(6, 1), (5, 1)], [(1, -3)],
    ]
    var a = Matrix(rows: 7, columns: combinations.count)
    for (column, combination) in combinations.enumerated() {
      for (row, factor) in combination { a[row, column] = factor }
    }
    let expected = naiveProduct(naiveProduct(a.transposed, gram.dense), a)
    #expect(largestDifference(gram.congruent(combinations).dense, expected) <= tolerance(20))
  }

  @Test func onlyTheFirstRowsAreAdded() {
    let x = normalMatrix(10, 4, seed: 7)
    var first = SymmetricMatrix(order: 4)
    first.addGram(of: x, firstRows: 6, scale: 0.5)
    let expected = naiveGram(x, weights: [Double](repeating: 0.5, count: 6) + [0, 0, 0, 0])
    #expect(largestDifference(first.dense, expected) <= tolerance(6))
  }

  @Test func subtractingUndoesAdding() {
    var a = SymmetricMatrix(order: 3)
    a.addGram(of: Matrix(rows: 2, columns: 3, elements: [1, 2, 3, 4, 5, 6]))
    var sum = a
    sum.add(a, scale: 3)
    sum.add(a, scale: -3)
    // Small integers are exact.
    #expect(sum == a)
  }

  @Test func diagonalGrowsFromTheGivenRow() {
    var a = SymmetricMatrix(order: 3)
    a.addToDiagonal(2, from: 1)
    #expect(a.dense.elements == [0, 0, 0, 0, 2, 0, 0, 0, 2])
  }

  @Test func addingRowsOfAnotherWidthStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      var gram = SymmetricMatrix(order: 2)
      gram.addGram(of: Matrix(rows: 1, columns: 3))
    }
  }

  @Test func addingAnotherOrderStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      var gram = SymmetricMatrix(order: 2)
      gram.add(SymmetricMatrix(order: 3))
    }
  }
}

extension SymmetricMatrixTests {
  /// All rows of a pivoted factor give the matrix back, and fewer rows less than it, by a
  /// semidefinite rest.
  @Test(arguments: [1, 5, 31])
  func choleskyRowsSumToTheMatrix(order: Int) {
    var a = SymmetricMatrix(order: order)
    a.addGram(of: normalMatrix(2 * order, order, seed: 12))
    let rows = a.choleskyRows(order)
    #expect(rows.count == order)
    let trace = (0..<order).reduce(0.0) { $0 + a[$1, $1] }
    var rest = trace
    for (index, row) in rows.enumerated() {
      let left = rest - row.reduce(0) { $0 + $1 * $1 }
      #expect(left <= rest && left >= -1e-12 * trace)
      // The pivot is the largest that was left: each removes at least its part.
      #expect(rest - left >= rest / Double(order - index) * (1 - 1e-9))
      rest = left
    }
    for i in 0..<order {
      for j in i..<order {
        let sum = rows.reduce(0.0) { $0 + $1[i] * $1[j] }
        // As for the factor itself: sums of at most `order` products, below the trace.
        #expect(abs(sum - a[i, j]) <= Double(order + 1) * 0x1p-50 * trace)
      }
    }
  }

  /// Of a matrix of rank 2 there are two rows.
  @Test func choleskyRowsStopAtTheRank() {
    var a = SymmetricMatrix(order: 6)
    a.addGram(of: normalMatrix(2, 6, seed: 3))
    #expect(a.choleskyRows(6).count == 2)
    #expect(a.choleskyRows(1).count == 1)
  }
}

struct CholeskyTests {
  /// A positive definite matrix whose eigenvalues are about 1 and above.
  private func positiveDefinite(_ order: Int, seed: UInt64) -> SymmetricMatrix {
    var a = SymmetricMatrix(order: order)
    a.addGram(of: normalMatrix(2 * order, order, seed: seed))
    a.addToDiagonal(1)
    return a
  }

  @Test(arguments: [1, 2, 5, 31, 100])
  func solutionSatisfiesTheSystem(order: Int) throws {
    let a = positiveDefinite(order, seed: 8)
    let b = normalMatrix(order, 3, seed: 9)
    let x = try a.solve(b, or: BadMinor.init)
    // Backward stability (Higham 2002, theorem 10.4): the residual is below about
    // 3 n ε ‖A‖ ‖x‖ with ‖A‖ ≤ trace and ‖x‖ ≤ ‖b‖, as no eigenvalue is below 1.
    let trace = (0..<order).reduce(0.0) { $0 + a[$1, $1] }
    let norm = b.elements.reduce(0.0) { $0 + $1 * $1 }.squareRoot()
    let bound = 3 * Double(order + 1) * 0x1p-53 * trace * norm
    #expect(largestDifference(naiveProduct(a.dense, x), b) <= bound)
  }

  @Test func factorTimesItsTransposeIsTheMatrix() throws {
    let a = positiveDefinite(12, seed: 10)
    let u = try a.choleskyFactor(or: BadMinor.init)
    for row in 0..<12 {
      for column in 0..<row { #expect(u[row, column] == 0) }
    }
    // Each element is a sum of at most 12 products; ‖A‖ is below its trace.
    let trace = (0..<12).reduce(0.0) { $0 + a[$1, $1] }
    #expect(
      largestDifference(naiveProduct(u.transposed, u), a.dense) <= 13 * 0x1p-53 * trace)
  }

  @Test(arguments: [1, 2, 3, 4])
  func anIndefiniteMatrixReportsItsMinor(bad: Int) {
    var a = SymmetricMatrix(order: 4)
    a.addToDiagonal(1)
    a[bad - 1, bad - 1] = -1
    #expect(throws: BadMinor(order: bad)) {
      _ = try a.choleskyFactor(or: BadMinor.init)
    }
  }

  @Test func aSingularMatrixIsRejected() {
    var a = SymmetricMatrix(order: 2)
    a.addGram(of: Matrix(rows: 1, columns: 2, elements: [1, 1]))
    #expect(throws: BadMinor(order: 2)) {
      _ = try a.choleskyFactor(or: BadMinor.init)
    }
  }

  @Test func notANumberIsRejected() {
    var a = SymmetricMatrix(order: 2)
    a.addToDiagonal(1)
    a[1, 1] = .nan
    #expect(throws: BadMinor(order: 2)) {
      _ = try a.choleskyFactor(or: BadMinor.init)
    }
  }

  @Test func rightHandSidesOfAnotherHeightStopTheProgram() async {
    await #expect(processExitsWith: .failure) {
      var a = SymmetricMatrix(order: 2)
      a.addToDiagonal(1)
      _ = try a.solve(Matrix(rows: 3, columns: 1), or: BadMinor.init)
    }
  }
}

/// The order of a leading minor that isn't positive definite.
struct BadMinor: Error, Equatable { let order: Int }

extension SymmetricMatrix {
  /// The matrix with both triangles filled.
  fileprivate var dense: Matrix {
    let elements = (0..<order * order).map { self[$0 / order, $0 % order] }
    return Matrix(rows: order, columns: order, elements: elements)
  }
}
