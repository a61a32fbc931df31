internal import Foundation
package import LocomotionRecordings
internal import LocomotionSensing

/// Tidy CSV: one recording, or a folder with `labels.csv`.
final class TidyImporter: FormatImporter {
  override func read() throws(RecordingError) {
    guard source.isFolder else {
      return try copy(source.root, ImportedRecording(name: source.stem))
    }
    let set = try LabelledDataset(folder: folder())
    let labels = Dictionary(grouping: set.intervals, by: \.recording)
    for recording in set.recordings {
      let intervals = labels[recording.name] ?? []
      try copy(
        recording.path, ImportedRecording(name: recording.name, subject: intervals.first?.subject))
      for interval in intervals {
        try sink.label(interval.label, from: interval.start, to: interval.end)
      }
    }
    for name in set.missingRecordings { sink.note("labels without a recording: \(name)") }
  }

  /// The folder with the tables: a zip file of a folder has that folder in it.
  private func folder() -> String {
    let tables = source.names.filter { $0.hasSuffix(".csv") || $0.hasSuffix(".csv.gz") }
    let folders = Set(tables.map(\.folder))
    let depth = { (folder: String) in folder.split(separator: "/").count }
    let highest = folders.map(depth).min()
    let first = folders.filter { depth($0) == highest }
    guard first.count == 1, let folder = first.first, !folder.isEmpty else { return source.root }
    return "\(source.root)/\(folder)"
  }

  private func copy(_ path: String, _ recording: ImportedRecording) throws(RecordingError) {
    var reader = try RecordingReader(path: path, leavingOutBadRows: true)
    var recording = recording
    if let accelerations = reader.accelerationsPath {
      let columns = try TableRows(LineReader(path: accelerations)).columns
      recording.hasGyroscope = SensorNames.rotationRates.allSatisfy(columns.contains)
      recording.hasBarometer = columns.contains(SensorNames.pressures)
    }
    try sink.begin(recording)
    try sink.append(contentsOf: &reader)
  }
}

extension ImportSink {
  /// Appends what is left of a tidy recording.
  func append(contentsOf reader: inout RecordingReader) throws(RecordingError) {
    var batch = SensorBatch()
    while try reader.read(into: &batch) { try append(contentsOf: batch) }
    for _ in 0..<reader.counts.rowsWithoutTime { drop(.noTime) }
    for _ in 0..<reader.counts.badRows { drop(.notANumber, reader.firstBadRow) }
  }
}

/// A folder of tidy CSV: `X.csv.gz`, `X.gps.csv.gz` and `labels.csv`.
///
/// Names from the input are reduced to letters and digits, so that none leaves the folder. A
/// recording of the same name is replaced; labels of other recordings in the folder stay.
final class TidyExporter: RecordingExporter {
  private let folder: String
  private let outputs: OutputFiles
  private var writer: RecordingWriter?
  private var names: Set<String> = ["labels", "steps"]
  private var current = ImportedRecording(name: "")
  /// The rows of `labels.csv` of the recordings that are written, and the names of these.
  private var labels: [UInt8] = []
  private var labelled: Set<String> = []
  private static let header = "recording,subject,start,end,label"
  private var hasWritten = false
  private var rotationRatesLeftOut = 0

  init(folder: String, to outputs: OutputFiles) throws(RecordingError) {
    self.folder = folder
    self.outputs = outputs
    try outputs.openFolder(folder)
  }

  func take(_ event: ImportEvent) throws(RecordingError) {
    switch event {
    case .recording(let recording):
      try finishRecording()
      current = recording
      current.name = uniqueName(for: recording)
      labelled.insert(current.name)
      writer = try RecordingWriter(
        path: "\(folder)/\(current.name).csv.gz", hasGyroscope: recording.hasGyroscope,
        hasBarometer: recording.hasBarometer, to: outputs)
    case .batch(let batch): try writer?.write(batch)
    case .label(let start, let end, let text):
      labels += "\(current.name),\(ForeignText.csv(current.subject)),".utf8
      labels.append(start)
      labels.append(UInt8(ascii: ","))
      labels.append(end)
      labels += ",\(ForeignText.csv(text))\n".utf8
    }
  }

