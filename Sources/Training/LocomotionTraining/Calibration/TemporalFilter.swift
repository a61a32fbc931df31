import Foundation
import LocomotionActivityRecognition

/// The device's filter and smoother over precomputed probabilities of windows.
struct TemporalFilter {
  /// The filter's parameters.
  struct Setting: Hashable {
    var dwellSeconds: Float
    var evidenceExponent: Float
    /// The smoother's settings.
    var smoother = ActivitySmoother.Settings()
  }

  private let filter: ActivitySmoother
  private let smoother: ActivitySmoother
  private let exponent: Float

  /// A filter of the given classes that reports uncalibrated probabilities.
  init(classes: [Activity], setting: Setting, featureCount: Int) {
    // Only the classes and the transitions of the model are used.
    let width = 1 + featureCount * (1 + ActivityModel.knotsPerFeature)
    let model = ActivityModel(
      ActivityModel.Parameters(
        classes: classes, means: Array(repeating: 0, count: featureCount),
        scales: Array(repeating: 1, count: featureCount),
        knots: Array(repeating: 0, count: featureCount * ActivityModel.knotsPerFeature),
        weights: Array(repeating: 0, count: classes.count * width), windowTemperature: 1,
        dwellSeconds: setting.dwellSeconds, evidenceExponent: setting.evidenceExponent,
        noveltyLimit: 0, confidenceThreshold: 0, manifest: ""))
    filter = ActivitySmoother(model: model)
    smoother = ActivitySmoother(model: model, settings: setting.smoother)
    exponent = setting.evidenceExponent
  }

  /// A window's evidence in steps of about a second, as on the device.
  ///
  /// The hop of collected windows is larger than the device's. Between two updates the posterior
  /// relaxes, so that fewer and larger steps would make it more confident than on the device.
  private func evidence(
    _ item: WindowStream.Item, _ windows: [ActivityProbabilities]
  ) -> [ActivityClassifier.Evidence] {
    let steps = max(1, item.elapsedSeconds.rounded())
    let elapsed = item.elapsedSeconds / steps
    let step = ActivityClassifier.Evidence(
      window: windows[item.window], elapsedSeconds: elapsed,
      exponent: min(1, exponent * elapsed))
    return Array(repeating: step, count: Int(steps))
  }

  /// The filtered probabilities at each window of the stream, given it and the earlier ones.
  func live(
    _ stream: WindowStream, windows: [ActivityProbabilities]
  ) -> [ActivityProbabilities] {
    var states: ActivityStates?
    return stream.items.map { item in
      for step in evidence(item, windows) { states = filter.filter(step, after: states) }
      return states?.activities ?? windows[item.window]
    }
  }

  /// The smoothed probabilities at each window, given the whole stream.
  func smoothed(
    _ stream: WindowStream, windows: [ActivityProbabilities]
  ) -> [ActivityProbabilities] {
    let steps = stream.items.map { evidence($0, windows) }
    let smoothed = smoother.probabilities(of: Array(steps.joined()))
    var end = 0
    return steps.map {
      end += $0.count
      return smoothed[end - 1]
    }
  }
}

extension ActivityProbabilities {
  /// Their logarithms as scores, so that a temperature can be fitted to them.
  func logarithms(of classes: [Activity]) -> [Double] {
    classes.map { log(max(1e-12, Double(self[$0]))) }
  }

  /// The probabilities to the power 1 / `temperature`, normalised.
  func tempered(_ temperature: Double, classes: [Activity]) -> ActivityProbabilities {
    let values = TemperatureCalibration.probabilities(
      scores: logarithms(of: classes), temperature: temperature)
    return ActivityProbabilities { activity in
      classes.firstIndex(of: activity).map { Float(values[$0]) } ?? 0
    }
  }
}
