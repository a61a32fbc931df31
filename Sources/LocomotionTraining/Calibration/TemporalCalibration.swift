import LocomotionActivityRecognition

/// Chooses the temporal filter's parameters on streams of held-out people.
struct TemporalCalibration {
  /// The chosen filter with its temperature.
  struct Choice: Hashable {
    var setting: TemporalFilter.Setting
    var temperature: Double
    /// The same for the smoother.
    var hindsightTemperature = 1.0
    /// The same two for windows with a rotation term; nil when there are none.
    var rotationTemperature: Double?
    var rotationHindsightTemperature: Double?
  }

  /// The mean times in one activity that are tried, seconds.
  static let dwells: [Float] = [60, 120, 300]
  /// The exponents per second that are tried; 0.39 treats windows every 2.56 s as independent.
  static let exponents: [Float] = [0.1, 0.2, 0.28, 0.39]
  /// The dwell factors of the smoother that are tried.
  static let dwellFactors: [Float] = [1, 2.5, 5, 10]
  /// The evidence factors of the smoother that are tried.
  static let evidenceFactors: [Float] = [0.07, 0.1, 0.15, 0.25, 0.4, 0.7, 1]

  /// Streams with the held-out probabilities of their windows.
  struct Part {
    /// The calibrated probabilities of every window of the set on its own.
    var windows: [ActivityProbabilities]
    /// The weight of each window of the set.
    var weights: [Double]
    var streams: [WindowStream]
    /// Which windows of the set have a rotation term.
    var hasRotation: [Bool] = []
  }

  let set: TrainingSet
  let classes: [Activity]

  /// The filter with the highest accuracy on some streams, and the smoother for it.
  ///
  /// A late answer is wrong until it comes, so that accuracy trades delay against flicker; a log
  /// loss would favour a filter that is never confident. Each gets the temperature that calibrates
  /// it.
  func choice(on parts: [Part]) -> Choice {
    var best = Choice(
      setting: TemporalFilter.Setting(dwellSeconds: 120, evidenceExponent: 0.39), temperature: 1)
    var leastError = Double.infinity
    for dwell in Self.dwells {
      for exponent in Self.exponents {
        let setting = TemporalFilter.Setting(dwellSeconds: dwell, evidenceExponent: exponent)
        let error = error(setting, parts)
        if error < leastError {
          leastError = error
          best.setting = setting
        }
      }
    }
    best.temperature = temperature(scores(best.setting, parts) { $0.live($1, windows: $2) })
    leastError = .infinity
    let live = best.setting
    for dwellFactor in Self.dwellFactors {
      for evidenceFactor in Self.evidenceFactors {
        var setting = live
        setting.smoother = ActivitySmoother.Settings(
          dwellFactor: dwellFactor, evidenceFactor: evidenceFactor)
        let error = hindsightError(setting, parts)
        if error < leastError {
          leastError = error
          best.setting = setting
        }
      }
    }
    best.hindsightTemperature = temperature(
      scores(best.setting, parts) { $0.smoothed($1, windows: $2) })
    return best
  }

  /// The choice with temperatures for windows with a rotation term, fitted on `parts`.
  func withRotation(_ choice: Choice, on parts: [Part]) -> Choice {
    var choice = choice
    choice.rotationTemperature = temperature(
      scores(choice.setting, parts, rotationOnly: true) { $0.live($1, windows: $2) })
    choice.rotationHindsightTemperature = temperature(
      scores(choice.setting, parts, rotationOnly: true) { $0.smoothed($1, windows: $2) })
    return choice
  }

  /// Logarithms of probabilities, window by window, with the true class and the weight.
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
        where !rotationOnly || part.hasRotation[item.window] {
          table.scores += posterior.logarithms(of: classes)
          table.truths.append(classes.firstIndex(of: set.activities[item.window]) ?? 0)
          table.weights.append(part.weights[item.window])
        }
      }
    }
    return table
  }

  /// The calibrated confidence of each live answer, in no particular order.
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

  /// The weighted fraction of live answers, held as on the device, that are wrong.
  private func error(_ setting: TemporalFilter.Setting, _ parts: [Part]) -> Double {
    let changeRatio = ActivityClassifier.Settings().changeRatio
    return wrongFraction(setting, parts) { filter, stream, windows in
      var held: Activity?
      return filter.live(stream, windows: windows).map { posterior in
        let answer = posterior.answer(after: held, changeRatio: changeRatio)
        held = answer
        return answer
      }
    }
  }

  /// The weighted fraction of smoothed answers that are wrong.
  private func hindsightError(_ setting: TemporalFilter.Setting, _ parts: [Part]) -> Double {
    wrongFraction(setting, parts) { filter, stream, windows in
      filter.smoothed(stream, windows: windows).map(\.answer)
    }
  }

  /// The kind of vehicle is ignored: it is decided on a second level.
  private func wrongFraction(
    _ setting: TemporalFilter.Setting, _ parts: [Part],
    _ answers: (TemporalFilter, WindowStream, [ActivityProbabilities]) -> [Activity]
  ) -> Double {
    let filter = TemporalFilter(
      classes: classes, setting: setting, featureCount: set.featureCount)
    var (wrong, total) = (0.0, 0.0)
    for part in parts {
      for stream in part.streams {
        for (item, answer) in zip(stream.items, answers(filter, stream, part.windows)) {
          let weight = part.weights[item.window]
          total += weight
          if answer.parent != set.activities[item.window].parent { wrong += weight }
        }
      }
    }
    return wrong / max(total, .leastNormalMagnitude)
  }
}
