import Foundation
import LocomotionActivityRecognition

/// The parameters of a model beside its weights: how scores become answers.
package struct ModelCalibration: Equatable, Sendable, Encodable {
  /// See `ActivityModel.Parameters.windowTemperature`.
  package var windowTemperature = 1.0
  /// The temporal filter, with the smoother that suits it.
  var filter: TemporalFilter.Setting
  /// See `ActivityModel.Function.filteredTemperature`.
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

  /// The device's answers to each window of a stream, filtered and smoothed.
  ///
  /// Probabilities are those of all windows, and so is which of them have a rotation term.
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
  init(_ fit: HingeRidgeTrainer.Fit, _ calibration: ModelCalibration) {
    self.init(
      classes: fit.classes,
      function: fit.function(
        filteredTemperature: calibration.filteredTemperature,
        hindsightTemperature: calibration.hindsightTemperature))
    windowTemperature = Float(calibration.windowTemperature)
    dwellSeconds = calibration.filter.dwellSeconds
    evidenceExponent = calibration.filter.evidenceExponent
    confidenceThreshold = Float(calibration.confidenceThreshold)
    hindsightDwellFactor = calibration.filter.smoother.dwellFactor
    hindsightEvidenceFactor = calibration.filter.smoother.evidenceFactor
  }
}

extension ModelCalibration {
  init(of model: ActivityModel) {
    let parameters = model.parameters
    self.init(
      windowTemperature: Double(parameters.windowTemperature),
      filter: TemporalFilter.Setting(
        dwellSeconds: parameters.dwellSeconds, evidenceExponent: parameters.evidenceExponent,
        smoother: ActivitySmoother(model: model).settings),
      filteredTemperature: Double(parameters.function.filteredTemperature),
      hindsightTemperature: Double(parameters.function.hindsightTemperature),
      rotationTemperature: (parameters.rotation?.filteredTemperature).map { Double($0) },
      rotationHindsightTemperature: (parameters.rotation?.hindsightTemperature).map { Double($0) },
      confidenceThreshold: Double(parameters.confidenceThreshold))
  }
}

/// The device's filter and smoother over precomputed probabilities of windows.
struct TemporalFilter {
  /// The filter's parameters.
  struct Setting: Equatable, Encodable {
    var dwellSeconds: Float
    var evidenceExponent: Float
    /// The smoother's settings.
    var smoother = ActivitySmoother.Settings()
  }

  private let filter: ActivitySmoother
  private let smoother: ActivitySmoother
  private let exponent: Float

  /// A filter of the given classes that reports uncalibrated probabilities.
  init(classes: [Activity], setting: Setting) {
    // Only the classes and the transitions of the model are used.
    let basis = HingeBasis(
      means: [0], scales: [1], knots: Array(repeating: 0, count: ActivityModel.knotsPerFeature))
    let fit = HingeRidgeTrainer.Fit(
      classes: classes, basis: basis,
      weights: Array(repeating: 0, count: classes.count * basis.columnCount))
    let model = ActivityModel(ActivityModel.Parameters(fit, ModelCalibration(filter: setting)))
    filter = ActivitySmoother(model: model)
    // A labelled window is of one activity throughout.
    var settings = setting.smoother
    settings.delaySeconds = 0
    smoother = ActivitySmoother(model: model, settings: settings)
    exponent = setting.evidenceExponent
  }

  /// A window's evidence in steps of about a second, as on the device.
  ///
  /// The hop of collected windows is larger than the device's. Between two updates the posterior
  /// relaxes, so that fewer and larger steps would make it more confident than on the device.
  private func evidence(
    _ index: Int, of stream: WindowStream, _ windows: [ActivityProbabilities]
  ) -> [ActivityClassifier.Evidence] {
    let item = stream.items[index]
    let steps = max(1, item.elapsedSeconds.rounded())
    let elapsed = item.elapsedSeconds / steps
    let step = ActivityClassifier.Evidence(
      window: windows[item.window], elapsedSeconds: elapsed,
      exponent: min(1, exponent * elapsed), hazardRatio: hazardRatio(index, of: stream, windows))
    return Array(repeating: step, count: Int(steps))
  }

  /// The hazard ratio before a window, by the one before the last, which shares no sample with it.
  private func hazardRatio(
    _ index: Int, of stream: WindowStream, _ windows: [ActivityProbabilities]
  ) -> Float {
    guard index >= 2, stream.items[index].elapsedSeconds < Self.longestHop,
      stream.items[index - 1].elapsedSeconds < Self.longestHop
    else { return 1 }
    return RecentWindows.hazardRatio(
      from: windows[stream.items[index - 2].window], to: windows[stream.items[index].window])
  }

  /// Between windows of one stretch, seconds.
  private static let longestHop: Float = 4

  /// The filtered probabilities at each window of the stream, given it and the earlier ones.
  func live(
    _ stream: WindowStream, windows: [ActivityProbabilities]
  ) -> [ActivityProbabilities] {
    var states: ActivityStates?
    return stream.items.indices.map { index in
      states = filter.states(behind: evidence(index, of: stream, windows), after: states)
      return states?.activities ?? windows[stream.items[index].window]
    }
  }

  /// The smoothed probabilities at each window, given the whole stream.
  func smoothed(
    _ stream: WindowStream, windows: [ActivityProbabilities]
  ) -> [ActivityProbabilities] {
    let steps = stream.items.indices.map { evidence($0, of: stream, windows) }
    let smoothed = smoother.probabilities(of: Array(steps.joined()))
    var end = 0
    return steps.map {
      end += $0.count
      return smoothed[end - 1]
    }
  }
}
