// The first pass: DFTs of 8 or 16 values. The signal is read as a matrix of 8 or 16 rows,
// row-major, and each column is transformed.
extension RealFourierTransform {
  /// Transforms the columns of `signal`, each value mapped by `prepare` first.
  ///
  /// `signal` is padded with zeros to N. Columns whose lower half is padding take less work.
  @inline(__always)
  static func firstPass(
    _ array: inout [SIMD8<Float>], _ tables: Tables, _ length: some TransformLength,
    _ signal: Span<SIMD4<Float>>, _ prepare: (SIMD4<Float>) -> SIMD4<Float>
  ) {
    var values = array.mutableSpan
    let (rows, columns, digitReversal) = (length.rows, length.columns, tables.digitReversal.span)
    precondition(
      values.count == length.half && digitReversal.count == columns, "tables of another length")
    if signal.count == 2 * length.half {
      for column in 0..<columns {
        firstPassColumn(&values, in: block(digitReversal[column], length), rows) { row in
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
      let block = block(digitReversal[column], length)
      if length.half + column < signal.count {
        firstPassColumn(&values, in: block, rows, value)
      } else {
        firstPassHalfColumn(&values, in: block, rows, value)
      }
    }
  }

  /// Transforms the columns of an even function, whose first half and middle are in `signal`.
  @inline(__always)
  static func firstPass(
    _ array: inout [SIMD8<Float>], _ tables: Tables, _ length: some TransformLength,
    even signal: Span<SIMD4<Float>>
  ) {
    var values = array.mutableSpan
    let (rows, columns, digitReversal) = (length.rows, length.columns, tables.digitReversal.span)
    precondition(
      values.count == length.half && digitReversal.count == columns
        && signal.count == length.half + 1,
      "tables of another length")
    for column in 0..<columns {
      firstPassColumn(&values, in: block(digitReversal[column], length), rows) { row in
        row < rows / 2
          ? signal[row * columns + column] : signal[(rows - row) * columns - column]
      }
    }
  }

  /// The first position of a block; the mask lets the compiler omit the bounds check.
  @inline(__always)
  private static func block(_ index: Int32, _ length: some TransformLength) -> Int {
    (Int(index) & (length.columns - 1)) * (length.rows / 2)
  }

  @inline(__always)
  private static func firstPassColumn(
    _ values: inout MutableSpan<SIMD8<Float>>, in block: Int, _ rows: Int,
    _ row: (Int) -> SIMD4<Float>
  ) {
    if rows == 8 {
      dft8(
        &values, in: block, dft2(row(0), row(4)), dft2(row(1), row(5)), dft2(row(2), row(6)),
        dft2(row(3), row(7)))
    } else {
      dft16(
        &values, in: block, dft4(row(0), row(4), row(8), row(12)),
        dft4(row(1), row(5), row(9), row(13)), dft4(row(2), row(6), row(10), row(14)),
        dft4(row(3), row(7), row(11), row(15)))
    }
  }

  /// The same with zeros in the lower half of the rows.
  @inline(__always)
  private static func firstPassHalfColumn(
    _ values: inout MutableSpan<SIMD8<Float>>, in block: Int, _ rows: Int,
    _ row: (Int) -> SIMD4<Float>
  ) {
    if rows == 8 {
      dft8(&values, in: block, dft2(row(0)), dft2(row(1)), dft2(row(2)), dft2(row(3)))
    } else {
      dft16(
        &values, in: block, dft4(row(0), row(4)), dft4(row(1), row(5)), dft4(row(2), row(6)),
        dft4(row(3), row(7)))
    }
  }

  /// The radix-2 butterfly: bins 0 and 1 of two values.
  @inline(__always)
  private static func dft2(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD8<Float> {
    SIMD8(lowHalf: a + b, highHalf: a - b)
  }

  /// The same for a value and 0.
  @inline(__always)
  private static func dft2(_ a: SIMD4<Float>) -> SIMD8<Float> { SIMD8(lowHalf: a, highHalf: a) }

  /// The DFT of four values: bins 0 and 2, which are real, and bin 1.
  @inline(__always)
  private static func dft4(
    _ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ d: SIMD4<Float>
  ) -> (real: SIMD8<Float>, complex: Complex) {
    (dft2(a + c, b + d), Complex(a - c, d - b))
  }

  /// The same for two values and two zeros.
  @inline(__always)
  private static func dft4(
    _ a: SIMD4<Float>, _ b: SIMD4<Float>
  ) -> (real: SIMD8<Float>, complex: Complex) {
    (dft2(a, b), Complex(a, -b))
  }

  /// Completes the DFT of eight values from those of four pairs; writes its four positions.
  @inline(__always)
  private static func dft8(
    _ values: inout MutableSpan<SIMD8<Float>>, in block: Int,
    _ a: SIMD8<Float>, _ b: SIMD8<Float>, _ c: SIMD8<Float>, _ d: SIMD8<Float>
  ) {
    (values[block], values[block + 2], values[block + 1], values[block + 3]) = realButterfly(
      a, b, c, d)
  }

  /// Completes the DFT of sixteen values from those of four fours; writes its eight positions.
  @inline(__always)
  private static func dft16(
    _ values: inout MutableSpan<SIMD8<Float>>, in block: Int,
    _ a: (real: SIMD8<Float>, complex: Complex), _ b: (real: SIMD8<Float>, complex: Complex),
    _ c: (real: SIMD8<Float>, complex: Complex), _ d: (real: SIMD8<Float>, complex: Complex)
  ) {
    (values[block], values[block + 4], values[block + 2], values[block + 6]) = realButterfly(
      a.real, b.real, c.real, d.real)
    let butterfly = Butterfly(a.complex, b.complex, c.complex, d.complex, .sixteenth)
    values[block + 1] = butterfly.bin.vector
    values[block + 3] = butterfly.binBelowMiddle.vector
    values[block + 5] = butterfly.binAboveMiddle.vector
    values[block + 7] = butterfly.binBelowEnd.vector
  }
}
