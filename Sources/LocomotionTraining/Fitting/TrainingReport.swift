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
  /// See `ActivityModel.Parameters.confidenceThreshold`.
  public var confidenceThreshold = 0.0
  /// See `ActivityModel.Parameters.noveltyLimit`.
  public var noveltyLimit = 0
  /// What became of the rotation rates; nil when no window had any.
  public var rotation: Rotation?
  /// What the model was trained on top of; nil when it was trained from nothing.
  public var adaptation: Adaptation?
  /// Each person evaluated by a model that was trained without that person.
  public var unseenPeople = EvaluationReport(protocolName: "people not trained on")
  /// Other methods beside the model's on single windows of people not trained on.
  public var comparison: [MethodScore] = []
  /// Each data set evaluated by a model that was trained without it; nil with one data set.
  public var unseenDatasets: EvaluationReport?

  /// What rotation rates brought.
  public struct Rotation: Sendable, Hashable, Codable {
    /// The number of windows as recorded that have them throughout.
    public var windows: Int
    /// The weighted fraction of these windows that the accelerations name rightly, when their data
    /// set, or with one set their person, is left out; nil when that wasn't measured.
    public var accuracyWithout: Double?
    /// The same with the rotation term, fitted without them too.
    public var accuracy: Double?
    /// Whether the model has a term.
    public var isKept: Bool
    /// See `ActivityModel.RotationTerm.filteredTemperature`.
    public var filteredTemperature = 1.0
    /// See `ActivityModel.RotationTerm.hindsightTemperature`.
    public var hindsightTemperature = 1.0
  }

  /// How a model was trained on top of another.
  public struct Adaptation: Sendable, Hashable, Codable {
    /// How strongly the weights were held at the base's; infinite when nothing was better than the
    /// base as it is, which is stored as nil.
    public var strength: Double?
    /// What was left out in turn to choose the strength; nil when there was nothing to leave out.
    public var leftOut: ModelAdapter.LeftOut?
    /// The accuracy of windows left out, all classes alike, by ``ModelAdapter/strengths``.
    ///
    /// The last entry is the base's. There is one entry when the strength was given, and none when
    /// nothing was left out.
    public var accuracies: [Double]
    /// The classes that the new windows have; the others stayed as they were.
    public var adaptedClasses: [Activity]
    /// Whether temperature, time model and threshold of doubt were chosen anew.
    public var isRecalibrated: Bool
    /// The base evaluated on the new windows.
    public var base: EvaluationReport
    /// What the base itself was trained on, as far as its manifest says.
    public var baseManifest: ModelManifest?
  }

  /// A report on `set` before anything was evaluated.
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

  /// Takes over what was chosen by scores of windows left out.
  mutating func calibrate(
    as calibration: HeldOutEvaluator.Calibration, largestConfidenceThreshold: Double
  ) {
    windowTemperature = calibration.windowTemperature
    dwellSeconds = Double(calibration.temporal.setting.dwellSeconds)
    evidenceExponent = Double(calibration.temporal.setting.evidenceExponent)
    smoother = calibration.temporal.setting.smoother
    filteredTemperature = calibration.temporal.temperature
    hindsightTemperature = calibration.temporal.hindsightTemperature
    confidenceThreshold = min(calibration.confidenceThreshold, largestConfidenceThreshold)
    if let live = calibration.temporal.rotationTemperature,
      let hindsight = calibration.temporal.rotationHindsightTemperature
    {
      rotation?.filteredTemperature = live
      rotation?.hindsightTemperature = hindsight
    }
  }

  /// The number of people.
  public var people: Int { sources.reduce(0) { $0 + $1.people } }

  /// The number of windows as recorded.
  public var windows: Int {
    sources.reduce(0) { $0 + $1.windows.values.reduce(0, +) }
  }
}
