// Radix-4 decimation in time, in place.
//
// The DFT of n real values is a block of n/2 positions: the first holds bins 0 and n/2, which are
// real, each other one a complex bin, real part in the lower half. A butterfly takes one position
// of four adjacent blocks, each of every fourth value, and leaves four bins of the DFT of 4n values
// in the same positions. `Tables` lists which, so that nothing has to be moved.
extension RealFourierTransform {
  /// All radix-4 passes between the first and the last; they leave four blocks of N/8 positions.
  @inline(__always)
  static func radix4Passes(
    _ array: inout [SIMD8<Float>], _ tables: Tables, _ length: some TransformLength
  ) {
    var values = array.mutableSpan
    precondition(values.count == length.half, "tables of another length")
    let twiddles = tables.twiddles.span
    // The first two are written out: with a known length there are no others.
    var (blockSize, first) = (length.rows / 2, 0)
    if 4 * blockSize < length.half {
      radix4Pass(&values, twiddles.extracting(first..<first + blockSize - 1), length, blockSize)
      first += blockSize - 1
      blockSize *= 4
    }
    if 4 * blockSize < length.half {
      radix4Pass(&values, twiddles.extracting(first..<first + blockSize - 1), length, blockSize)
      first += blockSize - 1
      blockSize *= 4
    }
    while 4 * blockSize < length.half {
      radix4Pass(&values, twiddles.extracting(first..<first + blockSize - 1), length, blockSize)
      first += blockSize - 1
      blockSize *= 4
    }
  }

  /// One pass over all blocks of `blockSize` positions.
  @inline(__always)
  private static func radix4Pass(
    _ values: inout MutableSpan<SIMD8<Float>>, _ twiddles: Span<Tables.Radix4Twiddles>,
    _ length: some TransformLength, _ blockSize: Int
  ) {
    for index in 0..<length.half / (4 * blockSize) {
      let a = 4 * blockSize * index
      let (b, c, d) = (a + blockSize, a + 2 * blockSize, a + 3 * blockSize)
      (values[a], values[b], values[c], values[d]) = realButterfly(
        values[a], values[b], values[c], values[d])
      for position in 1..<blockSize {
        let butterfly = Butterfly(
          Complex(values[a + position]), Complex(values[b + position]),
          Complex(values[c + position]),
          Complex(values[d + position]), twiddles[position - 1])
        values[a + position] = butterfly.bin.vector
        values[b + position] = butterfly.binBelowMiddle.vector
        values[c + position] = butterfly.binAboveMiddle.vector
        values[d + position] = butterfly.binBelowEnd.vector
      }
    }
  }

  /// The butterfly of the real bins: from bins 0 and n/2 of the four DFTs of every fourth value,
  /// bins 0 and 2n, n, n/2 and 3n/2 of the DFT of 4n values.
  @inline(__always)
  static func realButterfly(
    _ a: SIMD8<Float>, _ b: SIMD8<Float>, _ c: SIMD8<Float>, _ d: SIMD8<Float>
  ) -> (SIMD8<Float>, SIMD8<Float>, SIMD8<Float>, SIMD8<Float>) {
    let (even, odd) = (a.lowHalf + c.lowHalf, b.lowHalf + d.lowHalf)
    // The twiddle factors exp(−πi/4) and exp(−3πi/4).
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

    /// The conjugate of a difference, at the cost of the difference.
    @inline(__always)
    static func conjugate(_ lhs: Complex, less rhs: Complex) -> Complex {
      Complex(lhs.real - rhs.real, rhs.imaginary - lhs.imaginary)
    }

    /// The product with a twiddle factor, cos − i sin.
    @inline(__always)
    func times(_ twiddle: Tables.Twiddle) -> Complex {
      Complex(
        real * twiddle.cosine + imaginary * twiddle.sine,
        imaginary * twiddle.cosine - real * twiddle.sine)
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

  /// A radix-4 butterfly: bin k of the four DFTs of every fourth value, times its twiddle factors.
  struct Butterfly {
    private let a: Complex
    private let b: Complex
    private let c: Complex
    private let d: Complex

    @inline(__always)
    init(_ a: Complex, _ b: Complex, _ c: Complex, _ d: Complex, _ twiddles: Tables.Radix4Twiddles)
    {
      self.a = a
      self.b = b.times(twiddles.first)
      self.c = c.times(twiddles.second)
      self.d = d.times(twiddles.third)
    }

    /// Bin k of the DFT of 4n values.
    @inline(__always)
    var bin: Complex { a + c + (b + d) }

    /// Bin n − k.
    @inline(__always)
    var binBelowMiddle: Complex { .conjugate(a - c, less: rotatedDifference) }

    /// Bin n + k.
    @inline(__always)
    var binAboveMiddle: Complex { a - c + rotatedDifference }

    /// Bin 2n − k.
    @inline(__always)
    var binBelowEnd: Complex { .conjugate(a + c, less: b + d) }

    /// −i (b − d).
    @inline(__always)
    private var rotatedDifference: Complex {
      Complex(b.imaginary - d.imaginary, d.real - b.real)
    }
  }
}
