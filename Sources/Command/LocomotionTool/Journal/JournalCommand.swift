import LocomotionActivityRecognition
import LocomotionAnalysis
import LocomotionFormats
import LocomotionJournal
import LocomotionSensing

extension Command {
  static let journal = Command(
    name: "journal",
    synopsis: "NAME --store FILE [--user USER] …",
    summary: "Shows, exports, checks or erases what 'record' has kept, and tells it as days.",
    subcommands: journalCommands)

  private static let journalCommands = [
    journal("list", "", "Prints the measurements, a row each.") { try list($0.reading()) },
    journal(
      "export", "[--format FORMAT] [--out FILE]", "Writes what was recorded, or the trips.",
      [
        Option(
          name: "format", value: "FORMAT",
          help:
            "csv (default) t,ax,ay,az[,gx,gy,gz]; ndjson: lines as 'record' takes them; labels: "
            + "the corrections as labels.csv for 'train', whose recording is USER.csv; gpx, "
            + "geojson: the trips as tracks, one per leg"),
        Option(name: "out", value: "FILE", help: "where the tracks go"), .model,
      ] + intervalOptions, example: "--format gpx --out trips.gpx", export),
    journal(
      "import", "FILE…", "Takes recordings in any form into the journal, each outing once.",
      [.timeZone], operands: 1...1_000_000, example: "walk.gpx", runImport),
    journal("check", "", "Reads everything and checks it.", isOfUser: false) { arguments in
      try check(Journal(path: arguments.required("store"), access: .reading))
    },
    journal(
      "erase", "[--measurement ID | --from TIME --to TIME]",
      "Erases a user, a measurement, or an interval.",
      [Option(name: "measurement", value: "ID", help: "this measurement only")] + intervalOptions,
      example: "--measurement 3", erase),
    journal("vacuum", "", "Gives the room of what was erased back.", isOfUser: false) { arguments in
      try Journal.writingExisting(arguments.required("store")).vacuum()
    },
    journal(
      "day", "[--date YYYY-MM-DD] [--json | --storyline]",
      "Prints a day as stays, trips and gaps.",
      [
        .date, .timeZone, .units, .clock, .towns, .map, .model,
        Option(name: "json", value: nil, help: "the items as 'timeline' writes them"),
        Option(name: "storyline", value: nil, help: "a storyline as Moves had it"),
      ], example: "--date 2026-11-21", runDay),
    journal(
      "report", "--out FILE [--date YYYY-MM-DD | --from DAY --to DAY]",
      "Writes a page about a day, or about several.",
      [
        Option(name: "out", value: "FILE", help: "the HTML file"), .units, .clock, .towns, .map,
        .model,
      ]
        + intervalOptions + tileOptions, example: "--date 2026-11-21 --out day.html", runReport),
    journal(
      "totals", "[--by PERIOD]", "Prints time, distance and steps by activity.",
      [Option(name: "by", value: "PERIOD", help: "day (default), week or month"), .model]
        + intervalOptions, example: "--by week", writeTotals),
    journal(
      "correct",
      "--start TIME --end TIME [--activity NAME[=ACTIVITY]] [--purpose TEXT] | --file CORRECTIONS",
      "Says what the user did, or what a stay was for.",
      spanOptions + [
        .model,
        Option(
          name: "file", value: "CORRECTIONS",
          help: "what was corrected in the page of 'journal report' or 'analyze', as it saves it"),
        Option(
          name: "activity", value: "NAME[=ACTIVITY]",
          help: "what it really was: one of the six, or one of your own with what it behaves like, "
            + "such as scooter=cycling or skiing=none"),
        Option(name: "purpose", value: "TEXT", help: "what the stay was for"),
      ], example: exampleSpan + " --activity cycling", runCorrect),
    journal("edits", "", "Prints the user's edits, a row each.") { try listEdits($0.reading()) },
    journal(
      "learn", "--out MODEL [--model FILE] [--never ACTIVITY…]",
      "Writes the model that the user's corrections make of the built-in one.",
      [
        Option(name: "out", value: "MODEL", help: "the model file"), .model,
        Option(
          name: "never", value: "ACTIVITY…", help: "what the user never does, and is never answered"
        ),
      ], example: "--out ada.model", runLearn),
    journal(
      "undo", "[--edit ID]", "Takes an edit back.",
      [Option(name: "edit", value: "ID", help: "the edit's number (default the last one)")], undo),
    journal(
      "merge", "--start TIME --end TIME [--as KIND]", "Makes one item of several.",
      spanOptions + [Option(name: "as", value: "KIND", help: "stay (default) or trip")],
      example: exampleSpan, merge),
    journal(
      "split", "--at TIME", "Makes two items of one.",
      [.timeZone, Option(name: "at", value: "TIME", help: "where")],
      example: "--at 20261121T081000Z", split),
    journal(
      "move", "--edge TIME --at TIME", "Moves the edge between two items.",
      [
        .timeZone,
        Option(name: "edge", value: "TIME", help: "the end of one item and start of the next"),
        Option(name: "at", value: "TIME", help: "where the edge is moved to"),
      ], example: "--edge 20261121T081000Z --at 20261121T083000Z", move),
  ]

