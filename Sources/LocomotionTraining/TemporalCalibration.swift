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
  static let dwells: [Float] = [60, 120, 300, 600]
  /// The exponents per second that are tried; 0.39 takes windows every 2.56 s for independent.
  static let exponents: [Float] = [0.05, 0.1, 0.2, 0.39]
  /// How much longer an activity may last on average when looking back.
  static let dwellFactors: [Float] = [1, 2.5, 5]
  /// How much less each window may count when looking back.
  static let evidenceFactors: [Float] = [0.15, 0.25, 0.4, 0.7, 1]

  let set: TrainingSet
  let classes: [Activity]
  /// The calibrated probabilities of every window on its own.
  let windows: [ActivityProbabilities]
  let weights: [Double]

  /// The filter with the lowest log loss after its own best temperature on some streams.
  ///
  /// The live filter is chosen first, because it is the one that has to weigh delay against
  /// flicker. Looking back shares its temperature, and gets the factors that suit it.
  func choice(on streams: [WindowStream]) -> Choice {
    var best = Choice(
      setting: TemporalFilter.Setting(dwellSeconds: 120, evidenceExponent: 0.2),
      temperature: 1, loss: .infinity)
    for dwell in Self.dwells {
      for exponent in Self.exponents {
        let setting = TemporalFilter.Setting(dwellSeconds: dwell, evidenceExponent: exponent)
        let table = scores(setting, streams) { $0.live($1, windows: windows) }
        let temperature = TemperatureCalibration.temperature(
          scores: table.scores, classCount: classes.count, truths: table.truths,
          weights: table.weights)
        let loss = loss(table, temperature: temperature)
        if loss < best.loss {
          best = Choice(setting: setting, temperature: temperature, loss: loss)
        }
      }
    }
    var leastLoss = Double.infinity
    let live = best.setting
    for dwellFactor in Self.dwellFactors {
      for evidenceFactor in Self.evidenceFactors {
        var setting = live
        setting.smoother = ActivitySmoother.Settings(
          dwellFactor: dwellFactor, evidenceFactor: evidenceFactor)
        let table = scores(setting, streams) { $0.smoothed($1, windows: windows) }
        let loss = loss(table, temperature: best.temperature)
        if loss < leastLoss {
          leastLoss = loss
          best.setting = setting
        }
      }
    }
    return best
  }

  /// Logarithms of probabilities, window by window, with what was right and how much it counts.
  private struct ScoreTable {
    var scores: [Double] = []
    var truths: [Int] = []
    var weights: [Double] = []
  }

  private func scores(
    _ setting: TemporalFilter.Setting, _ streams: [WindowStream],
    _ filtered: (TemporalFilter, WindowStream) -> [ActivityProbabilities]
  ) -> ScoreTable {
    let filter = TemporalFilter(
      classes: classes, setting: setting, featureCount: set.featureCount)
    var table = ScoreTable()
    for stream in streams {
      for (item, probabilities) in zip(stream.items, filtered(filter, stream)) {
        table.scores += probabilities.logarithms(of: classes)
        table.truths.append(classes.firstIndex(of: set.activities[item.window]) ?? 0)
        table.weights.append(weights[item.window])
      }
    }
    return table
  }

  /// The mean weighted log loss, nats.
  private func loss(_ table: ScoreTable, temperature: Double) -> Double {
    var sum = 0.0
    for (row, truth) in table.truths.enumerated() {
      let probabilities = TemperatureCalibration.probabilities(
        scores: table.scores[row * classes.count..<(row + 1) * classes.count],
        temperature: temperature)
      sum -= table.weights[row] * log(max(1e-12, probabilities[truth]))
    }
    return sum / max(table.weights.reduce(0, +), .leastNormalMagnitude)
  }
}
