import Foundation
import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import LocomotionReport
package import LocomotionSensing

extension Command {
  static let locate = Command(
    name: "locate",
    synopsis: "RECORDING [--mode live|lagged|smoothed] [--lag SECONDS] [--map FILE]",
    summary: "Prints the filtered location for every fix, as CSV.",
    operandCount: 1...1,
    options: [
      mode(.live, lag: "the seconds of --lag"),
      Option(name: "lag", value: "SECONDS", help: "how much later 'lagged' answers (default 6)"),
      Option(name: "map", value: "FILE", help: "as for 'timeline'; positions stay as they are"),
    ] + Option.recording,
    run: runLocate)

  private enum HindsightMode: String, CaseIterable {
    case live, lagged, smoothed
  }

  /// The option that says how much of what came later an answer knows.
  private static func mode(_ usual: HindsightMode, lag: String) -> Option {
    Option(
      name: "mode", value: "MODE",
      help: "live: known at the time; lagged: known \(lag) later; smoothed: with all that came "
        + "later (default \(usual))")
  }

  private static func runLocate(_ arguments: Arguments) throws {
    let mode = try arguments.choice("mode", default: HindsightMode.live)
    let lag = try arguments.number("lag", default: LocationSmoother.lagSeconds, in: 0...3600)
    // What is no map is an error here, too.
    _ = try arguments.map()
    var table = try CSVTable.locations(.standard)
    let source = try arguments.source()
    var replay = RecordingReplay(jobs: 1)
    replay.leavesWindowsOut = true
    try table.write(\.fixes, of: source, by: &replay, isLive: mode == .live) { reports in
      reports = Hindsight.locations(reports, lag: mode == .lagged ? lag : nil)
    }
  }

  static let cadence = Command(
    name: "cadence",
    synopsis: "RECORDING [--mode live|lagged|smoothed] [--model FILE] [--without-hints]",
    summary: "Prints the step rate and the steps of every second, as CSV.",
    operandCount: 1...1,
    options: [
      mode(.smoothed, lag: "3 s"), .model,
      Option(
        name: "without-hints", value: nil,
        help: "from accelerations alone, whatever activity and speed look like"),
    ] + Option.recording,
    run: runCadence)

  private static func runCadence(_ arguments: Arguments) throws {
    let mode = try arguments.choice("mode", default: HindsightMode.smoothed)
    var table = try CSVTable.cadences(.standard)
    var settings = LocomotionPipeline.Settings()
    settings.cadence.usesHints = !arguments.has("without-hints")
    let source = try arguments.source()
    let model = try arguments.model()
    var replay = RecordingReplay(model: model, settings: settings)
    guard mode == .smoothed, settings.cadence.usesHints else {
      return try table.write(\.samples, of: source, by: &replay, isLive: mode == .live) {
        Hindsight.lagCadences(of: &$0)
      }
    }
    var held = HindsightStream.Settings()
    held.seconds = .withoutLocations
    var hindsight = HindsightStream(settings: held, model: model)
    try replay.run(source) { _, output in
      hindsight.append(output)
      for sample in hindsight.takeSamples() { try table.write(sample) }
    }
    hindsight.finish()
    try table.finish(with: hindsight.takeSamples())
    source.tell(replay.report)
  }

  static let classify = Command(
    name: "classify",
    synopsis: "RECORDING [--mode live|lagged|smoothed] [--model FILE] [--explain]",
    summary: "Prints the activity and its probabilities for every second, as CSV.",
    operandCount: 1...1,
    options: [
      mode(.live, lag: "10 s"), .model,
      Option(
        name: "explain", value: nil,
        help: "instead, the five features that speak most for each answer: rows of "
          + "t_end,activity,runner_up,feature,value,contribution; the contribution is how much "
          + "more than in an average window the feature adds to the activity's score than to the "
          + "runner-up's; a doubtful answer is explained like a given one"),
    ] + Option.recording,
    run: runClassify)

  private static func runClassify(_ arguments: Arguments) throws {
    // The word of earlier versions.
    let isSettled = arguments.value("mode") == "settled"
    let mode = isSettled ? .lagged : try arguments.choice("mode", default: HindsightMode.live)
    let model = try arguments.model()
    if arguments.has("explain") { return try explain(arguments, mode, model) }
    var table = try CSVTable.activities(.standard, custom: model.namedActivities)
    let source = try arguments.source()
    if mode == .smoothed {
      let analysis = try Analysis(of: source, model: model)
      try table.finish(with: analysis.samples)
      return source.tell(analysis.report)
    }
    var replay = RecordingReplay(model: model)
    try table.write(\.samples, of: source, by: &replay, isLive: mode == .live) { samples in
      smoothActivities(of: &samples, mode, model)
    }
  }

