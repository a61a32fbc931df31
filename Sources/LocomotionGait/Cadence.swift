/// The step rate of a person on foot.
public struct Cadence: Hashable, Sendable, Codable {
  /// Steps per minute, both feet counted.
  public var stepsPerMinute: Float
  /// The probability that the person steps at this rate (within 5 %), 0 to 1.
  public var confidence: Float

  /// A step rate in steps per minute with its confidence.
  public init(stepsPerMinute: Float, confidence: Float) {
    self.stepsPerMinute = stepsPerMinute
    self.confidence = confidence
  }
}
