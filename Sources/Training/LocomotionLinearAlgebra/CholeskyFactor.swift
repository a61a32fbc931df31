/// The upper triangular U of a positive definite matrix A = UᵀU.
package struct CholeskyFactor: Hashable, Sendable {
  /// The number of rows, and of columns.
  let order: Int
  private let elements: ContiguousArray<Double>

  init(order: Int, elements: ContiguousArray<Double>) {
    self.order = order
    self.elements = elements
  }

  /// The element of U in row `row` and column `column`; 0 below the diagonal.
  ///
  /// - Precondition: the element exists.
  package subscript(row: Int, column: Int) -> Double {
    precondition(
      min(row, column) >= 0 && max(row, column) < order,
      "expected an index inside \(order) x \(order), got (\(row), \(column))")
    return elements[row * order + column]
  }

  /// The X of AX = B, by two triangular solutions (BLAS `dtrsm`).
  ///
  /// - Parameter rightHandSides: B, one column per system.
  /// - Returns: X, one column per system.
  /// - Precondition: B has ``order`` rows.
  /// - Complexity: O(``order``² · columns); allocates the result.
  package func solve(_ rightHandSides: Matrix) -> Matrix {
    precondition(
      rightHandSides.rows == order, "expected \(order) rows, got \(rightHandSides.rows)")
    var solution = rightHandSides.elements
    LAPACKBackend.solveCholesky(
      elements, order: order, rightHandSides: &solution, columns: rightHandSides.columns)
    return Matrix(rows: order, columns: rightHandSides.columns, elements: solution)
  }
}
