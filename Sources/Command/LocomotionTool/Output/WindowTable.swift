import LocomotionActivityRecognition
import LocomotionRecordings
import LocomotionSensing
import LocomotionTraining

extension CSVTable<Int> {
  /// Writes labelled windows for models of other tools on the same windows and folds.
  ///
  /// One row per window: data set, person, recording, variant (empty for windows as recorded), the
  /// end in seconds, the activity, whether it is altered, the speed; the features by name; and the
  /// scores by additive hinges trained without the window's data set, empty where there are none.
  /// With several data sets one model per data set is trained.
  static func writeWindows(_ set: TrainingSet, to file: OutputFile) throws {
    let heldOut =
      set.countsByDataset.count > 1
      ? try HingeRidgeTrainer().heldOutScores(on: set, leavingOut: .dataset) : nil
    let columns =
      ["dataset", "person", "recording", "variant", "altered", "end", "activity", "speed"]
      + FeatureExtractor.schema.features.map { CSVLine.quoted($0.id) }
      + (heldOut?.classes ?? []).map { "score_\($0.name)" }
    try print(0..<set.count, to: TextOutput(file), header: columns.joined(separator: ",")) {
      row, line in
      let origin = set.origin(ofRow: row)
      for text in [origin.dataset, origin.person, origin.recording, origin.variant] {
        line.add(CSVLine.quoted(text))
      }
      line.add(origin.isAltered ? "1" : "0")
      line.add(nanoseconds: set.ends[row].nanoseconds)
      line.add(set.activities[row].name)
      line.add(set.speeds[row], decimals: 3)
      for value in set.features(ofRow: row) { line.add(value, decimals: 6) }
      if let heldOut {
        for value in heldOut.scores(ofWindow: row) {
          line.add(heldOut.hasModel[row] ? value : nil, decimals: 6)
        }
      }
    }
  }
}
