public import LocomotionActivityRecognition

/// A model's training data, its chosen parameters, and its results on unseen people.
public struct TrainingReport: Sendable, Hashable, Codable {
  /// The contribution of one data set.
  public struct Source: Sendable, Hashable, Codable {
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
  /// The model's classes.
  @ActivityNames public var classes: [Activity]
  /// The trainer's settings.
  public var settings: ModelTrainer.Settings
  /// See `ActivityModel.Parameters.windowTemperature`.
  public var windowTemperature = 1.0
  /// See `ActivityModel.Parameters.dwellSeconds`.
  public var dwellSeconds = 120.0
  /// See `ActivityModel.Parameters.evidenceExponent`.
  var evidenceExponent = 0.2
  /// The smoother's settings, chosen on held-out people.
  public var smoother = ActivitySmoother.Settings()
  /// See `ActivityModel.Parameters.filteredTemperature`.
  var filteredTemperature = 1.0
  /// See `ActivityModel.Parameters.hindsightTemperature`.
  var hindsightTemperature = 1.0
  /// See `ActivityModel.Parameters.confidenceThreshold`.
  var confidenceThreshold = 0.0
  /// See `ActivityModel.Parameters.noveltyLimit`.
  var noveltyLimit = 0
  /// The results with rotation rates; nil when no window had any.
  public var rotation: Rotation?
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

  /// The gain by rotation rates.
  public struct Rotation: Sendable, Hashable, Codable {
    /// The number of windows as recorded that have them throughout.
    public var windows: Int
    /// The weighted accuracy on these windows from accelerations alone, when their data set, or
    /// with one set their person, is held out; nil when that wasn't measured.
    public var accuracyWithout: Double?
    /// The same with the rotation term, fitted without them too.
    public var accuracy: Double?
    /// Whether the model has a term.
    public var isKept: Bool
    /// See `ActivityModel.RotationTerm.filteredTemperature`.
    var filteredTemperature = 1.0
    /// See `ActivityModel.RotationTerm.hindsightTemperature`.
    var hindsightTemperature = 1.0
  }

  /// The adaptation of a base model.
  public struct Adaptation: Sendable, Hashable, Codable {
    /// How strongly the weights were pulled towards the base's; infinite when no strength was
    /// better than the unchanged base, which is stored as nil.
    public var strength: Double?
    /// The folds by which the strength was chosen; nil when cross-validation wasn't possible.
    public var leftOut: ModelAdapter.LeftOut?
    /// The accuracy on held-out windows, all classes weighted alike, by ``ModelAdapter/strengths``.
    ///
    /// The last entry is the base's. There is one entry when the strength was given, and none
    /// without cross-validation.
    var accuracies: [Double]
    /// The classes of the new windows; the others are unchanged.
    @ActivityNames public var adaptedClasses: [Activity]
    /// Whether temperature, temporal model and confidence threshold were refitted.
    public var isRecalibrated: Bool
    /// The base evaluated on the new windows.
    public var base: EvaluationReport
    /// The manifest of the base; nil when it has none.
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

  /// Scores groups of people, where each was left out and where each data set was.
  ///
  /// - Parameter traits: See `GroupedEvaluation.groupScores(of:)`.
  package mutating func describeGroups(of traits: [String: [String: String]]) {
    unseenPeople.groups = unseenPeople.live.groupScores(of: traits)
    if let groups = unseenDatasets?.live.groupScores(of: traits) { unseenDatasets?.groups = groups }
  }

  /// Sets the parameters that were chosen on held-out windows.
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

/// An activity that is stored by its name, for people and other programs.
@propertyWrapper
public struct ActivityName: Sendable, Hashable, Codable {
  /// The activity.
  public var wrappedValue: Activity

  /// An activity.
  public init(wrappedValue: Activity) {
    self.wrappedValue = wrappedValue
  }

  /// Restores an activity; throws when its name is unknown.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard let activity = Activity(name: name) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "activity '\(name)'")
    }
    wrappedValue = activity
  }

  /// Stores the name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue.name)
  }
}

/// Activities that are stored by their names, like ``ActivityName``.
@propertyWrapper
public struct ActivityNames: Sendable, Hashable, Codable {
  /// The activities.
  public var wrappedValue: [Activity]

  /// A list of activities.
  public init(wrappedValue: [Activity]) {
    self.wrappedValue = wrappedValue
  }

  /// Restores a list; throws when an activity has an unknown name.
  public init(from decoder: any Decoder) throws {
    wrappedValue = try [ActivityName](from: decoder).map(\.wrappedValue)
  }

  /// Stores the names.
  public func encode(to encoder: any Encoder) throws {
    try wrappedValue.map { ActivityName(wrappedValue: $0) }.encode(to: encoder)
  }
}
