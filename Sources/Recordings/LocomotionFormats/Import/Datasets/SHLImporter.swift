internal import LocomotionRecordings
internal import LocomotionSensing

/// The text files of the SHL data set: one recording per day and position of the phone.
///
/// `<place>_Motion.txt` has 23 columns separated by blanks and no header: time in ms, acceleration,
/// rotation rate, the pressure in hPa as the 21st, and others that are not used here. `Label.txt`
/// beside it has the time and a coarse label from 1 to 8, 0 for none; `<place>_Location.txt` has
/// accuracy, latitude, longitude and altitude in columns 4 to 7.
final class SHLImporter: FormatImporter {
  private static let activities = [
    "still", "walking", "running", "cycling", "car", "bus", "train", "subway",
  ]

  override func read() throws(RecordingError) {
    for file in source.names where file.lowercased().hasSuffix("_motion.txt") {
      let parts = file.dropLast("_Motion.txt".count).split(separator: "/").map(String.init)
      let folder = parts.dropLast().joined(separator: "/")
      let inside = folder.isEmpty ? "" : folder + "/"
      try sink.begin(
        ImportedRecording(
          name: parts.joined(separator: "_"),
          subject: parts.count > 2 ? parts[parts.count - 3] : nil, hasGyroscope: true,
          hasBarometer: true))
      try readMotion(file)
      let location = "\(inside)\(parts.last ?? "")_Location.txt"
      if source.contains(location) { try readLocations(location) }
      if source.contains(inside + "Label.txt") {
        try readLabels(inside + "Label.txt")
      }
    }
  }

  /// The time of a row with seven columns or more; nil when it was dropped.
  private func time(of rows: TableRows, expecting columns: String) -> Timestamp? {
    guard rows.count >= 7 else {
      sink.drop(.fieldCount, rows.defect(columns))
      return nil
    }
    guard let time = rows.field(at: 0).timestamp(unitDigits: 3) else {
      sink.drop(.noTime, rows.defect("milliseconds", at: 0))
      return nil
    }
    return time
  }

  private func readMotion(_ file: String) throws(RecordingError) {
    var rows = TableRows(withoutHeader: try source.lines(of: file), .blanks)
    while try rows.next() {
      guard let time = time(of: rows, expecting: "at least 7 of 23 columns") else { continue }
      guard try sink.append(motionIn: Array(1...6), of: rows, at: time) else { continue }
      if let pressure = rows.value(at: 20), pressure.isFinite {
        try sink.append(pressure: pressure, at: time)
      }
    }
  }

  private func readLocations(_ file: String) throws(RecordingError) {
    var rows = TableRows(withoutHeader: try source.lines(of: file), .blanks)
    while try rows.next() {
      guard let time = time(of: rows, expecting: "7 columns") else { continue }
      try sink.append(
        LocationFix(
          timestamp: time, latitude: rows.value(at: 4) ?? .nan,
          longitude: rows.value(at: 5) ?? .nan, altitude: rows.value(at: 6),
          horizontalAccuracy: rows.value(at: 3)))
    }
  }

  private func readLabels(_ file: String) throws(RecordingError) {
    var rows = TableRows(withoutHeader: try source.lines(of: file), .blanks)
    var runs = LabelRuns()
    while try rows.next() {
      guard let time = rows.field(at: 0).timestamp(unitDigits: 3),
        let number = rows.value(at: 1), let code = Int(exactly: number), 0...8 ~= code
      else {
        sink.drop(.notANumber, rows.defect("milliseconds and a label from 0 to 8", at: 1))
        continue
      }
      try runs.take(code == 0 ? nil : Self.activities[code - 1], at: time, sink)
    }
    try runs.finish(sink)
  }
}
