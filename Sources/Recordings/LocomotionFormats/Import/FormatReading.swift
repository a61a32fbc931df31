package import LocomotionRecordings

extension RecordingFormat {
  /// Reads `source` in this format and calls `receiver` with its content.
  ///
  /// - Throws: What `receiver` throws, and `RecordingError` when the source is not in this format,
  ///   or holds nothing that can be kept: then the first defect.
  @discardableResult
  package func read(
    _ source: ImportSource, columns: TableColumns = TableColumns(),
    _ receiver: @escaping ImportSink.Receiver
  ) throws(RecordingError) -> ImportReport {
    let sink = ImportSink(receiver)
    switch self {
    case .csv: try TidyImporter.read(source, into: sink)
    case .geojson, .overland, .dawarich: try FeatureImporter.read(source, into: sink)
    case .ndjson: try LineJSONImporter.read(source, into: sink)
    case .moves: try MovesImporter.read(source, into: sink)
    case .sensorlogger: try SensorLoggerImporter.read(source, into: sink)
    case .sensorloggerpush:
      try SensorLoggerMessages.read(source, isApple: false, into: sink)
    case .phyphox: try PhyphoxImporter.read(source, into: sink)
    case .table: try SensorTableImporter.read(source, columns, into: sink)
    case .google: try GoogleHistoryImporter.read(source, into: sink)
    case .owntracks: try OwnTracksImporter.read(source, into: sink)
    case .gpx, .fit, .tcx, .kml: try TrackFile.read(source, as: self, into: sink)
    case .strava: try StravaImporter.read(source, into: sink)
    case .appleHealth: try AppleHealthImporter.read(source, into: sink)
    case .geolife: try GeoLifeImporter.read(source, into: sink)
    case .shl: try SHLImporter.read(source, into: sink)
    case .ucihar: try UCIHARImporter.read(source, into: sink)
    case .pamap2: try PAMAP2Importer.read(source, into: sink)
    case .arc: try ArcImporter.read(source, into: sink)
    }
    try sink.finish()
    let report = sink.report
    guard report.kept > 0 else {
      throw report.firstDefect
        ?? .nothingUsable(
          path: source.path, reason: "read \(report.read) rows as \(rawValue), kept none")
    }
    return report
  }
}
