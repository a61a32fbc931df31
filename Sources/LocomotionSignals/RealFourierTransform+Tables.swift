internal import CLocomotionMath

extension RealFourierTransform {
  /// What transforms of one length have in common.
  struct Tables: Sendable {
    /// cos and sin of 2πk/N for k = 0 ..< N/2.
    let twiddles: [SIMD2<Float>]
    /// Pass by pass, cos and sin of p, 2p and 3p turns by 1/n for p = 0 ..< n/4.
    ///
    /// Two lanes are free.
    let turns: [SIMD8<Float>]
    /// Where the passes leave each of the N/2 complex values.
    let positions: [Int32]

    /// The tables for transforms of `length` values.
    ///
    /// Those of the package's own stages are shared by all pipelines.
    static func of(_ length: Int) -> Tables {
      switch length {
      case 512: ofFiveHundredTwelve
      case 1024: ofThousandTwentyFour
      default: Tables(length: length)
      }
    }

    private static let ofFiveHundredTwelve = Tables(length: 512)
    private static let ofThousandTwentyFour = Tables(length: 1024)

    private init(length: Int) {
      let half = length / 2
      func turn(_ k: Int, of n: Int) -> SIMD2<Float> {
        let angle = 2 * Double.pi * Double(k) / Double(n)
        return SIMD2(Float(cos(angle)), Float(sin(angle)))
      }
      twiddles = (0..<half).map { turn($0, of: length) }
      var turns: [SIMD8<Float>] = []
      var n = half
      while n > 4 {
        for p in 0..<n / 4 {
          let (one, two, three) = (turn(p, of: n), turn(2 * p, of: n), turn(3 * p, of: n))
          turns.append(SIMD8(one.x, one.y, two.x, two.y, three.x, three.y, 0, 0))
        }
        n /= 4
      }
      self.turns = turns
      positions = (0..<half).map { Int32(Self.position(of: $0, in: half)) }
    }

    /// Where decimation in frequency, by four and at last by two or four, puts frequency `k`.
    private static func position(of k: Int, in count: Int) -> Int {
      var (k, rest, position) = (k, count, 0)
      while rest > 1 {
        let radix = rest == 2 ? 2 : 4
        rest /= radix
        position += k % radix * rest
        k /= radix
      }
      return position
    }
  }
}
