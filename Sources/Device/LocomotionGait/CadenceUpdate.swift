/// The cadence estimate after one more second.
public struct CadenceUpdate: Equatable, Sendable {
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
  /// brings the correction of the second before. Never negative. While the hint says that the
  /// person rides it is 0; when the hint takes that back, the steps of the last seconds follow.
  public var steps: Float = 0
  /// What the accelerations show by themselves, whether or not the person is said to ride.
  ///
  /// Provisional: who knows later what the person did takes it or leaves it.
  public var provisional = Provisional()

  /// The posterior probability of stepping at any rate, 0 to 1; nil with less than ~3 s of data.
  public var steppingProbability: Float?

  /// An update without any estimate.
  public init() {}
}

extension CadenceUpdate {
  /// Cadences and steps as in the update, as if nobody rode.
  public struct Provisional: Equatable, Sendable {
    /// As ``CadenceUpdate/cadence``.
    public var cadence: Cadence?
    /// As ``CadenceUpdate/laggedCadence``.
    public var laggedCadence: Cadence?
    /// As ``CadenceUpdate/steps``.
    public var steps: Float = 0
  }
}

extension CadenceUpdate.Provisional: StateElement {
  package static let blank = CadenceUpdate.Provisional()

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&cadence, &laggedCadence, &steps)
  }
}

/// The step rate of a person on foot.
public struct Cadence: Equatable, Sendable {
  /// Steps per minute, both feet counted.
  public var stepsPerMinute: Float
  /// The posterior probability of this step rate (within 5 %), 0 to 1.
  public var confidence: Float
  /// Standard error of the mean rate of the last six seconds, steps per minute; nil when unknown.
  ///
  /// It covers uneven steps and noise, but not octave errors, which answer half or twice the rate.
  public var standardErrorStepsPerMinute: Float?

  /// A step rate in steps per minute with its confidence, and its standard error when known.
  public init(
    stepsPerMinute: Float, confidence: Float, standardErrorStepsPerMinute: Float? = nil
  ) {
    self.stepsPerMinute = stepsPerMinute
    self.confidence = confidence
    self.standardErrorStepsPerMinute = standardErrorStepsPerMinute
  }
}

extension Cadence: StateElement {
  package static let blank = Cadence(stepsPerMinute: 0, confidence: 0)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&stepsPerMinute, &confidence, &standardErrorStepsPerMinute)
  }
}
