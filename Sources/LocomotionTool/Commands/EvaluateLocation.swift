import Locomotion
import LocomotionEvaluation
import LocomotionRecordings
import LocomotionReplay

extension Command {
  /// Prints the errors of the locations of recordings against their reference tracks.
  static func evaluateLocation(_ arguments: Arguments) throws {
    for option in ["model", "leave-one-subject-out", "seed", "as-recorded", "report"]
    where arguments.has(option) {
      throw UsageError("'--\(option)' is about activities; leave it out with '--location'")
    }
    let recordings = try referencedRecordings(arguments)
    var evaluation = LocationEvaluation()
    var progress = ProgressBar(total: recordings.count)
    for recording in recordings {
      progress.advance(to: recording.path)
      defer { progress.clear() }
      let truth = LocationTruth(try ReferenceTrack(path: recording.reference))
      var all = LocomotionOutput()
      var replay = RecordingReplay()
      replay.ignoresMotion = arguments.has("without-accelerometer")
      try replay.run(recording.path) { output in
        all.samples += output.samples
        all.fixes += output.fixes
      }
      evaluation.add(recording.path, output: all, truth: truth)
    }
    var output = TextOutput.standard
    try output.write(arguments.has("json") ? evaluation.json + "\n" : evaluation.text)
    try output.finish()
  }

  /// The recordings given as operands, and those of the data sets that have fixes and a track.
  private static func referencedRecordings(
    _ arguments: Arguments
  ) throws -> [(path: String, reference: String)] {
    var found: [(path: String, reference: String)] = []
    for path in arguments.operands {
      guard let reference = ReferenceTrack.path(besideRecording: path) else {
        throw RecordingError.nothingUsable(
          path: path, reason: "no reference track, X.truth.csv[.gz], beside it")
      }
      found.append((path, reference))
    }
    for folder in arguments.all("dataset") {
      let before = found.count
      for recording in try LabelledDataset(folder: folder).recordings where recording.hasFixes {
        if let reference = recording.referencePath { found.append((recording.path, reference)) }
      }
      guard found.count > before else {
        throw RecordingError.nothingUsable(
          path: folder, reason: "no recording with fixes has an X.truth.csv[.gz] beside it")
      }
    }
    guard !found.isEmpty else {
      throw UsageError("name a recording, or a data set with '--dataset DIRECTORY'")
    }
    return found
  }
}
