/// The answer of the activity classifier for one window, which may be "unknown" with a reason.
public struct ActivityDecision: Hashable, Sendable, Codable {
  /// Why no activity is named.
  public enum UnknownReason: String, Hashable, Sendable, Codable {
    /// The window is too short: after a start or a gap, or the sampling rate is too low.
    case notEnoughData
    /// The signal can't come from a carried phone: saturated, in free fall, or scaled wrongly.
    case badSignal
    /// The window is unlike everything the model was trained on.
    case novelty
    /// The best class isn't probable enough.
    case lowConfidence
  }

  /// The most probable class, or nil when the answer is "unknown".
  public var activity: Activity?
  /// Why ``activity`` is nil; nil when it isn't.
  public var unknownReason: UnknownReason?
  /// Calibrated probabilities after temporal filtering; meaningful for "unknown" too.
  public var probabilities: ActivityProbabilities

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
