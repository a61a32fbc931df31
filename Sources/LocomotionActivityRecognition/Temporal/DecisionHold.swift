/// The answer that a user has, which outlives small doubts and changes with some reluctance.
///
/// Doubt that passes within seconds belongs to a bump or to a change of the activity. An answer
/// that turned "unknown" each time would flicker, and half of what was withheld would be right.
public struct DecisionHold: Sendable, Hashable, Codable {
  /// The class answered last, in doubt too; nil before the first.
  public private(set) var activity: Activity?
  /// Seconds since the last answer without doubt; very long before the first.
  public private(set) var secondsSinceConfident: Float = Self.longest

  /// No answer yet.
  public init() {}

  /// Whether the answer has been in doubt for too long to be hold.
  package func isExpired(_ settings: ActivityClassifier.Settings) -> Bool {
    secondsSinceConfident > 0 && secondsSinceConfident >= settings.holdSeconds
  }

  /// Lets time pass, seconds; not negative.
  package mutating func wait(seconds: Float) {
    secondsSinceConfident = min(Self.longest, secondsSinceConfident + seconds)
  }

  /// Takes in the filtered probabilities before the final calibration, and whether the calibrated
  /// ones are beyond doubt; the answer is what they speak for.
  @discardableResult
  package mutating func update(
    _ posterior: ActivityProbabilities, isConfident: Bool, _ settings: ActivityClassifier.Settings
  ) -> Activity {
    let held = isExpired(settings) ? nil : activity
    let answer = posterior.answer(after: held, changeRatio: settings.changeRatio)
    activity = answer
    if isConfident { secondsSinceConfident = 0 }
    return answer
  }

  /// A year.
  private static let longest: Float = 3.2e7
}
