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
    /// The same two for windows with a rotation term; nil when there are none.
    var rotationTemperature: Double?
    var rotationHindsightTemperature: Double?
  }

  /// The mean times in one activity that are tried, seconds.
  static let dwells: [Float] = [60, 120, 300]
  /// The exponents per second that are tried; 0.39 takes windows every 2.56 s for independent.
  static let exponents: [Float] = [0.1, 0.2, 0.28, 0.39]
  /// How much less each window may count when looking back.
  static let evidenceFactors: [Float] = [0.07, 0.1, 0.15, 0.25, 0.4, 0.7, 1]
  /// The mean time in one activity when looking back: about that of the streams' runs, seconds.
  ///
  /// It isn't searched: a shorter one, with windows that count less, is right about as often, and
  /// which of the two was better changed with the people.
  static let hindsightDwell: Float = 300

  /// Streams with what models that haven't seen them say of their windows.
  struct Part {
    /// The calibrated probabilities of every window of the set on its own.
    var windows: [ActivityProbabilities]
    /// How much each window of the set counts.
    var weights: [Double]
    var streams: [WindowStream]
    /// Which windows of the set have a rotation term.
    var hasRotation: [Bool] = []
  }

  /// The live filter that is taken unless another is better by more than the standard error.
  ///
  /// It corrects the filter's model the least: windows are independent (one every 2.56 s), and an
  /// activity lasts as briefly as is tried. The streams are chained by us, so what a longer memory
  /// gains is partly our cuts'.
  static let plainest = TemporalFilter.Setting(dwellSeconds: 60, evidenceExponent: 0.39)

  let set: TrainingSet
  let classes: [Activity]
  /// What a model that is adapted keeps unless it is beaten; nil without a base.
  var base: TemporalFilter.Setting?

  /// The filter that is right most often on some streams, and the smoother that suits it.
  ///
  /// An answer that comes late is wrong until it comes, so that the fraction of right answers
  /// weighs delay against flicker; a log loss would favour a filter that never commits itself. Each
  /// gets the temperature that calibrates it.
  ///
  /// ``plainest`` is kept unless another is better by more than chance, as ``PersonErrors`` says;
  /// then the geometric mean of all settings that aren't beaten is taken. Looking back that mean is
  /// always taken, because no end of its range is the plainer: near it nothing is much worse than
  /// the best, and it moves little when people join or leave. A model that is adapted keeps what
  /// its base has, in both.
  func choice(on parts: [Part]) -> Choice {
    var live = choice(
      among: Self.dwells.flatMap { dwell in
        Self.exponents.map { TemporalFilter.Setting(dwellSeconds: dwell, evidenceExponent: $0) }
      }, else: base ?? Self.plainest, on: parts, error: addErrors)
    live.smoother =
      base?.smoother
      ?? ActivitySmoother.Settings(dwellFactor: Self.hindsightDwell / live.dwellSeconds)
    let setting = choice(
      among: Self.evidenceFactors.map { factor in
        var setting = live
        setting.smoother.evidenceFactor = factor
        return setting
      }, else: base == nil ? nil : live, on: parts, error: addHindsightErrors)
    return Choice(
      setting: setting,
      temperature: temperature(scores(setting, parts) { $0.live($1, windows: $2) }),
      hindsightTemperature: temperature(
        scores(setting, parts) { $0.smoothed($1, windows: $2) }))
  }

  private typealias AddErrors = (TemporalFilter.Setting, [Part], inout [String: Double]) -> Void

  /// `kept` unless it is beaten, or else the mean of the settings that aren't.
  private func choice(
    among others: [TemporalFilter.Setting], else kept: TemporalFilter.Setting?,
    on parts: [Part], error add: AddErrors
  ) -> TemporalFilter.Setting {
    let settings = (kept.map { [$0] } ?? []) + others.filter { $0 != kept }
    var weights: [String: Double] = [:]
    for part in parts {
      for stream in part.streams {
        weights[stream.subject, default: 0] += stream.items.reduce(0) {
          $0 + ($1.isInserted ? 0 : part.weights[$1.window])
        }
      }
    }
    let people = weights.keys.sorted()
    let wrong = settings.map { setting in
      var errors: [String: Double] = [:]
      add(setting, parts, &errors)
      return people.map { errors[$0, default: 0] }
    }
    let errors = PersonErrors(wrong: wrong, total: people.map { weights[$0, default: 0] })
    if let kept, !errors.isBeaten(0) { return kept }
    return .mean(of: settings.indices.filter { !errors.isBeaten($0) }.map { settings[$0] })
  }

  /// The choice with temperatures for windows with a rotation term, of which `parts` tell.
  func withRotation(_ choice: Choice, on parts: [Part]) -> Choice {
    var choice = choice
    choice.rotationTemperature = temperature(
      scores(choice.setting, parts, rotationOnly: true) { $0.live($1, windows: $2) })
    choice.rotationHindsightTemperature = temperature(
      scores(choice.setting, parts, rotationOnly: true) { $0.smoothed($1, windows: $2) })
    return choice
  }

  /// Logarithms of probabilities, window by window, with what was right and how much it counts.
  private struct ScoreTable {
    var scores: [Double] = []
    var truths: [Int] = []
    var weights: [Double] = []
  }

  private func scores(
    _ setting: TemporalFilter.Setting, _ parts: [Part], rotationOnly: Bool = false,
    _ filtered: (TemporalFilter, WindowStream, [ActivityProbabilities]) -> [ActivityProbabilities]
  ) -> ScoreTable {
    let filter = TemporalFilter(
      classes: classes, setting: setting, featureCount: set.featureCount)
    var table = ScoreTable()
    for part in parts {
      for stream in part.streams {
        for (item, posterior) in zip(stream.items, filtered(filter, stream, part.windows))
        where !item.isInserted && (!rotationOnly || part.hasRotation[item.window]) {
          table.scores += posterior.logarithms(of: classes)
          table.truths.append(classes.firstIndex(of: set.activities[item.window]) ?? 0)
          table.weights.append(part.weights[item.window])
        }
      }
    }
    return table
  }

  /// How sure each live answer is, calibrated, in no particular order.
  func confidences(of parts: [Part], _ choice: Choice) -> [Double] {
    let filter = TemporalFilter(
      classes: classes, setting: choice.setting, featureCount: set.featureCount)
    return parts.flatMap { part in
      part.streams.flatMap { stream in
        filter.live(stream, windows: part.windows).map { posterior in
          Double(posterior.tempered(choice.temperature, classes: classes).confidence)
        }
      }
    }
  }

  private func temperature(_ table: ScoreTable) -> Double {
    TemperatureCalibration.temperature(
      scores: table.scores, classCount: classes.count, truths: table.truths,
      weights: table.weights)
  }

  /// Adds each person's weight of live answers, held as on the device, that are wrong.
  private func addErrors(
    _ setting: TemporalFilter.Setting, _ parts: [Part], _ errors: inout [String: Double]
  ) {
    let changeRatio = ActivityClassifier.Settings().changeRatio
    addErrors(setting, parts, &errors) { filter, stream, windows in
      var held: Activity?
      return filter.live(stream, windows: windows).map { posterior in
        let answer = posterior.answer(after: held, changeRatio: changeRatio)
        held = answer
        return answer
      }
    }
  }

  /// Adds each person's weight of answers in hindsight that are wrong.
  private func addHindsightErrors(
    _ setting: TemporalFilter.Setting, _ parts: [Part], _ errors: inout [String: Double]
  ) {
    addErrors(setting, parts, &errors) { filter, stream, windows in
      filter.smoothed(stream, windows: windows).map(\.answer)
    }
  }

  /// Which kind of vehicle it is doesn't count: that is decided on a second level.
  private func addErrors(
    _ setting: TemporalFilter.Setting, _ parts: [Part], _ errors: inout [String: Double],
    _ answers: (TemporalFilter, WindowStream, [ActivityProbabilities]) -> [Activity]
  ) {
    let filter = TemporalFilter(
      classes: classes, setting: setting, featureCount: set.featureCount)
    for part in parts {
      for stream in part.streams {
        for (item, answer) in zip(stream.items, answers(filter, stream, part.windows))
        where !item.isInserted && answer.parent != set.activities[item.window].parent {
          errors[stream.subject, default: 0] += part.weights[item.window]
        }
      }
    }
  }
}

extension TemporalFilter.Setting {
  /// The geometric mean of each number, to two digits: more would say nothing.
  fileprivate static func mean(of settings: [Self]) -> Self {
    func mean(_ value: (Self) -> Float) -> Float {
      // What isn't searched stays to the last bit.
      let first = value(settings[0])
      if settings.allSatisfy({ value($0) == first }) { return first }
      let sum = settings.reduce(0) { $0 + log(Double(value($1))) }
      let mean = exp(sum / Double(settings.count))
      let unit = pow(10, log10(mean).rounded(.down) - 1)
      return Float((mean / unit).rounded() * unit)
    }
    return TemporalFilter.Setting(
      dwellSeconds: mean(\.dwellSeconds), evidenceExponent: mean(\.evidenceExponent),
      smoother: ActivitySmoother.Settings(
        dwellFactor: mean(\.smoother.dwellFactor),
        evidenceFactor: mean(\.smoother.evidenceFactor)))
  }
}
