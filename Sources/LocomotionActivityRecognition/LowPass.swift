internal import CLocomotionMath

/// A symmetric low-pass of 21 taps at 20 Hz for four channels sampled at 100 Hz.
///
/// Phones deliver 20 to 400 samples per second; what lies above 20 Hz tells the phone rather than
/// the activity. Hamming-windowed sinc, gain 1 at 0 Hz, −6 dB at 20 Hz, below −47 dB from 28 Hz.
/// Linear and alike on every channel, hence it turns with the phone. The window is continued by
/// its mirror image about its first and last samples.
struct LowPass: Sendable {
  private static let reach = 10
  /// The taps from the centre outwards, `reach` + 1 of them.
  private let taps: [Float]
  private let length: Int
  private var mirrored: [SIMD4<Float>]

  /// A filter for windows of `length` samples.
  init(length: Int) {
    self.length = length
    let cutoff = 2 * 20.0 / 100
    let unscaled = (0...Self.reach).map { distance in
      let x = Double.pi * cutoff * Double(distance)
      let sinc = distance == 0 ? 1 : sin(x) / x
      return sinc * (0.54 + 0.46 * cos(.pi * Double(distance) / Double(Self.reach)))
    }
    let gain = unscaled[0] + 2 * unscaled.dropFirst().reduce(0, +)
    taps = unscaled.map { Float($0 / gain) }
    mirrored = Array(repeating: .zero, count: length + 2 * Self.reach)
  }

  /// Writes the filtered `signal` to `output`.
  mutating func apply(
    to signal: [SIMD4<Float>], into output: inout [SIMD4<Float>]
  ) {
    Self.mirror(signal.span.extracting(first: length), into: &mirrored)
    var output = output.mutableSpan
    Self.filter(mirrored.span, taps: taps, into: &output)
  }

  private static func mirror(_ signal: Span<SIMD4<Float>>, into mirrored: inout [SIMD4<Float>]) {
    let last = signal.count - 1
    var mirrored = mirrored.mutableSpan
    for index in signal.indices { mirrored[reach + index] = signal[index] }
    for distance in 1...reach {
      mirrored[reach - distance] = signal[distance]
      mirrored[reach + last + distance] = signal[last - distance]
    }
  }

  private static func filter(
    _ span: Span<SIMD4<Float>>, taps: [Float], into output: inout MutableSpan<SIMD4<Float>>
  ) {
    // Four samples at a time share the loads of the taps; a constant length spares checks.
    var index = 0
    while index + 2 * reach < span.count {
      let window = span.extracting(index..<index + 2 * reach + 4)
      var a = window[reach] * taps[0]
      var b = window[reach + 1] * taps[0]
      var c = window[reach + 2] * taps[0]
      var d = window[reach + 3] * taps[0]
      for distance in 1...reach {
        let tap = taps[distance]
        a += (window[reach - distance] + window[reach + distance]) * tap
        b += (window[reach + 1 - distance] + window[reach + 1 + distance]) * tap
        c += (window[reach + 2 - distance] + window[reach + 2 + distance]) * tap
        d += (window[reach + 3 - distance] + window[reach + 3 + distance]) * tap
      }
      (output[index], output[index + 1], output[index + 2], output[index + 3]) = (a, b, c, d)
      index += 4
    }
  }
}
