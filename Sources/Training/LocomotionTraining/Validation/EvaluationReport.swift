public import LocomotionActivityRecognition
import LocomotionSensing

/// The evaluation of a model: window by window, filtered and smoothed.
///
/// Filter and smoother are evaluated on streams: each person's windows of one activity, joined and
/// cut into runs of 1 to 10 minutes, all runs chained in random order. These have hard transitions
/// and no ambiguous periods: the delay is realistic, the accuracy somewhat optimistic.
public struct EvaluationReport: Sendable, Equatable, Encodable {
  /// The evaluation protocol: "people not trained on", "data sets not trained on" or "given
  /// windows".
  public var protocolName: String
  /// Each window on its own, by its most probable class.
  public var windows = GroupedEvaluation()
  /// The live filter: each window with those before it.
  public var live = GroupedEvaluation()
  /// The smoother: each window with those before and after it.
  public var smoothed = GroupedEvaluation()
  /// The same as ``live``, updated with the receiver's speed where a window has one; without
  /// windows when none has.
  public var liveWithSpeed = GroupedEvaluation()
  /// The same as ``smoothed``, updated with the receiver's speed like ``liveWithSpeed``.
  public var smoothedWithSpeed = GroupedEvaluation()
  /// The delay and flicker of the live answers.
  public var liveTiming = StreamTiming()
  /// The delay and flicker of the smoothed answers.
  package private(set) var smoothedTiming = StreamTiming()
  /// Stretches of consecutive windows that were misclassified on their own, the longest first.
  public var failures: [FailedStretch] = []
  /// The live answers to groups of people beside everybody, the worst first; empty when it isn't
  /// known what they have in common.
  public var groups: [GroupScore] = []

  /// Windows that were left out because a feature was not finite.
  var rejectedWindows = 0

  /// The windows that were not evaluated, and why: a sentence each, for readers.
  package var leftOut: [String] {
    var lines: [String] = []
    if windows.skippedWindows > 0 {
      lines.append("\(windows.skippedWindows) windows not evaluated: no model knew their class.")
    }
    if rejectedWindows > 0 {
      lines.append("\(rejectedWindows) windows not evaluated: a feature was not finite.")
    }
    return lines
  }

  /// How well the model's custom activities are recognised; nil for a model without any.
  public var custom: [CustomTermTrainer.Score]?

  /// The results without rotation rates; nil when they weren't used.
  public var withoutRotation: WithoutRotation?

  /// The accuracies of a phone without a gyroscope: all classes weighted alike, trains as
  /// automotive.
  public struct WithoutRotation: Sendable, Equatable, Codable {
    /// The number of evaluated windows with rotation rates throughout.
    public var windowsWithRotation: Int
    /// The accuracy of single windows.
    public var windows: Double?
    /// The accuracy of the live filter.
    public var live: Double?
    /// The accuracy of the smoother.
    public var smoothed: Double?

    init(_ report: EvaluationReport, windowsWithRotation: Int) {
      self.windowsWithRotation = windowsWithRotation
      windows = report.windows.mergingRail.balancedAccuracy
      live = report.live.mergingRail.balancedAccuracy
      smoothed = report.smoothed.mergingRail.balancedAccuracy
    }
  }

  /// A report without windows.
  init(protocolName: String) {
    self.protocolName = protocolName
  }

  /// Evaluates `model` on `set`, which should contain unseen people only.
  ///
  /// An answer below the model's threshold counts as "unknown" in ``live`` and ``smoothed``.
  /// Augmented copies are skipped.
  ///
  /// - Parameters:
  ///   - model: The model, of as many features as the set has.
  ///   - set: Labelled windows; those of classes that the model lacks are skipped.
  ///   - seed: The seed of the order of the streams.
  /// - Precondition: the model and the set have the same number of features.
  public init(of model: ActivityModel, on set: TrainingSet, seed: UInt64 = 1) {
    self.init(named: "given windows", on: set, seed: seed, by: [model])
  }

  /// Evaluates each window of a set by one of several models that differ in their weights; by
  /// default by the first.
  ///
  /// - Precondition: there is a model, and the models and the set have the same number of features.
  init(
    named name: String, on set: TrainingSet, seed: UInt64, by models: [ActivityModel],
    modelOf: (Int) -> Int = { _ in 0 }
  ) {
    let classes = models[0].parameters.classes
    let plain = (0..<set.count).map { row in
      models[modelOf(row)].probabilities(of: set.features(ofRow: row).span)
    }
    let noRotation = plain.map { _ in false }
    var (probabilities, hasRotation) = (plain, noRotation)
    let rotationCount = models[0].rotationFeatureCount
    if rotationCount > 0, rotationCount == set.rotationFeatureCount {
      for row in 0..<set.count {
        guard let rotation = set.rotation(ofRow: row) else { continue }
        probabilities[row] = models[modelOf(row)].probabilities(
          of: set.features(ofRow: row).span, rotation: rotation.span)
        hasRotation[row] = true
      }
    }
    let evaluated = (0..<set.count).filter {
      set.origin(ofRow: $0).isAsRecorded && classes.contains(set.activities[$0])
    }
    let calibration = ModelCalibration(of: models[0])
    self.init(
      named: name, on: set, evaluated: evaluated, probabilities: probabilities,
      hasRotation: hasRotation, classes: classes, seed: seed
    ) { _ in calibration }
    let described = evaluated.count { hasRotation[$0] }
    if described > 0 {
      withoutRotation = WithoutRotation(
        EvaluationReport(
          named: "without rotation rates", on: set, evaluated: evaluated, probabilities: plain,
          hasRotation: noRotation, classes: classes, seed: seed
        ) { _ in calibration }, windowsWithRotation: described)
    }
  }

