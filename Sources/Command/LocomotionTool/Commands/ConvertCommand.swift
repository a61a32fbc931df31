import Foundation
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings

extension Command {
  static let convert = Command(
    name: "convert",
    synopsis: "IN OUT [--from FORM] [--to FORM] [--keep SHARE]",
    summary: "Converts recordings of other programs, and recordings for other programs.",
    operandCount: 2...2,
    options: [
      Option(
        name: "to", value: "FORM",
        help: "the form of OUT: \(RecordingFormat.allCases.filter(\.isWritable).names) "
          + "(default: by the name; a folder is csv)"),
      Option(
        name: "keep", value: "SHARE",
        help: "the fraction of rows that must be kept, or else the status is 3 (default 0.5)"),
    ] + Option.recording,
    run: runConvert)

  private static func runConvert(_ arguments: Arguments) throws {
    let fraction = try arguments.number("keep", default: 0.5, in: 0...1)
    let output = arguments.operands[1]
    let target: RecordingFormat? =
      arguments.has("to") ? try arguments.choice("to", default: .csv) : nil
    guard let written = target ?? RecordingFormat(outputPath: output), written.isWritable else {
      let forms = RecordingFormat.allCases.filter(\.isWritable).names
      throw UsageError("'\(output)': expected '--to' with a form that can be written: \(forms)")
    }
    let (format, columns) = (try arguments.inputFormat, try arguments.columns)
    TemporaryPaths.deleteWhenStopped()
    let report = try Conversion.run(
      input: arguments.operands[0], output: output, from: format, to: written, columns: columns)
    for line in report.lines { StandardError.write("\(line)\n") }
    // Waypoints and routes are not rows of a recording.
    let rows = report.read - (report.dropped[.otherKind] ?? 0)
    guard Double(report.kept) >= fraction * Double(rows) else {
      throw RecordingError.nothingUsable(
        path: arguments.operands[0],
        reason:
          "kept \(report.kept) of \(rows) rows, fewer than the required fraction \(fraction)"
      )
    }
  }
}
