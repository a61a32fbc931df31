internal import CLocomotionMath

/// A symmetric low-pass of 21 taps at 20 Hz for four channels sampled at 100 Hz.
///
/// Phones deliver 20 to 400 samples per second; content above 20 Hz depends on the phone rather
/// than on the activity. Hamming-windowed sinc, gain 1 at 0 Hz, −6 dB at 20 Hz, below −47 dB from
/// 28 Hz. Linear and the same on every channel, hence equivariant under rotation. The window is
/// extended by reflection at its first and last samples.
///
/// Because the gain at 0 Hz is 1, the difference of output and input is a sum over second
/// differences:
///
///     y[n] − x[n] = Σ t[d] (x[n − d] − 2 x[n] + x[n + d]) = Σ w[k] D[n + k]
///     D[n] = x[n − 1] − 2 x[n] + x[n + 1],   w[k] = Σ (d − |k|) t[d] over d > |k|
///
/// In this form the 9.81 m/s² of gravity cost no precision.
enum LowPass {
  /// The second differences on either side that a filtered value depends on.
  ///
  /// The outermost tap is 0, so that its weight and the next one are 0, too.
  static let reach = 8
  /// The samples at either end whose values depend on what lies beyond, a multiple of four.
  static let margin = 12

  /// The taps from the centre outwards.
  private static let taps: [Double] = {
    let (last, cutoff) = (10, 2 * 20.0 / 100)
    let unscaled = (0...last).map { distance in
      let x = Double.pi * cutoff * Double(distance)
      let sinc = distance == 0 ? 1 : sin(x) / x
      return sinc * (0.54 + 0.46 * cos(.pi * Double(distance) / Double(last)))
    }
    let gain = unscaled[0] + 2 * unscaled.dropFirst().reduce(0, +)
    return unscaled.map { $0 / gain }
  }()

  /// The weights w from the centre outwards, each broadcast to all lanes.
  private static let weights = ContiguousArray(
    (0...reach).map { distance in
      let weight = (distance + 1..<taps.count).reduce(0) {
        $0 + Double($1 - distance) * taps[$1]
      }
      return SIMD4(repeating: Float(weight))
    })

  /// Writes output minus input for the samples of `window`, which is full, in `range`, a multiple
  /// of four, to `changes`, in which the first sample is at `start`.
  ///
  /// `differences` is scratch memory, with `reach` values before and after the window.
  static func filter(
    _ window: Span<SIMD4<Float>>, _ range: Range<Int>,
    between differences: inout ContiguousArray<SIMD4<Float>>,
    into changes: inout MutableSpan<SIMD4<Float>>, at start: Int
  ) {
    var differences = differences.mutableSpan
    let (first, end) = (
      max(0, range.lowerBound - reach), min(window.count, range.upperBound + reach)
    )
    let near = window.extracting(first..<min(window.count, end + 1))
    var sample = GravityFrame.limited(near[0])
    // The window is extended by reflection.
    var step = sample - GravityFrame.limited(window[first == 0 ? 1 : first - 1])
    for index in 0..<near.count - 1 {
      let next = GravityFrame.limited(near[index + 1])
      let nextStep = next - sample
      differences[reach &+ first &+ index] = nextStep - step
      (sample, step) = (next, nextStep)
    }
    let last = reach + window.count - 1
    if end == window.count { differences[last] = -2 * step }
    for distance in 1...reach {
      if first == 0 { differences[reach - distance] = differences[reach + distance] }
      if end == window.count {
        differences[last + distance] = differences[last - distance]
      }
    }
    apply(weights.span, to: differences.span, range, into: &changes, at: start)
  }

  private static func apply(
    _ weights: Span<SIMD4<Float>>, to differences: Span<SIMD4<Float>>, _ range: Range<Int>,
    into changes: inout MutableSpan<SIMD4<Float>>, at start: Int
  ) {
    // These checks let the compiler omit all others.
    let length = FeatureExtractor.windowLength
    precondition(
      weights.count == reach + 1 && start >= 0 && changes.count >= start + length, "another length")
    for first in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
      let near = differences.extracting(first..<first &+ 2 * reach + 4)
      changes[start &+ first] = sum(near, 0, weights)
      changes[start &+ first &+ 1] = sum(near, 1, weights)
      changes[start &+ first &+ 2] = sum(near, 2, weights)
      changes[start &+ first &+ 3] = sum(near, 3, weights)
    }
  }

  @inline(__always)
  private static func sum(
    _ differences: Span<SIMD4<Float>>, _ first: Int, _ weights: Span<SIMD4<Float>>
  ) -> SIMD4<Float> {
    let middle = first + reach
    var sum = differences[middle] * weights[0]
    for distance in 1...reach {
      sum += (differences[middle - distance] + differences[middle + distance]) * weights[distance]
    }
    return sum
  }
}
