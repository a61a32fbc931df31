/// A dense matrix of `Double`, row by row.
package struct Matrix: Hashable, Sendable, Codable {
  /// The number of rows.
  package let rows: Int
  /// The number of columns.
  package let columns: Int
  /// The elements in row-major order, `rows` × `columns` of them.
  package private(set) var elements: ContiguousArray<Double>

  /// A matrix whose elements all have one value.
  ///
  /// - Precondition: `rows` and `columns` are not negative.
  package init(rows: Int, columns: Int, repeating value: Double = 0) {
    precondition(
      rows >= 0 && columns >= 0, "expected a shape of 0 x 0 or more, got \(rows) x \(columns)")
    self.rows = rows
    self.columns = columns
    self.elements = ContiguousArray(repeating: value, count: rows * columns)
  }

  /// A matrix from its elements in row-major order.
  ///
  /// - Precondition: there are `rows` × `columns` elements.
  package init(rows: Int, columns: Int, elements: some Collection<Double>) {
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
  package subscript(row: Int, column: Int) -> Double {
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
  package mutating func withElements<Result>(
    _ body: (inout MutableSpan<Double>) -> Result
  ) -> Result {
    var span = elements.mutableSpan
    return body(&span)
  }

  /// The matrix with rows and columns exchanged.
  package var transposed: Matrix {
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
  package static func * (lhs: Matrix, rhs: Matrix) -> Matrix {
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
