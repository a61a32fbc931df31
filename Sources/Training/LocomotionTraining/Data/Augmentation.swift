internal import CLocomotionMath
public import LocomotionActivityRecognition

/// The augmented copies of the recordings for training, beside the recordings themselves.
public struct AugmentationPlan: Sendable, Equatable, Codable {
  /// A change that simulates people and phones that are not in the data, with the range from which
  /// its strength is drawn, uniformly.
  public enum Step: Sendable, Hashable, Codable {
    /// A softer or harder gait: the deviation from the mean vector times a factor, gravity kept.
    case amplitude(ClosedRange<Double>)
    /// A noisier sensor: white noise of this standard deviation on each axis, m/s².
    case noise(ClosedRange<Double>)
    /// A sensor of small range: each axis is clipped to ± `limit`, m/s² (19.6133 is ±2 g).
    case saturation(limit: Double)
    /// A phone in a loose pocket or a bag: a first-order low-pass, run forwards and then backwards.
    ///
    /// The cutoff, Hz, is where one pass halves the power: 3 dB there, 6 dB for the two. A higher
    /// value counts as half the sampling rate.
    case looseCarrying(ClosedRange<Double>)
    /// A slower sensor: linear interpolation at one of these rates, Hz, and from there back to the
    /// full rate.
    case samplingRate([Double])
    /// A quicker or slower rhythm: the time axis is compressed by a factor.
    ///
    /// The result has 1/factor times as many samples.
    case rhythm(ClosedRange<Double>)
    /// A phone that is turned slowly, as in a hand, or in the pocket of a person who moves in a
    /// seat.
    ///
    /// Every three seconds a new small rotation is drawn, about each axis from a normal
    /// distribution of this standard deviation, degrees; between them the phone turns smoothly.
    case turning(ClosedRange<Double>)
    /// A phone in a swinging hand, or on an arm or a leg: a pendulum about a joint.
    ///
    /// The limb turns by ± `degrees` about a horizontal axis, `hertz` times per second, at `metres`
    /// from the joint: the phone turns with it, and the centripetal and tangential accelerations
    /// are added.
    case swinging(
      degrees: ClosedRange<Double>, metres: ClosedRange<Double>, hertz: ClosedRange<Double>)
  }

  /// One augmented copy.
  public struct Variant: Sendable, Equatable, Codable {
    /// Names the copy in ``RecordingOrigin/variant``; not empty.
    public var name: String
    /// The activities whose intervals are copied; all when empty.
    public var activities: [Activity]
    /// The changes, in order.
    public var steps: [Step]

    /// A copy of the intervals of `activities`, altered by `steps`.
    public init(name: String, activities: [Activity] = [], steps: [Step]) {
      self.name = name
      self.activities = activities
      self.steps = steps
    }

    /// The signal of one interval after the changes, each with a seed of its own: the same for
    /// the same seed.
    ///
    /// - Parameters:
    ///   - samples: Specific force, evenly sampled, m/s².
    ///   - rateHertz: The sampling rate of `samples` and of the result.
    ///   - seed: Decides the strengths and the random sequences.
    /// - Returns: The changed signal; empty for an empty one.
    /// - Precondition: the rate, and each change's cutoff, rate or factor, are positive.
    package func applied(
      to samples: [SIMD3<Float>], rateHertz: Double, seed: UInt64
    ) -> [SIMD3<Float>] {
      precondition(rateHertz > 0, "expected a positive rate, got \(rateHertz)")
      var (strengths, seeds) = (SeededGenerator(seed: seed), SeededGenerator(seed: ~seed))
      return steps.reduce(samples) {
        $1.applied(to: $0, rateHertz: rateHertz, strengths: &strengths, seed: seeds.next())
      }
    }
  }

  /// The augmented copies.
  public var variants: [Variant]

  /// A plan with the given copies.
  public init(variants: [Variant] = []) {
    self.variants = variants
  }

  /// The recordings alone.
  public static let none = AugmentationPlan()

