import LocomotionActivityRecognition

/// What the device would answer along a stream of windows, live and looking back.
struct StreamJudge {
  /// One window's answer.
  struct Answer {
    /// The activity that the user hears of, doubt aside.
    var best: Activity
    /// Whether doubt withholds it.
    var isWithheld: Bool
    /// Calibrated.
    var probabilities: ActivityProbabilities

    /// What the user hears; nil in doubt.
    var given: Activity? { isWithheld ? nil : best }
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

  /// The answers to each window of the stream, given the probabilities of all windows, and which
  /// of them have a rotation term.
  func answers(
    _ stream: WindowStream, windows: [ActivityProbabilities], hasRotation: [Bool]
  ) -> (live: [Answer], smoothed: [Answer]) {
    var given = GivenAnswer()
    let live = zip(stream.items, filter.live(stream, windows: windows)).map { item, belief in
      let probabilities = belief.tempered(
        (hasRotation[item.window] ? choice.rotationTemperature : nil) ?? choice.temperature,
        classes: classes)
      given.wait(seconds: item.elapsedSeconds)
      let best = given.update(
        belief, isSure: probabilities.confidence >= doubtThreshold, settings)
      return Answer(
        best: best, isWithheld: given.isWorn(settings), probabilities: probabilities)
    }
    let looksBack = filter.smoothed(stream, windows: windows)
    let smoothed = zip(stream.items, looksBack).map { item, belief in
      let probabilities = belief.tempered(
        (hasRotation[item.window] ? choice.rotationHindsightTemperature : nil)
          ?? choice.hindsightTemperature,
        classes: classes)
      return Answer(
        best: probabilities.answer, isWithheld: probabilities.confidence < doubtThreshold,
        probabilities: probabilities)
    }
    return (live, smoothed)
  }
}
