import LocomotionActivityRecognition
import LocomotionRecordings
import LocomotionSensing
import LocomotionTraining

/// Labelled windows as CSV, for models of other tools on the same windows and folds.
///
/// One row per window: data set, person, recording, variant (empty for windows as recorded), the
/// end in seconds, the activity, whether it is altered, the speed; the features by name; and the
/// scores by additive hinges trained without the window's data set, empty where there are none.
struct WindowTable {
  let set: TrainingSet
  /// Nil with a single data set.
  let heldOut: HeldOutScores?

  /// A table of `set`; trains one model per data set.
  init(_ set: TrainingSet) throws {
    self.set = set
    guard Swift.Set(set.origins.map(\.dataset)).count > 1 else {
      heldOut = nil
      return
    }
    heldOut = try CrossValidation(trainer: HingeRidgeTrainer())
      .heldOutScores(on: set, leavingOut: .dataset)
  }

  func write(to file: OutputFile) throws {
    let features = FeatureExtractor.schema.features.map { CSVLine.quoted($0.id) }
    let scores = (heldOut?.classes ?? []).map { "score_\($0.name)" }
    let columns =
      ["dataset", "person", "recording", "variant", "altered", "end", "activity", "speed"]
      + features + scores
    let header = columns.joined(separator: ",")
    var table = try CSVTable<Int>(TextOutput(file), header: header) { row, add in
      try add { line in
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
    try table.finish(with: 0..<set.count)
  }
}
