// The complex transform of N/2 values, in place.
extension RealFourierTransform {
  /// Radix-4 decimation in frequency, in place; the last pass by two when N/2 is no power of four.
  static func transform(_ array: inout [SIMD8<Float>], _ turns: [Tables.Turn]) {
    var values = array.mutableSpan
    let turns = turns.span
    // The same twice with known lengths, for which the compiler leaves out all checks of bounds.
    switch values.count {
    case 128:
      passes(&values, of: 128, turns, of: 42, from: 0, quarter: 32)
      passes(&values, of: 128, turns, of: 42, from: 32, quarter: 8)
      passes(&values, of: 128, turns, of: 42, from: 40, quarter: 2)
      lastPass(&values, of: 128)
    case 256:
      passes(&values, of: 256, turns, of: 84, from: 0, quarter: 64)
      passes(&values, of: 256, turns, of: 84, from: 64, quarter: 16)
      passes(&values, of: 256, turns, of: 84, from: 80, quarter: 4)
      lastPass(&values, of: 256)
    case 512:
      passes(&values, of: 512, turns, of: 170, from: 0, quarter: 128)
      passes(&values, of: 512, turns, of: 170, from: 128, quarter: 32)
      passes(&values, of: 512, turns, of: 170, from: 160, quarter: 8)
      passes(&values, of: 512, turns, of: 170, from: 168, quarter: 2)
      lastPass(&values, of: 512)
    case let count:
      var (n, first) = (count, 0)
      while n > 4 {
        passes(&values, of: count, turns, of: turns.count, from: first, quarter: n / 4)
        first += n / 4
        n /= 4
      }
      lastPass(&values, of: count)
    }
  }

  /// One pass over all blocks of four quarters, whose turns begin at `first`.
  @inline(__always)
  private static func passes(
    _ values: inout MutableSpan<SIMD8<Float>>, of count: Int, _ turns: Span<Tables.Turn>,
    of turnCount: Int, from first: Int, quarter: Int
  ) {
    precondition(values.count == count && turns.count == turnCount, "tables of another length")
    for block in 0..<count / (4 * quarter) {
      for index in 0..<quarter {
        pass(&values, at: block * 4 * quarter + index, by: quarter, turns, first + index)
      }
    }
  }

  /// The last pass, over neighbours: by four if that leaves nothing, else by two.
  @inline(__always)
  private static func lastPass(_ values: inout MutableSpan<SIMD8<Float>>, of count: Int) {
    precondition(values.count == count, "values of another length")
    if count.trailingZeroBitCount.isMultiple(of: 2) {
      for block in 0..<count / 4 { lastFour(&values, at: 4 * block) }
    } else {
      for pair in 0..<count / 2 {
        let (a, b) = (values[2 * pair], values[2 * pair + 1])
        values[2 * pair] = a + b
        values[2 * pair + 1] = a - b
      }
    }
  }

  /// The four values `stride` apart become the first of four transforms of a quarter of the length.
  ///
  /// Each angle is read where it is used: six vectors held ready would push others out of the
  /// registers.
  @inline(__always)
  private static func pass(
    _ values: inout MutableSpan<SIMD8<Float>>, at index: Int, by stride: Int,
    _ turns: Span<Tables.Turn>, _ turn: Int
  ) {
    let (a, b) = (values[index], values[index + stride])
    let (c, d) = (values[index + 2 * stride], values[index + 3 * stride])
    let (sum, difference) = (a + c, a - c)
    let (otherSum, other) = (b + d, b - d)
    values[index] = sum + otherSum
    let real = difference.lowHalf + other.highHalf
    let imaginary = difference.highHalf - other.lowHalf
    values[index + stride] = turned(real, imaginary, turns[turn].once)
    let opposite = sum - otherSum
    values[index + 2 * stride] = turned(opposite.lowHalf, opposite.highHalf, turns[turn].twice)
    let thirdReal = difference.lowHalf - other.highHalf
    let thirdImaginary = difference.highHalf + other.lowHalf
    values[index + 3 * stride] = turned(thirdReal, thirdImaginary, turns[turn].thrice)
  }

  /// Multiplies by cos − i sin.
  @inline(__always)
  private static func turned(
    _ real: SIMD4<Float>, _ imaginary: SIMD4<Float>,
    _ angle: (cosine: SIMD4<Float>, sine: SIMD4<Float>)
  ) -> SIMD8<Float> {
    SIMD8(
      lowHalf: real * angle.cosine + imaginary * angle.sine,
      highHalf: imaginary * angle.cosine - real * angle.sine)
  }

  /// A transform of four neighbours.
  @inline(__always)
  private static func lastFour(_ values: inout MutableSpan<SIMD8<Float>>, at index: Int) {
    let (a, b, c, d) = (values[index], values[index + 1], values[index + 2], values[index + 3])
    let (sum, difference) = (a + c, a - c)
    let (otherSum, other) = (b + d, b - d)
    values[index] = sum + otherSum
    values[index + 1] = SIMD8(
      lowHalf: difference.lowHalf + other.highHalf, highHalf: difference.highHalf - other.lowHalf)
    values[index + 2] = sum - otherSum
    values[index + 3] = SIMD8(
      lowHalf: difference.lowHalf - other.highHalf, highHalf: difference.highHalf + other.lowHalf)
  }
}
