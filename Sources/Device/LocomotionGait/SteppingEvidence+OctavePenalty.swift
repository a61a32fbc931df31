internal import CLocomotionMath

// Against the octave error, which answers half or twice the rate: the lines of a rhythm are also
// multiples of a half of its frequency.
extension SteppingEvidence {
  /// The penalty, in nats, of a first line so weak that it may be a sway rather than the steps.
  ///
  /// The lines of any rhythm are also multiples of a half or a third of its frequency.
  static func weakFundamentalPenalty(
    first: SIMD4<Float>, higher: SIMD4<Float>
  ) -> SIMD4<Float> {
    let weakness = log((first + higher) / first)
    return weakWeight * larger(weakness - 0.7, .zero)
      + weakerWeight * larger(weakness - 1.5, .zero)
  }

  private static let weakWeight: Float = 0.944
  private static let weakerWeight: Float = 0.474

  /// The penalty, in nats, of lines at even multiples alone: they are those of twice the rate.
  ///
  /// `first`, `even` and `odd` are powers at the rate, at 2, 4, 6 and at 3 and 5 times the rate.
  static func octavePenalty(
    first: SIMD4<Float>, even: SIMD4<Float>, odd: SIMD4<Float>
  ) -> SIMD4<Float> {
    let known = larger(even, SIMD4(repeating: .leastNormalMagnitude))
    let ratio = log(known / (3 * odd + 0.02 * known))
    let penalty = smaller(larger(ratio, .zero), SIMD4(repeating: 3))
    return choose(even, over: first, octavePenaltyWeight * penalty, .zero)
  }

  private static let octavePenaltyWeight: Float = 0.825
}
