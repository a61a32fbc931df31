internal import Foundation
internal import LocomotionActivityRecognition
internal import LocomotionFormats
internal import LocomotionRecordings
internal import LocomotionSensing
internal import LocomotionTraining

struct TrainingTable {
  var features: [Float]
  /// The place of each row's class: of the six, then of the custom ones.
  var classes: [Int32]
  var weights: [Double]
  /// The number of each row's person; empty when all rows are of one.
  var groups: [Int32]
  /// The exponents `subject` and `classes` of `WindowBalance`, and the ridge.
  var settings: [Double]
  /// The custom classes; see ``CustomClasses``.
  var custom: String

  /// Gives "classifier", as JSON.
  func giveClassifier(to results: Results) throws {
    let settings = HingeRidgeTrainer.Settings(
      ridge: settings[2], balance: WindowBalance(subject: settings[0], classes: settings[1]))
    let custom = try CustomClasses(custom).activities
    guard !classes.isEmpty else { throw TrainingError.empty }
    let width = features.count / classes.count
    var set = TrainingSet(featureCount: width)
    for row in classes.indices {
      let place = Int(classes[row]) - CustomClasses.first
      let own = place < 0 ? nil : custom[place]
      let person = groups.isEmpty ? "" : "\(groups[row])"
      set.append(
        features[row * width..<(row + 1) * width],
        activity: own.map { $0.behavesLike ?? .stationary } ?? Activity.allCases[Int(classes[row])],
        origin: RecordingOrigin(
          dataset: "", person: person, recording: person, customActivity: own?.name ?? ""),
        end: Timestamp(nanoseconds: 0), weight: weights[row])
    }
    let classifier = try TableTrainer.train(on: set, custom: custom, settings: settings)
    results.give("classifier", try ClassifierFile.bytes(of: classifier))
  }
}

/// Custom classes as text, a line each: the name, a tab, and the activity that it behaves like, or
/// nothing for none.
struct CustomClasses {
  /// The place of the first one, behind the six.
  static let first = Activity.allCases.count
  let activities: [CustomActivity]

  init(_ text: String) throws {
    activities = try text.split(separator: "\n").map { line in
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2,
        let activity = CustomActivity(name: parts[0], behavesLike: Activity(name: parts[1]))
      else {
        throw UsageError(
          "classes: expected names of 1 to 32 letters a-z, digits, '-' and '_' that begin with a "
            + "letter and have no other meaning, got '\(parts[0])'")
      }
      return activity
    }
    let most = ActivityModel.CustomTerm.largestCount
    guard activities.count <= most else {
      throw UsageError("classes: expected \(most) at most, got \(activities.count)")
    }
  }

  /// The text of those of a model.
  static func text(of custom: [CustomActivity]) -> String {
    custom.map { "\($0.name)\t\($0.behavesLike?.name ?? "")" }.joined(separator: "\n")
  }
}

/// Classifiers as JSON, and model files.
enum ClassifierFile {
  static func bytes(of classifier: TableClassifier) throws -> [UInt8] {
    let encoder = JSONEncoder()
    // The same classifier has the same bytes.
    encoder.outputFormatting = [.sortedKeys]
    return Array(try encoder.encode(classifier))
  }

  private static func classifier(_ bytes: [UInt8]) throws -> TableClassifier {
    try JSONDecoder().decode(TableClassifier.self, from: Data(bytes))
  }

  /// Gives "probabilities" (Double, one per row and class).
  static func giveProbabilities(
    by bytes: [UInt8], _ features: [Float], width: Int, to results: Results
  ) throws {
    let classifier = try classifier(bytes)
    var probabilities: [Double] = []
    for start in stride(from: 0, to: features.count, by: width) {
      probabilities += classifier.probabilities(features[start..<start + width])
    }
    results.give("probabilities", probabilities)
  }

  /// Gives "model", the bytes of a model file.
  static func giveModel(of bytes: [UInt8], to results: Results) throws {
    let classifier = try classifier(bytes)
    let width = classifier.fit.basis.means.count
    guard width == FeatureExtractor.schema.count else {
      throw UsageError(
        "expected a classifier of the \(FeatureExtractor.schema.count) features of windows, "
          + "which a phone computes, got one of \(width)")
    }
    results.give("model", classifier.model().file)
  }

  /// The model in a file; the built-in one when there are no bytes.
  static func model(of bytes: [UInt8]) throws -> ActivityModel {
    do {
      return bytes.isEmpty ? .default : try ActivityModel(file: bytes)
    } catch {
      throw CommandFailure("the model: \(error)", .rejected)
    }
  }

