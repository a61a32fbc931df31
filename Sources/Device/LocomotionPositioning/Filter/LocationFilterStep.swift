extension LocationFilter {
  /// Receives every step of a filter.
  package typealias Recorder = (Step) -> Void

  /// What the filter knew at one instant: all that smoothing needs, in a fixed number of bytes.
  public struct Step: Sendable {
    /// The instant.
    public var timestamp: Timestamp
    var plane: LocalTangentPlane
    /// How the step before became this one; nil where the filter started.
    var transition: KinematicState.Transition?
    /// Before and after the measurement.
    var predicted, filtered: KinematicState
    /// The evidence for motion that came with the fix, nats.
    var logLikelihoodRatio: Double
    var posterior: MotionPosterior
    var offsetVariance: Double
    /// The same instant on the track that the last relocation left.
    var alternate: AlternateStep?
    var kind = Kind.fix

    /// What a step stands for.
    enum Kind: String, Sendable {
      case fix
      /// The update by a Doppler velocity, a little before the fix of the next step.
      case velocity
      case relocation
      /// The return to the track that the last relocation left.
      case `return`
    }
  }

  /// One step of the track that a relocation left.
  struct AlternateStep: Sendable {
    var plane: LocalTangentPlane
    var transition: KinematicState.Transition
    var predicted, filtered: KinematicState
  }

  /// How a track came to the time of a fix.
  struct Prediction {
    var transition: KinematicState.Transition
    var state: KinematicState
  }

  /// What is recorded of a prediction of the alternate track to where it is now.
  func step(of move: Prediction) -> AlternateStep? {
    alternate.map { alternate in
      AlternateStep(
        plane: alternate.plane, transition: move.transition, predicted: move.state,
        filtered: alternate.state)
    }
  }
}

extension LocationFilter.Step {
  /// The step by which a track came to where it is now.
  init(
    _ track: LocationFilter.Track, through transition: KinematicState.Transition?,
    predicted: KinematicState, logLikelihoodRatio: Double,
    alternate: LocationFilter.AlternateStep? = nil, kind: Kind = .fix
  ) {
    self.init(
      timestamp: track.timestamp, plane: track.plane, transition: transition,
      predicted: predicted, filtered: track.state, logLikelihoodRatio: logLikelihoodRatio,
      posterior: track.posterior,
      offsetVariance: track.offsetVariance, alternate: alternate, kind: kind)
  }
}
