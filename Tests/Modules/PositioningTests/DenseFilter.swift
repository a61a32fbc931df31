/// The textbook Kalman filter with four states (east, north and their rates), Joseph's form and
/// dense matrices, and its Rauch–Tung–Striebel smoother: the oracle for the axis-shared filter.
struct DenseFilter {
  typealias Matrix = [[Double]]
  var x: [Double]
  var p: Matrix

  static func multiply(_ a: Matrix, _ b: Matrix) -> Matrix {
    a.map { row in
      b[0].indices.map { column in row.indices.reduce(0) { $0 + row[$1] * b[$1][column] } }
    }
  }

  static func transpose(_ a: Matrix) -> Matrix {
    a[0].indices.map { column in a.map { $0[column] } }
  }

  static func add(_ a: Matrix, _ b: Matrix, _ sign: Double = 1) -> Matrix {
    zip(a, b).map { zip($0, $1).map { $0 + sign * $1 } }
  }

  static func identity(_ n: Int) -> Matrix {
    (0..<n).map { row in (0..<n).map { $0 == row ? 1 : 0 } }
  }

  /// Gauss and Jordan with pivots.
  static func inverse(_ a: Matrix) -> Matrix {
    let n = a.count
    var work = zip(a, identity(n)).map { $0 + $1 }
    for column in 0..<n {
      let pivot =
        (column..<n).max { abs(work[$0][column]) < abs(work[$1][column]) } ?? column
      work.swapAt(column, pivot)
      let scale = work[column][column]
      work[column] = work[column].map { $0 / scale }
      for row in 0..<n where row != column {
        let factor = work[row][column]
        work[row] = zip(work[row], work[column]).map { $0 - factor * $1 }
      }
    }
    return work.map { Array($0[n...]) }
  }

  static func transition(_ t: Double) -> Matrix {
    [[1, 0, t, 0], [0, 1, 0, t], [0, 0, 1, 0], [0, 0, 0, 1]]
  }

  static func noise(_ t: Double, _ q: Double) -> Matrix {
    let (a, b, c) = (q * t * t * t / 3, q * t * t / 2, q * t)
    return [[a, 0, b, 0], [0, a, 0, b], [b, 0, c, 0], [0, b, 0, c]]
  }

  mutating func predict(_ t: Double, _ q: Double) {
    let f = Self.transition(t)
    x = Self.multiply(f, x.map { [$0] }).map { $0[0] }
    p = Self.add(
      Self.multiply(Self.multiply(f, p), Self.transpose(f)), Self.noise(t, q))
  }

  /// A measurement of the position (`offset` 0) or the velocity (`offset` 2).
  mutating func update(_ z: [Double], offset: Int, variance: Double) {
    var h: Matrix = [[0, 0, 0, 0], [0, 0, 0, 0]]
    h[0][offset] = 1
    h[1][offset + 1] = 1
    let r: Matrix = [[variance, 0], [0, variance]]
    let ph = Self.multiply(p, Self.transpose(h))
    let gain = Self.multiply(ph, Self.inverse(Self.add(Self.multiply(h, ph), r)))
    let difference = [[z[0] - x[offset]], [z[1] - x[offset + 1]]]
    x = zip(x, Self.multiply(gain, difference)).map { $0 + $1[0] }
    let a = Self.add(Self.identity(4), Self.multiply(gain, h), -1)
    p = Self.add(
      Self.multiply(Self.multiply(a, p), Self.transpose(a)),
      Self.multiply(Self.multiply(gain, r), Self.transpose(gain)))
  }

  /// This filtered state given the smoothed next one, `t` seconds later.
  func smoothed(_ next: DenseFilter, _ t: Double, _ q: Double) -> DenseFilter {
    var predicted = self
    predicted.predict(t, q)
    let gain = Self.multiply(
      Self.multiply(p, Self.transpose(Self.transition(t))), Self.inverse(predicted.p))
    let step = Self.multiply(gain, zip(next.x, predicted.x).map { [$0 - $1] })
    let change = Self.multiply(
      Self.multiply(gain, Self.add(next.p, predicted.p, -1)), Self.transpose(gain))
    return DenseFilter(x: zip(x, step).map { $0 + $1[0] }, p: Self.add(p, change))
  }
}
