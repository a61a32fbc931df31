internal import CLocomotionMath

// Changes are functions on evenly sampled specific force in m/s²; the same values, seeds and change
// give the same result. There are no fixed rotations because the features are invariant under them.
extension AugmentationPlan.Step {
  /// The signal after the change.
  ///
  /// - Parameters:
  ///   - samples: Specific force, evenly sampled, m/s².
  ///   - rateHertz: The sampling rate of `samples` and of the result; positive.
  ///   - strengths: Gives the strength.
  ///   - seed: The seed of the random sequences of noise, turning and swinging.
  /// - Returns: The changed signal; empty for an empty one.
  /// - Precondition: the change's cutoff, rate or factor is positive.
  func applied(
    to samples: [SIMD3<Float>], rateHertz: Double, strengths: inout SeededGenerator, seed: UInt64
  ) -> [SIMD3<Float>] {
    func drawn(_ range: ClosedRange<Double>) -> Double {
      range.lowerBound + (range.upperBound - range.lowerBound) * strengths.uniform()
    }
    func positive(_ value: Double, _ name: String) -> Double {
      precondition(value > 0, "expected a positive \(name), got \(value)")
      return value
    }
    guard !samples.isEmpty else { return [] }
    switch self {
    case .amplitude(let factors):
      let (mean, factor) = (Self.mean(samples), Float(drawn(factors)))
      return samples.map { mean + ($0 - mean) * factor }
    case .noise(let deviations):
      let standardDeviation = Float(drawn(deviations))
      var generator = SeededGenerator(seed: seed)
      return samples.map { $0 + standardDeviation * generator.normal3() }
    case .saturation(let limit):
      let limit = SIMD3(repeating: Float(limit))
      return samples.map { $0.clamped(lowerBound: -limit, upperBound: limit) }
    case .looseCarrying(let cutoffs):
      let cutoff = positive(drawn(cutoffs), "cutoff") / rateHertz
      let once = Self.lowPassed(samples, cutoff: cutoff)
      return Self.lowPassed(once.reversed(), cutoff: cutoff).reversed()
    case .samplingRate(let rates):
      precondition(!rates.isEmpty, "expected one rate or more, got none")
      // One past the end, so that the resampled signal reaches the last sample.
      let step = rateHertz / positive(strengths.element(of: rates), "rate")
      let slow = Self.interpolated(
        samples, step: step, count: Int((Double(samples.count - 1) / step).rounded(.up)) + 1)
      return Self.interpolated(slow, step: 1 / step, count: samples.count)
    case .rhythm(let factors):
      let factor = positive(drawn(factors), "factor")
      return Self.interpolated(
        samples, step: factor, count: Int(Double(samples.count - 1) / factor) + 1)
    case .turning(let degrees):
      return Self.turned(samples, degrees: drawn(degrees), every: 3 * rateHertz, seed: seed)
    case .swinging(let degrees, let metres, let hertz):
      return Self.swung(
        samples, degrees: drawn(degrees), metres: drawn(metres), hertz: drawn(hertz),
        rateHertz: rateHertz, seed: seed)
    }
  }

  private static func mean(_ samples: [SIMD3<Float>]) -> SIMD3<Float> {
    let sum = samples.reduce(into: SIMD3<Double>.zero) { $0 += SIMD3<Double>($1) }
    return SIMD3<Float>(sum / Double(samples.count))
  }

  /// A first-order low-pass with exact half-power `cutoff`, cycles per sample, initialised with the
  /// first sample.
  private static func lowPassed(_ samples: [SIMD3<Float>], cutoff: Double) -> [SIMD3<Float>] {
    // y += a (x − y) has half power at ω when a² = 2 (1 − a) c with c = 1 − cos ω, of which
    // a = −c + √(c² + 2c) is the positive root.
    let c = 1 - cos(2 * .pi * min(cutoff, 0.5))
    let a = Float(-c + (c * c + 2 * c).squareRoot())
    var state = samples[0]
    return samples.map {
      state += a * ($0 - state)
      return state
    }
  }

  /// The signal under small rotations that change smoothly: a + ω × a.
  private static func turned(
    _ samples: [SIMD3<Float>], degrees: Double, every interval: Double, seed: UInt64
  ) -> [SIMD3<Float>] {
    var generator = SeededGenerator(seed: seed)
    let scale = Float(degrees * .pi / 180)
    let turns = (0...Int(Double(samples.count) / interval) + 1).map { _ in
      generator.normal3() * scale
    }
    return samples.enumerated().map { index, a in
      let position = Double(index) / interval
      let left = Int(position)
      let fraction = Float(position - Double(left))
      let smooth = fraction * fraction * (3 - 2 * fraction)
      let w = turns[left] + (turns[left + 1] - turns[left]) * smooth
      return a + cross(w, a)
    }
  }

  /// The signal of a phone on a pendulum.
  ///
  /// The phase wanders, as people do: by 2 mrad per sample, at random.
  private static func swung(
    _ samples: [SIMD3<Float>], degrees: Double, metres: Double, hertz: Double, rateHertz: Double,
    seed: UInt64
  ) -> [SIMD3<Float>] {
    var generator = SeededGenerator(seed: seed)
    let mean = Self.mean(samples)
    let gravity = (mean * mean).sum().squareRoot()
    guard gravity > 0 else { return samples }
    let up = mean / gravity
    let side = cross(up, generator.normal3())
    let axis = side / max((side * side).sum().squareRoot(), .leastNormalMagnitude)
    let forward = cross(axis, up)
    let largest = degrees * .pi / 180
    let turn = 2 * .pi * hertz / rateHertz
    let rate = turn * rateHertz
    var phase = 2 * .pi * generator.uniform()
    return samples.map { sample in
      let (sine, cosine): (Double, Double) = (sin(phase), cos(phase))
      let speed = largest * rate * cosine
      phase += turn + 0.002 * Double(generator.normal3().x)
      // The rotation about the axis by Rodrigues' formula.
      let angle = Float(largest * sine)
      let sineOfAngle = sin(angle)
      let cosineOfAngle = cos(angle)
      let along: Float = (sample * axis).sum() * (1 - cosineOfAngle)
      let turned = sample * cosineOfAngle + cross(axis, sample) * sineOfAngle + axis * along
      let centripetal = up * Float(metres * speed * speed)
      let tangential = Float(metres * largest * rate * rate * sine)
      return turned + centripetal - forward * tangential
    }
  }

  private static func cross(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }

  /// The signal at the positions 0, `step`, 2 `step` … between its samples, held beyond its end.
  private static func interpolated(
    _ samples: [SIMD3<Float>], step: Double, count: Int
  ) -> [SIMD3<Float>] {
    (0..<count).map { index in
      let position = min(Double(index) * step, Double(samples.count - 1))
      let left = min(Int(position), max(0, samples.count - 2))
      let right = min(left + 1, samples.count - 1)
      let fraction = Float(position - Double(left))
      return samples[left] + (samples[right] - samples[left]) * fraction
    }
  }
}
