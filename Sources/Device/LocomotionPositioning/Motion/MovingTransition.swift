public import LocomotionSensing

/// A start or a stop, when it was and when it was seen.
public struct MovingTransition: Hashable, Sendable {
  /// The state that began.
  public var state: MovingState
  /// When it began, as it looked at ``decided``: where the evidence first turned against the state
  /// before.
  public var began: Timestamp
  /// When it was decided.
  public var decided: Timestamp

  /// A transition from its parts.
  public init(state: MovingState, began: Timestamp, decided: Timestamp) {
    self.state = state
    self.began = began
    self.decided = decided
  }
}

extension MovingTransition: StateElement {
  package static let blank = MovingTransition(state: .uncertain, began: .blank, decided: .blank)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(caseOf: &state)
    archive.pass(&began)
    archive.pass(&decided)
  }
}
