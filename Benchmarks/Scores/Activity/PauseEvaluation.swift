package import Locomotion
package import LocomotionRecordings
import LocomotionTraining

/// The pauses that a phone makes again and again while it records.
package struct PausePattern: Hashable, Sendable {
  /// The pause at the end of every period, seconds.
  let pause: Double
  /// The period, seconds.
  let period: Double
  /// Whether the recorder stops on purpose, so that only seconds with samples are scored.
  let isDutyCycle: Bool

  /// No pauses, short ones as phones make them, and recorders that save the battery.
  package static let all = [
    PausePattern(pause: 0, period: 60, isDutyCycle: false),
    PausePattern(pause: 0.3, period: 5, isDutyCycle: false),
    PausePattern(pause: 0.6, period: 20, isDutyCycle: false),
    PausePattern(pause: 1, period: 10, isDutyCycle: false),
    PausePattern(pause: 3, period: 30, isDutyCycle: false),
    PausePattern(pause: 40, period: 60, isDutyCycle: true),
    PausePattern(pause: 20, period: 30, isDutyCycle: true),
  ]

  /// As in "3 s every 30 s".
  package var name: String {
    if pause == 0 { return "none" }
    func seconds(_ value: Double) -> String {
      value == value.rounded() ? "\(Int(value)) s" : "\(value) s"
    }
    return isDutyCycle
      ? "\(seconds(period - pause)) on, \(seconds(pause)) off"
      : "\(seconds(pause)) every \(seconds(period))"
  }

  /// `batches` without the accelerations and rotation rates in the pauses; fixes stay.
  package func cut(_ batches: [SensorBatch]) -> [SensorBatch] {
    let starts = batches.compactMap { $0.accelerations.timestamps.first }
    guard pause > 0, let start = starts.min() else { return batches }
    return batches.map { batch in
      var torn = SensorBatch()
      torn.fixes = batch.fixes
      torn.accelerations = cut(batch.accelerations, from: start)
      torn.rotationRates = cut(batch.rotationRates, from: start)
      return torn
    }
  }

  private func cut(_ series: SensorBatch.Series, from start: Timestamp) -> SensorBatch.Series {
    var kept = SensorBatch.Series()
    // In whole nanoseconds, so that no sample at a pause's edge depends on rounding.
    let length = Int64((period * 1e9).rounded())
    let observed = Int64(((period - pause) * 1e9).rounded())
    for index in 0..<series.count {
      let elapsed = series.timestamps[index].nanoseconds(since: start)
      guard elapsed % length < observed else { continue }
      kept.append(
        x: series.x[index], y: series.y[index], z: series.z[index], at: series.timestamps[index])
    }
    return kept
  }
}

/// What pauses of the recording cost: labelled recordings from which pieces were cut, scored second
/// by second.
package struct PauseEvaluation: Sendable {
  /// The scores under one pattern.
  private struct Score {
    var live = ActivityEvaluation()
    var hindsight = ActivityEvaluation()
    /// The steps of recordings with a hundred or more when nothing is cut.
    var steps = 0.0
    /// The sum, over these recordings, of the relative error of their steps.
    var stepErrors = 0.0
  }

  private var scores = [Score](repeating: Score(), count: PausePattern.all.count)
  private var steppingRecordings = 0

  /// Nothing scored.
  package init() {}

  /// Adds a recording, of which `answers` gives the samples live and in hindsight for batches.
  ///
  /// A second counts when it lies in one interval with an activity; either kind of vehicle is right
  /// for a vehicle.
  package mutating func add(
    _ batches: [SensorBatch], labels: [LabelledDataset.Interval],
    answers: ([SensorBatch]) throws -> (live: [LocomotionSample], hindsight: [LocomotionSample])
  ) rethrows {
    var whole = 0.0
    for (index, pattern) in PausePattern.all.enumerated() {
      let (live, hindsight) = try answers(pattern.cut(batches))
      for (sample, smoothed) in zip(live, hindsight) {
        guard !pattern.isDutyCycle || sample.coverage > 0.05,
          let truth = Self.truth(of: sample, in: labels)?.parent
        else { continue }
        scores[index].live.add(
          truth: truth, answer: sample.activity?.activity?.parent, probabilities: .uniform)
        scores[index].hindsight.add(
          truth: truth, answer: smoothed.activity?.activity?.parent, probabilities: .uniform)
      }
      let steps = live.reduce(0) { $0 + Double($1.steps) }
      if index == 0 {
        whole = steps
        if whole >= Self.fewestSteps { steppingRecordings += 1 }
      }
      guard whole >= Self.fewestSteps else { continue }
      scores[index].steps += steps
      scores[index].stepErrors += abs(steps / whole - 1)
    }
  }

  private static let fewestSteps = 100.0

  private static func truth(
    of sample: LocomotionSample, in labels: [LabelledDataset.Interval]
  ) -> Activity? {
    labels.first { $0.start <= sample.start && sample.end <= $0.end && $0.activity != nil }?
      .activity.flatMap(Activity.init(name:))
  }

  /// The scores as a table.
  package var text: String {
    let header = [
      "pauses", "seconds", "live", "unknown", "hindsight", "steps", "steps, mean error",
    ]
    let rows = zip(PausePattern.all, scores).map { pattern, score -> [String] in
      let whole = scores[0].steps
      let hasSteps = whole > 0 && !pattern.isDutyCycle
      let seconds = score.live.windows
      let unknown = seconds > 0 ? Double(score.live.unknown) / Double(seconds) : nil
      return [
        pattern.name, "\(seconds)", percent(score.live.accuracy), percent(unknown),
        percent(score.hindsight.accuracy),
        percent(hasSteps ? score.steps / whole : nil),
        percent(hasSteps ? score.stepErrors / Double(steppingRecordings) : nil),
      ]
    }
    return """
      Seconds with the right activity, vehicles alike, when accelerations and rotation rates pause;
      steps against those without pauses, over \(steppingRecordings) recordings with 100 or more.
      "On, off": only seconds with samples.

      \(aligned([header] + rows))

      """
  }
}
