/// Some rows in single precision, whose Gram matrix is added to one in double precision.
///
/// Half the bytes and half the time of a ``Matrix``. Keep one block and fill it again: what the
/// product needs is allocated once.
public struct RowBlock: Sendable {
  /// The most rows that it holds.
  public let rows: Int
  /// The number of columns.
  public let columns: Int
  private var elements: [Float]
  /// The upper triangle of the product, row-major with full rows.
  private var product: [Float]

  /// A block of zeros.
  ///
  /// - Precondition: `rows` and `columns` are not negative.
  public init(rows: Int, columns: Int) {
    precondition(
      rows >= 0 && columns >= 0, "expected a shape of 0 x 0 or more, got \(rows) x \(columns)")
    self.rows = rows
    self.columns = columns
    elements = Array(repeating: 0, count: rows * columns)
    product = Array(repeating: 0, count: columns * columns)
  }

  /// Calls `body` with the elements in row-major order, for writing without a copy.
  public mutating func withElements<Result>(
    _ body: (inout MutableSpan<Float>) -> Result
  ) -> Result {
    var span = elements.mutableSpan
    return body(&span)
  }

  /// Calls `body` with the upper triangle of XᵀX of the first `count` rows (BLAS `ssyrk`).
  ///
  /// Row-major with full rows.
  mutating func withGram(firstRows count: Int, _ body: (Span<Float>) -> Void) {
    LAPACKBackend.gram(of: elements, rows: count, columns: columns, into: &product)
    body(product.span)
  }
}
