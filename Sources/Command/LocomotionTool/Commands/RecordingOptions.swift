package import LocomotionFormats
package import LocomotionRecordings
package import LocomotionSensing

extension Option {
  /// What tells how the input is written, where it doesn't tell itself.
  static let recording = [
    Option(
      name: "from", value: "FORM",
      help:
        "the form of the input: auto (the default, by the input), \(RecordingFormat.allCases.names)"
    ),
    Option(
      name: "column", value: "QUANTITY=COLUMN,…",
      help:
        "the columns of a table with other names: \(TableColumns.quantities.joined(separator: ", "))"
    ),
    Option(
      name: "unit", value: "UNIT,…",
      help: "the units of a table that doesn't tell them: "
        + TableColumns.Unit.allCases.names),
  ]
}

extension Arguments {
  /// The recording that the command reads.
  func source() throws -> RecordingSource { try source(operands[0]) }

  /// The recording at a path.
  func source(_ path: String) throws -> RecordingSource {
    // An archive is unpacked, and standard input copied.
    TemporaryPaths.deleteWhenStopped()
    let (format, columns) = (try inputFormat, try columns)
    guard columns.isEmpty || format == nil || format == .table else {
      throw UsageError("'--column' and '--unit' are for tables; leave out '--from'")
    }
    return try RecordingSource(path: path, format: format, columns: columns)
  }

  /// The form given by `--from`; nil for that of the input.
  var inputFormat: RecordingFormat? {
    get throws {
      value("from") ?? "auto" == "auto" ? nil : try choice("from", default: .csv)
    }
  }

  /// What `--column` and `--unit` say.
  var columns: TableColumns {
    get throws {
      do {
        return try TableColumns(all("column"), units: all("unit"))
      } catch RecordingError.malformed(_, let place, let expected, _) {
        throw UsageError("\(place): expected \(expected)")
      }
    }
  }
}

extension RecordingSource {
  /// All location fixes, in the order in which they are read.
  package func fixes() throws(RecordingError) -> [LocationFix] {
    var reader = try reader()
    var batch = SensorBatch()
    var fixes: [LocationFix] = []
    while try reader.read(into: &batch) { fixes += batch.fixes }
    return fixes
  }

  /// Says on standard error which form was taken, what was left out and what looks wrong; nothing
  /// where a tidy recording was taken whole.
  func tell(_ report: ImportReport) {
    let isWhole = report.dropped.isEmpty && report.notes.isEmpty && report.outOfOrder == 0
    guard format != .csv || !isWhole else { return }
    var lines = report.lines
    if lines.contains(where: { $0.contains(" look like ") }) {
      lines.append("'--unit' and '--column' say what the values are")
    }
    StandardError.write(lines.map { "\(name): \($0)\n" }.joined())
  }
}
