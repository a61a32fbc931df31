public import LocomotionActivityRecognition

/// Why a model could not be trained or evaluated.
public enum TrainingError: Error, Hashable, Sendable {
  /// There are no windows.
  case empty
  /// Every window has the same activity, so that there is nothing to tell apart.
  case singleClass(Activity)
  /// Leaving one out needs at least two of what is left out.
  case nothingToLeaveOut
  /// The ridge is too small for features that depend on each other linearly.
  case notPositiveDefinite(minorOrder: Int)
}
