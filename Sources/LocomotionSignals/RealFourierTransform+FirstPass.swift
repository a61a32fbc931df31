// The first pass. The signal is read as a matrix of 8 or 16 rows, line by line, and each column is
// transformed.
extension RealFourierTransform {
  /// Transforms the columns of `signal`, whose values with their indices `prepare` makes ready.
  ///
  /// What `signal` lacks is 0. Columns whose lower half is so take less work.
  @inline(__always)
  static func begin(
    _ array: inout [SIMD8<Float>], _ tables: Tables, _ length: some TransformLength,
    _ signal: Span<SIMD4<Float>>, _ prepare: (SIMD4<Float>) -> SIMD4<Float>
  ) {
    var values = array.mutableSpan
    let (rows, columns, blocks) = (length.rows, length.columns, tables.blocks.span)
    precondition(
      values.count == length.half && blocks.count == columns, "tables of another length")
    if signal.count == 2 * length.half {
      for column in 0..<columns {
        beginColumn(&values, in: block(blocks[column], length), rows) { row in
          prepare(signal[row * columns + column])
        }
      }
      return
    }
    for column in 0..<columns {
      @inline(__always)
      func value(_ row: Int) -> SIMD4<Float> {
        let index = row * columns + column
        return index < signal.count ? prepare(signal[index]) : .zero
      }
      let block = block(blocks[column], length)
      if length.half + column < signal.count {
        beginColumn(&values, in: block, rows, value)
      } else {
        beginHalfColumn(&values, in: block, rows, value)
      }
    }
  }

  /// Transforms the columns of an even function, whose first half and middle are in `signal`.
  @inline(__always)
  static func begin(
    _ array: inout [SIMD8<Float>], _ tables: Tables, _ length: some TransformLength,
    even signal: Span<SIMD4<Float>>
  ) {
    var values = array.mutableSpan
    let (rows, columns, blocks) = (length.rows, length.columns, tables.blocks.span)
    precondition(
      values.count == length.half && blocks.count == columns && signal.count == length.half + 1,
      "tables of another length")
    for column in 0..<columns {
      beginColumn(&values, in: block(blocks[column], length), rows) { row in
        row < rows / 2
          ? signal[row * columns + column] : signal[(rows - row) * columns - column]
      }
    }
  }

  /// The first slot of a block, which the mask shows to lie within bounds.
  @inline(__always)
  private static func block(_ index: Int32, _ length: some TransformLength) -> Int {
    (Int(index) & (length.columns - 1)) * (length.rows / 2)
  }

  @inline(__always)
  private static func beginColumn(
    _ values: inout MutableSpan<SIMD8<Float>>, in block: Int, _ rows: Int,
    _ row: (Int) -> SIMD4<Float>
  ) {
    if rows == 8 {
      joinTwos(
        &values, in: block, two(row(0), row(4)), two(row(1), row(5)), two(row(2), row(6)),
        two(row(3), row(7)))
    } else {
      joinFours(
        &values, in: block, four(row(0), row(4), row(8), row(12)),
        four(row(1), row(5), row(9), row(13)), four(row(2), row(6), row(10), row(14)),
        four(row(3), row(7), row(11), row(15)))
    }
  }

  /// The same where the lower half of the rows is 0.
  @inline(__always)
  private static func beginHalfColumn(
    _ values: inout MutableSpan<SIMD8<Float>>, in block: Int, _ rows: Int,
    _ row: (Int) -> SIMD4<Float>
  ) {
    if rows == 8 {
      joinTwos(&values, in: block, two(row(0)), two(row(1)), two(row(2)), two(row(3)))
    } else {
      joinFours(
        &values, in: block, four(row(0), row(4)), four(row(1), row(5)), four(row(2), row(6)),
        four(row(3), row(7)))
    }
  }

  /// Bins 0 and 1 of two values.
  @inline(__always)
  private static func two(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD8<Float> {
    SIMD8(lowHalf: a + b, highHalf: a - b)
  }

  /// The same of a value and 0.
  @inline(__always)
  private static func two(_ a: SIMD4<Float>) -> SIMD8<Float> { SIMD8(lowHalf: a, highHalf: a) }

  /// Bins 0 and 2, and 1, of four values.
  @inline(__always)
  private static func four(
    _ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ d: SIMD4<Float>
  ) -> (real: SIMD8<Float>, complex: Complex) {
    (two(a + c, b + d), Complex(a - c, d - b))
  }

  /// The same of two values and two zeros.
  @inline(__always)
  private static func four(
    _ a: SIMD4<Float>, _ b: SIMD4<Float>
  ) -> (real: SIMD8<Float>, complex: Complex) {
    (two(a, b), Complex(a, -b))
  }

  /// Fills the four slots of a block.
  @inline(__always)
  private static func joinTwos(
    _ values: inout MutableSpan<SIMD8<Float>>, in block: Int,
    _ a: SIMD8<Float>, _ b: SIMD8<Float>, _ c: SIMD8<Float>, _ d: SIMD8<Float>
  ) {
    (values[block], values[block + 2], values[block + 1], values[block + 3]) = joinedReals(
      a, b, c, d)
  }

  /// Fills the eight slots of a block.
  @inline(__always)
  private static func joinFours(
    _ values: inout MutableSpan<SIMD8<Float>>, in block: Int,
    _ a: (real: SIMD8<Float>, complex: Complex), _ b: (real: SIMD8<Float>, complex: Complex),
    _ c: (real: SIMD8<Float>, complex: Complex), _ d: (real: SIMD8<Float>, complex: Complex)
  ) {
    (values[block], values[block + 4], values[block + 2], values[block + 6]) = joinedReals(
      a.real, b.real, c.real, d.real)
    let parts = Parts(a.complex, b.complex, c.complex, d.complex, .sixteenth)
    values[block + 1] = parts.bin.vector
    values[block + 3] = parts.binBelowMiddle.vector
    values[block + 5] = parts.binAboveMiddle.vector
    values[block + 7] = parts.binBelowEnd.vector
  }
}
