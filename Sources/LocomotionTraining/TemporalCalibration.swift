import Foundation
import LocomotionActivityRecognition

/// Chooses the temporal filter on streams of people that the model has not seen.
struct TemporalCalibration {
  /// The chosen filter with its temperature.
  struct Choice: Hashable {
    var setting: TemporalFilter.Setting
    var temperature: Double
    /// The same when looking back.
    var hindsightTemperature = 1.0
  }

  /// The mean times in one activity that are tried, seconds.
  static let dwells: [Float] = [60, 120, 300]
  /// The exponents per second that are tried; 0.39 takes windows every 2.56 s for independent.
  static let exponents: [Float] = [0.1, 0.2, 0.28, 0.39]
  /// How much longer an activity may last on average when looking back.
  static let dwellFactors: [Float] = [1, 2.5, 5]
  /// How much less each window may count when looking back.
  static let evidenceFactors: [Float] = [0.07, 0.1, 0.15, 0.25, 0.4, 0.7, 1]

  let set: TrainingSet
  let classes: [Activity]
  /// The calibrated probabilities of every window on its own.
  let windows: [ActivityProbabilities]
  let weights: [Double]

  /// The filter that is right most often on some streams, and the smoother that suits it.
  ///
  /// Live, an answer that comes late is wrong until it comes, so that the share of right answers
  /// weighs delay against flicker; a log loss would favour a filter that never commits itself.
  /// Looking back there is no delay, and the smoother has the lowest log loss. Each gets the
  /// temperature that calibrates it.
  func choice(on streams: [WindowStream]) -> Choice {
    var best = Choice(
      setting: TemporalFilter.Setting(dwellSeconds: 120, evidenceExponent: 0.39), temperature: 1)
    var leastError = Double.infinity
    for dwell in Self.dwells {
      for exponent in Self.exponents {
        let setting = TemporalFilter.Setting(dwellSeconds: dwell, evidenceExponent: exponent)
        let error = error(setting, streams)
        if error < leastError {
          leastError = error
          best.setting = setting
        }
      }
    }
    best.temperature = temperature(scores(best.setting, streams) { $0.live($1, windows: windows) })
    var leastLoss = Double.infinity
    let live = best.setting
    for dwellFactor in Self.dwellFactors {
      for evidenceFactor in Self.evidenceFactors {
        var setting = live
        setting.smoother = ActivitySmoother.Settings(
          dwellFactor: dwellFactor, evidenceFactor: evidenceFactor)
        let table = scores(setting, streams) { $0.smoothed($1, windows: windows) }
        let temperature = temperature(table)
        let loss = loss(table, temperature: temperature)
        if loss < leastLoss {
          leastLoss = loss
          best.setting = setting
          best.hindsightTemperature = temperature
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

  private func temperature(_ table: ScoreTable) -> Double {
    TemperatureCalibration.temperature(
      scores: table.scores, classCount: classes.count, truths: table.truths,
      weights: table.weights)
  }

  /// The weighted share of live answers, held as on the device, that are wrong.
  ///
  /// Which kind of vehicle it is doesn't count: that is decided on a second level.
  private func error(_ setting: TemporalFilter.Setting, _ streams: [WindowStream]) -> Double {
    let filter = TemporalFilter(
      classes: classes, setting: setting, featureCount: set.featureCount)
    let changeRatio = ActivityClassifier.Settings().changeRatio
    var (wrong, total) = (0.0, 0.0)
    for stream in streams {
      var held: Activity?
      for (item, belief) in zip(stream.items, filter.live(stream, windows: windows)) {
        let answer = belief.answer(after: held, changeRatio: changeRatio)
        held = answer
        total += weights[item.window]
        if answer.parent != set.activities[item.window].parent { wrong += weights[item.window] }
      }
    }
    return wrong / max(total, .leastNormalMagnitude)
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
