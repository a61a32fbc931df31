/// Amplitude and phase of the step line along a window, every half second.
///
/// Where ``StepRhythm`` measures the rate, this gives the extent of a bout and its steps: the line
/// is present only while feet strike, and each of its cycles is a step. Other motion, such as that
/// of a hand which takes the phone out of a pocket, has energy but no line.
package struct StepTrack: Sendable {
  /// Seconds between instants.
  static let spacing: Float = 0.5
  /// The most instants of a window.
  static let capacity = 9
  /// Seconds after the newest instant, and before the oldest, in which the line isn't read.
  static let margin: Float = 1

  /// The number of instants; the last one is ``margin`` before the window's end.
  package var count = 0
  /// The line's amplitude at every instant, oldest first; only ratios are meaningful.
  package var amplitudes = [Float](repeating: 0, count: capacity)
  /// The line itself, as ``StepLine`` reads it.
  var lines = [SIMD4<Float>](repeating: .zero, count: capacity)
  /// Steps from every instant to the next one.
  package var steps = [Float](repeating: 0, count: capacity - 1)

  /// A track without instants.
  package init() {}
}

extension StepLine {
  /// Fills `track` with the window's step line at the frequency tuned to.
  ///
  /// - Complexity: about 1,000 multiply-adds; doesn't allocate.
  package func demodulate(_ analysis: GaitAnalysis, into track: inout StepTrack) {
    let hop = Int(StepTrack.spacing * Float(GaitSpectrum.samplingRate))
    let reach = Self.shortReach
    let weights = Self.shortWeights
    let last = analysis.stepSignalCount - 1 - reach
    track.count = last < reach ? 0 : min((last - reach) / hop + 1, StepTrack.capacity)
    let expected = StepTrack.spacing * frequency
    for index in 0..<track.count {
      let instant = last - (track.count - 1 - index) * hop
      let line = value(of: analysis, at: instant, weights: weights)
      track.lines[index] = line
      track.amplitudes[index] = (line * line).sum().squareRoot()
      guard index > 0 else { continue }
      let beyond = cycles(from: track.lines[index - 1], to: line, beyond: expected)
      track.steps[index - 1] = abs(beyond) < Self.largestDeviation ? expected + beyond : expected
    }
  }

  /// The largest deviation of half a second, in cycles; more is noise, not a change of pace.
  private static let largestDeviation: Float = 0.2
}
