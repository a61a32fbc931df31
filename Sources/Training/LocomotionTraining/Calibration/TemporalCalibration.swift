import Foundation
import LocomotionActivityRecognition

/// Chooses the temporal filter on streams of people that the model has not seen.
struct TemporalCalibration {
  /// The mean times in one activity that are tried, seconds.
  static let dwells: [Float] = [60, 120, 300]
  /// The exponent of a window per second live.
  ///
  /// It isn't searched: in these streams no window holds a change, and the evidence of an activity
  /// is there at once, so that less of it is right a little more often. In recordings with changes,
  /// of sets left out, 0.4 answers them half a second sooner than 0.28 and is right as often.
  static let exponent: Float = 0.4
  /// How much less each window counts when looking back, where those after it count as well.
  ///
  /// It isn't searched either: 0.15 is right by .2 % more often in these streams, and in recordings
  /// with changes finds one in ten activities of less than a minute half a minute late, or never.
  static let evidenceFactor: Float = 0.35
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
  /// An activity lasts as briefly as is tried: the streams are chained by us, so what a longer
  /// memory gains is partly our cuts'.
  static let plainest = TemporalFilter.Setting(dwellSeconds: 60, evidenceExponent: exponent)

  let set: TrainingSet
  let classes: [Activity]

  /// The filter that is right most often on some streams, and the smoother that suits it.
  ///
  /// An answer that comes late is wrong until it comes, so that the fraction of right answers
  /// weighs delay against flicker; a log loss would favour a filter that never commits itself. Each
  /// gets the temperature that calibrates it.
  ///
  /// ``plainest`` is kept unless another is better by more than chance, as ``PersonErrors`` says;
  /// then the geometric mean of all times that aren't beaten is taken.
  func choice(on parts: [Part]) -> ModelCalibration {
    let plain = Self.plainest
    func lasting(_ seconds: Float) -> TemporalFilter.Setting {
      TemporalFilter.Setting(dwellSeconds: seconds, evidenceExponent: Self.exponent)
    }
    let unbeaten = unbeaten(
      [plain] + Self.dwells.map(lasting).filter { $0 != plain }, on: parts)
    var live =
      unbeaten.contains(plain) ? plain : lasting(Self.mean(of: unbeaten.map(\.dwellSeconds)))
    live.smoother = ActivitySmoother.Settings(
      dwellFactor: Self.hindsightDwell / live.dwellSeconds, evidenceFactor: Self.evidenceFactor)
    return ModelCalibration(
      filter: live, filteredTemperature: temperature(of: live, parts),
      hindsightTemperature: temperature(of: live, parts, looksBack: true))
  }

  /// The settings, in order, than which no other live filter is better by more than chance.
  private func unbeaten(
    _ settings: [TemporalFilter.Setting], on parts: [Part]
  ) -> [TemporalFilter.Setting] {
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
      let errors = wrongWeights(setting, parts)
      return people.map { errors[$0, default: 0] }
    }
    let errors = PersonErrors(wrong: wrong, total: people.map { weights[$0, default: 0] })
    return settings.indices.filter { !errors.isBeaten($0) }.map { settings[$0] }
  }

  /// The geometric mean, to two digits: more would say nothing.
  private static func mean(of times: [Float]) -> Float {
    if times.allSatisfy({ $0 == times[0] }) { return times[0] }
    let sum = times.reduce(0) { $0 + log(Double($1)) }
    let mean = exp(sum / Double(times.count))
    let unit = pow(10, log10(mean).rounded(.down) - 1)
    return Float((mean / unit).rounded() * unit)
  }

  /// The choice with temperatures for windows with a rotation term, of which `parts` tell.
  func withRotation(_ choice: ModelCalibration, on parts: [Part]) -> ModelCalibration {
    var choice = choice
    choice.rotationTemperature = temperature(of: choice.filter, parts, rotationOnly: true)
    choice.rotationHindsightTemperature = temperature(
      of: choice.filter, parts, looksBack: true, rotationOnly: true)
    return choice
  }

  private func filter(_ setting: TemporalFilter.Setting) -> TemporalFilter {
    TemporalFilter(classes: classes, setting: setting)
  }

  /// The temperature that calibrates what a filter says of some streams, live or looking back.
  private func temperature(
    of setting: TemporalFilter.Setting, _ parts: [Part], looksBack: Bool = false,
    rotationOnly: Bool = false
  ) -> Double {
    let filter = filter(setting)
    var posteriors: [ActivityProbabilities] = []
    var truths: [Activity] = []
    var weights: [Double] = []
    for part in parts {
      for stream in part.streams {
        let answers =
          looksBack
          ? filter.smoothed(stream, windows: part.windows)
          : filter.live(stream, windows: part.windows)
        for (item, posterior) in zip(stream.items, answers)
        where !item.isInserted && (!rotationOnly || part.hasRotation[item.window]) {
          posteriors.append(posterior)
          truths.append(set.activities[item.window])
          weights.append(part.weights[item.window])
        }
      }
    }
    return TemperatureCalibration.temperature(
      of: posteriors, classes: classes, truths: truths, weights: weights)
  }

  /// How sure each live answer is, calibrated, in no particular order.
  func confidences(of parts: [Part], _ choice: ModelCalibration) -> [Double] {
    let filter = filter(choice.filter)
    return parts.flatMap { part in
      part.streams.flatMap { stream in
        filter.live(stream, windows: part.windows).map { posterior in
          Double(posterior.tempered(Float(choice.filteredTemperature)).confidence)
        }
      }
    }
  }

  /// Each person's weight of live answers, held as on the device, that are wrong.
  ///
  /// Which kind of vehicle it is doesn't count: that is decided on a second level.
  private func wrongWeights(
    _ setting: TemporalFilter.Setting, _ parts: [Part]
  ) -> [String: Double] {
    let changeRatio = ActivityClassifier.Settings().changeRatio
    let filter = filter(setting)
    var errors: [String: Double] = [:]
    for part in parts {
      for stream in part.streams {
        var held: Activity?
        for (item, posterior) in zip(stream.items, filter.live(stream, windows: part.windows)) {
          let answer = posterior.answer(after: held, changeRatio: changeRatio)
          held = answer
          if !item.isInserted, answer.parent != set.activities[item.window].parent {
            errors[stream.subject, default: 0] += part.weights[item.window]
          }
        }
      }
    }
    return errors
  }
}

