import Foundation
import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
import LocomotionReport

extension Command {
  static let analyze = Command(
    name: "analyze",
    synopsis:
      "RECORDING --out DIRECTORY [--time-zone NAME] [--units SYSTEM] [--clock HOURS] [--towns FILE] "
      + "[--map FILE] "
      + "[--model FILE] [--mode live|smoothed] [--jobs N] [--tiles URL] [--corrections FILE]",
    summary: "Writes all tables, the timeline, GeoJSON and a report to a directory.",
    operandCount: 1...1,
    options: [
      Option(name: "out", value: "DIRECTORY", help: "where the files go; made when it isn't there"),
      .units, .clock, .towns, .map, .model,
      Option(
        name: "mode", value: "MODE",
        help: "what locate.csv and classify.csv tell; live: what was known at the time (default); "
          + "smoothed: with all that came later, as the page does"),
      Option(
        name: "jobs", value: "N",
        help: "the threads that analyze windows (default: one per core); the results are the same"),
      Option(
        name: "corrections", value: "FILE",
        help: "what was corrected in the report of this recording, as its page saves it"),
    ] + tileOptions + Option.recording,
    run: runAnalyze)

  /// The options of every command that writes a map.
  static let tileOptions = [
    Option(
      name: "tiles", value: "URL",
      help:
        "a map under the report's tracks, as https://host/{z}/{x}/{y}.png: whoever opens the report "
        + "asks that server for the places in it (default: none, no network)"),
    Option(
      name: "tiles-attribution", value: "TEXT", help: "what the tiles' owner wants to be named as"),
  ]

  private static func runAnalyze(_ arguments: Arguments) throws {
    let folder = try arguments.required("out")
    let tiles = try arguments.tiles()
    // The recording is opened first: no folder is created for one that cannot be read.
    let source = try arguments.source()
    do {
      try analyze(source, to: folder, tiles, arguments)
    } catch {
      guard case RecordingError.nothingUsable = error, let plan = source.plan else { throw error }
      let page = PageDocument(plan, source.name, try arguments.locale().units, tiles: tiles)
      let outputs = OutputFiles.forCommand(inputs: source.filesOnDisk)
      try outputs.openFolder(folder)
      try write(page, to: folder, outputs) { TextSummary(page, style: $0) }
    }
  }

  /// Writes the page and the summary, and prints the latter as the terminal shows it.
  private static func write(
    _ page: PageDocument, to folder: String, _ outputs: OutputFiles,
    _ summary: (TextSummary.Style) -> TextSummary
  ) throws {
    try outputs.open("\(folder)/report.html").write(page.html)
    try outputs.open("\(folder)/summary.txt").write(summary(TextSummary.plain).text)
    try outputs.commit()
    try TextOutput.print(summary(TextSummary.ofStandardOutput))
    StandardError.write("report: \(folder)/report.html\n")
  }

  private enum TableMode: String, CaseIterable {
    case live, smoothed
  }

  private static func analyze(
    _ source: RecordingSource, to folder: String, _ tiles: ReportTiles?, _ arguments: Arguments
  ) throws {
    let model = try arguments.model()
    let locale = try arguments.locale()
    let corrections = try arguments.value("corrections").map { try Corrections(path: $0) }
    let isLive = try arguments.choice("mode", default: TableMode.live) == .live
    let outputs = OutputFiles.forCommand(
      inputs: source.filesOnDisk + ["model", "corrections", "map"].flatMap { arguments.all($0) })
    try outputs.openFolder(folder)
    func text(_ name: String) throws -> TextOutput {
      TextOutput(try outputs.open("\(folder)/\(name)"))
    }

    var locations = try CSVTable.locations(text("locate.csv"))
    var cadences = try CSVTable.cadences(text("cadence.csv"))
    var activities = try CSVTable.activities(text("classify.csv"), custom: model.namedActivities)
    var seconds: [ReportSample] = []
    var held: (samples: [LocomotionSample], fixes: [FixReport]) = ([], [])
    let progress = ProgressBar(total: 1)
    progress.show("reading \(source.name)")
    defer { progress.clear() }
    var count = 0
    let analysis = try Analysis(of: source, model: model, jobs: arguments.jobs) { output in
      if isLive {
        for report in output.fixes { try locations.write(report) }
        for sample in output.samples { try activities.write(sample) }
      } else {
        held.fixes += output.fixes
      }
      count += output.samples.count
      let (hours, minutes) = (count / 3600, count / 60 % 60)
      progress.show("analyzing \(source.name): \(hours) h \(minutes) min of data")
    } seconds: { sample in
      try cadences.write(sample)
      seconds.append(ReportSample(sample))
      if !isLive { held.samples.append(sample) }
    }
    progress.clear()
    Hindsight.agree(&held.samples, with: analysis.items)
    for report in Hindsight.locations(held.fixes) { try locations.write(report) }
    for sample in held.samples { try activities.write(sample) }
    try cadences.finish()
    try locations.finish()
    try activities.finish()

    var kept: [ReportSample] = []
    swap(&kept, &seconds)
    var result = AnalysisResult(source.name, analysis, consume kept)
    try result.tell(in: locale, corrections)
    try outputs.open("\(folder)/timeline.json").write(TimelineDocument(result).json + "\n")
    try outputs.open("\(folder)/track.geojson").write(GeoJSON(result).text)
    let page = PageDocument(result, tiles: tiles)
    source.tell(analysis.report)
    if isLive {
      StandardError.write(
        "locate.csv, classify.csv: as known live; with '--mode smoothed' as in the report\n")
    }
    try write(page, to: folder, outputs) { TextSummary(result, page, style: $0) }
  }
}

extension AnalysisResult {
  /// Takes what a map and its reader say.
  fileprivate mutating func tell(in locale: ReportLocale, _ said: Corrections?) throws {
    self.locale = locale
    try consultMap()
    if let said {
      correct(to: try said.applied(to: items, of: identity))
      corrections = said.value
    }
  }
}

extension Arguments {
  /// The tiles of the report's map; nil without the option.
  func tiles() throws -> ReportTiles? {
    let attribution = value("tiles-attribution")
    guard let template = value("tiles") else {
      guard attribution == nil else {
        throw UsageError("'--tiles-attribution' needs '--tiles'")
      }
      return nil
    }
    guard let tiles = ReportTiles(template: template, attribution: attribution ?? "") else {
      throw UsageError("'--tiles \(template)': expected https://host/{z}/{x}/{y}.png")
    }
    return tiles
  }
}
