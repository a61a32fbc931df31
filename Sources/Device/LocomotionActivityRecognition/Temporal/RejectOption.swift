// When an answer becomes "unknown" (the reject option of Chow, "On optimum recognition error and
// reject tradeoff", IEEE Trans. Information Theory 16(1), 1970), in the order in which it is asked:
//
// 1. not enough data: too little of the window was observed, and what was known before is no longer
//    likely enough (``ActivityClassifier/predict(isFromFixes:)``);
// 2. bad signal: the sensor is stuck or saturated, or its mean isn't gravity (``WindowAnalyzer``);
// 3. low confidence: the posterior was below the threshold for too long (``DecisionHold``).
//
// In hindsight 2 stays, and the others are asked again (`Hindsight.decision`).

extension ActivityClassifier {
  /// The held answer, or "unknown" for low confidence when the hold has expired.
  func heldAnswer() -> ActivityDecision {
    guard let activity = state.hold.activity, !state.hold.isExpired(settings) else {
      return ActivityDecision(unknown: .lowConfidence, probabilities: probabilities)
    }
    return ActivityDecision(activity: activity, probabilities: probabilities)
  }

  /// The last answer, for as long as the prediction is confident.
  mutating func predict(isFromFixes: Bool = false) -> ActivityDecision {
    record(
      ActivityProbabilities(normalising: transitions.prior), exponent: 0, isFromFixes: isFromFixes)
    guard let activity = state.hold.activity, probabilities.answer.parent == activity.parent,
      probabilities.confidence >= model.parameters.confidenceThreshold
    else {
      return ActivityDecision(unknown: .notEnoughData, probabilities: probabilities)
    }
    return ActivityDecision(activity: activity, probabilities: probabilities)
  }

  /// "Unknown", and no held answer for the next valid window.
  mutating func withhold(_ reason: ActivityDecision.UnknownReason) -> ActivityDecision {
    record(ActivityProbabilities(normalising: transitions.prior), exponent: 0)
    state.hold = DecisionHold()
    return ActivityDecision(unknown: reason, probabilities: probabilities)
  }
}

/// The user's answer, held through short periods of low confidence and changed with hysteresis.
///
/// Low confidence for a few seconds occurs at a bump or at a change of the activity. An answer that
/// became "unknown" each time would flicker, and half of the withheld answers would be right.
public struct DecisionHold: Sendable, StateArchivable {
  /// The class answered last, at low confidence too; nil before the first.
  public private(set) var activity: Activity?
  /// Seconds since the last confident answer; a year before the first.
  private(set) var secondsSinceConfident: Float = Self.longest

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

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(caseOf: &activity)
    archive.pass(&secondsSinceConfident)
  }
}
