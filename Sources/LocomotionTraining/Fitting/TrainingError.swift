public import LocomotionActivityRecognition

/// Why a model could not be trained or evaluated.
public enum TrainingError: Error, Hashable, Sendable {
  /// There are no windows.
  case empty
  /// Every window has the same activity, so that there is nothing to discriminate.
  case singleClass(Activity)
  /// Cross-validation needs at least two folds.
  case nothingToLeaveOut
  /// The ridge is too small for features that depend on each other linearly.
  case notPositiveDefinite(minorOrder: Int)
}
