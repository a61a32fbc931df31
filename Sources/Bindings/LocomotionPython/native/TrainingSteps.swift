internal import Foundation
internal import LocomotionActivityRecognition
internal import LocomotionLinearAlgebra
internal import LocomotionRecordings
internal import LocomotionSensing
internal import LocomotionTraining

/// The steps of a training that is divided among processes: those before the windows are known.
///
/// See `locomotion/fleet/train.py`, which calls them.
enum TrainingSteps {
  /// A person of a data set.
  private struct Person: Codable {
    var dataset: String
    var person: String
    /// The duration of the person's labels, seconds.
    var seconds: Double
  }

  /// Gives "people", JSON, and "ignored", a line for each label without an activity.
  static func givePeople(of folder: String, to results: Results) throws {
    let dataset = try dataset(folder)
    var seconds: [String: Double] = [:]
    for interval in dataset.intervals where interval.trainingActivity != nil {
      seconds[interval.subject, default: 0] += interval.duration
    }
    let people = seconds.sorted { $0.key < $1.key }.map {
      Person(dataset: dataset.name, person: $0.key, seconds: $0.value)
    }
    results.give("people", Array(try JSONEncoder().encode(people)))
    let ignored = dataset.ignoredLabels.map { label in
      "\(dataset.name): '\(label.label)', \((10 * label.minutes).rounded() / 10) min"
    }
    results.give("ignored", ignored.joined(separator: "\n"))
  }

  /// Gives the windows of a person; see ``give(_:to:)``.
  ///
  /// Besides "places" (Int64, one per window; see `WindowCollector`) and "failures": pairs of a
  /// recording that was set aside and the reason, as JSON.
  static func giveWindows(
    of person: String, in folder: String, isAltered: Bool, seed: UInt64, to results: Results
  ) throws {
    var settings = WindowCollector.Settings()
    settings.augmentation = isAltered ? .standard : .none
    settings.seed = seed
    var set = WindowCollector.emptySet()
    var places: [Int64] = []
    let (_, failures) = WindowCollector(settings: settings).collect(
      person: person, of: try dataset(folder), into: &set, places: &places)
    // What may be readable another time is no reason to train without it.
    for failure in failures where !failure.error.isInputRejection { throw failure.error }
    try give(set, to: results)
    results.give("places", places)
    let reasons = failures.map { [$0.recording, $0.error.description] }
    results.give("failures", Array(try JSONEncoder().encode(reasons)))
  }

  private static func dataset(_ folder: String) throws -> LabelledDataset {
    try LabelledDataset(folder: folder, descriptor: DatasetDescriptor.descriptor(for: folder))
  }

  /// Gives windows, one value per window where nothing else is said: "features" (Float, a row per
  /// window), "classes" (UInt8), "recordings" (Int32, the place in "origins"), "ends" (Int64,
  /// nanoseconds), "speeds" (Float, NaN for unknown), "has_rotation" (UInt8), "rotation" (Float, a
  /// row per window that has some) and "origins" (JSON).
  private static func give(_ set: TrainingSet, to results: Results) throws {
    results.give("features", set.features)
    results.give("classes", set.activities.map { UInt8($0.rawValue) })
    results.give("recordings", set.originIndices.map { Int32($0) })
    results.give("ends", set.ends.map(\.nanoseconds))
    results.give("speeds", set.speeds.map { $0 ?? .nan })
    results.give("has_rotation", set.rotationIndices.map { $0 == nil ? 0 : 1 as UInt8 })
    results.give("rotation", set.rotationFeatures)
    results.give("origins", Array(try JSONEncoder().encode(set.origins)))
  }

