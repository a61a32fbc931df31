package import LocomotionRecordings
package import LocomotionSensing

/// GPX 1.1: one track per recording, a new segment after a minute without a fix.
///
/// Accelerations, rotation rates and labels are not exported. Speed, course and accuracies are
/// extensions in a namespace of their own. Positions have nine decimals.
package final class GPXExporter: FixExporter {
  private let file: OutputFile
  private var isInTrack = false
  private var latest: Timestamp?
  private static let longestPause = 60.0

  /// An exporter to `file`, which starts with the head of the document.
  package init(_ file: OutputFile) throws(RecordingError) {
    self.file = file
    try file.write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="swift-locomotion" xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:loco="urn:swift-locomotion:gpx:1">

      """)
  }

  package func begin(_ recording: ImportedRecording) throws(RecordingError) {
    try startTrack(recording.name)
  }

  /// Ends the track before and starts one.
  package func startTrack(_ name: String, type: String? = nil) throws(RecordingError) {
    try endTrack()
    let type = type.map { "<type>\($0)</type>" } ?? ""
    try file.write("<trk><name>\(ForeignText.xml(name))</name>\(type)\n")
    isInTrack = true
  }

  package func write(_ fix: LocationFix) throws(RecordingError) {
    if let latest, abs(fix.timestamp.seconds(since: latest)) > Self.longestPause {
      try file.write("</trkseg>\n<trkseg>\n")
    } else if latest == nil {
      try file.write("<trkseg>\n")
    }
    latest = fix.timestamp
    var text = Array("<trkpt lat=\"".utf8)
    text.append(fix.latitude, digits: 9)
    text += "\" lon=\"".utf8
    text.append(fix.longitude, digits: 9)
    text += "\">".utf8
    add("ele", fix.altitude, to: &text)
    text += "<time>\(CalendarTime.text(fix.timestamp))</time>".utf8
    // All but the position, which has elements of its own.
    let extras = zip(LocationFix.quantityNames, fix.quantities).dropFirst(3)
    if extras.contains(where: { $0.1 != nil }) {
      text += "<extensions>".utf8
      for (name, value) in extras { add("loco:" + name, value, to: &text) }
      text += "</extensions>".utf8
    }
    text += "</trkpt>\n".utf8
    try file.write(text)
  }

  private func add(_ name: String, _ value: Double?, to text: inout [UInt8]) {
    guard let value else { return }
    text += "<\(name)>".utf8
    text.append(value, digits: 6)
    text += "</\(name)>".utf8
  }

  private func endTrack() throws(RecordingError) {
    if latest != nil { try file.write("</trkseg>\n") }
    if isInTrack { try file.write("</trk>\n") }
    latest = nil
    isInTrack = false
  }

  package func finish() throws(RecordingError) {
    try endTrack()
    try file.write("</gpx>\n")
  }
}
