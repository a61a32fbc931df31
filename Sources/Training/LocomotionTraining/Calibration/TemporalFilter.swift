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
    let basis = HingeBasis(
      means: Array(repeating: 0, count: featureCount),
      scales: Array(repeating: 1, count: featureCount),
      knots: Array(repeating: 0, count: featureCount * ActivityModel.knotsPerFeature))
    let fit = HingeRidgeTrainer.Fit(
      classes: classes, basis: basis,
      weights: Array(repeating: 0, count: classes.count * basis.columnCount))
    let model = ActivityModel(
      ActivityModel.Parameters(fit, ModelCalibration(filter: setting), noveltyLimit: 0))
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
      for step in evidence(index, of: stream, windows) {
        states = filter.filter(step, after: states)
      }
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
