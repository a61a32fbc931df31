import Foundation
import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
import LocomotionReport

extension Command {
  static let compare = Command(
    name: "compare",
    synopsis: "A B [--mode MODE] [--other-mode MODE] [--tolerance M] [--report FILE]",
    summary: "Prints where two tracks of one journey differ, as CSV.",
    operandCount: 2...2,
    options: [
      Option(
        name: "mode", value: "MODE",
        help: "the track of A: smoothed (default), lagged, live, or recorded: its fixes as they are"
      ),
      Option(name: "other-mode", value: "MODE", help: "the track of B (default: recorded)"),
      Option(name: "window", value: "SECONDS", help: "how far off the clocks may be (default 60)"),
      Option(name: "tolerance", value: "M", help: "what counts as a difference (default 30)"),
      Option(name: "report", value: "FILE", help: "also write a page with a map to FILE"),
    ] + Option.recording,
    run: runCompare)

  private enum ComparedMode: String, CaseIterable {
    case smoothed, lagged, live, recorded
  }

  private static func runCompare(_ arguments: Arguments) throws {
    let mode = try arguments.choice("mode", default: ComparedMode.smoothed)
    let otherMode = try arguments.choice("other-mode", default: ComparedMode.recorded)
    var settings = TrackComparison.Settings()
    settings.window = try arguments.number("window", default: settings.window, in: 1...3_600)
    settings.tolerance = try arguments.number(
      "tolerance", default: settings.tolerance, in: 0.1...1e6)
    let paths = arguments.operands
    let sources = [try arguments.source(paths[0]), try arguments.source(paths[1])]
    let (first, second) = (try fixes(of: sources[0]), try fixes(of: sources[1]))
    let path = track(second, otherMode)
    let comparison = TrackComparison(track(first, mode), with: path, settings: settings)
    guard comparison.firstLength != nil else {
      throw RecordingError.nothingUsable(
        path: paths[1],
        reason: "expected a track in the time of \(paths[0]), \(span(first)); "
          + "found \(span(second))")
    }
    if let report = arguments.value("report") {
      try write(comparison, paths, path, to: report, inputs: sources.flatMap(\.filesOnDisk))
    }
    let header = "t,lat,lon,distance,cross_track,lag"
    try CSVTable.print(comparison.rows, header: header) { row, line in
      line.add(nanoseconds: row.timestamp.nanoseconds)
      line.add(row.latitude, decimals: 8)
      line.add(row.longitude, decimals: 8)
      line.add(row.distance, decimals: 2)
      line.add(row.crossTrack, decimals: 2)
      line.add(row.lag, decimals: 2)
    }
    StandardError.write(summary(comparison) + "\n")
  }

  /// The fixes of a recording in time order.
  private static func fixes(of source: RecordingSource) throws -> [LocationFix] {
    var reader = try source.reader()
    var fixes: [LocationFix] = []
    var batch = SensorBatch()
    while try reader.read(into: &batch) {
      fixes += batch.fixes.lazy.filter { abs($0.latitude) <= 90 && $0.longitude.isFinite }
    }
    source.tell(reader.report)
    guard reader.report.recordings <= 1 else {
      throw RecordingError.nothingUsable(
        path: source.path, reason: "expected one recording, found \(reader.report.recordings)")
    }
    guard !fixes.isEmpty else {
      throw RecordingError.nothingUsable(path: source.path, reason: "no location fix")
    }
    return fixes.sorted { $0.timestamp < $1.timestamp }
  }

  private static func track(_ fixes: [LocationFix], _ mode: ComparedMode) -> [LocationFix] {
    func located(_ mode: LocationSmoother.Mode) -> [LocationFix] {
      LocationSmoother().estimates(for: fixes, mode: mode).compactMap { report in
        report.location.map {
          LocationFix(
            timestamp: report.fix.timestamp, latitude: $0.latitude, longitude: $0.longitude,
            horizontalAccuracy: $0.radius68)
        }
      }
    }
    return switch mode {
    case .smoothed: located(.smoothed)
    case .lagged: located(.lagged)
    case .live: located(.live)
    case .recorded: fixes
    }
  }

  /// The times of fixes in order, seconds.
  private static func span(_ fixes: [LocationFix]) -> String {
    guard let first = fixes.first, let last = fixes.last else { return "none" }
    return "\(first.timestamp.seconds) to \(last.timestamp.seconds) s"
  }

  private static func write(
    _ comparison: TrackComparison, _ paths: [String], _ path: [LocationFix], to file: String,
    inputs: [String]
  ) throws {
    let names = paths.map { URL(fileURLWithPath: $0).lastPathComponent }
    let outputs = OutputFiles.forCommand(inputs: inputs)
    try outputs.open(file).write(
      PageDocument(comparison, first: names[0], second: names[1], path: path).html)
    try outputs.commit()
  }

  private static func summary(_ comparison: TrackComparison) -> String {
    func number(_ value: Double?, _ decimals: Int = 1) -> String {
      value.map { String(format: "%.\(decimals)f", $0) } ?? "-"
    }
    var lines = [
      "compared: \(comparison.crossTracks.count) of \(comparison.rows.count) points",
      "cross-track distance: median \(number(comparison.crossTrackDistance(within: 0.5))) m, "
        + "95 % \(number(comparison.crossTrackDistance(within: 0.95))) m",
      "length: \(number(comparison.firstLength, 0)) m and "
        + "\(number(comparison.secondLength, 0)) m"
        + (comparison.lengthDifference.map { String(format: ", %+.1f %%", 100 * $0) } ?? ""),
    ]
    for stretch in comparison.stretches.sorted(by: { $0.largest > $1.largest }).prefix(5) {
      lines.append(
        "differ: \(stretch.start.seconds) to \(stretch.end.seconds) s, "
          + "up to \(number(stretch.largest, 0)) m")
    }
    return lines.joined(separator: "\n")
  }
}
