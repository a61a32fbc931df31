import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionSensing

extension Command {
  static let journal = Command(
    name: "journal",
    synopsis: "list|export|check|erase|vacuum|day|report|correct --store FILE --user USER …",
    summary: "Shows, exports, checks or erases what 'record' has kept, and tells it as days.",
    operandCount: 1...1,
    options: [
      Option(name: "store", value: "FILE", help: "the journal"),
      Option(name: "user", value: "USER", help: "whose recording (not for check and vacuum)"),
      Option(
        name: "format", value: "FORMAT",
        help: "export's: csv (default) t,ax,ay,az; ndjson: lines as 'record' takes them; labels: "
          + "the corrections as labels.csv for 'train', whose recording is USER.csv"),
    ] + dayOptions,
    run: runJournal)

  private enum Verb: String, CaseIterable {
    case list, export, check, erase, vacuum, day, report, correct
  }

  private enum Format: String, CaseIterable {
    case csv, ndjson, labels
  }

  private static func runJournal(_ arguments: Arguments) throws {
    guard let verb = Verb(rawValue: arguments.operands[0]) else {
      let verbs = Verb.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("'journal \(arguments.operands[0])': expected one of \(verbs)")
    }
    let store = try arguments.required("store")
    switch verb {
    case .day: return try runDay(store, arguments)
    case .report: return try runDayReport(store, arguments)
    case .correct: return try runCorrect(store, arguments)
    default: break
    }
    let format = try arguments.choice("format", default: Format.csv)
    let access: Journal.Access = verb == .erase || verb == .vacuum ? .writing : .reading
    let name = verb == .check || verb == .vacuum ? nil : try arguments.required("user")
    // Opening for writing would make a journal.
    var journal =
      access == .writing
      ? try Journal.writingExisting(store) : try Journal(path: store, access: .reading)
    var output = TextOutput.standard
    switch verb {
    case .list: try list(journal, journal.existing(name), &output)
    case .export:
      let user = try journal.existing(name)
      switch format {
      case .csv: try exportCSV(journal, user, &output)
      case .ndjson: try exportLines(journal, user, &output)
      case .labels: try exportLabels(journal, user, name ?? "", &output)
      }
    case .check: try check(journal, &output)
    case .erase: try journal.erase(journal.existing(name))
    case .vacuum: try journal.vacuum()
    case .day, .report, .correct: break
    }
    try output.finish()
  }

  private static func check(_ journal: borrowing Journal, _ output: inout TextOutput) throws {
    let report = journal.check()
    if journal.undidUnfinishedTransaction {
      StandardError.write("locomotion: the last transaction was never finished and is undone\n")
    }
    for problem in report.problems { try output.write(problem + "\n") }
    guard report.isSound else {
      try output.finish()
      throw JournalError.damaged(
        path: journal.path, what: "\(report.problems.count) problems, each in a line of the output")
    }
    try output.write(
      "sound: \(report.users) users, \(report.samples) samples, \(report.fixes) fixes, "
        + "\(report.events) events\n")
  }

  private static func list(
    _ journal: borrowing Journal, _ user: JournalUser, _ output: inout TextOutput
  ) throws {
    try output.write(
      "id,state,modality,start,end,tracks,samples,fixes,length,length_sd,plain_length\n")
    for measurement in try journal.measurements(of: user) {
      let length = try journal.length(of: measurement, for: user)
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

  /// Samples or fixes at a time.
  private static let portion = 30_000

  private static func exportCSV(
    _ journal: borrowing Journal, _ user: JournalUser, _ output: inout TextOutput
  ) throws {
    try output.write("t,ax,ay,az\n")
    let count = try journal.counts(of: user).samples
    var line = CSVLine()
    for start in stride(from: 0, to: count, by: portion) {
      let samples = try journal.samples(of: user, in: start..<min(start + portion, count))
      for index in 0..<samples.count {
        line.removeAll()
        line.add(nanoseconds: samples.timestamps[index].nanoseconds)
        for value in [samples.x[index], samples.y[index], samples.z[index]] {
          line.add(value.isNaN ? nil : "\(value)")
        }
        try output.write(line)
      }
    }
  }

  private static func exportLines(
    _ journal: borrowing Journal, _ user: JournalUser, _ output: inout TextOutput
  ) throws {
    let counts = try journal.counts(of: user)
    let length = 1_000
    for start in stride(from: 0, to: counts.samples, by: length) {
      let samples = try journal.samples(of: user, in: start..<min(start + length, counts.samples))
      let columns = [("ax", samples.x), ("ay", samples.y), ("az", samples.z)].map { name, values in
        "\"\(name)\":[" + values.map(json).joined(separator: ",") + "]"
      }
      let times = samples.timestamps.map(json).joined(separator: ",")
      try output.write("{\"t\":[\(times)],\(columns.joined(separator: ","))}\n")
    }
    for start in stride(from: 0, to: counts.fixes, by: length) {
      let fixes = try journal.fixes(of: user, in: start..<min(start + length, counts.fixes))
      let objects = fixes.map { fix in
        let quantities: [(String, Double?)] = [
          ("lat", fix.latitude), ("lon", fix.longitude), ("alt", fix.altitude),
          ("hacc", fix.horizontalAccuracy), ("vacc", fix.verticalAccuracy), ("speed", fix.speed),
          ("sacc", fix.speedAccuracy), ("course", fix.course), ("cacc", fix.courseAccuracy),
        ]
        let fields = quantities.compactMap { name, value in value.map { ",\"\(name)\":\(json($0))" }
        }
        return "{\"t\":\(json(fix.timestamp))\(fields.joined())}"
      }
      try output.write("{\"fixes\":[\(objects.joined(separator: ","))]}\n")
    }
  }

  private static func exportLabels(
    _ journal: borrowing Journal, _ user: JournalUser, _ name: String, _ output: inout TextOutput
  ) throws {
    // The name of a file and a field at once.
    let recording = String(name.map { $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : "_" })
    try output.write("recording,subject,start,end,label\n")
    for correction in try journal.corrections(of: user) {
      var line = CSVLine()
      line.add(recording)
      line.add(recording)
      line.add(nanoseconds: correction.start.nanoseconds)
      line.add(nanoseconds: correction.end.nanoseconds)
      line.add(correction.activity.name)
      try output.write(line)
    }
  }

  private static func json(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }

  private static func json(_ timestamp: Timestamp) -> String {
    var line = CSVLine()
    line.add(nanoseconds: timestamp.nanoseconds)
    return String(decoding: line.bytes, as: UTF8.self)
  }
}
