extension GaitAnalysis {
  /// The step frequency in Hz near a candidate; the candidate itself when there is no power.
  func stepFrequency(near rate: Int) -> Float {
    isQuiet ? RateGrid.stepsPerMinute(rate) / 60 : refinedStepFrequency(near: rate)
  }

  /// The step frequency in Hz that puts the most power on its lines, within 6 % of a candidate.
  ///
  /// Maximises the sum of the step signal's power at f, 2f, 3f, 4f and the horizontal power at f/2
  /// and 3f/2: the maximum-likelihood frequency of a harmonic signal in white noise when its lines
  /// don't overlap (Quinn and Hannan, "The Estimation and Tracking of Frequency", 2001).
  package func refinedStepFrequency(near rate: Int) -> Float {
    let center = RateGrid.stepsPerMinute(rate) / 60
    let (reach, spacing) = (24, Float(0.0025))
    let powers = powers.span
    func power(_ offset: Int) -> Float {
      Self.linePower(of: powers, at: center * (1 + spacing * Float(offset)))
    }
    var (best, bestPower) = (0, Float(-1))
    func look(at offset: Int) {
      let power = power(offset)
      if power > bestPower { (best, bestPower) = (offset, power) }
    }
    // Main lobes are wider than 1 %.
    for offset in stride(from: -reach, through: reach, by: 4) { look(at: offset) }
    let middle = best
    for offset in 1...3 {
      look(at: middle - offset)
      look(at: middle + offset)
    }
    let (below, above) = (power(best - 1), power(best + 1))
    let curvature = below - 2 * bestPower + above
    let shift =
      abs(best) < reach && curvature < 0 ? min(max(0.5 * (below - above) / curvature, -1), 1) : 0
    return center * (1 + spacing * (Float(best) + shift))
  }

  private static func linePower(of powers: Span<SIMD2<Float>>, at frequency: Float) -> Float {
    let position = frequency / Float(GaitSpectrum.binWidth)
    var sum = interpolate(at: 0.5 * position) { powers[$0].y }
    sum += interpolate(at: 1.5 * position) { powers[$0].y }
    for harmonic in 1...4 { sum += interpolate(at: Float(harmonic) * position) { powers[$0].x } }
    return sum
  }

  /// The power between bins, by a parabola through the square roots at the three nearest ones.
  ///
  /// Amplitudes have less curvature than powers: a single line of six seconds is found to 0.001 Hz.
  @inline(__always)
  private static func interpolate(at position: Float, _ power: (_ bin: Int) -> Float) -> Float {
    let bin = Int(position + 0.5)
    guard bin >= 1, bin <= GaitSpectrum.binCount - 2 else { return 0 }
    let distance = position - Float(bin)
    let (below, here, above) = (
      power(bin - 1).squareRoot(), power(bin).squareRoot(), power(bin + 1).squareRoot()
    )
    let parabola =
      here + 0.5 * distance * ((above - below) + distance * ((below - here) + (above - here)))
    return parabola * parabola
  }
}
