import LocomotionLinearAlgebra
import TestSupport
import Testing

struct FixedPointSumTests {
  /// Gram matrices of magnitudes from 10⁻⁶ to 10⁶.
  private let matrices = (0..<40).map { index in
    var gram = SymmetricMatrix(order: 5)
    let scale = [1e-6, 1e-3, 1, 1e3, 1e6][index % 5]
    let sign = index.isMultiple(of: 3) ? -1.0 : 1.0
    gram.addGram(of: normalMatrix(7, 5, seed: UInt64(index)), scale: sign * scale)
    return gram
  }

  private func sum(_ matrices: some Sequence<SymmetricMatrix>) -> FixedPointSum {
    var sum = FixedPointSum(order: 5, exponent: -80)
    for matrix in matrices { sum.add(matrix) }
    return sum
  }

  @Test func orderDoesNotMatter() {
    #expect(sum(matrices.reversed()) == sum(matrices))
    // Double precision does depend on it, so that the test can fail.
    func double(_ matrices: some Sequence<SymmetricMatrix>) -> SymmetricMatrix {
      matrices.reduce(into: SymmetricMatrix(order: 5)) { $0.add($1) }
    }
    #expect(double(matrices) != double(matrices.reversed()))
  }

  @Test func whatIsSubtractedLeavesNoTrace() {
    var rest = sum(matrices)
    rest.subtract(sum(matrices[10..<25]))
    #expect(rest == sum(matrices[..<10] + matrices[25...]))
    rest.subtract(rest)
    #expect(rest.matrix == SymmetricMatrix(order: 5))
  }

  @Test func theSumIsThatOfTheMatrices() {
    let found = sum(matrices).matrix
    for row in 0..<5 {
      for column in row..<5 {
        // In 80 bits of a significand and 40 terms below 2²⁵ the direct sum is within 2⁻³³ or so;
        // each term is rounded to a multiple of 2⁻⁸⁰, and the result to double precision.
        let terms = matrices.map { Float80($0[row, column]) }
        let magnitudes = terms.reduce(0) { $0 + $1.magnitude }
        let exact = terms.reduce(0, +)
        let tolerance = Float80(40 * 0x1p-81) + exact.magnitude * 0x1p-52 + magnitudes * 0x1p-58
        #expect((Float80(found[row, column]) - exact).magnitude <= tolerance)
      }
    }
  }

  @Test func numbersOfAllSizesAndSignsComeBack() {
    // One unit, borrows across the halves of the integer, and the largest that fits.
    let values = [1, -1, 0x1p64, -0x1p64, 0x1p64 - 0x1p12, -0x1p53 - 1, 3, 0x1.fffffp125, -0x1p125]
    for value in values {
      var matrix = SymmetricMatrix(order: 1)
      matrix[0, 0] = value * 0x1p-30
      var sum = FixedPointSum(order: 1, exponent: -30)
      sum.add(matrix)
      #expect(sum.matrix == matrix, "\(value) units")
      // Halves are rounded to even.
      matrix[0, 0] = 0x1p-31
      sum.add(matrix)
      matrix[0, 0] = value * 0x1p-30
      #expect(sum.matrix == matrix, "\(value) units and a half")
    }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 0x1p127, -0x1p128])
  func whatDoesNotFitIsNotANumber(value: Double) {
    var matrix = SymmetricMatrix(order: 2)
    var sum = FixedPointSum(order: 2, exponent: 0)
    sum.add(matrix)
    #expect(!sum.matrix[0, 0].isNaN)
    matrix[0, 1] = value
    sum.add(matrix)
    #expect(sum.matrix[0, 0].isNaN)
    var other = FixedPointSum(order: 2, exponent: 0)
    other.subtract(sum)
    #expect(other.matrix[0, 0].isNaN)
    #expect(throws: BadMinor(order: 1)) {
      _ = try other.matrix.choleskyFactor(or: BadMinor.init)
    }
  }

  @Test func aSumThatDoesNotFitIsNotANumber() {
    var matrix = SymmetricMatrix(order: 1)
    matrix[0, 0] = -0x1p126
    var sum = FixedPointSum(order: 1, exponent: 0)
    sum.add(matrix)
    #expect(sum.matrix == matrix)
    sum.add(matrix)
    #expect(sum.matrix[0, 0].isNaN)
  }
}
