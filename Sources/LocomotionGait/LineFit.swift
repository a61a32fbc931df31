extension GaitFinding {
  /// The step frequency in Hz that puts the most power on its lines, within 6 % of a candidate.
  ///
  /// Maximises the sum of the step signal's power at f, 2f, 3f, 4f and the horizontal power at f/2
  /// and 3f/2: the maximum-likelihood frequency of a harmonic signal in white noise when its lines
  /// don't overlap (Quinn and Hannan, "The Estimation and Tracking of Frequency", 2001).
  package func refinedStepFrequency(near rate: Int) -> Float {
    let center = RateGrid.stepsPerMinute(rate) / 60
    let reach = 24
    let spacing: Float = 0.0025
    var best = 0
    var bestPower: Float = -1
    for offset in -reach...reach {
      let power = linePower(at: center * (1 + spacing * Float(offset)))
      if power > bestPower { (best, bestPower) = (offset, power) }
    }
    let below = linePower(at: center * (1 + spacing * Float(best - 1)))
    let above = linePower(at: center * (1 + spacing * Float(best + 1)))
    let curvature = below - 2 * bestPower + above
    let shift =
      abs(best) < reach && curvature < 0 ? min(max(0.5 * (below - above) / curvature, -1), 1) : 0
    return center * (1 + spacing * (Float(best) + shift))
  }

  private func linePower(at frequency: Float) -> Float {
    var sum: Float = 0
    for harmonic in 1...4 {
      sum += Self.interpolate(stepPower.span, at: Float(harmonic) * frequency)
    }
    return sum + Self.interpolate(stridePower.span, at: 0.5 * frequency)
      + Self.interpolate(stridePower.span, at: 1.5 * frequency)
  }

  /// The power at any frequency: a parabola through the roots of the three nearest bins.
  private static func interpolate(_ power: Span<Float>, at frequency: Float) -> Float {
    let position = frequency / Float(GaitSpectrum.binWidth)
    let bin = Int(position.rounded())
    guard bin >= 1, bin <= power.count - 2 else { return 0 }
    let distance = position - Float(bin)
    let (below, here, above) = (
      power[bin - 1].squareRoot(), power[bin].squareRoot(), power[bin + 1].squareRoot()
    )
    let parabola =
      here + 0.5 * distance * (above - below)
      + 0.5 * distance * distance * (below - 2 * here + above)
    return parabola * parabola
  }
}
