extension ActivityModel {
  /// What tells the activities by location fixes alone: a function of the features of
  /// ``TrackFeatureExtractor``, and how its answers are filtered.
  ///
  /// It is used where there are no accelerations. A model without it answers nothing there.
  public struct TrackTerm: Sendable, Hashable {
    /// The scores, a function of the model's form and of the same classes; its temperatures are
    /// those of answers from fixes.
    var function: RotationTerm
    /// Divides the scores before the softmax; fitted on data sets left out.
    var temperature: Float
    /// The exponent of the likelihood of a step between fixes in the temporal filter, per second
    /// of the step.
    var evidenceExponent: Float

    /// A term from its parts; ``ActivityModel/init(_:)`` checks their shapes.
    public init(function: RotationTerm, temperature: Float, evidenceExponent: Float) {
      self.function = function
      self.temperature = temperature
      self.evidenceExponent = evidenceExponent
    }
  }

  /// The same model with another term for fixes, or without one.
  ///
  /// - Precondition: the term has no ``Defect``.
  public func with(track: TrackTerm?) -> ActivityModel {
    var parameters = parameters
    parameters.track = track
    return ActivityModel(parameters)
  }
}
