import LocomotionActivityRecognition

/// Calibrates and judges by the scores of people, or data sets, left out.
struct HeldOutJudge {
  /// What a model needs beside its weights.
  struct Calibration {
    var windowTemperature: Double
    var temporal: TemporalCalibration.Choice
    var doubtThreshold: Double
  }

  let set: TrainingSet
  let heldOut: HeldOutScores
  let balance: WindowBalance
  /// Decides the order of the streams.
  var seed: UInt64 = 1

  init(set: TrainingSet, heldOut: HeldOutScores, balance: WindowBalance) {
    self.set = set
    self.heldOut = heldOut
    self.balance = balance
  }

  /// The weights of the judged windows, 0 for the others.
  private func weights(of judged: [Int]) -> [Double] {
    var weights = [Double](repeating: 0, count: set.count)
    for (row, weight) in zip(judged, balance.weights(for: set.rows(judged))) {
      weights[row] = weight
    }
    return weights
  }

  /// The calibration from everybody left out: the one to ship.
  func calibration(coverage: Double) -> Calibration {
    let judged = heldOut.judgedWindows(of: set)
    let temperature = heldOut.temperature(on: set, balance: balance)
    let windows = (0..<set.count).map {
      heldOut.probabilities(ofWindow: $0, temperature: temperature)
    }
    let temporal = TemporalCalibration(
      set: set, classes: heldOut.classes, windows: windows, weights: weights(of: judged))
    let streams = WindowStream.streams(of: set, windows: judged, seed: seed)
    let choice = temporal.choice(on: streams)
    let filter = TemporalFilter(
      classes: heldOut.classes, setting: choice.setting, featureCount: set.featureCount)
    let confidences = streams.flatMap { stream in
      filter.live(stream, windows: windows).map { raw in
        Double(raw.tempered(choice.temperature, classes: heldOut.classes).confidence)
      }
    }.sorted()
    let withheld = Int((1 - coverage) * Double(confidences.count))
    return Calibration(
      windowTemperature: temperature, temporal: choice,
      doubtThreshold: withheld < confidences.count ? confidences[withheld] : 0)
  }

  /// How well the folds' models do, each half of the folds calibrated by the other.
  func report(named name: String, doubtThreshold: Double) -> EvaluationReport {
    var report = EvaluationReport(protocolName: name)
    let judged = heldOut.judgedWindows(of: set)
    let windows = heldOut.crossFittedProbabilities(on: set, balance: balance)
    report.addWindows(set, judged, windows)
    report.windows.skippedWindows =
      (0..<set.count).count { set.origin(ofRow: $0).isAsRecorded } - judged.count

    let streams = WindowStream.streams(of: set, windows: judged, seed: seed)
    let temporal = TemporalCalibration(
      set: set, classes: heldOut.classes, windows: windows, weights: weights(of: judged))
    func parity(_ stream: WindowStream) -> Int {
      stream.items.first.map { heldOut.foldOfWindow[$0.window] % 2 } ?? 0
    }
    let choices = [0, 1].map { half in
      temporal.choice(on: streams.filter { parity($0) != half })
    }
    report.addStreams(
      streams, set, windows, classes: heldOut.classes, doubtThreshold: Float(doubtThreshold)
    ) { choices[parity($0)] }
    return report
  }
}
