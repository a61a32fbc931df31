internal import CLocomotionMath

/// A symmetric low-pass of 21 taps at 20 Hz for four channels sampled at 100 Hz.
///
/// Phones deliver 20 to 400 samples per second; what lies above 20 Hz tells the phone rather than
/// the activity. Hamming-windowed sinc, gain 1 at 0 Hz, −6 dB at 20 Hz, below −47 dB from 28 Hz.
/// Linear and alike on every channel, hence it turns with the phone. The window is continued by
/// its mirror image about its first and last samples.
enum LowPass {
  /// Values that a window is continued by on either side.
  static let reach = 10
  /// The taps from the centre outwards, `reach` + 1 of them, each for all lanes.
  private static let taps: [SIMD4<Float>] = {
    let cutoff = 2 * 20.0 / 100
    let unscaled = (0...reach).map { distance in
      let x = Double.pi * cutoff * Double(distance)
      let sinc = distance == 0 ? 1 : sin(x) / x
      return sinc * (0.54 + 0.46 * cos(.pi * Double(distance) / Double(reach)))
    }
    let gain = unscaled[0] + 2 * unscaled.dropFirst().reduce(0, +)
    return unscaled.map { SIMD4(repeating: Float($0 / gain)) }
  }()

  /// Writes the filtered signal to `output`.
  ///
  /// The signal lies in `padded` between `reach` values on either side, which are overwritten.
  static func apply(
    to padded: inout MutableSpan<SIMD4<Float>>, into output: inout MutableSpan<SIMD4<Float>>
  ) {
    precondition(
      padded.count == output.count + 2 * reach,
      "expected \(output.count + 2 * reach) values, got \(padded.count)")
    let last = reach + output.count - 1
    for distance in 1...reach {
      padded[reach - distance] = padded[reach + distance]
      padded[last + distance] = padded[last - distance]
    }
    filter(padded.span, taps: taps.span, into: &output)
  }

  private static func filter(
    _ span: Span<SIMD4<Float>>, taps: Span<SIMD4<Float>>,
    into output: inout MutableSpan<SIMD4<Float>>
  ) {
    precondition(taps.count == reach + 1, "another number of taps")
    for index in output.indices {
      // A length that is known here spares the checks of all but this.
      let window = span.extracting(index..<index + 2 * reach + 1)
      var sum = window[reach] * taps[0]
      for distance in 1...reach {
        sum += (window[reach - distance] + window[reach + distance]) * taps[distance]
      }
      output[index] = sum
    }
  }
}
