/// Matrices as rows of numbers, for oracles: in Double, and as textbooks have them.
extension [[Double]] {
  /// Ones on the diagonal.
  package static func identity(_ order: Int) -> [[Double]] {
    (0..<order).map { row in (0..<order).map { $0 == row ? 1 : 0 } }
  }

  /// Rows as columns.
  package var transposed: [[Double]] {
    self[0].indices.map { column in map { $0[column] } }
  }

  /// The product of this matrix and another one.
  package func times(_ other: [[Double]]) -> [[Double]] {
    map { row in
      other[0].indices.map { column in row.indices.reduce(0) { $0 + row[$1] * other[$1][column] } }
    }
  }

  /// The solution of A x = b for each column of `right`, by Gauss and Jordan with pivots.
  package func solution(of right: [[Double]]) -> [[Double]] {
    var work = zip(self, right).map { $0 + $1 }
    for column in indices {
      let pivot = (column..<count).max { abs(work[$0][column]) < abs(work[$1][column]) } ?? column
      work.swapAt(column, pivot)
      let scale = work[column][column]
      work[column] = work[column].map { $0 / scale }
      for row in indices where row != column {
        let factor = work[row][column]
        work[row] = zip(work[row], work[column]).map { $0 - factor * $1 }
      }
    }
    return work.map { [Double]($0[count...]) }
  }
}