  private static func smoothActivities(
    of samples: inout [LocomotionSample], _ mode: HindsightMode, _ model: ActivityModel
  ) {
    let lag = mode == .lagged ? ActivitySmoother.lagSeconds : nil
    Hindsight.smoothActivities(of: &samples, lag: lag, model: model)
  }

  private static func explain(
    _ arguments: Arguments, _ mode: HindsightMode, _ model: ActivityModel
  ) throws {
    var table = try CSVTable.explanations(.standard, model: model)
    var samples: [LocomotionSample] = []
    var features: [WindowHistory.Features?] = []
    var history = WindowHistory()
    let source = try arguments.source()
    var replay = RecordingReplay(model: model)
    try replay.run(source) { batch, output in
      history.append(batch)
      samples += output.samples
      features += output.samples.map { history.takeFeatures(ofSecondEndingAt: $0.end) }
    }
    if mode != .live { smoothActivities(of: &samples, mode, model) }
    for (sample, window) in zip(samples, features) {
      try table.write(ExplainedSample(sample: sample, window: window))
    }
    try table.finish()
    source.tell(replay.report)
  }

  static let timeline = Command(
    name: "timeline",
    synopsis: "RECORDING [--json] [--model FILE] [--map FILE]",
    summary: "Prints the stays, trips and gaps that tile the recording's time.",
    operandCount: 1...1,
    options: [
      Option(name: "json", value: nil, help: "JSON, as whenever the output isn't a terminal"),
      .model, .map,
    ] + Option.recording,
    run: runTimeline)

  private static func runTimeline(_ arguments: Arguments) throws {
    let source = try arguments.source()
    let model = try arguments.model()
    let isText = !arguments.has("json") && isatty(1) == 1
    if isText || arguments.value("map") != nil {
      let analysis = try Analysis(of: source, model: model)
      var result = AnalysisResult(source.path, analysis)
      result.locale.map = try arguments.map()
      try result.consultMap()
      if isText {
        try TextOutput.print(TextSummary(result, style: TextSummary.ofStandardOutput))
      } else {
        try TextOutput.print(TimelineDocument(result).json + "\n")
      }
      return source.tell(analysis.report)
    }
    let analysis = try Analysis(timelineOf: source, model: model)
    try TextOutput.print(TimelineDocument(analysis.items).json + "\n")
    source.tell(analysis.report)
  }
}

extension Option {
  package static let model = Option(
    name: "model", value: "FILE", help: "a model file instead of the built-in model")
}

/// The features of the windows of a recording, second by second.
///
/// The pipeline does not retain windows. To explain its decisions they are cut again, by the same
/// code.
package struct WindowHistory {
  /// The features of a window in the order of the extractors' schemas; those of the rotation are
  /// empty when the rates were not measured throughout.
  package typealias Features = (accelerations: [Float], rotation: [Float])

  private var epochs = EpochPipeline(settings: .init())
  private var output = LocomotionOutput()
  private var windows = WindowDescriber()

  package init() {}

  /// Takes in a batch; an empty one is the end of the recording.
  package mutating func append(_ batch: SensorBatch) {
    if batch.isEmpty {
      epochs.finish(windows: &windows, into: &output)
    } else {
      epochs.ingest(batch, windows: &windows, into: &output)
    }
    output.removeAll()
  }

  /// The features of the window that was classified for the second that ends at `end`, once; nil
  /// when there was none.
  package mutating func takeFeatures(ofSecondEndingAt end: Timestamp) -> Features? {
    windows.features.removeValue(forKey: end)
  }
}

/// Describes the windows that the classifier takes for evidence.
private struct WindowDescriber: WindowProcessor {
  /// The features by the ends of the seconds.
  var features: [Timestamp: WindowHistory.Features] = [:]
  private var classifier = ActivityClassifier(model: .default)

  mutating func process(
    _ epoch: EpochContext, ofSample number: Int, accelerations: Span<SIMD4<Float>>,
    rotation: Span<SIMD4<Float>>, into sample: inout LocomotionSample
  ) {
    let found = classifier.analyze(window: accelerations, rotation: rotation)
    if case .unusable = found { return }
    features[sample.end] = (classifier.lastFeatures, classifier.lastRotationFeatures)
  }
}
