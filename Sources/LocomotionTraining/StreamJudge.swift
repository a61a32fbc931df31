import LocomotionActivityRecognition

/// What the device would answer along a stream of windows, live and looking back.
struct StreamJudge {
  /// One window's answer.
  struct Answer {
    /// The activity that the user hears of, or would without doubt.
    var best: Activity
    /// Whether doubt withholds it.
    var isWithheld: Bool
    /// Calibrated.
    var probabilities: ActivityProbabilities
  }

  private let choice: TemporalCalibration.Choice
  private let classes: [Activity]
  private let doubtThreshold: Float
  private let filter: TemporalFilter
  /// The device's own.
  private let settings = ActivityClassifier.Settings()

  init(
    choice: TemporalCalibration.Choice, classes: [Activity], featureCount: Int,
    doubtThreshold: Float
  ) {
    self.choice = choice
    self.classes = classes
    self.doubtThreshold = doubtThreshold
    filter = TemporalFilter(
      classes: classes, setting: choice.setting, featureCount: featureCount)
  }

  /// The answers to each window of the stream, given the probabilities of all windows.
  func answers(
    _ stream: WindowStream, windows: [ActivityProbabilities]
  ) -> (live: [Answer], smoothed: [Answer]) {
    var given = GivenAnswer()
    let live = zip(stream.items, filter.live(stream, windows: windows)).map { item, belief in
      let probabilities = belief.tempered(choice.temperature, classes: classes)
      given.wait(seconds: item.elapsedSeconds)
      let best = given.update(
        belief, isSure: probabilities.confidence >= doubtThreshold, settings)
      return Answer(
        best: best, isWithheld: given.isWorn(settings), probabilities: probabilities)
    }
    let smoothed = filter.smoothed(stream, windows: windows).map { belief in
      let probabilities = belief.tempered(choice.hindsightTemperature, classes: classes)
      return Answer(
        best: probabilities.answer, isWithheld: probabilities.confidence < doubtThreshold,
        probabilities: probabilities)
    }
    return (live, smoothed)
  }
}
