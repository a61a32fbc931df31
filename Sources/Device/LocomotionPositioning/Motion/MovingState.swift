/// Whether the phone changes place, in three ways.
public enum MovingState: String, CaseIterable, Hashable, Sendable {
  /// It stays where it is.
  case stationary
  /// It changes place.
  case moving
  /// The evidence decides neither way.
  case uncertain
}