  /// The windows that ``give(_:to:)`` gave; without "features" each has one feature, 0.
  static func windows(_ parcel: Parcel) throws -> TrainingSet {
    let origins = try JSONDecoder().decode(
      [RecordingOrigin].self, from: Data(parcel.bytes("origins")))
    let classes: [UInt8] = parcel.values("classes")
    let recordings: [Int32] = parcel.values("recordings")
    let ends: [Int64] = parcel.values("ends")
    let speeds: [Float] = parcel.values("speeds")
    let features: [Float] = parcel.values("features")
    return TrainingSet(
      features: features.isEmpty ? Array(repeating: 0, count: classes.count) : features,
      rotationFeatures: parcel.values("rotation"),
      rotationFeatureCount: RotationFeatureExtractor.schema.count,
      activities: classes.map { Activity.allCases[Int($0)] },
      ends: ends.map { Timestamp(nanoseconds: $0) }, speeds: speeds.map { $0.isNaN ? nil : $0 },
      origins: origins, originIndices: recordings.map { Int($0) },
      hasRotation: parcel.bytes("has_rotation").map { $0 != 0 })
  }
}

/// A training that is divided among processes, from the counts of windows on.
final class DividedTraining {
  /// The number of windows of one kind.
  private struct Count: Codable {
    var dataset: String
    var person: String
    /// The place of the class among the six.
    var activity: Int
    var isAltered: Bool
    var windows: Int
    /// How many of them are as recorded.
    var recorded: Int
  }

  private let trainer: PartitionedTrainer
  private var equations: PartitionedEquations?

  /// A training with "seed" (UInt64) and "counts" (JSON).
  init(_ parcel: Parcel) throws {
    let counts = try JSONDecoder().decode([Count].self, from: Data(parcel.bytes("counts")))
    var settings = ModelTrainer.Settings()
    let seeds: [UInt64] = parcel.values("seed")
    if let seed = seeds.first { settings.seed = seed }
    trainer = try PartitionedTrainer(
      settings: settings,
      counts: counts.map {
        PartitionedTrainer.Count(
          dataset: $0.dataset, person: $0.person, activity: Activity.allCases[$0.activity],
          isAltered: $0.isAltered, windows: $0.windows, recorded: $0.recorded)
      })
  }

  /// Runs a step of ``PartitionedTrainer``, by the name of its function.
  ///
  /// "whole" trains on all windows in one process, with which tests and benchmarks compare: it
  /// gives "weights", or with "has_model" also held out, calibrated and as a file, "model".
  func run(_ step: String, _ parcel: Parcel, results: Results) throws {
    let features = FeatureExtractor.schema.count
    switch step {
    case "prefixes":
      let prefixes = trainer.prefixes(after: counts(parcel), features: features)
      results.give("prefixes", Array(prefixes.joined()))
      results.give("prefix_counts", prefixes.map { Int32($0.count) })
    case "counts":
      let counts = trainer.keyCounts(
        of: try TrainingSteps.windows(parcel), beginning: prefixes(parcel), level: level(parcel))
      results.give("indices", counts.indices)
      results.give("units", counts.weights)
    case "basis":
      let basis = trainer.basis(of: counts(parcel), features: features)
      results.give("means", basis.means)
      results.give("scales", basis.scales)
      results.give("knots", basis.knots)
    case "sums":
      give(trainer.sums(of: try TrainingSteps.windows(parcel), basis: basis(parcel)), to: results)
    case "solve":
      let equations = try PartitionedEquations(
        trainer, basis: basis(parcel), sums: try sums(parcel))
      results.give("weights", equations.fit.weights)
      self.equations = equations
    case "scores":
      give(try solved().scores(of: try TrainingSteps.windows(parcel)), to: results)
    case "model":
      try giveModel(parcel, to: results)
    case "whole":
      try giveWhole(parcel, to: results)
    default:
      preconditionFailure("expected the name of a step, got '\(step)'")
    }
  }

  private func solved() -> PartitionedEquations {
    guard let equations else { preconditionFailure("expected the step 'solve' before") }
    return equations
  }

  // MARK: Values between steps

  private func level(_ parcel: Parcel) -> Int {
    let levels: [Int32] = parcel.values("level")
    return Int(levels[0])
  }

