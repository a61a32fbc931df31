import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
@_spi(Server) import LocomotionTool

extension Command {
  static let scoreLocation = Command(
    name: "score location",
    synopsis: "[RECORDING…] [--dataset DIRECTORY…] [--smooth-course] [--leave-one-out] [--json]",
    summary: "Scores locations, motion and stays against X.truth.csv beside the recordings.",
    operandCount: 0...Int.max,
    options: [
      .dataset,
      Option(
        name: "smooth-course", value: nil,
        help: "rides without X.truth.csv against a smooth course through their own fixes"),
      Option(
        name: "leave-one-out", value: nil,
        help: "the fixes alone, by settings chosen on the other recordings"),
      Option(name: "without-accelerometer", value: nil, help: "from the fixes alone"),
      Option(name: "json", value: nil, help: "the scores as JSON"),
    ],
    run: runScoreLocation)

  private static func runScoreLocation(_ arguments: Arguments) throws {
    let recordings = try referencedRecordings(arguments)
    var evaluation = LocationEvaluation(baselines: .all)
    var leftOut = SettingsLeftOut(baselines: LocationEvaluation.Baselines.textbook)
    var progress = ProgressBar(total: recordings.count)
    for recording in recordings {
      progress.advance(to: recording.path)
      defer { progress.clear() }
      var all = LocomotionOutput()
      var replay = RecordingReplay()
      replay.ignoresMotion = arguments.has("without-accelerometer")
      try replay.run(path: recording.path) { _, output in
        all.samples += output.samples
        all.fixes += output.fixes
      }
      let truth =
        if let reference = recording.reference {
          LocationTruth(try ReferenceTrack(path: reference))
        } else {
          try smoothCourse(of: recording.path, all.fixes.map(\.fix))
        }
      if arguments.has("leave-one-out") {
        leftOut.add(recording.path, fixes: all.fixes.map(\.fix), truth: truth)
      } else {
        evaluation.add(recording.path, output: all, truth: truth)
      }
    }
    if arguments.has("leave-one-out") { return try TextOutput.print(leftOut.text) }
    try TextOutput.print(arguments.has("json") ? evaluation.json + "\n" : evaluation.text)
  }

  private static func smoothCourse(
    of path: String, _ fixes: [LocationFix]
  ) throws -> LocationTruth {
    guard let truth = SmoothCourse.truth(of: fixes) else {
      throw RecordingError.nothingUsable(path: path, reason: "too few fixes for a smooth course")
    }
    return truth
  }

  /// The recordings given as operands, and those of the data sets that have fixes and a track.
  ///
  /// Without a track an operand may be scored against a smooth course through its own fixes.
  static func referencedRecordings(
    _ arguments: Arguments
  ) throws -> [(path: String, reference: String?)] {
    var found: [(path: String, reference: String?)] = []
    for path in arguments.operands {
      let reference = ReferenceTrack.path(besideRecording: path)
      guard reference != nil || arguments.has("smooth-course") else {
        throw RecordingError.nothingUsable(
          path: path, reason: "no reference track, X.truth.csv[.gz], beside it")
      }
      found.append((path, reference))
    }
    for folder in arguments.all("dataset") {
      let before = found.count
      for recording in try LabelledDataset(path: folder).recordings where recording.hasFixes {
        if let reference = ReferenceTrack.path(besideRecording: recording.path) {
          found.append((recording.path, reference))
        }
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
