package import LocomotionSensing

/// Whether the phone moves, and how sure that is.
public struct MovingDecision: Hashable, Sendable {
  /// The decision.
  public var state: MovingState
  /// The probability that the phone changes place, 0 to 1.
  public var probability: Double

  /// A decision from its parts.
  public init(state: MovingState, probability: Double) {
    self.state = state
    self.probability = probability
  }
}

extension MovingDecision: StateArchivable {
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(caseOf: &state)
    archive.pass(&probability)
  }
}
