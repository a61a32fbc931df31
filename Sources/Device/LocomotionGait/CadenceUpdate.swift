/// The cadence estimate after one more second.
public struct CadenceUpdate: Hashable, Sendable {
  /// The step rate of the last seconds, or nil when stepping isn't probable enough.
  public var cadence: Cadence?
  /// The step rate in the second that ended ``CadenceEstimator/lagSeconds`` ago.
  ///
  /// More accurate for that second than ``cadence`` was then, because it uses data on both sides
  /// (fixed-lag smoothing); nil when the person wasn't stepping.
  public var laggedCadence: Cadence?
  /// The increase of the step count, fractions included; the sum over all updates is the count.
  ///
  /// The second in which a bout is detected also brings its earlier steps; every other one also
  /// brings the correction of the second before. Never negative.
  public var steps: Float
  /// The posterior probability of stepping at any rate, 0 to 1; nil with less than ~3 s of data.
  public var steppingProbability: Float?
  /// The likelier of half and double the answer, with its posterior probability.
  ///
  /// Nil without a cadence. When its confidence is close to that of the cadence, the octave is
  /// ambiguous.
  public var octaveAlternative: Cadence?

  /// An update with the given content; by default, one without any estimate.
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
