package import LocomotionSensing

/// The user's answer, held through short periods of low confidence and changed with hysteresis.
///
/// Low confidence for a few seconds occurs at a bump or at a change of the activity. An answer that
/// became "unknown" each time would flicker, and half of the withheld answers would be right.
public struct DecisionHold: Sendable, Hashable {
  /// The class answered last, at low confidence too; nil before the first.
  public private(set) var activity: Activity?
  /// Seconds since the last confident answer; a year before the first.
  public private(set) var secondsSinceConfident: Float = Self.longest

  /// No answer yet.
  public init() {}

  /// Whether confidence has been low for too long to hold the answer.
  package func isExpired(_ settings: ActivityClassifier.Settings) -> Bool {
    secondsSinceConfident > 0 && secondsSinceConfident >= settings.holdSeconds
  }

  /// Advances time by `seconds`, which isn't negative.
  package mutating func wait(seconds: Float) {
    secondsSinceConfident = min(Self.longest, secondsSinceConfident + seconds)
  }

  /// The confidence that the next answer needs: `threshold`, or more for the first.
  package func leastConfidence(
    _ threshold: Float, _ settings: ActivityClassifier.Settings
  ) -> Float {
    let isFirst = secondsSinceConfident >= Self.longest
    return isFirst ? max(threshold, settings.firstConfidence) : threshold
  }

  /// Updates with the filtered probabilities before the final calibration, and whether the
  /// calibrated ones are confident; returns the answer.
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

extension DecisionHold: StateArchivable {
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(caseOf: &activity)
    archive.pass(&secondsSinceConfident)
  }
}
