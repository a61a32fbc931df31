import Foundation
import LocomotionActivityRecognition

/// Calibrates and evaluates with the scores of held-out people, or data sets.
struct HeldOutEvaluator {
  let set: TrainingSet
  let heldOut: CrossValidation
  /// The same with the rotation term where there is one; nil without a term.
  var corrected: CrossValidation?
  let balance: WindowBalance
  /// The seed of the order of the streams.
  let seed: UInt64

  /// The calibration of the final model, from the held-out scores of all evaluators.
  ///
  /// Scores calibrated on held-out people are overconfident on held-out data sets, and a new user
  /// lies between: another person with another phone, but a model with more training data. So the
  /// temperature of single windows is the geometric mean of theirs, and the filter is chosen on all
  /// streams together.
  ///
  /// All this uses the accelerations' scores alone, so that a rotation term changes nothing for a
  /// phone without a gyroscope. After the filter, windows with a term have separate temperatures.
  ///
  /// - Precondition: there is an evaluator, and all evaluate the same set.
  static func calibration(
    from evaluators: [HeldOutEvaluator], coverage: Double
  ) -> ModelCalibration {
    let logarithms = evaluators.map { log($0.heldOut.temperature(on: $0.set, balance: $0.balance)) }
    let temperature = exp(logarithms.reduce(0, +) / Double(evaluators.count))
    let parts = evaluators.map { evaluator in
      let evaluated = evaluator.heldOut.evaluatedWindows(of: evaluator.set)
      return evaluator.part(
        evaluator.heldOut.probabilities(temperature: temperature),
        evaluator.streamsToChooseBy(evaluated))
    }
    let temporal = TemporalCalibration(
      set: evaluators[0].set, classes: evaluators[0].heldOut.classes)
    var choice = temporal.choice(on: parts)
    let corrected = zip(evaluators, parts).compactMap { evaluator, part in
      evaluator.corrected.map {
        evaluator.part($0.probabilities(temperature: temperature), part.streams)
      }
    }
    if !corrected.isEmpty { choice = temporal.withRotation(choice, on: corrected) }
    let confidences = temporal.confidences(of: parts, choice).sorted()
    let withheld = Int((1 - coverage) * Double(confidences.count))
    choice.windowTemperature = temperature
    choice.confidenceThreshold = withheld < confidences.count ? confidences[withheld] : 0
    return choice
  }

  /// The streams that time models are chosen by: everybody's windows in five orders.
  ///
  /// One order decides by itself about differences of 0.3 % of the time, more than those between
  /// neighbouring settings. The figures are those of one order, as they are for a given model.
  private func streamsToChooseBy(_ windows: [Int]) -> [WindowStream] {
    (0..<5).flatMap { WindowStream.streams(of: set, windows: windows, seed: seed &+ $0) }
  }

  /// Which windows have a rotation term.
  private var hasRotation: [Bool] { (corrected ?? heldOut).isCorrected }

  private func part(
    _ windows: [ActivityProbabilities], _ streams: [WindowStream]
  ) -> TemporalCalibration.Part {
    let evaluated = heldOut.evaluatedWindows(of: set)
    var weights = [Double](repeating: 0, count: set.count)
    for (row, weight) in zip(evaluated, balance.weights(for: set.rows(evaluated))) {
      weights[row] = weight
    }
    return TemporalCalibration.Part(
      windows: windows, weights: weights, streams: streams, hasRotation: hasRotation)
  }

  /// The evaluation of the folds' models, each half of the folds calibrated on the other: temporal
  /// models are chosen by the scores of the accelerations.
  func report(named name: String, confidenceThreshold: Double) -> EvaluationReport {
    let plain = heldOut.crossFittedProbabilities(on: set, balance: balance)
    let windows =
      corrected?.crossFittedProbabilities(on: set, balance: balance, temperaturesOf: heldOut)
      ?? plain
    let evaluated = heldOut.evaluatedWindows(of: set)
    let temporal = TemporalCalibration(set: set, classes: heldOut.classes)
    func parity(_ stream: WindowStream) -> Int {
      stream.items.first.map { heldOut.foldOfWindow[$0.window] % 2 } ?? 0
    }
    let manyStreams = streamsToChooseBy(evaluated)
    let choices = [0, 1].map { half in
      let others = manyStreams.filter { parity($0) != half }
      var choice = temporal.choice(on: [part(plain, others)])
      if corrected != nil { choice = temporal.withRotation(choice, on: [part(windows, others)]) }
      choice.confidenceThreshold = confidenceThreshold
      return choice
    }
    var report = EvaluationReport(
      named: name, on: set, evaluated: evaluated, probabilities: windows, hasRotation: hasRotation,
      classes: heldOut.classes, seed: seed
    ) { choices[parity($0)] }
    if let corrected {
      var without = self
      without.corrected = nil
      report.withoutRotation = EvaluationReport.WithoutRotation(
        without.report(named: name, confidenceThreshold: confidenceThreshold),
        windowsWithRotation: evaluated.count { corrected.isCorrected[$0] })
    }
    return report
  }
}
