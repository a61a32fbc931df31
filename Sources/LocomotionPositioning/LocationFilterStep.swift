public import LocomotionSensing

extension LocationFilter {
  /// What the filter knew at one instant: all that smoothing needs, in a fixed number of bytes.
  public struct Step: Sendable, Codable {
    /// The instant.
    public var timestamp: Timestamp
    var plane: LocalTangentPlane
    /// How the step before became this one; nil where the filter started.
    var transition: KinematicState.Transition?
    /// Before and after the measurement.
    package var predicted, filtered: KinematicState
    /// The evidence for motion that came with the fix, nats.
    var ratio: Double
    var belief: MovingBelief
    var fixVariance: Double
    /// Whether more than positions spoke about motion lately.
    var isWitnessed: Bool
  }
}
