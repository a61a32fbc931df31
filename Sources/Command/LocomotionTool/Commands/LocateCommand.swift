import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import LocomotionPositioning

extension Command {
  static let locate = Command(
    name: "locate",
    synopsis: "RECORDING [--mode live|lagged|smoothed] [--lag SECONDS]",
    summary: "Prints the filtered location for every fix, as CSV.",
    operandCount: 1...1,
    options: [
      Option(
        name: "mode", value: "MODE",
        help: "live (default): known at the time; lagged: --lag later; smoothed: at the end"),
      Option(name: "lag", value: "SECONDS", help: "how much later 'lagged' answers (default 6)"),
    ] + Option.recording,
    run: runLocate)

  private enum LocationMode: String, CaseIterable {
    case live, lagged, smoothed
  }

  private static func runLocate(_ arguments: Arguments) throws {
    let mode = try arguments.choice("mode", default: LocationMode.live)
    let lag = try arguments.number("lag", default: LocationSmoother.lagSeconds, in: 0...3600)
    var table = try CSVTable.locations(.standard)
    let source = try arguments.source()
    var replay = RecordingReplay(jobs: 1)
    replay.leavesWindowsOut = true
    try table.write(\.fixes, of: source, by: &replay, isLive: mode == .live) { reports in
      reports = Hindsight.locations(reports, lag: mode == .lagged ? lag : nil)
    }
  }
}
