import LocomotionActivityRecognition
import LocomotionAnalysis
import LocomotionFormats
import LocomotionJournal
import LocomotionSensing

extension Command {
  static let journal = Command(
    name: "journal",
    synopsis:
      "list|export|check|salvage|erase|vacuum|rekey|day|report|totals|correct|edits|undo|merge|"
      + "split|move --store FILE [--user USER] …",
    summary: "Shows, exports, checks or erases what 'record' has kept, and tells it as days.",
    operandCount: 1...1,
    options: [
      Option(name: "store", value: "FILE", help: "the journal"),
      Option(
        name: "user", value: "USER", help: "whose recording (not for check, salvage and vacuum)"),
      .keyFile,
      Option(
        name: "to", value: "FILE|TIME",
        help: "salvage's: the new journal; with '--from' the last day, or an instant"),
      Option(name: "new-key-file", value: "FILE", help: "rekey's: the key from now on"),
      Option(name: "decrypt", value: nil, help: "rekey's: no key from now on"),
      Option(
        name: "format", value: "FORMAT",
        help:
          "export's: csv (default) t,ax,ay,az[,gx,gy,gz]; ndjson: lines as 'record' takes them; "
          + "labels: the corrections as labels.csv for 'train', whose recording is USER.csv; steps: "
          + "whole steps in intervals; gpx, geojson: the trips as tracks, one per leg, into "
          + "'--out FILE'"),
      Option(
        name: "from", value: "TIME",
        help: "report's, export's, erase's, totals': first day; also an instant as for '--start', "
          + "but for report"),
    ] + dayOptions + editOptions,
    run: runJournal)

  private enum Verb: String, CaseIterable {
    case list, export, check, salvage, erase, vacuum, rekey, day, report, totals, correct
    case edits, undo, merge, split, move
  }

  private enum Format: String, CaseIterable {
    case csv, ndjson, labels, steps, gpx, geojson
  }

  private static func runJournal(_ arguments: Arguments) throws {
    guard let verb = Verb(rawValue: arguments.operands[0]) else {
      let verbs = Verb.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("'journal \(arguments.operands[0])': expected one of \(verbs)")
    }
    let store = try arguments.required("store")
    switch verb {
    case .day: return try runDay(store, arguments)
    case .report: return try runReport(store, arguments)
    case .correct: return try runCorrect(store, arguments)
    case .salvage:
      return try runSalvage(store, arguments.required("to"), arguments.journalSettings())
    case .rekey: return try runRekey(store, arguments)
    case .erase: return try erase(store, arguments)
    case .totals: return try writeTotals(store, arguments)
    case .undo, .merge, .split, .move: return try editDays(verb.rawValue, store, arguments)
    default: break
    }
    let format = try arguments.choice("format", default: Format.csv)
    if verb == .export, let tracks = TrackExporter.Format(rawValue: format.rawValue) {
      return try exportTracks(as: tracks, arguments)
    }
    if verb == .export, format == .steps { return try exportSteps(store, arguments) }
    let access: Journal.Access = verb == .vacuum ? .writing : .reading
    let name = verb == .check || verb == .vacuum ? nil : try arguments.required("user")
    let settings = try arguments.journalSettings()
    // Opening for writing would create a journal.
    let journal =
      access == .writing
      ? try Journal.writingExisting(store, settings)
      : try Journal(path: store, access: .reading, settings: settings)
    var output = TextOutput.standard
    switch verb {
    case .list: try list(journal.existing(name), &output)
    case .export:
      let times = try arguments.interval(arguments.calendar())
      var export = try JournalExport(of: journal.existing(name), times: times)
      switch format {
      case .csv: try export.writeCSV()
      case .ndjson: try export.writeLines()
      case .labels: try export.writeLabels(name: name ?? "")
      case .steps, .gpx, .geojson: break
      }
    case .check: try check(journal, &output)
    case .edits: try listEdits(journal.existing(name), &output)
    case .vacuum: try journal.vacuum()
    default: break
    }
    try output.finish()
  }

  private static func check(_ journal: Journal, _ output: inout TextOutput) throws {
    let report = journal.check()
    if let undone = journal.rolledBackTransaction { try output.write("note: \(words(undone))\n") }
    for problem in report.problems { try output.write(problem + "\n") }
    guard report.isSound else {
      // An output that cannot be written does not make the journal intact.
      try? output.finish()
      throw JournalError.damaged(
        path: journal.path, what: "\(report.problems.count) problems, each in a line of the output")
    }
    try output.write(
      "sound: \(report.users) users, \(report.samples) samples, \(report.fixes) fixes, "
        + "\(report.events) events, \(report.rotationRates) rotation rates\n")
  }

  private static func words(_ transaction: RolledBackTransaction) -> String {
    switch transaction {
    case .neverCommitted:
      "the write-ahead log ends in a transaction that was never committed, or whose end is cut "
        + "off: it is undone; it was not acknowledged unless the log was cut"
    case .incomplete:
      "the write-ahead log ends in an incomplete transaction: it is undone; it was not "
        + "acknowledged unless its end was damaged later, in more than one bit"
    }
  }

  private static func list(_ user: UserJournal, _ output: inout TextOutput) throws {
    try output.write(
      "id,state,modality,start,end,tracks,samples,fixes,length,length_sd,plain_length\n")
    for measurement in try user.measurements() {
      let length = try user.length(of: measurement)
      var line = CSVLine()
      line.add("\(measurement.id)")
      line.add(measurement.state.rawValue)
      line.add(CSVLine.quoted(measurement.modality ?? ""))
      line.add(nanoseconds: measurement.start.nanoseconds)
      if let end = measurement.end { line.add(nanoseconds: end.nanoseconds) } else { line.add(nil) }
      line.add("\(measurement.tracks.count)")
      line.add("\(measurement.tracks.reduce(0) { $0 + $1.samples.count })")
      line.add("\(measurement.tracks.reduce(0) { $0 + $1.fixes.count })")
      line.add(length.travelled, decimals: 1)
      line.add(length.travelledDeviation, decimals: 1)
      line.add(length.plain, decimals: 1)
      try output.write(line)
    }
  }
}
