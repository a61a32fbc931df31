/// The answer that a user has, which outlives small doubts and changes with some reluctance.
///
/// Doubt that passes within seconds belongs to a bump or to a change of the activity. An answer
/// that turned "unknown" each time would flicker, and half of what was withheld would be right.
public struct GivenAnswer: Sendable, Hashable, Codable {
  /// The class answered last, in doubt too; nil before the first.
  public private(set) var activity: Activity?
  /// Seconds since the last answer without doubt; very long before the first.
  public private(set) var unsureSeconds: Float = Self.longest

  /// No answer yet.
  public init() {}

  /// Whether the answer has been in doubt for too long to be given.
  package func isWorn(_ settings: ActivityClassifier.Settings) -> Bool {
    unsureSeconds > 0 && unsureSeconds >= settings.patienceSeconds
  }

  /// Lets time pass, seconds; not negative.
  package mutating func wait(seconds: Float) {
    unsureSeconds = min(Self.longest, unsureSeconds + seconds)
  }

  /// The answer after new evidence.
  ///
  /// - Parameters:
  ///   - belief: The filtered probabilities before the final calibration.
  ///   - isSure: Whether the calibrated probabilities are beyond doubt.
  @discardableResult
  package mutating func update(
    _ belief: ActivityProbabilities, isSure: Bool, _ settings: ActivityClassifier.Settings
  ) -> Activity {
    let held = isWorn(settings) ? nil : activity
    let answer = belief.answer(after: held, changeRatio: settings.changeRatio)
    activity = answer
    if isSure { unsureSeconds = 0 }
    return answer
  }

  /// A year.
  private static let longest: Float = 3.2e7
}
