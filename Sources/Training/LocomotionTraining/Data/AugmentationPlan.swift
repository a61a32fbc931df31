public import LocomotionActivityRecognition

/// The augmented copies of the recordings for training, beside the recordings themselves.
public struct AugmentationPlan: Sendable, Hashable, Codable {
  /// A change with the range from which its strength is drawn, uniformly.
  public enum Step: Sendable, Hashable, Codable {
    /// `Augmentation/amplitude(factor:)`.
    case amplitude(ClosedRange<Double>)
    /// `Augmentation/noise(standardDeviation:)`.
    case noise(ClosedRange<Double>)
    /// `Augmentation/saturation(limit:)`.
    case saturation(limit: Double)
    /// `Augmentation/looseCarrying(cutoffHertz:)`.
    case looseCarrying(ClosedRange<Double>)
    /// `Augmentation/samplingRate(hertz:)`: one of these.
    case samplingRate([Double])
    /// `Augmentation/rhythm(factor:)`.
    case rhythm(ClosedRange<Double>)
    /// `Augmentation/turning(degrees:)`.
    case turning(ClosedRange<Double>)
    /// `Augmentation/swinging(degrees:metres:hertz:)`.
    case swinging(
      degrees: ClosedRange<Double>, metres: ClosedRange<Double>, hertz: ClosedRange<Double>)

    func drawn(_ generator: inout SeededGenerator) -> Augmentation {
      func value(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * generator.uniform()
      }
      switch self {
      case .amplitude(let range): return .amplitude(factor: Float(value(range)))
      case .noise(let range): return .noise(standardDeviation: Float(value(range)))
      case .saturation(let limit): return .saturation(limit: Float(limit))
      case .looseCarrying(let range): return .looseCarrying(cutoffHertz: value(range))
      case .samplingRate(let rates):
        precondition(!rates.isEmpty, "expected one rate or more, got none")
        return .samplingRate(hertz: rates[Int(generator.uniform() * Double(rates.count))])
      case .rhythm(let range): return .rhythm(factor: value(range))
      case .turning(let range): return .turning(degrees: value(range))
      case .swinging(let degrees, let metres, let hertz):
        return .swinging(degrees: value(degrees), metres: value(metres), hertz: value(hertz))
      }
    }
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

    /// The changes for one interval: the same for the same seed.
    func changes(seed: UInt64) -> [Augmentation] {
      var generator = SeededGenerator(seed: seed)
      return steps.map { $0.drawn(&generator) }
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
