import Foundation
import Locomotion
package import LocomotionActivityRecognition
import LocomotionFormats
import LocomotionRecordings
package import LocomotionTraining

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
        + TableColumns.Unit.allCases.names), .timeZone,
  ]

  package static let strict = Option(
    name: "strict", value: nil, help: "problems of the data are errors; see check-dataset")
  package static let dataset = Option(
    name: "dataset", value: "DIRECTORY…", help: "labelled data sets; see Datasets/README.md")
  package static let seed = Option(
    name: "seed", value: "NUMBER", help: "decides all that is random (default 1)")
  package static let asRecorded = Option(
    name: "as-recorded", value: nil, help: "train without altered copies of the recordings")
}

extension Arguments {
  func source() throws -> RecordingSource { try source(operands[0]) }

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

  /// What `--column`, `--unit` and `--time-zone` say.
  var columns: TableColumns {
    get throws {
      do {
        var columns = try TableColumns(all("column"), units: all("unit"))
        columns.zone = try value("time-zone") == nil ? nil : timeZone().identifier
        return columns
      } catch RecordingError.malformed(_, let place, let expected, _) {
        throw UsageError("\(place): expected \(expected)")
      }
    }
  }

  /// The number of threads given by `--jobs`; nil without the option.
  var jobs: Int? {
    get throws {
      guard let text = value("jobs") else { return nil }
      guard let jobs = Int(text), 1...256 ~= jobs else {
        throw UsageError("'--jobs \(text)': expected a whole number from 1 to 256")
      }
      return jobs
    }
  }

  /// The model given by an option, or the built-in one.
  package func model(_ option: String = "model") throws -> ActivityModel {
    guard let path = value(option), let data = try content(option) else { return .default }
    do {
      return try ActivityModel(file: Array(data))
    } catch {
      throw CommandFailure("\(path): \(error)", .rejected)
    }
  }

  /// What is in the file that an option names; nil without the option.
  func content(_ option: String) throws -> Data? {
    guard let path = value(option) else { return nil }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw FileManager.default.fileExists(atPath: path)
        ? RecordingError.unreadable(path: path, reason: "not a readable file")
        : RecordingError.notFound(path: path)
    }
    return data
  }

  /// The seed given by `--seed`, 1 when it is absent.
  package func seed() throws -> UInt64 {
    guard let text = value("seed") else { return 1 }
    guard let seed = UInt64(text) else {
      throw UsageError("'--seed \(text)': expected a whole number from 0 to 2^64 - 1")
    }
    return seed
  }

  /// The augmentation to train with.
  package var augmentation: AugmentationPlan { has("as-recorded") ? .none : .standard }
}

extension RecordingSource {
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

extension LabelledWindows {
  /// The windows of the data sets given by `--dataset`, with a summary and their problems on
  /// standard error.
  package init(
    _ arguments: Arguments, augmentation: AugmentationPlan, custom: [CustomActivity] = []
  ) throws {
    let folders = arguments.all("dataset")
    var progress = ProgressBar(total: folders.count)
    try self.init(
      folders, augmentation: augmentation, custom: custom, seed: arguments.seed(),
      isStrict: arguments.has("strict")
    ) {
      try LabelledDataset(path: $0, customLabels: $1)
    } begin: {
      progress.advance(to: $0)
    } tell: {
      progress.clear()
      StandardError.write($0)
    }
  }
}
