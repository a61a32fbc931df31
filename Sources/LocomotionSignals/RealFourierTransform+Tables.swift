internal import CLocomotionMath

extension RealFourierTransform {
  /// What transforms of one length have in common.
  struct Tables: Sendable {
    /// Pass by pass, the turns of p = 0 ..< n/4.
    let turns: [Turn]
    /// How each of the N/2 + 1 bins is read.
    let bins: [Bin]

    /// cos and sin of p, 2p and 3p turns by 1/n, the same in each lane: so no pass has to spread
    /// them.
    struct Turn {
      var once: (cosine: SIMD4<Float>, sine: SIMD4<Float>)
      var twice: (cosine: SIMD4<Float>, sine: SIMD4<Float>)
      var thrice: (cosine: SIMD4<Float>, sine: SIMD4<Float>)
    }

    /// Where the passes leave the complex values k and N/2 − k, and cos and sin of 2πk/N in each
    /// lane.
    struct Bin {
      var position: Int32
      var mirror: Int32
      var cosine: SIMD4<Float>
      var sine: SIMD4<Float>
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
      let half = length / 2
      func turn(_ k: Int, of n: Int) -> (cosine: SIMD4<Float>, sine: SIMD4<Float>) {
        let angle = 2 * Double.pi * Double(k) / Double(n)
        return (SIMD4(repeating: Float(cos(angle))), SIMD4(repeating: Float(sin(angle))))
      }
      var turns: [Turn] = []
      var n = half
      while n > 4 {
        for p in 0..<n / 4 {
          turns.append(
            Turn(once: turn(p, of: n), twice: turn(2 * p, of: n), thrice: turn(3 * p, of: n)))
        }
        n /= 4
      }
      self.turns = turns
      func position(_ k: Int) -> Int32 { Int32(Self.position(of: k % half, in: half)) }
      bins = (0...half).map { k in
        let (cosine, sine) = turn(k, of: length)
        return Bin(position: position(k), mirror: position(half - k), cosine: cosine, sine: sine)
      }
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
