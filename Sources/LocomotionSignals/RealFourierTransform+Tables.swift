internal import CLocomotionMath

extension RealFourierTransform {
  /// What transforms of one length have in common.
  struct Tables: Sendable {
    /// In which block the first pass puts the bins of each column.
    let blocks: [Int32]
    /// Pass by pass, the turns of the slots of a block but the first.
    let turns: [Turn]
    /// Of the last pass, the turns by frequency, from 1 to N/8 − 1.
    let lastTurns: [Turn]
    /// In which slot of a block the last pass finds each frequency below N/8.
    let slots: [Int32]

    /// cos and sin, the same in each lane: so no pass has to spread them.
    typealias Angle = (cosine: SIMD4<Float>, sine: SIMD4<Float>)

    /// Once, twice and three times an angle.
    struct Turn {
      var once: Angle
      var twice: Angle
      var thrice: Angle

      /// k/n of a full turn.
      init(_ k: Int, of n: Int) {
        func angle(_ k: Int) -> Angle {
          let angle = 2 * Double.pi * Double(k) / Double(n)
          return (SIMD4(repeating: Float(cos(angle))), SIMD4(repeating: Float(sin(angle))))
        }
        (once, twice, thrice) = (angle(k), angle(2 * k), angle(3 * k))
      }

      private init(_ once: (Float, Float), _ twice: (Float, Float), _ thrice: (Float, Float)) {
        self.once = (SIMD4(repeating: once.0), SIMD4(repeating: once.1))
        self.twice = (SIMD4(repeating: twice.0), SIMD4(repeating: twice.1))
        self.thrice = (SIMD4(repeating: thrice.0), SIMD4(repeating: thrice.1))
      }

      /// A sixteenth, as constants for the first pass.
      @inline(__always)
      static var sixteenth: Turn {
        let (larger, equal, smaller): (Float, Float, Float) = (0.92387953, 0.70710678, 0.38268343)
        return Turn((larger, smaller), (equal, equal), (smaller, larger))
      }
    }

    /// The tables for transforms of `length` values.
    ///
    /// Those of the package's own stages are shared by all pipelines.
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
      blocks = (0..<length / rows).map { Int32(Self.reversed($0, of: length / rows)) }
      var turns: [Turn] = []
      // Which bin of its n values each slot of a block holds.
      var (n, bins) = (rows, Array(0..<rows / 2))
      while 4 * n < length {
        let others = bins.dropFirst()
        turns += others.map { Turn($0, of: 4 * n) }
        bins += [n] + others.map { n - $0 }
        bins += [n / 2] + others.map { n + $0 }
        bins += [3 * n / 2] + others.map { 2 * n - $0 }
        n *= 4
      }
      self.turns = turns
      lastTurns = (1..<n / 2).map { Turn($0, of: length) }
      var slots = [Int32](repeating: 0, count: n / 2)
      for (slot, bin) in bins.enumerated() { slots[bin] = Int32(slot) }
      self.slots = slots
    }

    /// The digits of `index` to base 4 in reverse order, in a row of `count`.
    private static func reversed(_ index: Int, of count: Int) -> Int {
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

/// N: where the compiler knows it, it leaves out the checks of bounds and unrolls.
protocol TransformLength {
  /// N/2.
  var half: Int { get }
}

extension TransformLength {
  /// How many values the first pass transforms together: what N has beside powers of 4.
  @inline(__always)
  var rows: Int { half.trailingZeroBitCount.isMultiple(of: 2) ? 8 : 16 }

  /// How many transforms the first pass makes.
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