  /// "indices_0", "units_0", "indices_1" …: what the step "counts" gave, summed, for the levels so
  /// far.
  private func counts(_ parcel: Parcel) -> [PartitionedTrainer.KeyCounts] {
    PartitionedTrainer.levels.indices.map { level in
      PartitionedTrainer.KeyCounts(
        indices: parcel.values("indices_\(level)"), weights: parcel.values("units_\(level)"))
    }.filter { !$0.indices.isEmpty }
  }

  private func prefixes(_ parcel: Parcel) -> [[UInt32]] {
    let counts: [Int32] = parcel.values("prefix_counts")
    let prefixes: [UInt32] = parcel.values("prefixes")
    var first = 0
    return counts.map { count in
      defer { first += Int(count) }
      return Array(prefixes[first..<first + Int(count)])
    }
  }

  private func basis(_ parcel: Parcel) -> HingeBasis {
    HingeBasis(
      means: parcel.values("means"), scales: parcel.values("scales"),
      knots: parcel.values("knots"))
  }

  /// A class in a data set.
  private struct PartName: Codable {
    var activity: Int
    var dataset: String
  }

  /// Gives "parts" (JSON), "elements" (128 bits each, part by part) and "outliers" (Double).
  private func give(_ sums: PartitionedTrainer.Sums, to results: Results) {
    let names = sums.parts.map {
      PartName(activity: $0.activity.rawValue, dataset: $0.dataset)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    results.give("parts", Array((try? encoder.encode(names)) ?? Data()))
    results.give("elements", Array(sums.parts.map(\.elements).joined()))
    results.give("outliers", sums.outliers)
  }

  private func sums(_ parcel: Parcel) throws -> PartitionedTrainer.Sums {
    let names = try JSONDecoder().decode([PartName].self, from: Data(parcel.bytes("parts")))
    let elements: [WideInteger] = parcel.values("elements")
    let size = elements.count / max(1, names.count)
    return PartitionedTrainer.Sums(
      parts: names.enumerated().map { index, name in
        PartitionedTrainer.Sums.Part(
          activity: Activity.allCases[name.activity], dataset: name.dataset,
          elements: Array(elements[index * size..<(index + 1) * size]))
      }, outliers: parcel.values("outliers"))
  }

  private func give(_ scores: PartitionedEquations.Scores, to results: Results) {
    results.give("without_person", scores.withoutPerson)
    results.give("knows_without_person", scores.knowsWithoutPerson.map { $0 ? 1 : 0 as UInt8 })
    results.give("without_dataset", scores.withoutDataset)
    results.give("knows_without_dataset", scores.knowsWithoutDataset.map { $0 ? 1 : 0 as UInt8 })
  }

  private func giveWhole(_ parcel: Parcel, to results: Results) throws {
    let windows = try TrainingSteps.windows(parcel)
    if parcel.bytes("has_model").isEmpty {
      let fit = try HingeRidgeTrainer(settings: trainer.settings.fit).train(on: windows)
      results.give("weights", fit.weights)
    } else {
      let (model, _) = try ModelTrainer(settings: trainer.settings).train(on: windows)
      results.give("model", model.file)
    }
  }

  /// Gives "model", the bytes of a model file, "report" as text and "json".
  private func giveModel(_ parcel: Parcel, to results: Results) throws {
    func flags(_ name: String) -> [Bool] { parcel.bytes(name).map { $0 != 0 } }
    var scores = PartitionedEquations.Scores()
    scores.withoutPerson = parcel.values("without_person")
    scores.knowsWithoutPerson = flags("knows_without_person")
    scores.withoutDataset = parcel.values("without_dataset")
    scores.knowsWithoutDataset = flags("knows_without_dataset")
    let windows = try TrainingSteps.windows(parcel)
    let (model, calibrated) = try solved().model(of: windows, scores: scores)
    var report = calibrated
    func lines(_ name: String) -> [String] {
      parcel.text(name).split(separator: "\n").map(String.init)
    }
    (report.dataProblems, report.ignoredLabels) = (lines("problems"), lines("ignored"))
    results.give("model", model.file)
    results.give("report", report.text)
    results.give("json", report.json)
  }
}
