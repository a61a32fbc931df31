package import LocomotionActivityRecognition
import LocomotionSensing

/// Fits what tells the activities by location fixes alone, and judges it by data sets left out.
///
/// One ridge regression of the form of the model's, on the steps that ``TrackCollector`` describes.
/// Temperatures are fitted to held-out steps: those of every data set by the term trained without
/// it.
package enum TrackTermTrainer {
  /// How often the answers are right with a recorder's fixes, all of data sets left out.
  package struct Score: Sendable, Equatable, Encodable {
    /// The recorder, ``TrackCollector/Recorder/name``.
    var recorder: String
    /// What was known at the time.
    package var live = ActivityEvaluation()
    /// What is known afterwards.
    package var smoothed = ActivityEvaluation()

    /// A score without steps.
    package init(recorder: String) {
      self.recorder = recorder
    }
  }

  private static let settings = HingeRidgeTrainer.Settings(ridge: 0.001)
  /// The exponent of the temporal filter, per second.
  ///
  /// With less, trips of a minute remain unknown; with more, sparse fixes count less than dense
  /// ones.
  private static let exponent: Float = 0.05
  /// The most of a step that counts, seconds, as on the device.
  private static let longestStep: Float = 60

  /// Fits the term of `model`, of which only classes and transitions are used.
  ///
  /// - Parameters:
  ///   - set: Described steps.
  ///   - model: The model that the term is for.
  /// - Returns: The term and its scores; nil when the steps are of one data set only, or lack a
  ///   class of the model.
  /// - Throws: ``TrainingError/notPositiveDefinite(minorOrder:)``.
  package static func train(
    on set: TrainingSet, for model: ActivityModel
  ) throws(TrainingError) -> (term: ActivityModel.TrackTerm, scores: [Score])? {
    let classes = model.parameters.classes
    guard set.classes == classes, set.countsByDataset.count > 1 else { return nil }
    let equations = try HingeRidgeTrainer(settings: settings).equations(set)
    let fit = try equations.fit(ridge: settings.ridge)
    let heldOut = try equations.heldOutScores(leavingOut: .dataset, ridge: settings.ridge)
    let temperature = heldOut.temperature(on: set, balance: settings.balance)
    let answers = FilteredSteps(of: set, heldOut, temperature: temperature, by: model)
    let (live, smoothed) = (
      answers.temperature(of: answers.live, settings.balance),
      answers.temperature(of: answers.smoothed, settings.balance)
    )
    let term = ActivityModel.TrackTerm(
      function: fit.function(filteredTemperature: live, hindsightTemperature: smoothed),
      temperature: Float(temperature), evidenceExponent: Self.exponent)
    return (term, answers.scores(live: live, smoothed: smoothed))
  }

  /// The answers of the temporal filter to held-out steps, recording by recording in order.
  private struct FilteredSteps {
    let set: TrainingSet
    let classes: [Activity]
    var rows: [Int] = []
    var live: [ActivityProbabilities] = []
    var smoothed: [ActivityProbabilities] = []

    init(
      of set: TrainingSet, _ heldOut: CrossValidation, temperature: Double, by model: ActivityModel
    ) {
      self.set = set
      classes = heldOut.classes
      let windows = heldOut.probabilities(temperature: temperature)
      let later = Self.later(in: set)
      var parameters = model.parameters
      (parameters.track, parameters.function.hindsightTemperature) = (nil, 1)
      let plain = ActivityModel(parameters)
      let filter = ActivitySmoother(model: plain, settings: .init())
      let smoother = ActivitySmoother(model: plain)
      for stream in Self.streams(heldOut.evaluatedWindows(of: set), in: set) {
        var last: Int?
        var evidence = stream.map { row in
          let elapsed = last.map { Float(set.ends[row].seconds(since: set.ends[$0])) } ?? 5
          last = row
          return ActivityClassifier.Evidence(
            window: windows[row], elapsedSeconds: elapsed, silentSeconds: elapsed,
            exponent: min(
              1, TrackTermTrainer.exponent * min(TrackTermTrainer.longestStep, elapsed)),
            isFromFixes: true)
        }
        var states: ActivityStates?
        rows += stream
        for item in evidence {
          states = filter.states(behind: [item], after: states)
          if let states { live.append(states.activities) }
        }
        for (place, row) in stream.enumerated() { evidence[place].window = windows[later(row)] }
        smoothed += smoother.probabilities(of: evidence)
      }
    }

    /// Gives the row that describes the step of a row as it looks afterwards.
    private static func later(in set: TrainingSet) -> (Int) -> Int {
      struct Step: Hashable {
        var dataset, recording: String
        var end: Timestamp
      }
      func step(_ row: Int) -> Step {
        let origin = set.origin(ofRow: row)
        return Step(dataset: origin.dataset, recording: origin.recording, end: set.ends[row])
      }
      let described = (0..<set.count).filter {
        set.origin(ofRow: $0).variant == TrackCollector.laterVariant
      }
      let rows = Dictionary(described.map { (step($0), $0) }) { $1 }
      return { rows[step($0)] ?? $0 }
    }

    /// Consecutive rows of a recording whose ends ascend, stream by stream.
    private static func streams(_ evaluated: [Int], in set: TrainingSet) -> [[Int]] {
      var streams: [[Int]] = []
      for row in evaluated {
        let last = streams.last?.last
        if let last, set.origin(ofRow: last).recording == set.origin(ofRow: row).recording,
          set.origin(ofRow: last).dataset == set.origin(ofRow: row).dataset,
          set.ends[last] < set.ends[row]
        {
          streams[streams.count - 1].append(row)
        } else {
          streams.append([row])
        }
      }
      return streams
    }

    func temperature(
      of answers: [ActivityProbabilities], _ balance: WindowBalance
    ) -> Double {
      let evaluated = set.rows(rows)
      return TemperatureCalibration.temperature(
        of: answers, classes: classes, truths: evaluated.activities,
        weights: balance.weights(for: evaluated))
    }

    func scores(live liveTemperature: Double, smoothed: Double) -> [Score] {
      TrackCollector.Recorder.allCases.map { recorder in
        var score = Score(recorder: recorder.name)
        for (index, row) in rows.enumerated()
        where set.origin(ofRow: row).recording.hasSuffix(", " + recorder.name) {
          let truth = set.activities[row]
          let known = live[index].tempered(Float(liveTemperature))
          let later = self.smoothed[index].tempered(Float(smoothed))
          score.live.add(truth: truth, answer: known.answer, probabilities: known)
          score.smoothed.add(truth: truth, answer: later.answer, probabilities: later)
        }
        return score
      }
    }
  }
}

extension TrackTermTrainer.Score {
  /// What the table says, in a sentence for readers.
  package static let meaning =
    "From fixes alone; the columns of the classes are their recall in hindsight."

  /// A row of texts for each score, after one of titles.
  package static func table(of scores: [Self]) -> [[String]] {
    let classes = Activity.allCases
    let title = ["fixes", "steps", "live", "in hindsight", "calibration error", "in hindsight"]
    return [title + classes.map(\.name)]
      + scores.map { score in
        [score.recorder, "\(score.live.windows)"]
          + [
            score.live.balancedAccuracy, score.smoothed.balancedAccuracy,
            score.live.expectedCalibrationError, score.smoothed.expectedCalibrationError,
          ].map(percent)
          + classes.map { activity in
            percent(score.smoothed.classScores.first { $0.activity == activity }?.recall)
          }
      }
  }

  /// The table with its meaning, as lines of text.
  package static func text(of scores: [Self]) -> String {
    "\(meaning)\n\(aligned(table(of: scores)))\n"
  }
}