  func finish() throws(RecordingError) {
    try finishRecording()
    let path = "\(folder)/labels.csv"
    let others = try rowsOfOthers(path)
    guard !labels.isEmpty || others.isChanged else { return }
    try outputs.open(path).write(Array((Self.header + "\n").utf8) + others.bytes + labels)
  }

  func result(of report: ImportReport) -> (isWritten: Bool, notes: [String]) {
    let note =
      "not written: \(rotationRatesLeftOut) rotation rates; a row holds one, beside its acceleration"
    return (hasWritten, rotationRatesLeftOut > 0 ? [note] : [])
  }

  private func uniqueName(for recording: ImportedRecording) -> String {
    var name = ForeignText.fileName(recording.name)
    var number = 2
    while !names.insert(name.lowercased()).inserted {
      name = ForeignText.fileName(recording.name) + "-\(number)"
      number += 1
    }
    return name
  }

  /// Closes the files of a recording.
  ///
  /// Readers treat all files of one name as one recording. So a file of another recording that this
  /// one does not replace throws an error: it is not ours to delete.
  private func finishRecording() throws(RecordingError) {
    guard let writer = writer.take() else { return }
    rotationRatesLeftOut += writer.rotationRatesWithoutRow
    let written = try writer.finish()
    hasWritten = hasWritten || !written.isEmpty
    for ending in [".csv", ".csv.gz", ".gps.csv", ".gps.csv.gz"] {
      let path = "\(folder)/\(current.name)\(ending)"
      guard written.contains(path) || FileStatus(path: path) == nil else {
        throw .refused(
          path: path,
          reason: "this file would be read as part of the new recording \(current.name): "
            + "remove it, or choose another folder")
      }
    }
  }

  /// The labels in the folder of recordings that are not written now, and whether there are others.
  private func rowsOfOthers(
    _ path: String
  ) throws(RecordingError) -> (bytes: [UInt8], isChanged: Bool) {
    guard FileStatus(path: path) != nil else { return ([], false) }
    var lines = try LineReader(path: path)
    guard let header = try lines.next() else { return ([], false) }
    guard lines.bytes[header].elementsEqual(Self.header.utf8) else {
      throw .badHeader(
        path: path, line: 1, expected: Self.header,
        found: String(decoding: lines.bytes[header].prefix(256), as: UTF8.self))
    }
    var kept: [UInt8] = []
    var isChanged = false
    while let line = try lines.next() {
      let row = lines.bytes[line]
      let name = String(decoding: row.prefix { $0 != UInt8(ascii: ",") }, as: UTF8.self)
      if labelled.contains(name) {
        isChanged = true
      } else {
        kept += row + [UInt8(ascii: "\n")]
      }
    }
    return (kept, isChanged)
  }
}

extension LabelledDataset {
  /// A data set in any form: a folder of tidy recordings as it is, another labelled form as its
  /// conversion to such a folder, which is deleted at the end of the process.
  ///
  /// - Parameters:
  ///   - path: A folder, or a file or archive that `RecordingSource` reads.
  ///   - customLabels: As of ``LabelledDataset/init(folder:descriptor:customLabels:)``.
  /// - Throws: `RecordingError` when it is neither.
  package init(path: String, customLabels: [String: String] = [:]) throws(RecordingError) {
    let descriptor = try DatasetDescriptor.descriptor(for: path)
    do {
      try self.init(folder: path, descriptor: descriptor, customLabels: customLabels)
    } catch {
      guard let source = try? RecordingSource(path: path), source.format != .csv else {
        throw error
      }
      let stem = source.files.stem
      let name = [".", ".."].contains(stem) ? "dataset" : stem
      let folder = try TemporaryFolder(untilExit: true).path + "/" + name
      let outputs = OutputFiles(inputs: source.filesOnDisk)
      let exporter = try TidyExporter(folder: folder, to: outputs)
      try source.importEvents { (event: ImportEvent) throws(RecordingError) in
        try exporter.take(event)
      }
      try exporter.finish()
      try outputs.commit()
      try self.init(folder: folder, descriptor: descriptor, customLabels: customLabels)
    }
  }
}
