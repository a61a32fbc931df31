/// The answer of the activity classifier for one window, which may be "unknown" with a reason.
public struct ActivityDecision: Equatable, Sendable {
  /// Why no activity is named.
  public enum UnknownReason: String, Error, CaseIterable, Hashable, Sendable {
    /// The window is too short: after a start or a gap, or the sampling rate is too low.
    case notEnoughData
    /// The signal can't come from a carried phone: saturated, in free fall, or scaled wrongly.
    case badSignal
    /// The best class isn't probable enough.
    case lowConfidence
    /// The person does what is none of the six: ``ActivityDecision/customActivity``.
    case customActivity
  }

  /// The most probable class, or nil when the answer is "unknown".
  public var activity: Activity?
  /// Why ``activity`` is nil; nil when it isn't.
  public var unknownReason: UnknownReason?
  /// Calibrated probabilities after temporal filtering; meaningful for "unknown" too.
  ///
  /// Given that the person does one of the six, where a model has custom activities that behave
  /// like none of them.
  public var probabilities: ActivityProbabilities
  /// Which kind of ``activity`` it is, or which activity outside the six; nil for the ordinary kind
  /// and with a model without custom activities.
  public var customActivity: CustomActivity?
  /// The probabilities of the model's custom activities; nil with a model without any.
  public var customProbabilities: CustomProbabilities?

  /// A decision for `activity`.
  public init(activity: Activity, probabilities: ActivityProbabilities) {
    self.activity = activity
    self.unknownReason = nil
    self.probabilities = probabilities
  }

  /// No decision, for `reason`.
  public init(unknown reason: UnknownReason, probabilities: ActivityProbabilities) {
    self.activity = nil
    self.unknownReason = reason
    self.probabilities = probabilities
  }
}
