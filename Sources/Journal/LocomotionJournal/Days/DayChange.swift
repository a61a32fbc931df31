public import LocomotionActivityRecognition
public import LocomotionSensing

/// The user's correction of their activity in an interval.
public struct ActivityCorrection: Hashable, Sendable, Codable {
  /// The first instant of it.
  public let start: Timestamp
  /// The first instant after it.
  public let end: Timestamp
  /// What the user was doing.
  public let activity: Activity
}

/// An interval in which a computation or an edit may have changed items.
public struct DayChange: Hashable, Sendable, Codable {
  /// The first instant of it.
  public let start: Timestamp
  /// The first instant after it.
  public let end: Timestamp
}
