package import LocomotionActivityRecognition
package import LocomotionRecordings

/// The labelled windows of several data sets.
package struct LabelledWindows {
  package let set: TrainingSet
  /// Windows of custom activities that behave like none of the six.
  package let outside: TrainingSet
  /// What is wrong with the data sets, a line each.
  package private(set) var problems: [String] = []
  /// Labels that stand for none of the activities, a line each.
  package private(set) var ignoredLabels: [String] = []
  /// What the people of each data set have in common, by its name; see
  /// `GroupedEvaluation.groupScores(of:)`.
  package private(set) var traits: [String: [String: String]] = [:]

  /// Reads the data sets one after another.
  ///
  /// `read` opens the data set at a path, with the meaning of the custom activities' labels; before
  /// its recordings are read `begin` gets the folder, and `tell` the lines for a person: problems,
  /// and a summary of each data set.
  ///
  /// - Throws: `CommandFailure` when there are problems and `isStrict`; the errors of reading.
  package init(
    _ folders: [String], augmentation: AugmentationPlan, custom: [CustomActivity], seed: UInt64,
    isStrict: Bool = false, read: (String, [String: String]) throws -> LabelledDataset,
    begin: (String) -> Void = { _ in }, tell: (String) -> Void
  ) throws {
    guard !folders.isEmpty else { throw UsageError("name a data set with '--dataset DIRECTORY'") }
    var collector = WindowCollector(augmentation: augmentation, seed: seed)
    let labels = Dictionary(
      custom.map { ($0.name, $0.behavesLike?.name ?? DatasetDescriptor.ignore) }
    ) { $1 }
    var datasets: [LabelledDataset] = []
    for folder in folders {
      let dataset = try read(folder, labels)
      for problem in DatasetCheck(dataset).problems {
        problems.append("\(dataset.name): \(problem)")
        tell("problem: \(dataset.name): \(problem)\n")
      }
      traits[dataset.name] = dataset.traits
      datasets.append(dataset)
    }
    guard problems.isEmpty || !isStrict else { throw CommandFailure.strict(problems.count) }
    for dataset in datasets {
      begin(dataset.folder)
      let report = try collector.collect(dataset)
      let others = report.recordingsWithoutGravity
      tell(
        "\(dataset.name): \(report.recordings) recordings, \(report.windows) windows"
          + (others > 0 ? ", \(others) left out: not in m/s² with gravity" : "")
          + (report.augmentedWindows > 0 ? ", \(report.augmentedWindows) altered" : "")
          + (dataset.descriptor == nil ? "; no description: labels by their names" : "") + "\n")
      for ignored in dataset.ignoredLabels {
        let minutes = (10 * ignored.minutes).rounded() / 10
        ignoredLabels.append("\(dataset.name): '\(ignored.label)', \(minutes) min")
        tell("  label '\(ignored.label)' stands for no activity: \(minutes) min left out\n")
      }
    }
    (set, outside) = (collector.set, collector.outside)
    guard set.count > 0 else {
      throw CommandFailure(
        "\(folders.joined(separator: ", ")): no labelled window; expected accelerations of 3.84 s "
          + "and more inside the intervals of labels.csv", .rejected)
    }
  }
}

extension LabelledDataset {
  /// What its people have in common, as far as it is described.
  fileprivate var traits: [String: String] {
    var traits = ["data set": name]
    guard let descriptor else { return traits }
    if let rate = descriptor.samplingRate {
      traits["sampling rate"] =
        rate < 30 ? "below 30 Hz" : rate < 70 ? "30 to 70 Hz" : "from 70 Hz on"
    }
    traits["gyroscope"] = descriptor.sensors.contains("gyroscope") ? "yes" : "no"
    return traits
  }
}

extension CommandFailure {
  /// The end by so many problems of data sets, where none is allowed.
  package static func strict(_ problems: Int) -> Self {
    Self("\(problems) problems of the data, which '--strict' does not allow", .rejected)
  }
}
