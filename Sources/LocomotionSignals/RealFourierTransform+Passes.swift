// Decimation in time by four, in place.
//
// The bins of n values are in a block of n/2 slots: the first slot holds bins 0 and n/2, which are
// real, each other slot a complex bin, real part below. Four blocks side by side, of every fourth
// value each, are joined slot by slot: slot by slot the same four places then hold four bins of 4n
// values. `Tables` says which, so that nothing has to be moved.
extension RealFourierTransform {
  /// All passes between the first and the last, which leave the bins of four quarters.
  @inline(__always)
  static func join(
    _ array: inout [SIMD8<Float>], _ tables: Tables, _ length: some TransformLength
  ) {
    var values = array.mutableSpan
    precondition(values.count == length.half, "tables of another length")
    let turns = tables.turns.span
    // The first two are written out: with a known length there are no others.
    var (slots, first) = (length.rows / 2, 0)
    if 4 * slots < length.half {
      joinBlocks(&values, turns.extracting(first..<first + slots - 1), length, slots)
      first += slots - 1
      slots *= 4
    }
    if 4 * slots < length.half {
      joinBlocks(&values, turns.extracting(first..<first + slots - 1), length, slots)
      first += slots - 1
      slots *= 4
    }
    while 4 * slots < length.half {
      joinBlocks(&values, turns.extracting(first..<first + slots - 1), length, slots)
      first += slots - 1
      slots *= 4
    }
  }

  /// One pass over all blocks, each of so many slots.
  @inline(__always)
  private static func joinBlocks(
    _ values: inout MutableSpan<SIMD8<Float>>, _ turns: Span<Tables.Turn>,
    _ length: some TransformLength, _ slots: Int
  ) {
    for index in 0..<length.half / (4 * slots) {
      let a = 4 * slots * index
      let (b, c, d) = (a + slots, a + 2 * slots, a + 3 * slots)
      (values[a], values[b], values[c], values[d]) = joinedReals(
        values[a], values[b], values[c], values[d])
      for slot in 1..<slots {
        let parts = Parts(
          Complex(values[a + slot]), Complex(values[b + slot]), Complex(values[c + slot]),
          Complex(values[d + slot]), turns[slot - 1])
        values[a + slot] = parts.bin.vector
        values[b + slot] = parts.binBelowMiddle.vector
        values[c + slot] = parts.binAboveMiddle.vector
        values[d + slot] = parts.binBelowEnd.vector
      }
    }
  }

  /// Bins 0 and 2n, n, n/2 and 3n/2 of 4n values from bins 0 and n/2 of every fourth of them.
  @inline(__always)
  static func joinedReals(
    _ a: SIMD8<Float>, _ b: SIMD8<Float>, _ c: SIMD8<Float>, _ d: SIMD8<Float>
  ) -> (SIMD8<Float>, SIMD8<Float>, SIMD8<Float>, SIMD8<Float>) {
    let (even, odd) = (a.lowHalf + c.lowHalf, b.lowHalf + d.lowHalf)
    // An eighth of a turn.
    let real = Float(0.70710678) * (b.highHalf - d.highHalf)
    let imaginary = Float(-0.70710678) * (b.highHalf + d.highHalf)
    return (
      SIMD8(lowHalf: even + odd, highHalf: even - odd),
      SIMD8(lowHalf: a.lowHalf - c.lowHalf, highHalf: d.lowHalf - b.lowHalf),
      SIMD8(lowHalf: a.highHalf + real, highHalf: imaginary - c.highHalf),
      SIMD8(lowHalf: a.highHalf - real, highHalf: imaginary + c.highHalf)
    )
  }
}

extension RealFourierTransform {
  /// A complex number in each lane.
  struct Complex {
    var real: SIMD4<Float>
    var imaginary: SIMD4<Float>

    @inline(__always)
    init(_ real: SIMD4<Float>, _ imaginary: SIMD4<Float>) {
      (self.real, self.imaginary) = (real, imaginary)
    }

    @inline(__always)
    init(_ vector: SIMD8<Float>) { self.init(vector.lowHalf, vector.highHalf) }

    @inline(__always)
    var vector: SIMD8<Float> { SIMD8(lowHalf: real, highHalf: imaginary) }

    @inline(__always)
    var power: SIMD4<Float> { real * real + imaginary * imaginary }

    /// The conjugate of a difference, for nothing more than the difference.
    @inline(__always)
    static func conjugate(_ lhs: Complex, less rhs: Complex) -> Complex {
      Complex(lhs.real - rhs.real, rhs.imaginary - lhs.imaginary)
    }

    /// Times cos − i sin.
    @inline(__always)
    func turned(_ angle: Tables.Angle) -> Complex {
      Complex(
        real * angle.cosine + imaginary * angle.sine, imaginary * angle.cosine - real * angle.sine)
    }

    @inline(__always)
    static func + (lhs: Complex, rhs: Complex) -> Complex {
      Complex(lhs.real + rhs.real, lhs.imaginary + rhs.imaginary)
    }

    @inline(__always)
    static func - (lhs: Complex, rhs: Complex) -> Complex {
      Complex(lhs.real - rhs.real, lhs.imaginary - rhs.imaginary)
    }
  }

  /// Bin k of every fourth of 4n values, ready to be added up.
  struct Parts {
    private let a: Complex
    private let b: Complex
    private let c: Complex
    private let d: Complex

    @inline(__always)
    init(_ a: Complex, _ b: Complex, _ c: Complex, _ d: Complex, _ turn: Tables.Turn) {
      self.a = a
      self.b = b.turned(turn.once)
      self.c = c.turned(turn.twice)
      self.d = d.turned(turn.thrice)
    }

    /// Bin k of all.
    @inline(__always)
    var bin: Complex { a + c + (b + d) }

    /// Bin n − k.
    @inline(__always)
    var binBelowMiddle: Complex { .conjugate(a - c, less: turnedDifference) }

    /// Bin n + k.
    @inline(__always)
    var binAboveMiddle: Complex { a - c + turnedDifference }

    /// Bin 2n − k.
    @inline(__always)
    var binBelowEnd: Complex { .conjugate(a + c, less: b + d) }

    /// b − d, a quarter of a turn back.
    @inline(__always)
    private var turnedDifference: Complex {
      Complex(b.imaginary - d.imaginary, d.real - b.real)
    }
  }
}
