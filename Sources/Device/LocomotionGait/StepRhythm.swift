/// The rhythm of the steps, from the phase of the step line.
///
/// A spectral peak is the mean rate of six seconds, weighted towards their middle. The phase of the
/// same line, read at both ends of a second, gives the steps made in it, even when the rate
/// changes; sums over seconds telescope to the phase between the outer ends, which counting foot
/// contacts measures, too. Each phase is that of norm and vertical, Hann-windowed and shifted down
/// by the rate found (complex demodulation; Bingham, Godfrey, Tukey, "Modern techniques of power
/// spectrum estimation", IEEE Trans. Audio 15(2), 1967).
///
/// The window is 3.9 s long where the rate is read: shorter ones pass single uneven steps and
/// noise, smoothing afterwards blurs the ends. It is 1.9 s where the scatter is read.
///
/// - Complexity: about 500 multiply-adds; doesn't allocate.
package struct StepRhythm: Sendable {
  /// Steps in the second that ended ``CadenceEstimator/lagSeconds`` before the window's end.
  package var laggedRate: Float
  /// Standard error of the mean rate over the window, in steps per second.
  ///
  /// The standard error of the slope of a straight line through the phases.
  package var standardError: Float
}

extension StepLine {
  /// The rhythm at the frequency tuned to; nil when the window is shorter than six seconds, or when
  /// the phase contradicts the spectrum.
  ///
  /// `track` is the result of ``demodulate(_:into:)`` for the same window.
  package func rhythm(of analysis: GaitAnalysis, along track: StepTrack) -> StepRhythm? {
    guard analysis.stepSignalCount == GaitSpectrum.capacity else { return nil }
    // The second lies in the window's middle, a second towards the past.
    let second = Int(GaitSpectrum.samplingRate)
    let first = GaitSpectrum.capacity - 1 - 4 * second
    let rate = cycles(
      from: value(of: analysis, at: first, weights: Self.longWeights),
      to: value(of: analysis, at: first + second, weights: Self.longWeights), beyond: frequency)
    // The phase advance relative to the frequency in each of four seconds, cycles.
    var advances = SIMD4<Float>.zero
    for index in 0..<4 {
      advances[index] = cycles(
        from: track.lines[2 * index], to: track.lines[2 * index + 2], beyond: frequency)
    }
    guard max(advances.max(), -advances.min(), abs(rate)) < 0.2 else { return nil }
    return StepRhythm(
      laggedRate: frequency + rate, standardError: Self.slopeError(of: advances))
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
