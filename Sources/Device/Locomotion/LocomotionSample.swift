/// What the person was doing in one second of the sensor's clock.
///
/// The second is `start ..< end`; every value uses data up to its end and nothing later.
public struct LocomotionSample: Equatable, Sendable, StateElement {
  /// The first instant of the second.
  public var start: Timestamp
  /// The first instant after the second.
  public var end: Timestamp
  /// The newest fix of the second, as it came; nil when there was none, or only rejected ones.
  ///
  /// Half a minute after the last fix, an outlier counts too: what it was predicted from is old.
  public var rawLocation: LocationFix?
  /// The filtered location, carried forward to ``end``; nil until a first good fix, and again when
  /// the last one is too old.
  public var location: LocationEstimate?
  /// The altitude at ``end``, by fixes and barometer; nil until one of them knows it.
  public var altitude: AltitudeFilter.Estimate?
  /// Whether the phone changes place.
  public var movingState: MovingState
  /// The probability that the phone changes place, 0 to 1.
  public var movingProbability: Double
  /// The start or stop that was decided in the second, dated back to when it was; nil in most.
  public var transition: MovingTransition?
  /// The step rate; nil when the person doesn't step or nothing is known.
  public var cadence: Cadence?
  /// The step rate about the second that ended `CadenceEstimator.lagSeconds` before ``end``.
  ///
  /// ``Hindsight/lagCadences(of:)`` puts it where it belongs.
  public var laggedCadence: Cadence?
  /// Steps counted in the second; fractions carry over, so that sums are right.
  ///
  /// On a ride there are none. Where a walk was taken for a ride at first, its first steps come
  /// when that is known; ``Hindsight`` puts them where they belong.
  public var steps: Float
  /// What the accelerations show of steps whatever the activity is; nil without accelerations.
  ///
  /// Provisional: ``Hindsight/smoothCadences(of:)`` takes it or leaves it.
  public var provisionalSteps: CadenceUpdate.Provisional?
  /// The activity, with probabilities, from the newest full window; without accelerations from the
  /// course of the fixes.
  ///
  /// Nil where there are neither, and before a course is five seconds long.
  public var activity: ActivityDecision?
  /// What the newest full window said on its own, or without accelerations the course of the
  /// fixes; nil where ``activity`` is.
  ///
  /// ``Hindsight`` needs it to smooth the activities of a recording.
  public var activityEvidence: ActivityClassifier.Evidence?
  /// RMS of the acceleration across the vertical, gravity removed, m/s²; nil without accelerations.
  public var horizontalAccelerationLevel: Float?
  /// RMS of the acceleration along the vertical, gravity removed, m/s²; nil without accelerations.
  public var verticalAccelerationLevel: Float?
  /// RMS of the rotation rate, rad/s; nil without a gyroscope.
  public var rotationLevel: Float?
  /// The fraction of the second that accelerations cover, 0 to 1.
  public var coverage: Float

  /// Whether the activity is from accelerations.
  package var hasWindow: Bool { activity != nil && !(activityEvidence?.isFromFixes ?? false) }

  /// A sample that knows only its second.
  public init(start: Timestamp, end: Timestamp) {
    self.start = start
    self.end = end
    self.movingState = .uncertain
    self.movingProbability = 0.5
    self.steps = 0
    self.coverage = 0
  }

  package static let blank = LocomotionSample(start: .blank, end: .blank)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&start, &end, &rawLocation, &location, &altitude)
    archive.pass(caseOf: &movingState)
    archive.pass(&movingProbability, &transition, &cadence, &laggedCadence, &steps)
    archive.pass(&provisionalSteps, &activity, &activityEvidence, &horizontalAccelerationLevel)
    archive.pass(&verticalAccelerationLevel, &rotationLevel, &coverage)
  }
}
