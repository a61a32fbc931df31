/// What a window shows by itself, whatever was believed before it.
///
/// It depends on the model, the settings and the samples alone, so that a replay may find it ahead
/// of its turn (``ActivityClassifier/analyze(window:rotation:endingAt:)``), and the belief takes
/// it in when its turn comes (``ActivityClassifier/update(with:hopSeconds:speed:)``).
package enum WindowLikelihood: Hashable, Sendable {
  /// Nothing can be said from it: ``ActivityDecision/UnknownReason/notEnoughData`` or
  /// ``ActivityDecision/UnknownReason/badSignal``.
  case unusable(ActivityDecision.UnknownReason)
  /// It is unlike the training data.
  case novel
  /// Its own probabilities, proportional to its likelihood by class, and whether rotation rates
  /// are in them.
  case likelihood(ActivityProbabilities, hasRotation: Bool)
}
