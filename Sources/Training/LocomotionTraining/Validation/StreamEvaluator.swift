import LocomotionActivityRecognition

/// The device's answers along a stream of windows, filtered and smoothed.
struct StreamEvaluator {
  /// One window's answer.
  struct Answer {
    /// The best activity, regardless of the confidence threshold.
    var best: Activity
    /// Whether it is withheld for low confidence.
    var isWithheld: Bool
    /// The calibrated probabilities.
    var probabilities: ActivityProbabilities

    /// The answer to the user; nil at low confidence.
    var given: Activity? { isWithheld ? nil : best }
  }

  private let choice: TemporalCalibration.Choice
  private let confidenceThreshold: Float
  private let filter: TemporalFilter
  /// The device's own.
  private let settings = ActivityClassifier.Settings()

  init(
    choice: TemporalCalibration.Choice, classes: [Activity], featureCount: Int,
    confidenceThreshold: Float
  ) {
    self.choice = choice
    self.confidenceThreshold = confidenceThreshold
    filter = TemporalFilter(
      classes: classes, setting: choice.setting, featureCount: featureCount)
  }

  /// The answers to each window of the stream, given the probabilities of all windows, and which
  /// of them have a rotation term.
  func answers(
    _ stream: WindowStream, windows: [ActivityProbabilities], hasRotation: [Bool]
  ) -> (live: [Answer], smoothed: [Answer]) {
    var hold = DecisionHold()
    let live = zip(stream.items, filter.live(stream, windows: windows)).map { item, posterior in
      let probabilities = posterior.tempered(
        Float((hasRotation[item.window] ? choice.rotationTemperature : nil) ?? choice.temperature))
      hold.wait(seconds: item.elapsedSeconds)
      let least = hold.leastConfidence(confidenceThreshold, settings)
      let best = hold.update(
        posterior, isConfident: probabilities.confidence >= least, settings)
      return Answer(
        best: best, isWithheld: hold.isExpired(settings), probabilities: probabilities)
    }
    let looksBack = filter.smoothed(stream, windows: windows)
    let smoothed = zip(stream.items, looksBack).map { item, posterior in
      let probabilities = posterior.tempered(
        Float(
          (hasRotation[item.window] ? choice.rotationHindsightTemperature : nil)
            ?? choice.hindsightTemperature))
      return Answer(
        best: probabilities.answer, isWithheld: probabilities.confidence < confidenceThreshold,
        probabilities: probabilities)
    }
    return (live, smoothed)
  }
}
