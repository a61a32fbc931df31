public import LocomotionActivityRecognition

/// Why a model could not be trained or evaluated.
public enum TrainingError: Error, Hashable, Sendable {
  /// There are no windows.
  case empty
  /// Every window has the same activity, so that there is nothing to discriminate.
  case singleClass(Activity)
  /// No window is labelled as this custom activity.
  case noWindows(customActivity: String)
  /// No window is of the ordinary kind that this custom activity could be told from.
  case nothingOrdinary(customActivity: String, behavesLike: Activity?)
  /// More custom activities behave like one activity than can be told apart.
  case tooManyAlike(found: Int, limit: Int)
  /// Cross-validation needs at least two folds.
  case nothingToLeaveOut
  /// The ridge is too small for features that depend on each other linearly.
  case notPositiveDefinite(minorOrder: Int)
}
