public import LocomotionFormats
public import LocomotionRecordings

/// Converts a recording from one format to another.
///
/// ```swift
/// let report = try Conversion.run(input: "walk.zip", output: "walk")
/// print(report.lines.joined(separator: "\n"))
/// ```
///
/// The input is streamed in bounded memory, unless its sensors have files of their own. The output
/// files are renamed into place when all of them are complete: after an error every file is what it
/// was before, and nothing new is left behind. The input is never overwritten.
public enum Conversion {
  /// Reads the input and writes the output.
  ///
  /// - Parameters:
  ///   - input: The path of a file, a folder, or a zip file.
  ///   - output: The path of the output; its folder must exist.
  ///   - inputFormat: The format of the input; nil to detect it from names and content.
  ///   - outputFormat: The format of the output; nil to derive it from the file name extension.
  ///   - columns: The columns and units of a table whose header does not tell them.
  /// - Returns: What was read, kept and dropped.
  /// - Throws: `RecordingError` when the output's format is unknown or cannot be written, the input
  ///   is not in its format, holds nothing that can be kept or is the output too, or the output
  ///   cannot be written.
  public static func run(
    input: String, output: String, from inputFormat: RecordingFormat? = nil,
    to outputFormat: RecordingFormat? = nil, columns: TableColumns = TableColumns()
  ) throws(RecordingError) -> ImportReport {
    let writable = RecordingFormat.allCases.filter(\.isWritable).map(\.rawValue)
    guard let format = outputFormat ?? RecordingFormat(outputPath: output), format.isWritable
    else {
      throw .unwritable(
        path: output,
        reason: "expected one of the forms \(writable.joined(separator: ", "))"
          + (outputFormat.map { ", found \($0.rawValue)" } ?? ", and the name tells none"))
    }
    let source = try RecordingSource(path: input, format: inputFormat, columns: columns)
    let outputs = OutputFiles(inputs: source.filesOnDisk)
    let exporter = try format.exporter(to: output, in: outputs)
    let report = try source.importEvents { (event: ImportEvent) throws(RecordingError) in
      try exporter.take(event)
    }
    try exporter.finish()
    let (written, notes) = exporter.result(of: report)
    guard written else {
      throw .nothingUsable(
        path: input,
        reason: (["nothing of it can be written as \(format.rawValue)"] + notes)
          .joined(separator: "; "))
    }
    try outputs.commit()
    return report.noting(notes)
  }
}
