import LocomotionFormats
import LocomotionRecordings
@_spi(Server) import LocomotionTool

extension Arguments {
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
  func forEachRecording(
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
}