  /// Gives "classifier", as JSON, "classes" (UInt8, the place of each among the six) and "custom"
  /// (``CustomClasses``); of the built-in model when there are no bytes.
  static func giveClassifier(of bytes: [UInt8], to results: Results) throws {
    let model = try model(of: bytes)
    let classifier = TableClassifier(model)
    results.give("classifier", try Self.bytes(of: classifier))
    results.give("classes", classifier.fit.classes.map { UInt8($0.rawValue) })
    results.give("custom", CustomClasses.text(of: model.customActivities))
  }
}

/// Windows of accelerations and their features.
enum WindowTables {
  private static let width = FeatureExtractor.schema.count

  /// Gives "features" (Float, one row per window).
  static func giveFeatures(
    of samples: [Float], length: Int, to results: Results
  ) {
    var extractor = FeatureExtractor()
    var features: [Float] = []
    var row = ContiguousArray<Float>(repeating: 0, count: width)
    var window = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: length)
    for first in stride(from: 0, to: samples.count, by: 3 * length) {
      for index in 0..<length {
        let place = first + 3 * index
        window[index] = SIMD4(samples[place], samples[place + 1], samples[place + 2], 0)
      }
      var span = row.mutableSpan
      extractor.extract(from: window.span, into: &span)
      features += row
    }
    results.give("features", features)
  }

  /// Gives "names", a line each: the feature's name, a tab, its definition.
  static func giveNames(to results: Results) {
    results.give(
      "names",
      FeatureExtractor.schema.features.map { "\($0.id)\t\($0.definition)" }
        .joined(separator: "\n"))
  }

  /// Gives the windows of data sets: "features" (Float), "classes" (UInt8, as ``TrainingTable`` has
  /// them), "recordings" (Int32, the row of "origins"), "ends" (Int64, nanoseconds), "is_altered"
  /// (UInt8), "origins", a line each of data set, person and recording, separated by tabs,
  /// "problems" of the data sets, and "report", a line each of what was read and left out.
  static func giveWindows(
    of folders: [String], custom: String, isAltered: Bool, seed: UInt64, to results: Results
  ) throws {
    let custom = try CustomClasses(custom).activities
    var report = ""
    let windows = try LabelledWindows(
      folders, augmentation: isAltered ? .standard : .none, custom: custom, seed: seed
    ) {
      try LabelledDataset(path: $0, customLabels: $1)
    } tell: {
      report += $0
    }
    var set = windows.set
    set.append(contentsOf: windows.outside)
    give(set, custom, to: results)
    results.give("report", report)
    results.give("problems", windows.problems.joined(separator: "\n"))
  }

  private static func give(
    _ set: TrainingSet, _ custom: [CustomActivity] = [], to results: Results
  ) {
    let places = Dictionary(
      custom.enumerated().map { ($1.name, CustomClasses.first + $0) }
    ) { $1 }
    let rows = 0..<set.count
    results.give("features", set.features)
    results.give(
      "classes",
      rows.map {
        UInt8(places[set.origin(ofRow: $0).customActivity] ?? set.activities[$0].rawValue)
      })
    results.give("recordings", set.originIndices.map { Int32($0) })
    results.give("ends", set.ends.map(\.nanoseconds))
    results.give("is_altered", rows.map { set.origin(ofRow: $0).isAsRecorded ? 0 : 1 as UInt8 })
    results.give(
      "origins",
      set.origins.map { "\($0.dataset)\t\($0.person)\t\($0.recording)" }
        .joined(separator: "\n"))
  }

  /// Gives "recordings" of a data set, a line each with labels of activities: the name, a tab, and
  /// the seconds of these labels.
  static func giveRecordings(of folder: String, to results: Results) throws {
    var seconds: [String: Double] = [:]
    let dataset = try LabelledDataset(path: folder)
    for interval in dataset.intervals where interval.trainingActivity != nil {
      seconds[interval.recording, default: 0] += interval.duration
    }
    let lines = dataset.recordings.compactMap { recording in
      seconds[recording.name].map { "\(recording.name)\t\($0)" }
    }
    results.give("recordings", lines.joined(separator: "\n"))
  }

  /// Gives the windows of some recordings of a data set, "features" to "origins" as of whole data
  /// sets, and "failures", a line each of a recording that was set aside, a tab, and the reason.
  static func giveWindows(
    ofRecordings names: [String], in folder: String, isAltered: Bool, seed: UInt64,
    to results: Results
  ) throws {
    var collector = WindowCollector(augmentation: isAltered ? .standard : .none, seed: seed)
    let dataset = try LabelledDataset(path: folder)
    var report = WindowCollector.Report()
    var failures: [String] = []
    for recording in dataset.recordings where names.contains(recording.name) {
      do throws(RecordingError) {
        try collector.collect(recording, of: dataset, &report)
      } catch {
        // What may be readable another time is no reason to go on without it.
        guard error.isInputRejection else { throw error }
        failures.append("\(recording.name)\t\(error.description)")
      }
    }
    give(collector.set, to: results)
    results.give("failures", failures.joined(separator: "\n"))
  }
}
