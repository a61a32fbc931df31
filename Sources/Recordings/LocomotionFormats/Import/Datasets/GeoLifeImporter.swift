internal import LocomotionRecordings
internal import LocomotionSensing

/// Trajectories of the GeoLife data set: one recording per person, from all `.plt` files in order.
///
/// Six header lines, then latitude, longitude, 0, altitude in feet (−777: unknown), days since
/// 1899-12-30, date, time in GMT. `labels.txt` beside the folder holds start, end and mode.
final class GeoLifeImporter: FormatImporter {
  private static let headerLines = 6
  private static let metresPerFoot = 0.3048

  override func read() throws(RecordingError) {
    let files = source.names.filter { $0.lowercased().hasSuffix(".plt") }
    let people = Dictionary(grouping: files, by: Self.folder).sorted { $0.value[0] < $1.value[0] }
    for (person, files) in people {
      let last = person.split(separator: "/").last.map(String.init)
      try sink.begin(ImportedRecording(name: last ?? source.stem))
      for file in files { try readPoints(file) }
      let labels = (person.isEmpty ? "" : person + "/") + "labels.txt"
      if source.contains(labels) { try readLabels(labels) }
    }
  }

  /// The folder of a person: the part before `Trajectory`, or else before the file's name.
  private static func folder(of file: String) -> String {
    var parts = file.split(separator: "/").dropLast()
    if parts.last?.lowercased() == "trajectory" { parts = parts.dropLast() }
    return parts.joined(separator: "/")
  }

  private func readPoints(_ file: String) throws(RecordingError) {
    var lines = try source.lines(of: file)
    for _ in 0..<Self.headerLines {
      guard try lines.next() != nil else {
        throw .malformed(
          path: source.displayPath(of: file), place: "line \(lines.line)",
          expected: "\(Self.headerLines) header lines", found: "the end of the file")
      }
    }
    var rows = TableRows(withoutHeader: lines, .byte(UInt8(ascii: ",")))
    while try rows.next() {
      guard rows.count == 7 else {
        sink.drop(.fieldCount, rows.defect("7 fields"))
        continue
      }
      guard let (time, _) = CalendarTime.timestamp(rows.text(at: 5) + "T" + rows.text(at: 6))
      else {
        sink.drop(.noTime, rows.defect("a date and a time", at: 5))
        continue
      }
      if let bad = [0, 1].first(where: { rows.field(at: $0) == .text }) {
        sink.drop(.notANumber, rows.defect("degrees", at: bad))
        continue
      }
      let feet = rows.value(at: 3).flatMap { $0 == -777 ? nil : $0 }
      try sink.append(
        LocationFix(
          timestamp: time, latitude: rows.value(at: 0) ?? .nan,
          longitude: rows.value(at: 1) ?? .nan, altitude: feet.map { $0 * Self.metresPerFoot }))
    }
  }

  private func readLabels(_ file: String) throws(RecordingError) {
    var rows = TableRows(withoutHeader: try source.lines(of: file), .byte(0x09))
    while try rows.next() {
      if rows.text(at: 0).lowercased().hasPrefix("start") { continue }
      guard rows.count == 3 else {
        sink.drop(.fieldCount, rows.defect("start, end and mode with tabs between them"))
        continue
      }
      guard let start = CalendarTime.timestamp(rows.text(at: 0))?.time,
        let end = CalendarTime.timestamp(rows.text(at: 1))?.time
      else {
        sink.drop(.noTime, rows.defect("2008/04/02 11:24:21", at: 0))
        continue
      }
      try sink.label(rows.text(at: 2), from: start, to: end)
    }
  }
}
