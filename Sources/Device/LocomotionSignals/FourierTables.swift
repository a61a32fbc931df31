internal import CLocomotionMath

/// Permutations and twiddle factors for transforms of one length, which all transforms share.
final class FourierTables: Sendable {
  /// The block that the first pass writes each column to: base-4 digit reversal.
  let blocks: [Int32]
  /// Pass by pass, the twiddle factors of the butterflies of a block but the first.
  let twiddles: [Twiddle]
  /// The twiddle factors of the last pass by frequency, from 1 to N/8 − 1.
  let lastTwiddles: [Twiddle]
  /// The position in a block of each bin below N/8, for the last pass.
  let places: [Int32]

  /// cos and sin, the same in each lane so that no pass has to broadcast them.
  typealias Angle = (cosine: SIMD4<Float>, sine: SIMD4<Float>)

  /// The factors e^{−iφ} of one radix-4 butterfly: for once, twice and three times an angle φ.
  struct Twiddle {
    var once: Angle
    var twice: Angle
    var thrice: Angle

    /// φ = 2πk/n.
    init(_ k: Int, of n: Int) {
      func angle(_ k: Int) -> Angle {
        let angle = 2 * Double.pi * Double(k) / Double(n)
        return (SIMD4(repeating: Float(cos(angle))), SIMD4(repeating: Float(sin(angle))))
      }
      (once, twice, thrice) = (angle(k), angle(2 * k), angle(3 * k))
    }
  }

  /// The tables for transforms of `length` values.
  ///
  /// Those of the lengths that the package uses are made once.
  static func of(_ length: Int) -> FourierTables {
    switch length {
    case 256: ofTwoHundredFiftySix
    case 512: ofFiveHundredTwelve
    case 1024: ofThousandTwentyFour
    default: FourierTables(length: length)
    }
  }

  private static let ofTwoHundredFiftySix = FourierTables(length: 256)
  private static let ofFiveHundredTwelve = FourierTables(length: 512)
  private static let ofThousandTwentyFour = FourierTables(length: 1024)

  private init(length: Int) {
    // The length of the DFTs of the first pass: N is this times a power of 4.
    let rows = (length / 2).trailingZeroBitCount.isMultiple(of: 2) ? 8 : 16
    blocks = (0..<length / rows).map { Int32(Self.digitReversed($0, of: length / rows)) }
    var twiddles: [Twiddle] = []
    // The bin of the DFT of n values at each position of a block.
    var (n, bins) = (rows, Array(0..<rows / 2))
    while 4 * n < length {
      let others = bins.dropFirst()
      twiddles += others.map { Twiddle($0, of: 4 * n) }
      bins += [n] + others.map { n - $0 }
      bins += [n / 2] + others.map { n + $0 }
      bins += [3 * n / 2] + others.map { 2 * n - $0 }
      n *= 4
    }
    self.twiddles = twiddles
    lastTwiddles = (1..<n / 2).map { Twiddle($0, of: length) }
    var places = [Int32](repeating: 0, count: n / 2)
    for (place, bin) in bins.enumerated() { places[bin] = Int32(place) }
    self.places = places
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
