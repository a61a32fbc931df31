/// The Cholesky factor of a small symmetric positive definite matrix, without a library.
///
/// A = L Lᵀ (Golub and Van Loan, "Matrix Computations", 4th ed., 2013, algorithm 4.2.2). Where a
/// pivot isn't positive, which rounding may do to a matrix that is barely definite, it counts as
/// 10⁻³⁰⁰, so that nothing divides by 0.
///
/// - Complexity: O(order³) once, O(order²) per right-hand side; allocates the factor.
package struct CholeskySolver {
  let order: Int
  /// L by rows, full ones.
  private var factor: [Double]

  /// The factor of `matrix`, given by full rows of which the lower triangle is read.
  package init(_ matrix: [Double], order: Int) {
    precondition(matrix.count == order * order, "expected \(order) x \(order) numbers")
    self.order = order
    factor = matrix
    for row in 0..<order {
      for column in 0...row {
        let sum =
          factor[row * order + column]
          - Self.dot(factor, row * order, factor, column * order, count: column)
        factor[row * order + column] =
          row == column ? max(sum, 1e-300).squareRoot() : sum / factor[column * order + column]
      }
    }
  }

  /// Replaces `vector` by the x of A x = `vector`.
  package func solve(_ vector: inout [Double]) {
    precondition(vector.count == order, "expected \(order) numbers, got \(vector.count)")
    for row in 0..<order {
      let known = Self.dot(factor, row * order, vector, 0, count: row)
      vector[row] = (vector[row] - known) / factor[row * order + row]
    }
    for row in (0..<order).reversed() {
      vector[row] /= factor[row * order + row]
      let value = vector[row]
      for column in 0..<row { vector[column] -= factor[row * order + column] * value }
    }
  }

  /// The sum of the products of `count` numbers of `a` from `i` on with those of `b` from `j` on.
  ///
  /// Four partial sums: the order of the additions is part of the result.
  static func dot(_ a: [Double], _ i: Int, _ b: [Double], _ j: Int, count: Int) -> Double {
    // Slices: an array's own span needs newer systems.
    let (first, second) = (a[i..<i + count], b[j..<j + count])
    let (a, b) = (first.span, second.span)
    var sums = SIMD4<Double>.zero
    let whole = count / 4 * 4
    for index in stride(from: 0, to: whole, by: 4) {
      sums += four(a, index) * four(b, index)
    }
    var sum = sums.sum()
    for index in whole..<count { sum += a[index] * b[index] }
    return sum
  }

  @inline(__always)
  private static func four(_ values: Span<Double>, _ start: Int) -> SIMD4<Double> {
    let four = values.extracting(start..<start + 4)
    return SIMD4(four[0], four[1], four[2], four[3])
  }
}
