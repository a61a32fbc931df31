import Locomotion
import LocomotionActivityRecognition
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import LocomotionTraining

extension Command {
  static let evaluatePauses = Command(
    name: "evaluate pauses",
    synopsis: "--dataset DIRECTORY… [--model FILE]",
    summary: "Scores activities and steps when pieces are cut out of labelled recordings.",
    operandCount: 0...0,
    options: [.dataset, .model],
    alias: "--holes", run: runEvaluatePauses)

  private static func runEvaluatePauses(_ arguments: Arguments) throws {
    let folders = arguments.all("dataset")
    guard !folders.isEmpty else { throw UsageError("name a data set with '--dataset DIRECTORY'") }
    let model = try arguments.model()
    var evaluation = PauseEvaluation()
    for folder in folders {
      let dataset = try LabelledDataset(path: folder)
      let labels = Dictionary(
        grouping: dataset.intervals.filter { $0.activity != nil }, by: \.recording)
      let recordings = dataset.recordings.filter {
        $0.hasAccelerations && labels[$0.name] != nil
      }
      guard !recordings.isEmpty else {
        throw RecordingError.nothingUsable(
          path: folder, reason: "no labelled recording with accelerations")
      }
      var progress = ProgressBar(total: recordings.count)
      for recording in recordings {
        progress.advance(to: recording.path)
        defer { progress.clear() }
        try evaluation.add(
          try batches(of: recording.path), labels: labels[recording.name] ?? []
        ) { batches in
          var live: [LocomotionSample] = []
          var replay = RecordingReplay(model: model)
          try replay.run(batches: batches) { live += $1.samples }
          var hindsight = live
          Hindsight.smoothActivities(of: &hindsight, model: model)
          return (live, hindsight)
        }
      }
    }
    var output = TextOutput.standard
    try output.write(evaluation.text)
    try output.finish()
  }

  private static func batches(of path: String) throws -> [SensorBatch] {
    var reader = try RecordingSource(path: path).reader()
    var batches: [SensorBatch] = []
    var batch = SensorBatch()
    while try reader.read(into: &batch) { batches.append(batch) }
    return batches
  }
}
