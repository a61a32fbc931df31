internal import LocomotionRecordings
internal import LocomotionSensing

/// GeoJSON points, one fix per line, under `features` or, in the form of Overland, `locations`.
///
/// Numbers keep every bit. Accelerations, rotation rates and labels are not exported.
final class FeatureExporter: RecordingExporter {
  private let file: OutputFile
  private var recording = ImportedRecording(name: "")
  private var isFirst = true

  init(_ file: OutputFile, isOverland: Bool) throws(RecordingError) {
    self.file = file
    try file.write(
      isOverland
        ? "{\"locations\":[\n" : "{\"type\":\"FeatureCollection\",\"features\":[\n")
  }

  func take(_ event: ImportEvent) throws(RecordingError) {
    switch event {
    case .recording(let recording): self.recording = recording
    case .batch(let batch): for fix in batch.fixes { try write(fix) }
    case .label: break
    }
  }

  private func write(_ fix: LocationFix) throws(RecordingError) {
    var text = isFirst ? "" : ",\n"
    isFirst = false
    let height = fix.altitude.map { ",\($0)" } ?? ""
    text += "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":"
    text += "[\(fix.longitude),\(fix.latitude)\(height)]},\"properties\":{"
    text += "\"timestamp\":\"\(CalendarTime.text(fix.timestamp))\""
    let numbers = [
      ("altitude", fix.altitude), ("horizontal_accuracy", fix.horizontalAccuracy),
      ("vertical_accuracy", fix.verticalAccuracy), ("speed", fix.speed),
      ("speed_accuracy", fix.speedAccuracy), ("course", fix.course),
      ("course_accuracy", fix.courseAccuracy),
    ]
    for (name, value) in numbers {
      if let value { text += ",\"\(name)\":\(value)" }
    }
    text += ",\"recording\":\(ForeignText.json(recording.name))"
    text += ",\"device_id\":\(ForeignText.json(recording.subject))}}"
    try file.write(text)
  }

  func result(of report: ImportReport) -> (isWritten: Bool, notes: [String]) {
    report.resultOfFixes
  }

  func finish() throws(RecordingError) {
    try file.write("\n]}\n")
  }
}