  /// One verb of `journal`, with the options that all of them have and its own.
  private static func journal(
    _ verb: String, _ synopsis: String, _ summary: String, _ options: [Option] = [],
    isOfUser: Bool = true, operands: ClosedRange<Int> = 0...0, example: String = "",
    _ run: @escaping @Sendable (Arguments) throws -> Void
  ) -> Command {
    ofStore(
      "journal \(verb)", (isOfUser ? "--user USER " : "") + synopsis, summary,
      user: isOfUser ? "whose recording" : "nothing: this is about the whole journal", options,
      operands: operands, example: (isOfUser ? "--user ada " : "") + example, run)
  }

  /// A command that is about a journal and, as `user` says, one of its users.
  static func ofStore(
    _ name: String, _ synopsis: String, _ summary: String, user: String, _ options: [Option],
    operands: ClosedRange<Int> = 0...0, example: String,
    _ run: @escaping @Sendable (Arguments) throws -> Void
  ) -> Command {
    Command(
      name: name, synopsis: "--store FILE " + synopsis, summary: summary, operandCount: operands,
      options: [
        Option(name: "store", value: "FILE", help: "the journal"),
        Option(name: "user", value: "USER", help: user),
      ] + options, example: "--store ada.journal " + example, run: run)
  }

  /// The days or instants that a verb is about.
  private static let intervalOptions = [
    Option.date,
    Option(name: "from", value: "TIME", help: "the first day, or an instant as for '--start'"),
    Option(name: "to", value: "TIME", help: "the last day, or the instant of the end"),
    Option.timeZone,
  ]

  /// Times as the examples of the help have them.
  static let exampleSpan = "--start 20261121T081000Z --end 20261121T084000Z"

  /// The instants that an edit is about.
  private static let spanOptions = [
    Option(name: "start", value: "TIME", help: "seconds, or as the storyline writes them"),
    Option(name: "end", value: "TIME", help: "the first instant after it"),
    Option.timeZone,
  ]

  private enum Format: String, CaseIterable {
    case csv, ndjson, labels, gpx, geojson
  }

  private static func export(_ arguments: Arguments) throws {
    let format = try arguments.choice("format", default: Format.csv)
    if let tracks = TrackExporter.Format(rawValue: format.rawValue) {
      return try exportTracks(as: tracks, arguments)
    }
    let times = try arguments.interval(arguments.calendar())
    let user = try arguments.reading()
    try user.onSnapshot {
      var export = try JournalExport(of: user, times: times)
      switch format {
      case .csv: try export.writeCSV()
      case .ndjson: try export.writeLines()
      default: try export.writeLabels(name: arguments.required("user"))
      }
    }
  }

