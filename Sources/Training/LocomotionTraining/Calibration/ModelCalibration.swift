import LocomotionActivityRecognition

/// The parameters of a model beside its weights: how scores become answers.
struct ModelCalibration: Hashable {
  /// See `ActivityModel.Parameters.windowTemperature`.
  var windowTemperature = 1.0
  /// The temporal filter, with the smoother that suits it.
  var filter: TemporalFilter.Setting
  /// See `ActivityModel.Parameters.filteredTemperature`.
  var filteredTemperature = 1.0
  /// The same when looking back.
  var hindsightTemperature = 1.0
  /// The same two for windows with a rotation term; nil when there are none.
  var rotationTemperature: Double?
  var rotationHindsightTemperature: Double?
  /// See `ActivityModel.Parameters.confidenceThreshold`.
  var confidenceThreshold = 0.0

  /// The device's answer to one window of a stream: nil at low confidence, and the calibrated
  /// probabilities.
  typealias Answer = (given: Activity?, probabilities: ActivityProbabilities)

  /// The device's answers along a stream of windows, filtered and smoothed.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - windows: The probabilities of all windows.
  ///   - hasRotation: Which of them have a rotation term.
  ///   - temporal: A filter of this setting.
  /// - Returns: The answers to each window of the stream.
  func answers(
    _ stream: WindowStream, windows: [ActivityProbabilities], hasRotation: [Bool],
    by temporal: TemporalFilter
  ) -> (live: [Answer], smoothed: [Answer]) {
    // The device's own.
    let settings = ActivityClassifier.Settings()
    let threshold = Float(confidenceThreshold)
    var hold = DecisionHold()
    let live = zip(stream.items, temporal.live(stream, windows: windows)).map {
      item, posterior -> Answer in
      let probabilities = posterior.tempered(
        Float((hasRotation[item.window] ? rotationTemperature : nil) ?? filteredTemperature))
      hold.wait(seconds: item.elapsedSeconds)
      let least = hold.leastConfidence(threshold, settings)
      let best = hold.update(
        posterior, isConfident: probabilities.confidence >= least, settings)
      return (given: hold.isExpired(settings) ? nil : best, probabilities: probabilities)
    }
    let looksBack = temporal.smoothed(stream, windows: windows)
    let smoothed = zip(stream.items, looksBack).map { item, posterior -> Answer in
      let probabilities = posterior.tempered(
        Float(
          (hasRotation[item.window] ? rotationHindsightTemperature : nil) ?? hindsightTemperature))
      let given = probabilities.confidence < threshold ? nil : probabilities.answer
      return (given: given, probabilities: probabilities)
    }
    return (live, smoothed)
  }
}

extension ActivityModel.Parameters {
  /// The parameters of a calibrated fit, without further terms and with an empty manifest.
  init(_ fit: HingeRidgeTrainer.Fit, _ calibration: ModelCalibration, noveltyLimit: Int) {
    self.init(
      classes: fit.classes, means: fit.basis.means, scales: fit.basis.scales,
      knots: fit.basis.knots, weights: fit.weights.map { Float($0) },
      windowTemperature: Float(calibration.windowTemperature),
      dwellSeconds: calibration.filter.dwellSeconds,
      evidenceExponent: calibration.filter.evidenceExponent, noveltyLimit: noveltyLimit,
      confidenceThreshold: Float(calibration.confidenceThreshold),
      filteredTemperature: Float(calibration.filteredTemperature),
      hindsightDwellFactor: calibration.filter.smoother.dwellFactor,
      hindsightEvidenceFactor: calibration.filter.smoother.evidenceFactor,
      hindsightTemperature: Float(calibration.hindsightTemperature), manifest: "{}")
  }
}

extension ModelCalibration {
  /// That of a trained model.
  init(of model: ActivityModel) {
    let parameters = model.parameters
    self.init(
      windowTemperature: Double(parameters.windowTemperature),
      filter: TemporalFilter.Setting(
        dwellSeconds: parameters.dwellSeconds, evidenceExponent: parameters.evidenceExponent,
        smoother: ActivitySmoother(model: model).settings),
      filteredTemperature: Double(parameters.filteredTemperature),
      hindsightTemperature: Double(parameters.hindsightTemperature),
      rotationTemperature: (parameters.rotation?.filteredTemperature).map { Double($0) },
      rotationHindsightTemperature: (parameters.rotation?.hindsightTemperature).map { Double($0) },
      confidenceThreshold: Double(parameters.confidenceThreshold))
  }
}
