/// What the estimator says after one more second.
public struct CadenceUpdate: Hashable, Sendable, Codable {
  /// The step rate of the last seconds, or nil when the person isn't stepping or isn't known to.
  public var cadence: Cadence?
  /// The step rate about the second that ended ``CadenceEstimator/lagSeconds`` ago.
  ///
  /// Nearer to the truth of that second than ``cadence`` was then, because data on both sides of it
  /// are known; nil when the person wasn't stepping.
  public var laggedCadence: Cadence?
  /// Steps by which the total grew; fractions are meant, the sum is the total.
  ///
  /// The second in which a bout is recognised also brings the steps that led up to it, every other
  /// one what the second before it had more or less than was thought. Never negative.
  public var steps: Float
  /// The posterior probability of stepping at any rate, 0 to 1; nil with less than ~3 s of data.
  public var steppingProbability: Float?
  /// The likelier of half and double the answer, with its posterior probability.
  ///
  /// Nil without an answer. A confidence that isn't far above this one's says: octave in doubt.
  public var octaveAlternative: Cadence?

  /// An update with the given content; by default it says that nothing is known.
  public init(
    cadence: Cadence? = nil, laggedCadence: Cadence? = nil, steps: Float = 0,
    steppingProbability: Float? = nil, octaveAlternative: Cadence? = nil
  ) {
    self.cadence = cadence
    self.laggedCadence = laggedCadence
    self.steps = steps
    self.steppingProbability = steppingProbability
    self.octaveAlternative = octaveAlternative
  }
}
