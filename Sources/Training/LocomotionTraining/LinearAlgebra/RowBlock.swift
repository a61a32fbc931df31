/// Some rows in single precision, whose Gram matrix is added to one in double precision.
///
/// Half the bytes and half the time of a ``Matrix``. The first columns may be sparse: their
/// non-zero elements are listed, all others are 0. Reuse one block: the memory of the product is
/// allocated once.
struct RowBlock: Sendable {
  /// An element of a sparse column that is not 0, with its row and its column, counted from 0.
  typealias Entry = (row: Int, column: Int, value: Float)

  /// The number of rows that it can hold.
  let rows: Int
  /// The number of columns, the sparse ones included.
  let columns: Int
  /// How many of the first columns are sparse.
  let sparseColumns: Int
  /// The other columns, row-major.
  private var elements: ContiguousArray<Float>
  private var entries: [Entry] = []
  /// The upper triangle of the product, row-major with full rows.
  private var product: ContiguousArray<Float>

  var denseColumns: Int { columns - sparseColumns }

  /// A block of zeros.
  ///
  /// - Precondition: `rows` and `sparseColumns` are not negative, and `columns` is `sparseColumns`
  ///   or more.
  init(rows: Int, columns: Int, sparseColumns: Int = 0) {
    precondition(
      rows >= 0 && sparseColumns >= 0 && columns >= sparseColumns,
      "expected a shape of 0 x \(sparseColumns) or more, got \(rows) x \(columns)")
    self.rows = rows
    self.columns = columns
    self.sparseColumns = sparseColumns
    elements = ContiguousArray(repeating: 0, count: rows * (columns - sparseColumns))
    product = ContiguousArray(repeating: 0, count: columns * columns)
  }

  /// Calls `body` with the elements of the dense columns in row-major order, for writing without a
  /// copy, and with the list of the sparse columns' elements.
  ///
  /// The list is sorted by row, then by column; no element is in it twice.
  mutating func withElements<Result>(
    _ body: (inout MutableSpan<Float>, inout [Entry]) -> Result
  ) -> Result {
    // The span borrows the whole block, so that the list is moved out meanwhile.
    var list: [Entry] = []
    swap(&list, &entries)
    var span = elements.mutableSpan
    let result = body(&span, &list)
    entries = list
    return result
  }

  /// Calls `body` with the upper triangle of XᵀX of the first `count` rows, row-major with full
  /// rows.
  ///
  /// - Precondition: each entry is in one of the rows that the block holds and in a sparse column.
  mutating func withGram(firstRows count: Int, _ body: (ContiguousArray<Float>) -> Void) {
    let (columns, dense, first) = (columns, denseColumns, sparseColumns * (columns + 1))
    LAPACKBackend.gram(
      of: elements, rows: count, columns: dense, into: &product,
      at: first, leadingDimension: columns)
    if sparseColumns > 0 { addSparseRows(below: count) }
    body(product)
  }

  /// Replaces the rows of the product that belong to sparse columns.
  private mutating func addSparseRows(below count: Int) {
    let (columns, dense) = (columns, denseColumns)
    for index in 0..<sparseColumns * columns { product[index] = 0 }
    for (index, entry) in entries.enumerated() where entry.row < count {
      precondition(
        entry.row >= 0 && entry.column >= 0 && entry.column < sparseColumns,
        "expected a place in \(count) x \(sparseColumns), got \(entry)")
      LAPACKBackend.add(
        elements, from: entry.row * dense, count: dense, scale: entry.value,
        to: &product, at: entry.column * columns + sparseColumns)
      for other in entries[index...] {
        guard other.row == entry.row else { break }
        product[entry.column * columns + other.column] += entry.value * other.value
      }
    }
  }
}
