import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
@_spi(Server) import LocomotionTool

extension Command {
  static let scoreCadence = Command(
    name: "score cadence",
    synopsis: "--dataset DIRECTORY…",
    summary: "Scores step rates and steps against steps.csv, and counts the steps of rides.",
    operandCount: 0...0,
    options: [.dataset],
    run: runScoreCadence)

  private static func runScoreCadence(_ arguments: Arguments) throws {
    var evaluation = CadenceEvaluation()
    try arguments.forEachRecording(\.hasAccelerations, "accelerations") { recording, _, dataset in
      try evaluation.add(cadences(of: recording.path), of: recording.name, in: dataset)
    }
    try TextOutput.print(evaluation.text)
  }

  private static func cadences(of path: String) throws -> CadenceEvaluation.Answers {
    let live = try samples(of: path, settings: .init())
    var alone = LocomotionPipeline.Settings()
    alone.cadence.usesHints = false
    var answers = CadenceEvaluation.Answers(
      live: live, smoothed: live, unhinted: try samples(of: path, settings: alone))
    Hindsight.smoothActivities(of: &answers.smoothed)
    Hindsight.smoothCadences(of: &answers.smoothed)
    Hindsight.lagCadences(of: &answers.unhinted)
    return answers
  }

  private static func samples(
    of path: String, settings: LocomotionPipeline.Settings
  ) throws -> [LocomotionSample] {
    var samples: [LocomotionSample] = []
    var replay = RecordingReplay(settings: settings)
    try replay.run(path: path) { samples += $1.samples }
    return samples
  }
}
