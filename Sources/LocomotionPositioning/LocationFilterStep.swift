public import LocomotionSensing

extension LocationFilter {
  /// Receives every step of a filter.
  package typealias Recorder = (Step) -> Void

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
    /// The same instant in the shadow of the last relocation.
    var shadow: ShadowStep?
    var kind = Kind.fix

    /// What a step stands for.
    enum Kind: String, Sendable, Codable {
      /// A fix.
      case fix
      /// A stop on the way to the fix of the next step, for its velocity.
      case velocity
      /// A relocation to the fix.
      case relocation
      /// The return to the shadow of the last relocation.
      case `return`
    }
  }

  /// One step of the track that a relocation left.
  struct ShadowStep: Sendable, Codable {
    var plane: LocalTangentPlane
    var transition: KinematicState.Transition
    var predicted, filtered: KinematicState
  }

  /// How the shadow came to the time of a fix.
  struct ShadowMove {
    var transition: KinematicState.Transition
    var predicted: KinematicState
  }

  /// What is recorded of a move of the shadow to where it is now.
  func step(of move: ShadowMove) -> ShadowStep? {
    shadow.map { shadow in
      ShadowStep(
        plane: shadow.plane, transition: move.transition, predicted: move.predicted,
        filtered: shadow.state)
    }
  }
}

extension LocationFilter.Step {
  /// The step by which a track came to where it is now.
  init(
    _ track: LocationFilter.Track, through transition: KinematicState.Transition,
    predicted: KinematicState, ratio: Double, isWitnessed: Bool,
    shadow: LocationFilter.ShadowStep? = nil, kind: Kind = .fix
  ) {
    self.init(
      timestamp: track.timestamp, plane: track.plane, transition: transition,
      predicted: predicted, filtered: track.state, ratio: ratio, belief: track.belief,
      fixVariance: track.fixVariance, isWitnessed: isWitnessed, shadow: shadow, kind: kind)
  }
}
