public import LocomotionRecordings

/// Converts a recording from one format to another.
///
/// ```swift
/// let report = try Conversion(input: "walk.zip", output: "walk").run()
/// print(report.lines.joined(separator: "\n"))
/// ```
///
/// The input is streamed in bounded memory; only a storyline holds more, one sample per second. The
/// output files are renamed into place when all of them are complete: after an error every file is
/// what it was before, and nothing new is left behind. The input is never overwritten.
public struct Conversion: Sendable {
  /// The file or folder to read.
  public let input: String
  /// The file or folder to write.
  public let output: String
  /// The format of the input; nil to detect it from names and content.
  public let inputFormat: RecordingFormat?
  /// The format of the output.
  public let outputFormat: RecordingFormat

  /// A conversion that has not run yet.
  ///
  /// - Parameters:
  ///   - input: The path of a file, a folder, or a zip file.
  ///   - output: The path of the output; its folder must exist.
  ///   - inputFormat: The format of the input; nil to detect it from names and content.
  ///   - outputFormat: The format of the output; nil to derive it from the file name extension.
  /// - Throws: `RecordingError` when the output's format is unknown or cannot be written.
  public init(
    input: String, output: String, from inputFormat: RecordingFormat? = nil,
    to outputFormat: RecordingFormat? = nil
  ) throws(RecordingError) {
    let writable = RecordingFormat.allCases.filter(\.isWritable).map(\.rawValue)
    guard let format = outputFormat ?? RecordingFormat(outputPath: output), format.isWritable
    else {
      throw .unwritable(
        path: output,
        reason: "expected one of the forms \(writable.joined(separator: ", "))"
          + (outputFormat.map { ", found \($0.rawValue)" } ?? ", and the name tells none"))
    }
    self.input = input
    self.output = output
    self.inputFormat = inputFormat
    self.outputFormat = format
  }

  /// Reads the input and writes the output.
  ///
  /// - Returns: What was read, kept and dropped.
  /// - Throws: `RecordingError` when the input is not in its format, holds nothing that can be kept
  ///   or is the output too, or when the output cannot be written.
  public func run() throws(RecordingError) -> ImportReport {
    let source = try ImportSource(path: input)
    let format =
      if let inputFormat { inputFormat } else { try RecordingFormat(detecting: source) }
    let outputs = OutputFiles(inputs: source.filesOnDisk)
    let exporter = try exporter(to: outputs)
    let report = try format.read(source) { (event: ImportEvent) throws(RecordingError) in
      try exporter.take(event)
    }
    try exporter.finish()
    let (written, notes) = exporter.result(of: report)
    guard written else {
      throw .nothingUsable(
        path: input,
        reason: (["nothing of it can be written as \(outputFormat.rawValue)"] + notes)
          .joined(separator: "; "))
    }
    try outputs.commit()
    return report.noting(notes)
  }

  private func exporter(to outputs: OutputFiles) throws(RecordingError) -> any RecordingExporter {
    switch outputFormat {
    case .gpx: try GPXExporter(outputs.open(output))
    case .geojson: try FeatureExporter(outputs.open(output), isOverland: false)
    case .overland: try FeatureExporter(outputs.open(output), isOverland: true)
    case .ndjson: try LineJSONExporter(outputs.open(output))
    case .moves: try StorylineExporter(outputs.open(output))
    default: try TidyExporter(folder: output, to: outputs)
    }
  }
}

extension RecordingFormat {
  /// Reads `source` in this format and calls `receiver` with its content.
  ///
  /// - Throws: What `receiver` throws, and `RecordingError` when the source is not in this format,
  ///   or holds nothing that can be kept: then the first defect.
  @discardableResult
  package func read(
    _ source: ImportSource, _ receiver: @escaping ImportSink.Receiver
  ) throws(RecordingError) -> ImportReport {
    let sink = ImportSink(receiver)
    switch self {
    case .csv: try TidyImporter.read(source, into: sink)
    case .gpx: try TrackFile.read(source, as: self, into: sink)
    case .geojson, .overland, .dawarich: try FeatureImporter.read(source, into: sink)
    case .ndjson: try LineJSONImporter.read(source, into: sink)
    case .moves: try MovesImporter.read(source, into: sink)
    case .sensorlogger: try SensorLoggerImporter.read(source, into: sink)
    case .sensorloggerpush:
      try SensorLoggerMessages.read(source, isApple: false, into: sink)
    case .phyphox: try PhyphoxImporter.read(source, into: sink)
    case .table: try SensorTableImporter.read(source, into: sink)
    case .google: try GoogleHistoryImporter.read(source, into: sink)
    case .owntracks: try OwnTracksImporter.read(source, into: sink)
    case .fit, .tcx, .kml: try TrackFile.read(source, as: self, into: sink)
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
