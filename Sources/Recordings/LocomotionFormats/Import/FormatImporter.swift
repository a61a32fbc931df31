package import LocomotionRecordings
internal import LocomotionSensing

/// Reads the files of an input in one format, or one of a family of formats.
///
/// A class, because the parsers call it back, and what one file tells may be needed for the next.
class FormatImporter {
  let source: ImportSource
  let sink: ImportSink

  required init(_ source: ImportSource, _ sink: ImportSink) {
    self.source = source
    self.sink = sink
  }

  /// Reads all files of the input.
  func read() throws(RecordingError) {}

  /// Reads each folder of the input that holds a recording, as a source of its own.
  final func forEachFolder(
    where isData: (String) throws(RecordingError) -> Bool,
    _ read: (Self) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    let folders = try source.folders(where: isData)
    if folders.count > 1 { sink.note("\(folders.count) folders: a recording each") }
    for folder in folders { try read(Self(folder, sink)) }
  }

  /// What `open` makes of a file; nil, with a note, when it is one of several and has a defect.
  final func ifSound<Content>(
    _ open: () throws(RecordingError) -> Content
  ) throws(RecordingError) -> Content? {
    do {
      return try open()
    } catch {
      if source.names.count == 1 { throw error }
      sink.note("left out: \(error)")
      return nil
    }
  }

  /// Reads one file of many: when its content is rejected, it is left out from there, with a note.
  final func leavingOutDefects(
    _ body: () throws(RecordingError) -> Void
  ) throws(RecordingError) {
    do {
      try body()
    } catch {
      guard error.isInputRejection else { throw error }
      sink.leaveOut("files with a defect, from there on")
      sink.note("\(error)")
    }
  }
}

extension RecordingFormat {
  private var importer: FormatImporter.Type {
    switch self {
    case .csv: TidyImporter.self
    case .geojson, .overland, .dawarich: FeatureImporter.self
    case .ndjson: LineJSONImporter.self
    case .moves: MovesImporter.self
    case .sensorlogger: SensorLoggerImporter.self
    case .sensorloggerpush: SensorLoggerMessages.self
    case .phyphox: PhyphoxImporter.self
    case .table: SensorTableImporter.self
    case .google: GoogleHistoryImporter.self
    case .owntracks: OwnTracksImporter.self
    case .gpx, .tcx, .kml, .fit: TrackImporter.self
    case .strava: StravaImporter.self
    case .appleHealth: AppleHealthImporter.self
    case .geolife: GeoLifeImporter.self
    case .shl: SHLImporter.self
    case .ucihar: UCIHARImporter.self
    case .pamap2: PAMAP2Importer.self
    case .arc: ArcImporter.self
    }
  }

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
    let importer = importer.init(source, sink)
    (importer as? SensorTableImporter)?.given = columns
    (importer as? TrackImporter)?.format = self
    try importer.read()
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
