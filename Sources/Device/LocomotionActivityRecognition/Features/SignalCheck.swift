internal import CLocomotionMath

/// Validates that a window comes from a working accelerometer, in m/s², of a carried phone.
struct SignalCheck {
  /// Whether every value is a number.
  private(set) var isFinite = true
  /// Whether every value is a number of at most 10⁶.
  private(set) var isOrdinary = true
  /// Whether all samples are bitwise equal.
  private(set) var isStuck = true
  /// The largest fraction of samples that lie at the extreme of an axis, 0 when none is high
  /// enough.
  private(set) var saturatedFraction: Float = 0

  /// Checks x, y and z of `window`, which has at least one sample.
  init(_ window: Span<SIMD4<Float>>) {
    // Separate results for even and odd samples, which are independent.
    var (lowest, otherLowest) = (window[0], window[0])
    var (highest, otherHighest) = (window[0], window[0])
    var (sum, otherSum) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for pair in 0..<window.count / 2 {
      let (sample, other) = (window[2 * pair], window[2 * pair + 1])
      lowest = smaller(lowest, sample)
      otherLowest = smaller(otherLowest, other)
      highest = larger(highest, sample)
      otherHighest = larger(otherHighest, other)
      // An infinity or a NaN times 0 is NaN, which propagates.
      sum += sample * 0
      otherSum += other * 0
    }
    let last = window[window.count - 1]
    lowest = smaller(smaller(lowest, otherLowest), last)
    highest = larger(larger(highest, otherHighest), last)
    sum += otherSum + last * 0
    isFinite = knownLanes(of: sum) & 0b111 == 0b111
    isStuck = lowest.x == highest.x && lowest.y == highest.y && lowest.z == highest.z
    let smallestRange: Float = 19  // No phone's full scale is below 2 g.
    let extreme = max(highest.x, highest.y, highest.z, -lowest.x, -lowest.y, -lowest.z)
    isOrdinary = isFinite && extreme <= 1e6
    guard isFinite, extreme > smallestRange else { return }

    // A clipped axis stays at its extreme; resampling changes that slightly.
    let margin: Float = 0.002
    let upper = highest - abs(highest) * margin
    let lower = lowest + abs(lowest) * margin
    var (below, over) = (SIMD4<Int32>.zero, SIMD4<Int32>.zero)
    for index in 0..<window.count {
      let sample = window[index]
      below &-= above(upper, sample)
      over &-= above(sample, lower)
    }
    let count = Int32(window.count)
    for axis in 0..<3 {
      let clippedHigh = highest[axis] > smallestRange ? count - below[axis] : 0
      let clippedLow = lowest[axis] < -smallestRange ? count - over[axis] : 0
      saturatedFraction = max(saturatedFraction, Float(clippedHigh + clippedLow) / Float(count))
    }
  }

  private func abs(_ value: SIMD4<Float>) -> SIMD4<Float> {
    value.replacing(with: -value, where: value .< 0)
  }
}