  /// Copies for people and phones that recordings by students with good phones lack.
  ///
  /// - "gait": softer, harder, slower and quicker walking and running.
  /// - "soft walk": walking with the phone at the upper body, in a hand, on an arm, in a bag.
  /// - "ride": rides in looser pockets, on better and worse roads, with noisier sensors.
  /// - "hand": walking with the phone in a steady hand: weaker, its sharp edges kept.
  /// - "slow walk": walking at 40 to 90 steps a minute, as softly as slow steps are.
  /// - "smooth walk": walking without the impacts of hard soles on hard floors.
  /// - "soft ride": vehicles on smooth roads and rails, phones in cushions and coats.
  /// - "slow sensor": everything at 25 or 50 Hz.
  /// - "very slow sensor": everything at 8 to 16 Hz; some phones repeat each value several times.
  /// - "small range": running on a sensor of ±2 g.
  /// - "soft jog", "slow jog": joggers at half the amplitude and down to 4/5 of the rhythm of the
  ///   runners in the data, with the phone in a loose pocket or a tight one.
  /// - "turned": phones that are moved or used while their owner sits or rides.
  /// - "noisy": phones at rest whose sensors are noisy.
  /// - "swung", "swung hard", "swung run": phones in a swinging hand, on an arm or a leg.
  public static let standard = AugmentationPlan(variants: [
    Variant(
      name: "gait", activities: [.walking, .running],
      steps: [.rhythm(0.85...1.15), .amplitude(0.6...1.5), .noise(0...0.1)]),
    Variant(
      name: "soft walk", activities: [.walking],
      steps: [
        .rhythm(0.85...1.1), .amplitude(0.3...0.7), .looseCarrying(3...8), .noise(0...0.1),
      ]),
    Variant(
      name: "ride", activities: [.cycling, .automotive, .train],
      steps: [.amplitude(0.6...1.5), .looseCarrying(5...25), .noise(0...0.1)]),
    Variant(name: "slow sensor", steps: [.samplingRate([25, 50])]),
    Variant(name: "very slow sensor", steps: [.samplingRate([8, 10, 12.5, 16])]),
    Variant(
      name: "soft ride", activities: [.automotive, .train],
      steps: [.amplitude(0.3...0.9), .looseCarrying(3...10), .noise(0...0.05)]),
    Variant(
      name: "hand", activities: [.walking],
      steps: [.rhythm(0.8...1.1), .amplitude(0.2...0.6), .noise(0...0.05)]),
    Variant(
      name: "slow walk", activities: [.walking],
      steps: [.rhythm(0.38...0.75), .amplitude(0.12...0.6), .noise(0...0.05)]),
    Variant(
      name: "smooth walk", activities: [.walking],
      steps: [.rhythm(0.6...1.2), .amplitude(0.4...1.3), .looseCarrying(1.5...4), .noise(0...0.1)]),
    Variant(name: "small range", activities: [.running], steps: [.saturation(limit: 19.6133)]),
    Variant(
      name: "soft jog", activities: [.running],
      steps: [
        .rhythm(0.78...1), .amplitude(0.35...0.8), .looseCarrying(4...20), .noise(0...0.1),
      ]),
    Variant(
      name: "slow jog", activities: [.running],
      steps: [.rhythm(0.8...1), .amplitude(0.3...0.6), .noise(0...0.1)]),
    Variant(
      name: "turned", activities: [.stationary, .automotive, .train], steps: [.turning(0.5...5)]),
    Variant(name: "noisy", activities: [.stationary], steps: [.noise(0.01...0.2)]),
    Variant(
      name: "swung", activities: [.walking],
      steps: [
        .rhythm(0.8...1.1), .swinging(degrees: 12...45, metres: 0.3...0.7, hertz: 0.7...1.1),
      ]),
    Variant(
      name: "swung hard", activities: [.walking],
      steps: [
        .rhythm(0.8...1.1), .swinging(degrees: 25...65, metres: 0.4...0.8, hertz: 0.75...1.1),
      ]),
    Variant(
      name: "swung run", activities: [.running],
      steps: [.swinging(degrees: 15...50, metres: 0.2...0.5, hertz: 1.2...1.5)]),
  ])
}

// Changes are functions on evenly sampled specific force in m/s²; the same values, seeds and change
// give the same result. There are no fixed rotations because the features are invariant under them.
extension AugmentationPlan.Step {
  /// The signal after the change, as ``AugmentationPlan/Variant/applied(to:rateHertz:seed:)`` has
  /// it; of noise, turning and swinging the random sequences have a seed of their own.
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
