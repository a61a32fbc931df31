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

  @Test func productOfKnownMatrices() {
    let a = Matrix(rows: 2, columns: 3, elements: [1, 2, 3, 4, 5, 6])
    let b = Matrix(rows: 3, columns: 2, elements: [7, 8, 9, 10, 11, 12])
    #expect((a * b).elements == [58, 64, 139, 154])
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

  @Test func elementsCanBeWrittenInPlace() {
    var a = Matrix(rows: 2, columns: 2)
    a.withElements { $0[3] = 4 }
    #expect(a[1, 1] == 4)
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
