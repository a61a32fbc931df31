package import LocomotionRecordings
package import LocomotionSensing

/// Writes tracks of fixes as GPX or GeoJSON.
package struct TrackExporter {
  private let exporter: any RecordingExporter

  /// An exporter to a file.
  ///
  /// - Precondition: `format` is `.gpx` or `.geojson`.
  package init(_ format: RecordingFormat, to file: OutputFile) throws(RecordingError) {
    switch format {
    case .gpx: exporter = try GPXExporter(file)
    case .geojson: exporter = try FeatureExporter(file, isOverland: false)
    default: preconditionFailure("\(format.rawValue) is no form of tracks")
    }
  }

  /// Writes one track; its points in GeoJSON have its name as `recording`.
  package func write(_ fixes: [LocationFix], as name: String) throws(RecordingError) {
    var batch = SensorBatch()
    batch.fixes = fixes
    try exporter.take(.recording(ImportedRecording(name: name)))
    try exporter.take(.batch(batch))
  }

  /// Writes what is buffered and the end of the file's content.
  package func finish() throws(RecordingError) {
    try exporter.finish()
  }
}
