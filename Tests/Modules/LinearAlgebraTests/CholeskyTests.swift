import LocomotionLinearAlgebra
import TestSupport
import Testing

struct CholeskyTests {
  /// A positive definite matrix whose eigenvalues are about 1 and above.
  private func positiveDefinite(_ order: Int, seed: UInt64) -> SymmetricMatrix {
    var a = SymmetricMatrix(order: order)
    a.addGram(of: normalMatrix(2 * order, order, seed: seed))
    a.addToDiagonal(1)
    return a
  }

  @Test func factorOfAKnownMatrix() throws {
    // [[4, 12, -16], [12, 37, -43], [-16, -43, 98]] has the factor [[2, 6, -8], [0, 1, 5], [0, 0,
    // 3]].
    var a = SymmetricMatrix(order: 3)
    let rows: [[Double]] = [[4, 12, -16], [12, 37, -43], [-16, -43, 98]]
    for row in 0..<3 {
      for column in row..<3 {
        a[row, column] = rows[row][column]
      }
    }
    let factor = try a.choleskyFactor()
    let elements = (0..<3).map { row in (0..<3).map { factor[row, $0] } }
    #expect(elements == [[2, 6, -8], [0, 1, 5], [0, 0, 3]])
    // A · (1, 2, 3) = (-20, -43, 192).
    let b = Matrix(rows: 3, columns: 1, elements: [-20, -43, 192])
    #expect(try a.solve(b).elements == [1, 2, 3])
  }

  @Test(arguments: [1, 2, 5, 31, 100])
  func solutionSatisfiesTheSystem(order: Int) throws {
    let a = positiveDefinite(order, seed: 8)
    let b = normalMatrix(order, 3, seed: 9)
    let x = try a.solve(b)
    // Backward stability (Higham 2002, theorem 10.4): the residual is below about
    // 3 n ε ‖A‖ ‖x‖ with ‖A‖ ≤ trace and ‖x‖ ≤ ‖b‖, as no eigenvalue is below 1.
    let trace = (0..<order).reduce(0.0) { $0 + a[$1, $1] }
    let norm = b.elements.reduce(0.0) { $0 + $1 * $1 }.squareRoot()
    let bound = 3 * Double(order + 1) * 0x1p-53 * trace * norm
    #expect(largestDifference(naiveProduct(a.dense, x), b) <= bound)
  }

  @Test func factorTimesItsTransposeIsTheMatrix() throws {
    let a = positiveDefinite(12, seed: 10)
    let u = try a.choleskyFactor()
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
    #expect(throws: LinearAlgebraError.notPositiveDefinite(minorOrder: bad)) {
      _ = try a.choleskyFactor()
    }
  }

  @Test func aSingularMatrixIsRejected() {
    var a = SymmetricMatrix(order: 2)
    a.addGram(of: Matrix(rows: 1, columns: 2, elements: [1, 1]))
    #expect(throws: LinearAlgebraError.notPositiveDefinite(minorOrder: 2)) {
      _ = try a.choleskyFactor()
    }
  }

  @Test func notANumberIsRejected() {
    var a = SymmetricMatrix(order: 2)
    a.addToDiagonal(1)
    a[1, 1] = .nan
    #expect(throws: LinearAlgebraError.notPositiveDefinite(minorOrder: 2)) {
      _ = try a.choleskyFactor()
    }
  }

  @Test func rightHandSidesOfAnotherHeightStopTheProgram() async {
    await #expect(processExitsWith: .failure) {
      var a = SymmetricMatrix(order: 2)
      a.addToDiagonal(1)
      _ = try a.solve(Matrix(rows: 3, columns: 1))
    }
  }
}
