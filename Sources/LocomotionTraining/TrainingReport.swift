public import LocomotionActivityRecognition

/// What a model was trained on, what was chosen for it, and how well it does on strangers.
public struct TrainingReport: Sendable, Hashable, Codable {
  /// What one data set contributed.
  public struct Source: Sendable, Hashable, Codable {
    /// The data set's name.
    public var dataset: String
    /// The number of people.
    public var people: Int
    /// Windows as recorded by activity name.
    public var windows: [String: Int]
    /// Windows of altered copies.
    public var augmentedWindows: Int
  }

  /// The data sets by name.
  public var sources: [Source]
  /// The model's classes.
  public var classes: [Activity]
  /// What the trainer was told.
  public var settings: ModelTrainer.Settings
  /// See `ActivityModel.Parameters.windowTemperature`.
  public var windowTemperature = 1.0
  /// See `ActivityModel.Parameters.dwellSeconds`.
  public var dwellSeconds = 120.0
  /// See `ActivityModel.Parameters.evidenceExponent`.
  public var evidenceExponent = 0.2
  /// The smoother's settings that suit people not trained on.
  public var smoother = ActivitySmoother.Settings()
  /// See `ActivityModel.Parameters.filteredTemperature`.
  public var filteredTemperature = 1.0
  /// See `ActivityModel.Parameters.hindsightTemperature`.
  public var hindsightTemperature = 1.0
  /// See `ActivityModel.Parameters.doubtThreshold`.
  public var doubtThreshold = 0.0
  /// See `ActivityModel.Parameters.noveltyLimit`.
  public var noveltyLimit = 0
  /// Each person judged by a model that was trained without that person.
  public var unseenPeople = EvaluationReport(protocolName: "people not trained on")
  /// Each data set judged by a model that was trained without it; nil with one data set.
  public var unseenDatasets: EvaluationReport?

  /// A report on `set` before anything was judged.
  init(set: TrainingSet, classes: [Activity], settings: ModelTrainer.Settings) {
    self.classes = classes
    self.settings = settings
    var sources: [String: Source] = [:]
    for row in 0..<set.count {
      let origin = set.origin(ofRow: row)
      var source =
        sources[origin.dataset]
        ?? Source(dataset: origin.dataset, people: 0, windows: [:], augmentedWindows: 0)
      if origin.isAsRecorded {
        source.windows[set.activities[row].name, default: 0] += 1
      } else {
        source.augmentedWindows += 1
      }
      sources[origin.dataset] = source
    }
    for (dataset, origins) in Dictionary(grouping: set.origins, by: \.dataset) {
      sources[dataset]?.people = Set(origins.map(\.person)).count
    }
    self.sources = sources.values.sorted { $0.dataset < $1.dataset }
  }

  /// The number of people.
  public var people: Int { sources.reduce(0) { $0 + $1.people } }

  /// The number of windows as recorded.
  public var windows: Int {
    sources.reduce(0) { $0 + $1.windows.values.reduce(0, +) }
  }
}
