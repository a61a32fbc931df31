@_spi(Server) import LocomotionTool
import LocomotionTraining

extension Command {
  /// Compares both methods of training and simple rules on people left out.
  static let scoreMethods = Command(
    name: "score methods",
    synopsis: "--dataset DIRECTORY…",
    summary: "Compares ways to tell activities, each trained anew without each person.",
    operandCount: 0...0,
    options: [.dataset, .strict, .asRecorded, .seed],
    run: runScoreMethods)

  private static func runScoreMethods(_ arguments: Arguments) throws {
    let seed = try arguments.seed()
    let windows = try LabelledWindows(arguments, augmentation: arguments.augmentation)
    let progress = ProgressBar(total: 1)
    progress.show("training on \(windows.set.count) windows, each person left out in turn")
    let comparison = try MethodComparison(
      of: windows.set, baselines: ActivityBaselines.all, seed: seed)
    progress.clear()
    try TextOutput.print(comparison.text + "\n")
  }
}
