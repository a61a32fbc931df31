public import LocomotionActivityRecognition

/// How well a model does: window by window, live and looking back.
///
/// Live and looking back are judged on streams: each person's windows of one activity, joined and
/// cut into runs of 1 to 10 minutes, all runs chained in random order. These have hard cuts and no
/// ambiguous moments: the delay is as in life, and the rest somewhat easier.
public struct EvaluationReport: Sendable, Hashable, Codable {
  /// Who was judged: "people not trained on", "data sets not trained on" or "given windows".
  public var protocolName: String
  /// Each window on its own, by its most probable class.
  public var windows = GroupedEvaluation()
  /// The live filter: each window with those before it.
  public var live = GroupedEvaluation()
  /// The smoother: each window with those before and after it.
  public var smoothed = GroupedEvaluation()
  /// How the live answers follow the streams in time.
  public var liveTiming = StreamTiming()
  /// How the answers in hindsight follow the streams in time.
  public var smoothedTiming = StreamTiming()

  /// A report without windows.
  public init(protocolName: String) {
    self.protocolName = protocolName
  }

  /// Judges `model` on `set`, which should hold nobody the model was trained on.
  ///
  /// An answer below the model's threshold counts as "unknown" in ``live`` and ``smoothed``.
  /// Altered copies are left out.
  ///
  /// - Parameters:
  ///   - model: The model, of as many features as the set has.
  ///   - set: Labelled windows; those of classes that the model lacks are skipped.
  ///   - smoother: How looking back differs from the live filter; as the model says when nil.
  ///   - seed: Decides the order of the streams.
  /// - Precondition: the model and the set have the same number of features.
  public init(
    of model: ActivityModel, on set: TrainingSet,
    smoother: ActivitySmoother.Settings? = nil, seed: UInt64 = 1
  ) {
    self.init(protocolName: "given windows")
    let parameters = model.parameters
    let probabilities = (0..<set.count).map { row in
      model.probabilities(of: Array(set.features(ofRow: row)).span)
    }
    let known = Set(parameters.classes)
    let judged = (0..<set.count).filter {
      set.origin(ofRow: $0).isAsRecorded && known.contains(set.activities[$0])
    }
    addWindows(set, judged, probabilities)
    windows.skippedWindows =
      (0..<set.count).count { set.origin(ofRow: $0).isAsRecorded } - judged.count
    let choice = TemporalCalibration.Choice(
      setting: TemporalFilter.Setting(
        dwellSeconds: parameters.dwellSeconds, evidenceExponent: parameters.evidenceExponent,
        smoother: smoother ?? ActivitySmoother(model: model).settings),
      temperature: Double(parameters.filteredTemperature),
      hindsightTemperature: Double(parameters.hindsightTemperature))
    addStreams(
      WindowStream.streams(of: set, windows: judged, seed: seed), set, probabilities,
      classes: parameters.classes, doubtThreshold: parameters.doubtThreshold
    ) { _ in choice }
  }

  /// The device's hysteresis.
  private static let changeRatio = ActivityClassifier.Settings().changeRatio

  mutating func addWindows(
    _ set: TrainingSet, _ judged: [Int], _ probabilities: [ActivityProbabilities]
  ) {
    for row in judged {
      windows.add(
        truth: set.activities[row], answer: probabilities[row].answer,
        probabilities: probabilities[row], origin: set.origin(ofRow: row))
    }
  }

  /// Runs the filter and the smoother over streams; `choice` gives each stream's setting.
  mutating func addStreams(
    _ streams: [WindowStream], _ set: TrainingSet, _ probabilities: [ActivityProbabilities],
    classes: [Activity], doubtThreshold: Float,
    choice: (WindowStream) -> TemporalCalibration.Choice
  ) {
    for stream in streams {
      let choice = choice(stream)
      let filter = TemporalFilter(
        classes: classes, setting: choice.setting, featureCount: set.featureCount)
      let liveRaw = filter.live(stream, windows: probabilities)
      let smoothedRaw = filter.smoothed(stream, windows: probabilities)
      var held: Activity?
      for (index, item) in stream.items.enumerated() {
        let truth = set.activities[item.window]
        let origin = set.origin(ofRow: item.window)
        let now = liveRaw[index].tempered(choice.temperature, classes: classes)
        let later = smoothedRaw[index].tempered(choice.hindsightTemperature, classes: classes)
        let answer = liveRaw[index].answer(after: held, changeRatio: Self.changeRatio)
        held = answer
        live.add(
          truth: truth, answer: now.confidence < doubtThreshold ? nil : answer,
          probabilities: now, origin: origin)
        smoothed.add(
          truth: truth,
          answer: later.confidence < doubtThreshold ? nil : later.answer,
          probabilities: later, origin: origin)
        let seconds = Double(item.elapsedSeconds)
        liveTiming.add(truth: truth, answer: answer, after: seconds)
        smoothedTiming.add(truth: truth, answer: later.answer, after: seconds)
      }
      liveTiming.end()
      smoothedTiming.end()
    }
  }
}
