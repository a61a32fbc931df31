import Foundation
import LocomotionActivityRecognition

/// Chooses the temporal filter on streams of people that the model has not seen.
struct TemporalCalibration {
  /// The chosen filter with its temperature.
  struct Choice: Hashable {
    var setting: TemporalFilter.Setting
    var temperature: Double
    /// The mean weighted log loss, in nats.
    var loss: Double
  }

  /// The mean times in one activity that are tried, seconds.
  static let dwells: [Float] = [60, 120, 300]
  /// The exponents per second that are tried; 0.39 takes windows every 2.56 s for independent.
  static let exponents: [Float] = [0.05, 0.1, 0.2, 0.39]

  let set: TrainingSet
  let classes: [Activity]
  /// The calibrated probabilities of every window on its own.
  let windows: [ActivityProbabilities]
  let weights: [Double]

  /// The filter with the lowest log loss after its own best temperature on some streams.
  ///
  /// The live filter decides, because it is the one that has to weigh delay against flicker.
  func choice(on streams: [WindowStream]) -> Choice {
    var best: Choice?
    for dwell in Self.dwells {
      for exponent in Self.exponents {
        let setting = TemporalFilter.Setting(dwellSeconds: dwell, evidenceExponent: exponent)
        let choice = calibrated(setting, on: streams)
        if choice.loss < best?.loss ?? .infinity { best = choice }
      }
    }
    return best
      ?? Choice(
        setting: TemporalFilter.Setting(dwellSeconds: 120, evidenceExponent: 0.2),
        temperature: 1, loss: .infinity)
  }

  /// One filter with its best temperature on some streams.
  private func calibrated(
    _ setting: TemporalFilter.Setting, on streams: [WindowStream]
  ) -> Choice {
    let filter = TemporalFilter(
      classes: classes, setting: setting, featureCount: set.featureCount)
    var scores: [Double] = []
    var truths: [Int] = []
    var own: [Double] = []
    for stream in streams {
      for (item, probabilities) in zip(stream.items, filter.live(stream, windows: windows)) {
        scores += probabilities.logarithms(of: classes)
        truths.append(classes.firstIndex(of: set.activities[item.window]) ?? 0)
        own.append(weights[item.window])
      }
    }
    let temperature = TemperatureCalibration.temperature(
      scores: scores, classCount: classes.count, truths: truths, weights: own)
    var loss = 0.0
    for (row, truth) in truths.enumerated() {
      let probabilities = TemperatureCalibration.probabilities(
        scores: scores[row * classes.count..<(row + 1) * classes.count],
        temperature: temperature)
      loss -= own[row] * log(max(1e-12, probabilities[truth]))
    }
    return Choice(
      setting: setting, temperature: temperature, loss: loss / max(own.reduce(0, +), 1e-300))
  }
}
