internal import LocomotionRecordings
internal import LocomotionSensing

/// The archive of all data that Strava sends: `activities.csv`, and GPX, TCX and FIT files of the
/// activities below `activities/`, most of them compressed.
///
/// An activity is a recording, and all have one subject. The table's type of an activity is its
/// label, also where the file says another; where the table is in another language, what the file
/// says. A file that cannot be read is left out, and does not take the others with it. Without a
/// table the files of the folder are read.
final class StravaImporter: FormatImporter {
  /// Strava's types, with our names where there is one.
  private static let labels = [
    "run": "running", "trail run": "running", "ride": "cycling", "mountain bike ride": "cycling",
    "gravel ride": "cycling", "walk": "walking",
  ]

  override func read() throws(RecordingError) {
    let tables = source.names.filter { $0.fileName.lowercased() == "activities.csv" }
    var isRead: Set<String> = []
    guard !tables.isEmpty else {
      sink.note("no activities.csv: labels are what the files say")
      for name in source.names { try read(name, source.stem, .own) }
      return
    }
    for table in tables {
      let folder = String(table.dropLast("activities.csv".count))
      let subject = folder.isEmpty ? source.stem : folder.fileName
      try forEachActivity(in: table) { (file, label) throws(RecordingError) in
        if file.isEmpty {
          sink.leaveOut("activities without a file")
        } else if !source.contains(folder + file) {
          sink.leaveOut("activities whose file is not there")
        } else if isRead.insert(folder + file).inserted {
          try read(folder + file, subject, label)
        }
      }
      for name in source.names where name.hasPrefix(folder + "activities/") {
        guard isRead.insert(name).inserted else { continue }
        sink.note("files that activities.csv does not name are read, too")
        try read(name, subject, .own)
      }
    }
  }

  private func read(_ name: String, _ subject: String, _ label: TrackLabel) throws(RecordingError) {
    guard let format = TrackImporter.format(of: name) else {
      return sink.leaveOut("files of other kinds")
    }
    let recording = ImportedRecording(name: ImportSource.stem(name), subject: subject)
    try leavingOutDefects { () throws(RecordingError) in
      try readTrack(name, format, as: recording, label)
    }
  }

  /// Calls `body` with the file of each row, empty where there is none, and its label.
  private func forEachActivity(
    in table: String, _ body: (String, TrackLabel) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    var lines = try source.lines(of: table)
    lines.joinsQuotedLines = true
    var rows = try TableRows(lines, isTidy: false)
    let type = rows.column("activity type")
    let file = rows.column("filename")
    while try rows.next() {
      // The names of the columns are in the language of the account, those of the files are not.
      let texts = (0..<rows.count).map { rows.text(at: $0) }
      let path = file.map { rows.text(at: $0) } ?? texts.first { $0.hasPrefix("activities/") } ?? ""
      let label = type.flatMap { $0 < texts.count ? texts[$0] : nil }.map { text in
        TrackLabel.given(Self.labels[text.lowercased()], sport: SportWords.sport(in: text))
      }
      try body(path, label ?? .own)
    }
  }
}
