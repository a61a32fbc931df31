internal import CLocomotionMath

/// The rhythm of the steps, from the phase of the step line.
///
/// A spectral peak is the rate of six seconds, and weighs their middle most. The phase of the same
/// line, read at the ends of a second, says how many steps were made in it, even when the rate
/// changes; sums over seconds telescope to the phase between the outer ends, which is what counting
/// foot contacts measures, too. Each phase is that of norm and vertical, seen through a Hann window
/// and shifted down by the rate found (complex demodulation; Bingham, Godfrey, Tukey, "Modern
/// techniques of power spectrum estimation", IEEE Trans. Audio 15(2), 1967).
///
/// The window is 3.9 s long where the rate is read: shorter ones let single uneven steps and noise
/// through, smoothing afterwards blurs the ends. It is 1.9 s where the scatter is read.
///
/// - Complexity: about 2,000 multiply-adds; doesn't allocate.
package struct StepRhythm: Hashable, Sendable {
  /// Steps in the second that ended ``CadenceEstimator/lagSeconds`` before the window's end.
  package var laggedRate: Float
  /// Standard error of the mean rate over the window, in steps per second.
  ///
  /// How far the phases scatter about a straight line, as that line's slope.
  package var standardError: Float
}

extension GaitFinding {
  /// Half the lengths of the demodulation's windows, in samples at 50 Hz.
  private static let longReach = 96
  static let shortReach = 48

  private static let longWeights = hannWeights(reach: longReach)
  static let shortWeights = hannWeights(reach: shortReach)

  private static func hannWeights(reach: Int) -> [Float] {
    (-reach...reach).map { offset in
      Float(0.5 + 0.5 * cos(Double.pi * Double(offset) / Double(reach + 1)))
    }
  }

  /// The rhythm near a step frequency in Hz; nil when the window is shorter than six seconds, or
  /// when the phase says something else than the spectrum.
  package func rhythm(near frequency: Float) -> StepRhythm? {
    guard stepSignalCount == GaitSpectrum.capacity else { return nil }
    // The second is the one in the window's middle, a second towards the past.
    let second = Int(GaitSpectrum.samplingRate)
    let first = GaitSpectrum.capacity - 1 - 4 * second
    let rate = Self.cycles(
      from: line(at: first, near: frequency, weights: Self.longWeights),
      to: line(at: first + second, near: frequency, weights: Self.longWeights),
      beyond: frequency)
    // Cycles by which the signal runs ahead of the frequency in each of four seconds.
    var advances = SIMD4<Float>.zero
    var start = line(at: first - Self.shortReach, near: frequency, weights: Self.shortWeights)
    for index in 0..<4 {
      let end = line(
        at: first + (index + 1) * second - Self.shortReach, near: frequency,
        weights: Self.shortWeights)
      advances[index] = Self.cycles(from: start, to: end, beyond: frequency)
      start = end
    }
    guard max(advances.max(), -advances.min(), abs(rate)) < 0.2 else { return nil }
    return StepRhythm(
      laggedRate: frequency + rate, standardError: Self.slopeError(of: advances))
  }

  /// The step line at a sample: real and imaginary part of the norm's, then the vertical's.
  func line(at center: Int, near frequency: Float, weights: [Float]) -> SIMD4<Float> {
    let turn = 2 * Float.pi * frequency / Float(GaitSpectrum.samplingRate)
    let reach = weights.count / 2
    let (stepReal, stepImaginary) = (cos(turn), -sin(turn))
    let start = turn * Float(reach)
    var (real, imaginary) = (cos(start), sin(start))
    var line = SIMD4<Float>.zero
    let weights = weights.span
    let samples = stepSignal.span.extracting(center - reach..<center - reach + weights.count)
    for offset in weights.indices {
      line +=
        weights[offset] * samples[offset].bothTwice * SIMD4(real, imaginary, real, imaginary)
      (real, imaginary) = (
        real * stepReal - imaginary * stepImaginary, real * stepImaginary + imaginary * stepReal
      )
    }
    return line
  }

  /// Cycles beyond `expected`, −0.5 to 0.5, from two values of the step line.
  static func cycles(
    from a: SIMD4<Float>, to b: SIMD4<Float>, beyond expected: Float
  ) -> Float {
    let real = b.x * a.x + b.y * a.y + b.z * a.z + b.w * a.w
    let imaginary = b.y * a.x - b.x * a.y + b.w * a.z - b.z * a.w
    let cycles = atan2(imaginary, real) / (2 * .pi) - expected
    return cycles - cycles.rounded()
  }

  /// Standard error of the slope of a straight line through five phases, one second apart.
  ///
  /// `advances` are the differences of neighbouring phases, in cycles.
  private static func slopeError(of advances: SIMD4<Float>) -> Float {
    let second = advances.x
    let third = second + advances.y
    let fourth = third + advances.z
    let fifth = fourth + advances.w
    let mean = (second + third + fourth + fifth) / 5
    let slope = (2 * fifth + fourth - second) / 10
    let start = mean - 2 * slope
    let residuals = SIMD8(
      -start, second - start - slope, third - mean, fourth - mean - slope,
      fifth - mean - 2 * slope, 0, 0, 0)
    // Three degrees of freedom are left; the squared distances from the middle sum to ten.
    return ((residuals * residuals).sum() / 3 / 10).squareRoot()
  }
}

extension SIMD2<Float> {
  /// x, x, y, y.
  fileprivate var bothTwice: SIMD4<Float> { SIMD4(x, x, y, y) }
}
