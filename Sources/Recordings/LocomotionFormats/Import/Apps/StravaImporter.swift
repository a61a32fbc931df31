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
    let tables = source.names.filter {
      $0.lowercased().split(separator: "/").last == "activities.csv"
    }
    var isRead: Set<String> = []
    guard !tables.isEmpty else {
      sink.note("no activities.csv: labels are what the files say")
      for name in source.names { try read(name, source.stem, .own) }
      return
    }
    for table in tables {
      let folder = String(table.dropLast("activities.csv".count))
      let subject = folder.split(separator: "/").last.map(String.init) ?? source.stem
      let activities = try activities(in: table)
      for activity in activities where !activity.file.isEmpty {
        let name = folder + activity.file
        guard source.contains(name) else {
          sink.leaveOut("activities whose file is not there")
          continue
        }
        guard isRead.insert(name).inserted else { continue }
        try read(name, subject, activity.label)
      }
      sink.leaveOut("activities without a file", count: activities.count(where: \.file.isEmpty))
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

  private func activities(
    in table: String
  ) throws(RecordingError) -> [(file: String, label: TrackLabel)] {
    var lines = try source.lines(of: table)
    lines.joinsQuotedLines = true
    var rows = try TableRows(lines, isTidy: false)
    let type = rows.column("activity type")
    let file = rows.column("filename")
    var activities: [(file: String, label: TrackLabel)] = []
    while try rows.next() {
      // The names of the columns are in the language of the account, those of the files are not.
      let texts = (0..<rows.count).map { rows.text(at: $0) }
      let path = file.map { rows.text(at: $0) } ?? texts.first { $0.hasPrefix("activities/") } ?? ""
      guard let type, type < rows.count else {
        activities.append((path, .own))
        continue
      }
      let text = texts[type]
      activities.append(
        (path, .given(Self.labels[text.lowercased()], sport: SportWords.sport(in: text))))
    }
    return activities
  }
}