  /// Evaluates windows with given probabilities, of which a rotation term took part in some; the
  /// temporal model of a stream is what `calibration` gives.
  init(
    named name: String, on set: TrainingSet, evaluated: [Int],
    probabilities: [ActivityProbabilities], hasRotation: [Bool], classes: [Activity], seed: UInt64,
    calibration: (WindowStream) -> ModelCalibration
  ) {
    self.init(protocolName: name)
    for row in evaluated {
      windows.add(
        truth: set.activities[row], answer: probabilities[row].answer,
        probabilities: probabilities[row], origin: set.origin(ofRow: row))
    }
    failures = FailedStretch.stretches(of: set, windows: evaluated, probabilities: probabilities)
    windows.skippedWindows =
      (0..<set.count).count { set.origin(ofRow: $0).isAsRecorded } - evaluated.count
    rejectedWindows = set.rejectedRows

    let weighed = zip(probabilities, set.speeds).map { window, speed in
      speed.map { window.weighed(by: SpeedEvidence(metresPerSecond: $0)) } ?? window
    }
    let streams = WindowStream.streams(of: set, windows: evaluated, seed: seed)
    let haveSpeeds = streams.contains { $0.items.contains { set.speeds[$0.window] != nil } }
    for stream in streams {
      let calibration = calibration(stream)
      let filter = TemporalFilter(classes: classes, setting: calibration.filter)
      for isWeighed in haveSpeeds ? [false, true] : [false] {
        let (live, smoothed) = calibration.answers(
          stream, windows: isWeighed ? weighed : probabilities, hasRotation: hasRotation,
          by: filter)
        for (item, (now, later)) in zip(stream.items, zip(live, smoothed)) {
          let truth = set.activities[item.window]
          if !item.isInserted {
            let origin = set.origin(ofRow: item.window)
            self[keyPath: isWeighed ? \Self.liveWithSpeed : \Self.live]
              .add(
                truth: truth, answer: now.given, probabilities: now.probabilities, origin: origin)
            self[keyPath: isWeighed ? \Self.smoothedWithSpeed : \Self.smoothed]
              .add(
                truth: truth, answer: later.given, probabilities: later.probabilities,
                origin: origin)
          }
          guard !isWeighed else { continue }
          let seconds = Double(item.elapsedSeconds)
          liveTiming.add(truth: truth, answer: now.given, after: seconds)
          smoothedTiming.add(truth: truth, answer: later.given, after: seconds)
        }
      }
      liveTiming.end()
      smoothedTiming.end()
    }
  }
}

/// A stretch of a recording in which consecutive windows were misclassified.
///
/// Such stretches are worth a review: the label may be wrong, or the phone's position unusual.
public struct FailedStretch: Sendable, Equatable, Codable {
  /// The data set's name.
  public var dataset: String
  /// The person's name inside the data set.
  public var person: String
  /// The recording's name inside the data set.
  public var recording: String
  /// When the first window began, seconds on the recording's clock.
  public var start: Double
  /// When the last window ended, seconds on the recording's clock.
  public var end: Double
  /// The number of windows.
  public var windows: Int
  /// The name of the labelled activity.
  public var truth: String
  /// The name of the most frequent wrong answer; of equals, the first class.
  public var answer: String
  /// The mean probability of the truth over the windows.
  public var truthProbability: Double
  /// The mean probability of ``answer`` over the windows.
  public var answerProbability: Double

  /// How long the windows last together, seconds.
  public var duration: Double { end - start }

  /// The stretches among the given windows, the longest first.
  ///
  /// Windows of one recording and label form a stretch when they follow each other by at most the
  /// length of a window, and none in between was right.
  static func stretches(
    of set: TrainingSet, windows: [Int], probabilities: [ActivityProbabilities]
  ) -> [FailedStretch] {
    let length = Double(ActivityClassifier.windowLength) / Double(FeatureExtractor.samplingRate)
    var runs: [[Int]] = []
    var previous: Int?
    var isOpen = false
    for row in set.ordered(windows) {
      let isWrong = probabilities[row].answer != set.activities[row]
      let follows =
        previous.map { last in
          set.originIndices[last] == set.originIndices[row]
            && set.activities[last] == set.activities[row]
            && set.ends[row].seconds(since: set.ends[last]) <= length
        } ?? false
      if isWrong {
        if isOpen, follows { runs[runs.count - 1].append(row) } else { runs.append([row]) }
      }
      isOpen = isWrong
      previous = row
    }
    return runs.map { stretch($0, of: set, probabilities, windowSeconds: length) }
      .sorted {
        ($1.windows, $0.dataset, $0.recording, $0.start)
          < ($0.windows, $1.dataset, $1.recording, $1.start)
      }
  }

  private static func stretch(
    _ rows: [Int], of set: TrainingSet, _ probabilities: [ActivityProbabilities],
    windowSeconds: Double
  ) -> FailedStretch {
    let origin = set.origin(ofRow: rows[0])
    let truth = set.activities[rows[0]]
    var counts = [Int](repeating: 0, count: Activity.allCases.count)
    for row in rows { counts[probabilities[row].answer.rawValue] += 1 }
    let answer = Activity.allCases.reduce(Activity.stationary) {
      counts[$1.rawValue] > counts[$0.rawValue] ? $1 : $0
    }
    func mean(_ activity: Activity) -> Double {
      rows.reduce(0) { $0 + Double(probabilities[$1][activity]) } / Double(rows.count)
    }
    return FailedStretch(
      dataset: origin.dataset, person: origin.person, recording: origin.recording,
      start: set.ends[rows[0]].seconds - windowSeconds,
      end: set.ends[rows[rows.count - 1]].seconds, windows: rows.count, truth: truth.name,
      answer: answer.name, truthProbability: mean(truth), answerProbability: mean(answer))
  }
}
