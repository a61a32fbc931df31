/// The likelihood of one window, independent of the filter's state.
///
/// It depends on the model, the settings and the samples alone, so that a replay may compute it
/// ahead of time (``ActivityClassifier/analyze(window:rotation:)``), and update the
/// posterior in order of time (``ActivityClassifier/update(with:hopSeconds:speed:)``).
package enum WindowLikelihood: Hashable, Sendable {
  /// It is unusable: ``ActivityDecision/UnknownReason/notEnoughData`` or
  /// ``ActivityDecision/UnknownReason/badSignal``.
  case unusable(ActivityDecision.UnknownReason)
  /// It is unlike the training data of the six activities. The scores of the custom activities.
  case novel(custom: SIMD8<Float>?)
  /// Its own probabilities, proportional to its likelihood by class; whether they include rotation
  /// rates; the seconds of accelerations that they are from, at most a full window's; and the
  /// scores of the model's custom activities, nil without any.
  case likelihood(
    ActivityProbabilities, hasRotation: Bool, seconds: Float, custom: SIMD8<Float>? = nil)
}
