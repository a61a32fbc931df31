internal import LocomotionRecordings
internal import LocomotionSensing

/// GeoJSON points, one fix per line, under `features` or, in the form of Overland, `locations`.
///
/// Numbers keep every bit. Accelerations, rotation rates and labels are not exported.
final class FeatureExporter: RecordingExporter {
  private var features: FeatureCollection
  private var recording = ImportedRecording(name: "")

  init(_ file: OutputFile, isOverland: Bool) throws(RecordingError) {
    features = try FeatureCollection(
      file, head: isOverland ? "{\"locations\":[\n" : FeatureCollection.head)
  }

  func take(_ event: ImportEvent) throws(RecordingError) {
    switch event {
    case .recording(let recording): self.recording = recording
    case .batch(let batch): for fix in batch.fixes { try write(fix) }
    case .label: break
    }
  }

  private func write(_ fix: LocationFix) throws(RecordingError) {
    var properties = ["\"timestamp\":\"\(CalendarTime.text(fix.timestamp))\""]
    for (quantity, value) in zip(LocationFix.quantityNames, fix.quantities) {
      guard let value, let name = FeatureImporter.names[quantity]?.first else { continue }
      properties.append("\"\(name)\":\(value)")
    }
    properties.append("\"recording\":\(ForeignText.json(recording.name))")
    properties.append("\"device_id\":\(ForeignText.json(recording.subject))")
    try features.write(
      FeatureCollection.geometry("Point", FeatureCollection.position(of: fix)), properties)
  }

  func result(of report: ImportReport) -> (isWritten: Bool, notes: [String]) {
    report.resultOfFixes
  }

  func finish() throws(RecordingError) {
    try features.finish()
  }
}