/// How much of each person's time some settings answer wrongly, and between which of them that
/// can't tell.
///
/// Settings that do about equally well change places with every person who joins or leaves. So one
/// counts as beaten only if another is better by more than the standard error of their difference
/// over people (the one-standard-error rule: Breiman, Friedman, Olshen, Stone 1984,
/// "Classification and regression trees", section 3.4.3; Hastie, Tibshirani, Friedman, "The
/// elements of statistical learning", section 7.10). The differences are paired, and each setting
/// is compared with every other, not with the best alone: one that answers wholly otherwise differs
/// from the best by a great standard error, but not from its own neighbours.
package struct PersonErrors {
  /// The weight of what is wrong, setting by setting, person by person.
  package let wrong: [[Double]]
  /// The weight of all answers, person by person.
  package let total: [Double]

  /// The errors of some settings.
  ///
  /// - Precondition: there is a setting, and one entry for each person in each list.
  package init(wrong: [[Double]], total: [Double]) {
    precondition(!wrong.isEmpty, "expected a setting")
    for errors in wrong {
      precondition(
        errors.count == total.count, "expected \(total.count) people, got \(errors.count)")
    }
    self.wrong = wrong
    self.total = total
  }

  /// The weighted fraction of a setting's answers that are wrong.
  func error(of setting: Int) -> Double {
    wrong[setting].reduce(0, +) / max(weight, .leastNormalMagnitude)
  }

  /// The standard error, over people, of the difference of two settings' errors.
  ///
  /// That of a ratio of sums, n / (n − 1) · Σ (dᵢ − r wᵢ)² / (Σ wᵢ)² under the root, with dᵢ the
  /// difference of what is wrong, wᵢ the weight, and r = Σ dᵢ / Σ wᵢ (Cochran 1977, "Sampling
  /// techniques", section 2.11). It is infinite with fewer than two people, of whom nothing follows
  /// for others.
  package func standardError(of setting: Int, against other: Int) -> Double {
    let people = total.count { $0 > 0 }
    guard people > 1 else { return .infinity }
    let ratio = error(of: setting) - error(of: other)
    var squares = 0.0
    for (person, own) in total.enumerated() {
      let residual = wrong[setting][person] - wrong[other][person] - ratio * own
      squares += residual * residual
    }
    return (squares * Double(people) / Double(people - 1)).squareRoot() / weight
  }

  /// Whether another setting is better by more than the standard error of the difference.
  package func isBeaten(_ setting: Int) -> Bool {
    wrong.indices.contains { other in
      let gain = error(of: setting) - error(of: other)
      return gain > 0 && gain > standardError(of: setting, against: other)
    }
  }

  private var weight: Double { total.reduce(0, +) }
}

extension PersonErrors {
  /// The errors that several scores of the same windows make, each window by itself.
  ///
  /// - Precondition: there is a score, and the folds of all had examples of the same classes.
  init(
    of scores: [CrossValidation], on set: TrainingSet, balance: WindowBalance,
    among isIncluded: (Int) -> Bool
  ) {
    let evaluated = scores[0].evaluatedWindows(of: set).filter(isIncluded)
    let weights = balance.weights(for: set.rows(evaluated))
    let people = Set(evaluated.map { set.origin(ofRow: $0).subject }).sorted()
    let place = Dictionary(uniqueKeysWithValues: zip(people, people.indices))
    var total = people.map { _ in 0.0 }
    var wrong = scores.map { _ in total }
    for (row, weight) in zip(evaluated, weights) {
      let person = place[set.origin(ofRow: row).subject] ?? 0
      total[person] += weight
      for (index, own) in scores.enumerated()
      where own.mostLikely(ofWindow: row) != set.activities[row] {
        wrong[index][person] += weight
      }
    }
    self.init(wrong: wrong, total: total)
  }
}
