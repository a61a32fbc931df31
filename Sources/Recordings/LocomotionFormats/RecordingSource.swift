public import LocomotionRecordings

/// A recording in any form: a file, a folder, a zip archive, or standard input.
///
/// ```swift
/// let source = try RecordingSource(path: "walk.gpx")
/// var reader = try source.reader()
/// var batch = SensorBatch()
/// while try reader.read(into: &batch) { print(batch.fixes.count) }
/// print(source.format, reader.report.lines)
/// ```
///
/// Everything that reads a recording reads it through this type, so that what one command takes,
/// all of them take.
public struct RecordingSource: Sendable {
  /// The path as it was given; `-` is standard input.
  public let path: String
  /// The form of the input.
  public let format: RecordingFormat
  /// The files of the input.
  package let files: ImportSource
  private let columns: TableColumns

  /// Opens an input and determines its form.
  ///
  /// - Parameters:
  ///   - path: A file, a folder or a zip file; `-` is standard input, which is copied to a
  ///     temporary file.
  ///   - format: The form; nil to detect it from names and content.
  ///   - columns: The columns and units of a table whose header does not tell them; with any, the
  ///     form is a ``RecordingFormat/table``.
  /// - Throws: `RecordingError` when the input cannot be read or its form is unknown.
  public init(
    path: String, format: RecordingFormat? = nil, columns: TableColumns = TableColumns()
  ) throws(RecordingError) {
    self.path = path
    self.columns = columns
    files = path == "-" ? try ImportSource.standardInput() : try ImportSource(path: path)
    if let format {
      self.format = format
    } else if columns.isEmpty {
      self.format = try RecordingFormat(detecting: files)
    } else {
      self.format = .table
    }
  }

  /// The paths of the input and of its files, which a command must not replace.
  public var filesOnDisk: [String] {
    guard !files.isFolder, [.csv, .table].contains(format) else { return files.filesOnDisk }
    return RecordingReader.files(ofRecordingAt: files.root)
  }

  /// The name of the recording, without folders.
  public var name: String {
    path == "-" ? "standard input" : path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Whether the input is one tidy recording, which is streamed in constant memory.
  package var isTidyFile: Bool { format == .csv && !files.isFolder }

  /// Calls `receiver` with the content in the order of the input.
  ///
  /// - Returns: What was read, kept and dropped.
  /// - Throws: What `receiver` throws, and `RecordingError` when the input is not in its form, or
  ///   holds nothing that can be kept: then the first defect.
  @discardableResult
  package func importEvents(
    _ receiver: @escaping ImportSink.Receiver
  ) throws(RecordingError) -> ImportReport {
    var report = try format.read(files, columns: columns, receiver)
    report.format = format
    return report
  }

  /// All recordings of the input in memory; nil for one that is streamed.
  ///
  /// - Throws: As ``reader()`` does.
  package func held() throws(RecordingError) -> HeldRecording? {
    isTidyFile ? nil : try HeldRecording(self)
  }

  /// A reader of the input's samples and fixes in the order of time.
  ///
  /// - Returns: The reader, which has read the input unless it is streamed.
  /// - Throws: `RecordingError` when the input is not in its form, or holds nothing that can be
  ///   kept: then the first defect; and `RecordingError.refused` when two recordings of the input
  ///   have accelerations of the same time, which are two phones.
  public func reader() throws(RecordingError) -> Reader {
    try Reader(self)
  }
}
