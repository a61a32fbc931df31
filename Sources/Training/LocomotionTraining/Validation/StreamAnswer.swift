import LocomotionActivityRecognition

/// The device's answer to one window of a stream.
struct StreamAnswer {
  /// The answer to the user; nil at low confidence.
  var given: Activity?
  /// The calibrated probabilities.
  var probabilities: ActivityProbabilities
}

extension TemporalCalibration.Choice {
  /// The device's answers along a stream of windows, filtered and smoothed.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - windows: The probabilities of all windows.
  ///   - hasRotation: Which of them have a rotation term.
  ///   - filter: A filter of this setting.
  ///   - confidenceThreshold: See `ActivityModel.Parameters.confidenceThreshold`.
  /// - Returns: The answers to each window of the stream.
  func answers(
    _ stream: WindowStream, windows: [ActivityProbabilities], hasRotation: [Bool],
    by filter: TemporalFilter, confidenceThreshold: Float
  ) -> (live: [StreamAnswer], smoothed: [StreamAnswer]) {
    // The device's own.
    let settings = ActivityClassifier.Settings()
    var hold = DecisionHold()
    let live = zip(stream.items, filter.live(stream, windows: windows)).map { item, posterior in
      let probabilities = posterior.tempered(
        Float((hasRotation[item.window] ? rotationTemperature : nil) ?? temperature))
      hold.wait(seconds: item.elapsedSeconds)
      let least = hold.leastConfidence(confidenceThreshold, settings)
      let best = hold.update(
        posterior, isConfident: probabilities.confidence >= least, settings)
      return StreamAnswer(
        given: hold.isExpired(settings) ? nil : best, probabilities: probabilities)
    }
    let looksBack = filter.smoothed(stream, windows: windows)
    let smoothed = zip(stream.items, looksBack).map { item, posterior in
      let probabilities = posterior.tempered(
        Float(
          (hasRotation[item.window] ? rotationHindsightTemperature : nil) ?? hindsightTemperature))
      return StreamAnswer(
        given: probabilities.confidence < confidenceThreshold ? nil : probabilities.answer,
        probabilities: probabilities)
    }
    return (live, smoothed)
  }
}
