/// Whether the phone moves, and how sure that is.
public struct MovingDecision: Equatable, Sendable, StateArchivable {
  /// The decision.
  public var state: MovingState
  /// The probability that the phone changes place, 0 to 1.
  public var probability: Double

  /// A decision from its parts.
  public init(state: MovingState, probability: Double) {
    self.state = state
    self.probability = probability
  }

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(caseOf: &state)
    archive.pass(&probability)
  }
}

/// Whether the phone changes place, in three ways.
public enum MovingState: String, CaseIterable, Hashable, Sendable {
  /// It stays where it is.
  case stationary
  /// It changes place.
  case moving
  /// The evidence decides neither way.
  case uncertain
}

/// A start or a stop, when it was and when it was seen.
public struct MovingTransition: Equatable, Sendable, StateElement {
  /// The state that began.
  public var state: MovingState
  /// When it began, as it looked at ``decided``: where the evidence first turned against the state
  /// before.
  public var began: Timestamp
  /// When it was decided.
  public var decided: Timestamp

  package static let blank = MovingTransition(state: .uncertain, began: .blank, decided: .blank)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(caseOf: &state)
    archive.pass(&began, &decided)
  }
}
