package import LocomotionActivityRecognition
import LocomotionFormats
package import LocomotionRecordings
package import LocomotionTraining

extension LabelledWindows {
  /// The windows of the data sets given by `--dataset`, with a summary and their problems on
  /// standard error.
  package init(
    _ arguments: Arguments, augmentation: AugmentationPlan, custom: [CustomActivity] = []
  ) throws {
    let folders = arguments.all("dataset")
    var progress = ProgressBar(total: folders.count)
    try self.init(
      folders, augmentation: augmentation, custom: custom, seed: arguments.seed(),
      isStrict: arguments.has("strict")
    ) {
      try LabelledDataset(path: $0, customLabels: $1)
    } begin: {
      progress.advance(to: $0)
    } tell: {
      progress.clear()
      StandardError.write($0)
    }
  }
}

extension Arguments {
  /// The seed given by `--seed`, 1 when it is absent.
  package func seed() throws -> UInt64 {
    guard let text = value("seed") else { return 1 }
    guard let seed = UInt64(text) else {
      throw UsageError("'--seed \(text)': expected a whole number from 0 to 2^64 - 1")
    }
    return seed
  }

  /// Calls `body` with each labelled recording of the data sets of `--dataset` and its labels, and
  /// shows which it is at.
  ///
  /// - Parameters:
  ///   - sensor: Whether a recording has what is needed.
  ///   - words: The name of that.
  ///   - isUsed: Whether a label counts.
  ///   - body: Gets the recording, its labels and the set.
  /// - Throws: ``UsageError`` without a set; `RecordingError.nothingUsable` for one without such a
  ///   recording; what `body` throws.
  package func forEachRecording(
    _ sensor: KeyPath<LabelledDataset.Recording, Bool>, _ words: String,
    where isUsed: (LabelledDataset.Interval) -> Bool = { _ in true },
    _ body: (LabelledDataset.Recording, [LabelledDataset.Interval], LabelledDataset) throws -> Void
  ) throws {
    let folders = all("dataset")
    guard !folders.isEmpty else { throw UsageError("name a data set with '--dataset DIRECTORY'") }
    for folder in folders {
      let dataset = try LabelledDataset(path: folder)
      let labels = Dictionary(grouping: dataset.intervals.filter(isUsed), by: \.recording)
      let recordings = dataset.recordings.filter {
        $0[keyPath: sensor] && labels[$0.name] != nil
      }
      guard !recordings.isEmpty else {
        throw RecordingError.nothingUsable(
          path: folder, reason: "no labelled recording with \(words)")
      }
      var progress = ProgressBar(total: recordings.count)
      defer { progress.clear() }
      for recording in recordings {
        progress.advance(to: recording.path)
        try body(recording, labels[recording.name] ?? [], dataset)
      }
    }
  }

  /// The augmentation to train with.
  package var augmentation: AugmentationPlan { has("as-recorded") ? .none : .standard }
}

extension Option {
  package static let strict = Option(
    name: "strict", value: nil, help: "problems of the data are errors; see check-dataset")
  package static let dataset = Option(
    name: "dataset", value: "DIRECTORY…", help: "labelled data sets; see Datasets/README.md")
  package static let seed = Option(
    name: "seed", value: "NUMBER", help: "decides all that is random (default 1)")
  package static let asRecorded = Option(
    name: "as-recorded", value: nil, help: "train without altered copies of the recordings")
}
