import Foundation
public import LocomotionActivityRecognition
import LocomotionRecordings

/// A model's training data, its chosen parameters, and its results on unseen people.
public struct TrainingReport: Sendable, Equatable, Encodable {
  /// The contribution of one data set.
  public struct Source: Sendable, Equatable, Codable {
    /// The data set's name.
    public var dataset: String
    /// The number of people.
    public var people: Int
    /// Windows as recorded by activity name.
    public var windows: [String: Int]
    /// Windows of augmented copies.
    public var augmentedWindows: Int
  }

  /// The data sets by name.
  public var sources: [Source]
  /// What is wrong with the data, as far as it was looked for: a line each.
  public var dataProblems: [String] = []
  /// Labels that stand for none of the activities, with their minutes: a line each.
  public var ignoredLabels: [String] = []
  /// The names of the model's classes.
  public var classes: [String]
  var settings: ModelTrainer.Settings
  /// The parameters that were chosen on held-out people.
  package internal(set) var calibration = ModelCalibration(filter: TemporalCalibration.plainest)
  /// The adaptation of a base model; nil when the model was trained from scratch.
  public var adaptation: Adaptation?
  /// How well custom activities are recognised, by people left out; empty without any.
  public var custom: [CustomTermTrainer.Score] = []
  /// How well fixes alone tell the activities, by data sets left out; empty when they don't.
  package var track: [TrackTermTrainer.Score] = []
  /// The evaluation of each person by a model trained without that person.
  public var unseenPeople = EvaluationReport(protocolName: "people not trained on")
  /// The evaluation of each data set by a model trained without it; nil with one data set.
  public var unseenDatasets: EvaluationReport?

  /// The adaptation of a base model.
  public struct Adaptation: Sendable, Equatable, Encodable {
    /// Why the weights are as they are.
    public var outcome: LearnedModel.Outcome
    /// The stretches of a label that the base learned from.
    public var stretches: Int
    /// The number of further ones that all others contradict, and that don't count.
    public var contradicted: Int
    /// What was left out in turn to evaluate what was learned; nil when there was nothing to.
    public var leftOut: ModelAdapter.LeftOut?
    /// The base evaluated on the new windows.
    public var base: EvaluationReport
    /// The manifest of the base; nil when it has none.
    var baseManifest: ModelManifest?
  }

  /// A report on `set` before anything was evaluated.
  init(set: TrainingSet, classes: [Activity], settings: ModelTrainer.Settings) {
    self.classes = classes.map(\.name)
    self.settings = settings
    let rows = Dictionary(grouping: 0..<set.count) { set.origin(ofRow: $0).dataset }
    sources = rows.sorted { $0.key < $1.key }.map { dataset, rows in
      let recorded = rows.filter { set.origin(ofRow: $0).isAsRecorded }
      return Source(
        dataset: dataset, people: Set(rows.map { set.origin(ofRow: $0).person }).count,
        windows: recorded.reduce(into: [:]) { $0[set.activities[$1].name, default: 0] += 1 },
        augmentedWindows: rows.count - recorded.count)
    }
  }

  /// A report on `set` with the calibration of a model, before anything was evaluated.
  init(set: TrainingSet, calibratedAs base: ActivityModel, seed: UInt64) {
    self.init(
      set: set, classes: base.parameters.classes, settings: ModelTrainer.Settings(seed: seed))
    calibration = ModelCalibration(of: base)
  }

  /// Tells what the data sets are like, and scores groups of people, where each was left out and
  /// where each data set was.
  package mutating func describe(_ windows: LabelledWindows) {
    (dataProblems, ignoredLabels) = (windows.problems, windows.ignoredLabels)
    unseenPeople.groups = unseenPeople.live.groupScores(of: windows.traits)
    if let groups = unseenDatasets?.live.groupScores(of: windows.traits) {
      unseenDatasets?.groups = groups
    }
  }

  /// The number of people.
  public var people: Int { sources.reduce(0) { $0 + $1.people } }

  /// The number of windows as recorded.
  public var windows: Int {
    sources.reduce(0) { $0 + $1.windows.values.reduce(0, +) }
  }
}

extension LearnedModel.Outcome: Encodable {}

/// What a model was trained on, as its file says it in JSON.
///
/// It contains no person's name.
public struct ModelManifest: Sendable, Equatable, Codable {
  /// The contribution of each data set.
  public var sources: [TrainingReport.Source]
  /// The sources of the base model; nil without one.
  public var baseSources: [TrainingReport.Source]?

  /// That of the model whose report this is.
  public init(_ report: TrainingReport) {
    sources = report.sources
    baseSources = report.adaptation?.baseManifest.map { ($0.baseSources ?? []) + $0.sources }
  }

  /// The manifest of `model`, or nil when it isn't one of these.
  public init?(of model: ActivityModel) {
    let data = Data(model.parameters.manifest.utf8)
    guard let manifest = try? JSONDecoder().decode(Self.self, from: data) else { return nil }
    self = manifest
  }

  /// The manifest as JSON with sorted keys.
  public var json: String { JSONText.compact(self) }
}
