internal import CLocomotionMath

extension RealFourierTransform {
  /// Permutations and twiddle factors for transforms of one length.
  struct Tables: Sendable {
    /// The block that the first pass writes each column to: base-4 digit reversal.
    let digitReversal: [Int32]
    /// Pass by pass, the twiddle factors for the positions of a block but the first.
    let twiddles: [Radix4Twiddles]
    /// The twiddle factors of the last pass by bin, from 1 to N/8 − 1.
    let lastTwiddles: [Radix4Twiddles]
    /// The position in a block at which the last pass finds each bin below N/8.
    let binPositions: [Int32]

    /// The twiddle factor cos − i sin, the same in each lane so that no pass has to broadcast it.
    typealias Twiddle = (cosine: SIMD4<Float>, sine: SIMD4<Float>)

    /// The twiddle factors of a radix-4 butterfly: W, W² and W³.
    struct Radix4Twiddles {
      var first: Twiddle
      var second: Twiddle
      var third: Twiddle

      /// W = exp(−2πi k/n).
      init(_ k: Int, of n: Int) {
        func twiddle(_ k: Int) -> Twiddle {
          let angle = 2 * Double.pi * Double(k) / Double(n)
          return (SIMD4(repeating: Float(cos(angle))), SIMD4(repeating: Float(sin(angle))))
        }
        (first, second, third) = (twiddle(k), twiddle(2 * k), twiddle(3 * k))
      }

      private init(_ first: (Float, Float), _ second: (Float, Float), _ third: (Float, Float)) {
        self.first = (SIMD4(repeating: first.0), SIMD4(repeating: first.1))
        self.second = (SIMD4(repeating: second.0), SIMD4(repeating: second.1))
        self.third = (SIMD4(repeating: third.0), SIMD4(repeating: third.1))
      }

      /// W = exp(−2πi/16), as constants for the first pass.
      @inline(__always)
      static var sixteenth: Radix4Twiddles {
        let (larger, equal, smaller): (Float, Float, Float) = (0.92387953, 0.70710678, 0.38268343)
        return Radix4Twiddles((larger, smaller), (equal, equal), (smaller, larger))
      }
    }

    /// The tables for transforms of `length` values.
    ///
    /// Those of the lengths that the package uses are made once.
    static func of(_ length: Int) -> Tables {
      switch length {
      case 256: ofTwoHundredFiftySix
      case 512: ofFiveHundredTwelve
      case 1024: ofThousandTwentyFour
      default: Tables(length: length)
      }
    }

    private static let ofTwoHundredFiftySix = Tables(length: 256)
    private static let ofFiveHundredTwelve = Tables(length: 512)
    private static let ofThousandTwentyFour = Tables(length: 1024)

    private init(length: Int) {
      let rows = AnyLength(half: length / 2).rows
      digitReversal = (0..<length / rows).map { Int32(Self.digitReversed($0, of: length / rows)) }
      var twiddles: [Radix4Twiddles] = []
      // The bin of the DFT of n values that each position of a block holds.
      var (n, bins) = (rows, Array(0..<rows / 2))
      while 4 * n < length {
        let others = bins.dropFirst()
        twiddles += others.map { Radix4Twiddles($0, of: 4 * n) }
        bins += [n] + others.map { n - $0 }
        bins += [n / 2] + others.map { n + $0 }
        bins += [3 * n / 2] + others.map { 2 * n - $0 }
        n *= 4
      }
      self.twiddles = twiddles
      lastTwiddles = (1..<n / 2).map { Radix4Twiddles($0, of: length) }
      var binPositions = [Int32](repeating: 0, count: n / 2)
      for (position, bin) in bins.enumerated() { binPositions[bin] = Int32(position) }
      self.binPositions = binPositions
    }

    /// The base-4 digits of `index` in reverse order, for `index` below `count`, a power of 4.
    private static func digitReversed(_ index: Int, of count: Int) -> Int {
      var (index, rest, reversed) = (index, count, 0)
      while rest > 1 {
        reversed = 4 * reversed + index % 4
        index /= 4
        rest /= 4
      }
      return reversed
    }
  }
}

/// N, as a type: where it is a constant, the compiler omits bounds checks and unrolls loops.
protocol TransformLength {
  /// N/2.
  var half: Int { get }
}

extension TransformLength {
  /// The length of the DFTs of the first pass, 8 or 16: N is this times a power of 4.
  @inline(__always)
  var rows: Int { half.trailingZeroBitCount.isMultiple(of: 2) ? 8 : 16 }

  /// The number of DFTs of the first pass.
  @inline(__always)
  var columns: Int { 2 * half / rows }
}

extension RealFourierTransform {
  struct Length256: TransformLength {
    @inline(__always)
    var half: Int { 128 }
  }

  struct Length512: TransformLength {
    @inline(__always)
    var half: Int { 256 }
  }

  struct Length1024: TransformLength {
    @inline(__always)
    var half: Int { 512 }
  }

  struct AnyLength: TransformLength {
    let half: Int
  }
}
