public import LocomotionActivityRecognition

/// The augmented copies of the recordings for training, beside the recordings themselves.
public struct AugmentationPlan: Sendable, Hashable, Codable {
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
  public struct Variant: Sendable, Hashable, Codable {
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
