import LocomotionActivityRecognition
@_spi(Server) import LocomotionTool
import LocomotionTraining

extension Command {
  /// Scores what people gain by labelling stretches of their own time.
  static let scoreCorrections = Command(
    name: "score corrections",
    synopsis: "--dataset DIRECTORY…",
    summary: "Replays people who label their own time, and scores what their models gain by it.",
    operandCount: 0...0,
    options: [.dataset, .strict, .asRecorded, .seed],
    run: runScoreCorrections)

  /// The fractions of corrections that name a random activity.
  private static let wrongFractions = [0, 0.05, 0.2]

  private static func runScoreCorrections(_ arguments: Arguments) throws {
    let windows = try LabelledWindows(arguments, augmentation: arguments.augmentation)
    let replay = try CorrectionReplay(of: windows.set, seed: try arguments.seed())
    let progress = ProgressBar(total: 1)
    var output = TextOutput.standard
    try output.write(
      """
      Models trained without a person's data set; error of single windows on recordings that the
      person didn't label, stretches and activities alike.

      """)
    for wrong in wrongFractions {
      let rows = replay.rows(wrong: wrong) { progress.show("people of \($0)") }
      progress.clear()
      let title = [
        "corrections", "people", "error before", "after", "gain (95 %)", "gone (median)", "better",
        "worse",
        "others lose",
      ]
      let table = aligned(
        [title]
          + rows.map { row in
            [
              "\(row.corrections)", "\(row.people)", percent(row.baseError), percent(row.error),
              "\(percent(row.gain.lowerBound)) to \(percent(row.gain.upperBound))",
              percent(row.medianReduction), percent(row.better), percent(row.worse),
              percent(row.lossOfOthers),
            ]
          })
      try output.write("\n\(percent(wrong)) of the corrections wrong:\n\(table)\n")
      guard wrong == 0 else { continue }
      let activities = aligned(
        [["corrections", "activity", "people", "error before", "after"]]
          + rows.flatMap { row in
            row.activities.map { own in
              [
                "\(row.corrections)", own.activity.name, "\(own.people)", percent(own.baseError),
                percent(own.error),
              ]
            }
          })
      try output.write("\n\(activities)\n")
    }
    try output.finish()
  }
}
