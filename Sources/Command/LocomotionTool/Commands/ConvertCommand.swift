import Foundation
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings

extension Command {
  static let convert = Command(
    name: "convert",
    synopsis: "IN OUT [--from FORM] [--to FORM] [--keep SHARE]",
    summary: "Converts recordings of other programs, and recordings for other programs.",
    operandCount: 2...2,
    options: [
      Option(
        name: "to", value: "FORM",
        help: "the form of OUT: \(RecordingFormat.allCases.filter(\.isWritable).names) "
          + "(default: by the name; a folder is csv)"),
      Option(
        name: "keep", value: "SHARE",
        help: "the fraction of rows that must be kept, or else the status is 3 (default 0.5)"),
    ] + Option.recording,
    run: runConvert)

  private static func runConvert(_ arguments: Arguments) throws {
    let fraction = try arguments.number("keep", default: 0.5, in: 0...1)
    let output = arguments.operands[1]
    let target: RecordingFormat? =
      arguments.has("to") ? try arguments.choice("to", default: .csv) : nil
    guard let written = target ?? RecordingFormat(outputPath: output), written.isWritable else {
      throw UsageError("'\(output)': expected '--to' with a form that can be written")
    }
    let (format, columns) = (try arguments.inputFormat, try arguments.columns)
    TemporaryPaths.deleteWhenStopped()
    let report = try Conversion.run(
      input: arguments.operands[0], output: output, from: format, to: written, columns: columns)
    for line in report.lines { StandardError.write("\(line)\n") }
    // Waypoints and routes are not rows of a recording.
    let rows = report.read - (report.dropped[.otherKind] ?? 0)
    guard Double(report.kept) >= fraction * Double(rows) else {
      throw RecordingError.nothingUsable(
        path: arguments.operands[0],
        reason:
          "kept \(report.kept) of \(rows) rows, fewer than the required fraction \(fraction)"
      )
    }
  }

  static let formats = Command(
    name: "formats", synopsis: "",
    summary: "Prints the forms of recordings, and what each carries.",
    options: []
  ) { _ in
    let lines = RecordingFormat.allCases.map { form in
      let name = form.rawValue + String(repeating: " ", count: 17 - form.rawValue.count)
      return name + (form.isWritable ? "in, out  " : "in       ") + form.carries
    }
    try TextOutput.print(lines.joined(separator: "\n") + "\n")
  }
}

extension RecordingFormat {
  /// What is read of a form, in a line.
  fileprivate var carries: String {
    switch self {
    case .csv: "samples and fixes, t,ax,ay,az[,gx,gy,gz] and t,lat,lon[,…]; of a folder labels, too"
    case .gpx: "fixes of tracks, the sport, pauses, heart rate, laps; GPX 1.0 and 1.1"
    case .geojson: "fixes: points with times, and lines with coordTimes"
    case .ndjson: "samples, fixes, labels and names, a JSON batch per line, as 'record' takes them"
    case .overland: "fixes of the Overland app"
    case .moves: "fixes, places and activities of Moves' storyline"
    case .sensorlogger: "samples and fixes of Sensor Logger: folder, zip, JSON; also a watch's"
    case .sensorloggerpush: "the same from the messages that Sensor Logger sends"
    case .phyphox: "samples and fixes of phyphox: folder, zip, a file; in eight languages"
    case .table:
      "samples and fixes of a table, or of objects of JSON, with names in eight languages, or told "
        + "by their values: SensorLog, AndroSensor, Physics Toolbox, Sensor Record, GPSLogger, MATLAB "
        + "Mobile, Samsung Health, Endomondo, Nike, Google Fit, Home Assistant; NMEA 0183, IGC, Huawei's HiTrack"
    case .google: "fixes, visits and activities of Google's Records.json and Timeline.json"
    case .owntracks: "fixes of OwnTracks"
    case .fit: "fixes, sport, pauses, laps, heart rate, cadence, power of Garmin's FIT"
    case .tcx: "fixes, sport, pauses, laps, heart rate, cadence, power of TCX"
    case .kml: "fixes of tracks and points with times, visits; also KMZ"
    case .strava: "the activities of Strava's archive"
    case .appleHealth: "routes and workouts of the export of Apple's Health"
    case .dawarich: "fixes of Dawarich's GeoJSON"
    case .geolife: "fixes and modes of the GeoLife set"
    case .shl: "samples, pressures, fixes and labels of the SHL set"
    case .ucihar: "samples and labels of the UCI HAR set"
    case .pamap2: "samples and labels of the PAMAP2 set"
    case .arc: "fixes, visits and activities of Arc and LocoKit2"
    }
  }
}
