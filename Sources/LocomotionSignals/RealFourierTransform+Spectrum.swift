// The last radix-4 pass. It stores no bins: each is computed when it is asked for, from the four
// blocks of N/8 positions that `radix4Passes` leaves.
extension RealFourierTransform {
  /// Writes `result` of bins 0 ..< `count`.
  @inline(__always)
  static func measure(
    _ values: Span<SIMD8<Float>>, _ tables: Tables, _ length: some TransformLength, _ count: Int,
    into results: inout MutableSpan<SIMD4<Float>>, _ result: (Complex) -> SIMD4<Float>
  ) {
    let (n, blockSize) = (length.half / 2, length.half / 4)
    if count <= blockSize {
      for k in 0..<count { results[k] = result(bin(k, values, tables, length)) }
      return
    }
    // More than an eighth of them: four per butterfly.
    @inline(__always)
    func write(_ bin: Complex, _ k: Int) {
      if k < count { results[k] = result(bin) }
    }
    let reals = realButterfly(
      values[0], values[blockSize], values[2 * blockSize], values[3 * blockSize])
    write(Complex(reals.0.lowHalf, .zero), 0)
    write(Complex(reals.2), n / 2)
    write(Complex(reals.1), n)
    write(Complex(reals.3), n + n / 2)
    write(Complex(reals.0.highHalf, .zero), 2 * n)
    for k in 1..<blockSize {
      let butterfly = butterfly(k, values, tables, length)
      write(butterfly.bin, k)
      write(butterfly.binBelowMiddle, n - k)
      write(butterfly.binAboveMiddle, n + k)
      write(butterfly.binBelowEnd, 2 * n - k)
    }
  }

  /// Bin `k` of the N/2 + 1.
  @inline(__always)
  static func bin(
    _ k: Int, _ values: Span<SIMD8<Float>>, _ tables: Tables, _ length: some TransformLength
  ) -> Complex {
    let blockSize = length.half / 4
    let (eighth, rest) = (k / blockSize, k % blockSize)
    if rest == 0 {
      let reals = realButterfly(
        values[0], values[blockSize], values[2 * blockSize], values[3 * blockSize])
      switch eighth {
      case 0: return Complex(reals.0.lowHalf, .zero)
      case 1: return Complex(reals.2)
      case 2: return Complex(reals.1)
      case 3: return Complex(reals.3)
      default: return Complex(reals.0.highHalf, .zero)
      }
    }
    switch eighth {
    case 0: return butterfly(rest, values, tables, length).bin
    case 1: return butterfly(blockSize - rest, values, tables, length).binBelowMiddle
    case 2: return butterfly(rest, values, tables, length).binAboveMiddle
    default: return butterfly(blockSize - rest, values, tables, length).binBelowEnd
    }
  }

  /// Writes the power spectrum of the means of adjacent pairs, (x[2n] + x[2n + 1])/2.
  ///
  /// Its bins are half the sums of those of the even values, which are in the first and second
  /// block, and of the odd values, which are in the third and fourth.
  @inline(__always)
  static func measurePairs(
    _ values: Span<SIMD8<Float>>, _ tables: Tables, _ length: some TransformLength,
    into powers: inout MutableSpan<SIMD4<Float>>
  ) {
    let (n, blockSize, count) = (length.half / 2, length.half / 4, powers.count)
    let (binPositions, twiddles) = (tables.binPositions.span, tables.lastTwiddles.span)
    precondition(
      values.count == length.half && binPositions.count == blockSize
        && twiddles.count == blockSize - 1,
      "tables of another length")
    @inline(__always)
    func write(_ bin: Complex, _ k: Int) {
      if k < count { powers[k] = (0.5 * 0.5) * bin.power }
    }
    let (reals, others) = (
      values[0] + values[blockSize], values[2 * blockSize] + values[3 * blockSize]
    )
    write(Complex(reals.lowHalf + others.lowHalf, .zero), 0)
    write(Complex(reals.highHalf, others.highHalf), n / 2)
    write(Complex(reals.lowHalf - others.lowHalf, .zero), n)
    for k in 1..<blockSize {
      let position = Int(binPositions[k]) & (blockSize - 1)
      let sum = Complex(values[position] + values[blockSize + position])
      let other = Complex(values[2 * blockSize + position] + values[3 * blockSize + position])
        .times(twiddles[k - 1].second)
      write(sum + other, k)
      write(sum - other, n - k)
    }
  }

  /// The butterfly of bin `k` of the four blocks, `k` above 0.
  @inline(__always)
  private static func butterfly(
    _ k: Int, _ values: Span<SIMD8<Float>>, _ tables: Tables, _ length: some TransformLength
  ) -> Butterfly {
    let blockSize = length.half / 4
    let (binPositions, twiddles) = (tables.binPositions.span, tables.lastTwiddles.span)
    precondition(
      values.count == length.half && binPositions.count == blockSize
        && twiddles.count == blockSize - 1,
      "tables of another length")
    // The mask lets the compiler omit the bounds check.
    let position = Int(binPositions[k]) & (blockSize - 1)
    return Butterfly(
      Complex(values[position]), Complex(values[blockSize + position]),
      Complex(values[2 * blockSize + position]),
      Complex(values[3 * blockSize + position]), twiddles[k - 1])
  }
}
