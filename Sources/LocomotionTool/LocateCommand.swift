import Locomotion
import LocomotionRecordings

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
    ],
    run: runLocate)

  private enum LocationMode: String, CaseIterable {
    case live, lagged, smoothed
  }

  private static func runLocate(_ arguments: Arguments) throws {
    let mode = try arguments.choice("mode", default: LocationMode.live)
    let lag = try arguments.number("lag", default: 6, in: 0...3600)
    var rows = LocationRows()
    try rows.writeHeader()
    var reports: [FixReport] = []
    var replay = Replay()
    try replay.run(arguments.recording) { output in
      if mode == .live {
        for report in output.fixes { try rows.write(report) }
      } else {
        reports += output.fixes
      }
    }
    if mode != .live {
      for report in Hindsight.locations(reports, lag: mode == .lagged ? lag : nil) {
        try rows.write(report)
      }
    }
    try rows.output.flush()
  }
}

/// The rows of `locate`, one per fix.
private struct LocationRows {
  var output = StandardOutput()
  private var line = Line()

  mutating func writeHeader() throws {
    try output.write("t,lat,lon,radius68,speed,speed_sd,course,p_stationary,moving,status\n")
  }

  mutating func write(_ report: FixReport) throws {
    line.removeAll()
    line.add(nanoseconds: report.fix.timestamp.nanoseconds)
    line.add(report.location?.latitude, decimals: 8)
    line.add(report.location?.longitude, decimals: 8)
    line.add(report.location?.radius68, decimals: 2)
    line.add(report.location?.speed, decimals: 3)
    line.add(report.location?.speedDeviation, decimals: 3)
    line.add(report.location?.course, decimals: 1)
    line.add(1 - report.moving.probability, decimals: 4)
    line.add(report.moving.state.column)
    line.add(report.status.name)
    try output.write(line)
  }
}

extension MovingState {
  /// 1 moving, 0 not, nil undecided.
  fileprivate var column: String? {
    switch self {
    case .moving: "1"
    case .stationary: "0"
    case .uncertain: nil
    }
  }
}
