import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
@_spi(Server) import LocomotionTool

extension Command {
  static let scorePauses = Command(
    name: "score pauses",
    synopsis: "--dataset DIRECTORY… [--model FILE]",
    summary: "Scores activities and steps when pieces are cut out of labelled recordings.",
    operandCount: 0...0,
    options: [.dataset, .model],
    run: runScorePauses)

  private static func runScorePauses(_ arguments: Arguments) throws {
    let model = try arguments.model()
    var evaluation = PauseEvaluation()
    try arguments.forEachRecording(\.hasAccelerations, "accelerations") {
      $0.activity != nil
    } _: { recording, labels, _ in
      try evaluation.add(try batches(of: recording.path), labels: labels) { batches in
        var live: [LocomotionSample] = []
        var replay = RecordingReplay(model: model)
        try replay.run(batches: batches) { live += $1.samples }
        var hindsight = live
        Hindsight.smoothActivities(of: &hindsight, model: model)
        return (live, hindsight)
      }
    }
    try TextOutput.print(evaluation.text)
  }

  private static func batches(of path: String) throws -> [SensorBatch] {
    var reader = try RecordingSource(path: path).reader()
    var batches: [SensorBatch] = []
    var batch = SensorBatch()
    while try reader.read(into: &batch) { batches.append(batch) }
    return batches
  }
}