  private static func check(_ journal: Journal) throws {
    let report = journal.check()
    var output = TextOutput.standard
    for problem in report.problems { try output.write(problem + "\n") }
    guard report.isSound else {
      // An output that cannot be written does not make the journal intact.
      try? output.finish()
      throw JournalError.damaged(
        path: journal.path,
        what: "\(report.problems.count) problems, each in a line of the output; what can be read "
          + "is copied by \(LocomotionCommand.recovery)")
    }
    try output.write(
      "sound: \(report.users) users, \(report.samples) samples, \(report.fixes) fixes, "
        + "\(report.events) events, \(report.rotationRates) rotation rates\n")
    try output.finish()
  }

  private static func list(_ user: UserJournal) throws {
    let header = "id,state,modality,start,end,tracks,samples,fixes,length,length_sd,plain_length"
    try CSVTable.print(try user.measurements(), header: header) { measurement, line in
      let length = try user.length(of: measurement)
      line.add("\(measurement.id)")
      line.add(measurement.state.rawValue)
      line.add(CSVLine.quoted(measurement.modality ?? ""))
      line.add(nanoseconds: measurement.start.nanoseconds)
      line.add(nanoseconds: measurement.end?.nanoseconds)
      line.add("\(measurement.tracks.count)")
      line.add("\(measurement.tracks.reduce(0) { $0 + $1.samples.count })")
      line.add("\(measurement.tracks.reduce(0) { $0 + $1.fixes.count })")
      line.add(length.travelled, decimals: 1)
      line.add(length.travelledDeviation, decimals: 1)
      line.add(length.plain, decimals: 1)
    }
  }
}

extension Option {
  /// A day of the user's.
  static let date = Option(
    name: "date", value: "YYYY-MM-DD", help: "which day (default the last with data)",
    alias: "day")
  /// The zone whose midnights divide days.
  static let timeZone = Option(
    name: "time-zone", value: "NAME",
    help: "time zone of the days, such as Europe/Berlin (default the system's), and of times in a "
      + "recording that tell none (default UTC)", alias: "zone")
  /// The units of what is shown to people.
  static let units = Option(
    name: "units", value: "SYSTEM",
    help: "metric (default) or imperial: miles and feet in the report; data stay metric")
  /// The towns by which places without a name are told.
  static let towns = Option(
    name: "towns", value: "FILE",
    help: "towns by which unnamed places are told, \"in Erding\": lines of name, latitude, "
      + "longitude and population between tabulators, as Datasets/towns.sh writes them")
  /// How the hours of a day are shown to people.
  static let clock = Option(
    name: "clock", value: "HOURS", help: "24 (default) or 12: 8:05 PM in the report")
}

extension Arguments {
  /// The user's part of the journal, for reading.
  func reading() throws -> UserJournal {
    try Journal(path: required("store"), access: .reading).existing(required("user"))
  }

  /// The user's part of the journal with its days updated: in memory while another program writes
  /// to it.
  func upToDate(_ model: ActivityModel? = nil) throws -> UserJournal {
    let (store, name) = (try required("store"), try required("user"))
    let model = try model ?? self.model()
    var settings = Journal.Settings()
    settings.longestWait = 0
    do throws(JournalError) {
      let user = try Journal.writingExisting(store, settings).existing(name)
      try user.updateDays(model: model)
      return user
    } catch {
      switch error {
      case .busy, .readOnly, .newerVersion: return try updatedInMemory(model)
      default: throw error
      }
    }
  }

  /// The user's part of the journal, open for reading, with its days as of now.
  func updatedInMemory(_ model: ActivityModel) throws -> UserJournal {
    let user = try reading()
    do throws(JournalError) {
      try user.updateDays(model: model)
    } catch .readOnly(let path) {
      StandardError.write(
        "locomotion: \(path): written by another version; showing the days as they were known "
          + "last\n")
    }
    return user
  }

  /// The user's part of the journal, which is made where there is none: not for a name that is
  /// refused.
  func making() throws -> UserJournal {
    let (store, name) = (try required("store"), try required("user"))
    try Journal.validate(newUserName: name)
    return try Journal(path: store).user(name)
  }

  /// The user's part of the journal, for writing; opening never makes a journal.
  func writing() throws -> UserJournal {
    try Journal.writingExisting(required("store")).existing(required("user"))
  }
}
