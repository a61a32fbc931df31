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
  /// How many instants are looked at, one second apart; the last is a second before the end.
  private static let instants = 5

  private static let rhythmWeights: [Float] = (-rhythmReach...rhythmReach).map { offset in
    Float(0.5 + 0.5 * cos(Double.pi * Double(offset) / Double(rhythmReach + 1)))
  }

  /// The rhythm near a step frequency in Hz; nil when the window is shorter than six seconds, or
  /// when the phase says something else than the spectrum.
  package func rhythm(near frequency: Float) -> StepRhythm? {
    guard stepSignalCount == Self.capacity else { return nil }
    let secondLength = Int(Self.samplingRate)
    let turn = 2 * Float.pi * frequency / Float(Self.samplingRate)
    var last = Self.capacity - 1 - Self.rhythmReach
    last -= (Self.instants - 1) * secondLength
    var lines = lineValue(at: last, turn: turn)
    // Cycles by which the signal runs ahead of the frequency, since the first instant.
    var lead = SIMD8<Float>.zero
    for instant in 1..<Self.instants {
      last += secondLength
      let next = lineValue(at: last, turn: turn)
      let advance = Self.cycles(from: lines, to: next, beyond: frequency)
      guard abs(advance) < 0.2 else { return nil }
      lead[instant] = lead[instant - 1] + advance
      lines = next
    }
    return StepRhythm(
      steps: frequency
        + SIMD4(lead[1] - lead[0], lead[2] - lead[1], lead[3] - lead[2], lead[4] - lead[3]),
      standardError: Self.slopeError(of: lead))
  }

  /// The step line at sample `center`: real and imaginary part of the norm's, then the vertical's.
  private func lineValue(at center: Int, turn: Float) -> SIMD4<Float> {
    var sum = SIMD4<Float>.zero
    let (stepReal, stepImaginary) = (cos(turn), -sin(turn))
    let start = turn * Float(Self.rhythmReach)
    var (real, imaginary) = (cos(start), sin(start))
    for offset in 0...2 * Self.rhythmReach {
      let sample = stepSignal[center - Self.rhythmReach + offset] * Self.rhythmWeights[offset]
      sum += SIMD4(
        sample.x * real, sample.x * imaginary, sample.y * real, sample.y * imaginary)
      (real, imaginary) = (
        real * stepReal - imaginary * stepImaginary, real * stepImaginary + imaginary * stepReal
      )
    }
    return sum
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

  /// Standard error of the slope of a straight line through the first five values, one apart.
  private static func slopeError(of values: SIMD8<Float>) -> Float {
    var (mean, slope): (Float, Float) = (0, 0)
    for index in 0..<instants {
      mean += values[index] / 5
      slope += Float(index - 2) * values[index] / 10
    }
    var squares: Float = 0
    for index in 0..<instants {
      let residual = values[index] - mean - slope * Float(index - 2)
      squares += residual * residual
    }
    return (squares / 3 / 10).squareRoot()
  }
}
