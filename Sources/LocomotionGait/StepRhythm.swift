internal import CLocomotionMath

/// The rhythm of the steps, second by second, from the phase of the step line.
///
/// A spectral peak is the rate of six seconds, and weighs their middle most. The phase of the same
/// line, read at instants one second apart, says how many steps were made in between, even when the
/// rate changes; sums of these telescope to the phase between the ends, which is what counting foot
/// contacts measures, too. Each phase is that of norm and vertical, seen through a Hann window of
/// 1.9 s and shifted down by the rate found (complex demodulation; Bingham, Godfrey, Tukey,
/// "Modern techniques of power spectrum estimation", IEEE Trans. Audio 15(2), 1967).
///
/// - Complexity: about 1,000 multiply-adds; doesn't allocate.
package struct StepRhythm: Hashable, Sendable {
  /// Steps in four successive seconds, the last of which ended a second before the window's end.
  package var steps: SIMD4<Float>
  /// Standard error of the mean rate over the window, in steps per second.
  ///
  /// How far the phases scatter about a straight line, as that line's slope.
  package var standardError: Float

  /// Steps per second about the second that ended ``CadenceEstimator/lagSeconds`` before the end.
  ///
  /// A mean of five seconds with weights 1, 2, 3, 2, 1: single seconds scatter by what a step is
  /// longer or shorter than its neighbour. `earlier` is the count of the second before the four.
  package func laggedRate(earlier: Float?) -> Float {
    let sum = 2 * steps.x + 3 * steps.y + 2 * steps.z
    guard let earlier else { return sum / 7 }
    return (sum + earlier + steps.w) / 9
  }
}

extension GaitSpectrum {
  /// Half the length of the demodulation's window, in samples at 50 Hz.
  private static let rhythmReach = 48

  private static let rhythmWeights: [Float] = (-rhythmReach...rhythmReach).map { offset in
    Float(0.5 + 0.5 * cos(Double.pi * Double(offset) / Double(rhythmReach + 1)))
  }

  /// The rhythm near a step frequency in Hz; nil when the window is shorter than six seconds, or
  /// when the phase says something else than the spectrum.
  package func rhythm(near frequency: Float) -> StepRhythm? {
    guard stepSignalCount == Self.capacity else { return nil }
    let turn = 2 * Float.pi * frequency / Float(Self.samplingRate)
    let lines = lineValues(turn: turn)
    // Cycles by which the signal runs ahead of the frequency in each second.
    let advances = SIMD4(
      Self.cycles(from: lines.0, to: lines.1, beyond: frequency),
      Self.cycles(from: lines.1, to: lines.2, beyond: frequency),
      Self.cycles(from: lines.2, to: lines.3, beyond: frequency),
      Self.cycles(from: lines.3, to: lines.4, beyond: frequency))
    guard max(advances.max(), -advances.min()) < 0.2 else { return nil }
    return StepRhythm(steps: frequency + advances, standardError: Self.slopeError(of: advances))
  }

  private typealias Lines = (
    SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>
  )

  /// The step line at five instants: real and imaginary part of the norm's, then the vertical's.
  private func lineValues(turn: Float) -> Lines {
    let second = Int(Self.samplingRate)
    let first = Self.capacity - 1 - 4 * second - 2 * Self.rhythmReach
    let (stepReal, stepImaginary) = (cos(turn), -sin(turn))
    let start = turn * Float(Self.rhythmReach)
    var (real, imaginary) = (cos(start), sin(start))
    var lines = Lines(.zero, .zero, .zero, .zero, .zero)
    for offset in 0...2 * Self.rhythmReach {
      let wave = Self.rhythmWeights[offset] * SIMD4(real, imaginary, real, imaginary)
      let at = first + offset
      lines.0 += stepSignal[at].bothTwice * wave
      lines.1 += stepSignal[at + second].bothTwice * wave
      lines.2 += stepSignal[at + 2 * second].bothTwice * wave
      lines.3 += stepSignal[at + 3 * second].bothTwice * wave
      lines.4 += stepSignal[at + 4 * second].bothTwice * wave
      (real, imaginary) = (
        real * stepReal - imaginary * stepImaginary, real * stepImaginary + imaginary * stepReal
      )
    }
    return lines
  }

  /// Cycles in one second beyond `frequency`, −0.5 to 0.5, from two values of the step line.
  private static func cycles(
    from a: SIMD4<Float>, to b: SIMD4<Float>, beyond frequency: Float
  ) -> Float {
    let real = b.x * a.x + b.y * a.y + b.z * a.z + b.w * a.w
    let imaginary = b.y * a.x - b.x * a.y + b.w * a.z - b.z * a.w
    let cycles = atan2(imaginary, real) / (2 * .pi) - frequency
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
