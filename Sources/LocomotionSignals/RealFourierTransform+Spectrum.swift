// The last pass. It stores no bins: each is made when it is asked for, from the four quarters of
// N/8 slots that `join` leaves.
extension RealFourierTransform {
  /// Writes what `result` makes of bins 0 ..< `count`.
  @inline(__always)
  static func measure(
    _ values: Span<SIMD8<Float>>, _ tables: Tables, _ length: some TransformLength, _ count: Int,
    into results: inout MutableSpan<SIMD4<Float>>, _ result: (Complex) -> SIMD4<Float>
  ) {
    let (n, slots) = (length.half / 2, length.half / 4)
    if count <= slots {
      for k in 0..<count { results[k] = result(bin(k, values, tables, length)) }
      return
    }
    // Most of them: four at a time.
    @inline(__always)
    func write(_ bin: Complex, _ k: Int) {
      if k < count { results[k] = result(bin) }
    }
    let reals = joinedReals(values[0], values[slots], values[2 * slots], values[3 * slots])
    write(Complex(reals.0.lowHalf, .zero), 0)
    write(Complex(reals.2), n / 2)
    write(Complex(reals.1), n)
    write(Complex(reals.3), n + n / 2)
    write(Complex(reals.0.highHalf, .zero), 2 * n)
    for k in 1..<slots {
      let parts = parts(k, values, tables, length)
      write(parts.bin, k)
      write(parts.binBelowMiddle, n - k)
      write(parts.binAboveMiddle, n + k)
      write(parts.binBelowEnd, 2 * n - k)
    }
  }

  /// Bin `k` of the N/2 + 1.
  @inline(__always)
  static func bin(
    _ k: Int, _ values: Span<SIMD8<Float>>, _ tables: Tables, _ length: some TransformLength
  ) -> Complex {
    let slots = length.half / 4
    let (eighth, rest) = (k / slots, k % slots)
    if rest == 0 {
      let reals = joinedReals(values[0], values[slots], values[2 * slots], values[3 * slots])
      switch eighth {
      case 0: return Complex(reals.0.lowHalf, .zero)
      case 1: return Complex(reals.2)
      case 2: return Complex(reals.1)
      case 3: return Complex(reals.3)
      default: return Complex(reals.0.highHalf, .zero)
      }
    }
    switch eighth {
    case 0: return parts(rest, values, tables, length).bin
    case 1: return parts(slots - rest, values, tables, length).binBelowMiddle
    case 2: return parts(rest, values, tables, length).binAboveMiddle
    default: return parts(slots - rest, values, tables, length).binBelowEnd
    }
  }

  /// The powers of the means of neighbours, x[2n] + x[2n + 1] over 2, whose bins are half the sums
  /// of those of even and odd values: of the first and third quarter, and of the second and fourth.
  @inline(__always)
  static func measurePairs(
    _ values: Span<SIMD8<Float>>, _ tables: Tables, _ length: some TransformLength,
    into powers: inout MutableSpan<SIMD4<Float>>
  ) {
    let (n, slots, count) = (length.half / 2, length.half / 4, powers.count)
    let (places, turns) = (tables.slots.span, tables.lastTurns.span)
    precondition(
      values.count == length.half && places.count == slots && turns.count == slots - 1,
      "tables of another length")
    @inline(__always)
    func write(_ bin: Complex, _ k: Int) {
      if k < count { powers[k] = (0.5 * 0.5) * bin.power }
    }
    let (reals, others) = (values[0] + values[slots], values[2 * slots] + values[3 * slots])
    write(Complex(reals.lowHalf + others.lowHalf, .zero), 0)
    write(Complex(reals.highHalf, others.highHalf), n / 2)
    write(Complex(reals.lowHalf - others.lowHalf, .zero), n)
    for k in 1..<slots {
      let slot = Int(places[k]) & (slots - 1)
      let sum = Complex(values[slot] + values[slots + slot])
      let other = Complex(values[2 * slots + slot] + values[3 * slots + slot])
        .turned(turns[k - 1].twice)
      write(sum + other, k)
      write(sum - other, n - k)
    }
  }

  /// Bin `k` of the quarters, above 0.
  @inline(__always)
  private static func parts(
    _ k: Int, _ values: Span<SIMD8<Float>>, _ tables: Tables, _ length: some TransformLength
  ) -> Parts {
    let slots = length.half / 4
    let (places, turns) = (tables.slots.span, tables.lastTurns.span)
    precondition(
      values.count == length.half && places.count == slots && turns.count == slots - 1,
      "tables of another length")
    // The mask shows the slot to lie within bounds.
    let slot = Int(places[k]) & (slots - 1)
    return Parts(
      Complex(values[slot]), Complex(values[slots + slot]), Complex(values[2 * slots + slot]),
      Complex(values[3 * slots + slot]), turns[k - 1])
  }
}
