public import LocomotionActivityRecognition
package import LocomotionRecordings

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

extension TrainingError: CommandError {
  package var message: String {
    switch self {
    case .empty: "the data sets hold no labelled window"
    case .singleClass(let activity):
      "every window of the data sets is labelled \(activity.name): nothing to tell apart"
    case .noWindows(let name):
      "no window is labelled '\(name)', which '--class' names"
    case .nothingOrdinary(let name, let activity):
      "no window is labelled \(activity?.name ?? "one of the six activities"), from which "
        + "'\(name)' could be told: add such recordings"
    case .tooManyAlike(let found, let limit):
      "\(found) classes behave like one activity, expected \(limit) at most"
    case .nothingToLeaveOut: "expected recordings of at least two people, found one"
    case .notPositiveDefinite(let order):
      "the features depend on one another (minor \(order)): train on more recordings"
    }
  }

  package var exitStatus: ExitStatus {
    // The arithmetic has failed, where in the other cases the data sets are the cause.
    if case .notPositiveDefinite = self { .failed } else { .rejected }
  }
}
