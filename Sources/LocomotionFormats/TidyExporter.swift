internal import Foundation
internal import LocomotionRecordings
internal import LocomotionSensing

/// A folder of tidy CSV: `X.csv.gz`, `X.gps.csv.gz` and `labels.csv`.
///
/// Names from the input are reduced to letters and digits, so that none leads out of the folder.
final class TidyExporter: RecordingExporter {
  private let folder: String
  private var writer: Writer?
  private var names: Set<String> = ["labels", "steps"]
  private var current = ImportedRecording(name: "")
  private var labels: WholeFile?
  private var written: [String] = []
  private let isNew: Bool

  /// An open recording; a box, because the writer cannot be copied.
  private final class Writer {
    private var writer: RecordingWriter?
    let path: String
    let fixesPath: String
    private var hasAccelerations = false

    init(path: String, hasGyroscope: Bool) throws(RecordingError) {
      let writer = try RecordingWriter(path: path, hasGyroscope: hasGyroscope)
      self.path = path
      fixesPath = writer.fixesPath
      self.writer = consume writer
    }

    func write(_ batch: SensorBatch) throws(RecordingError) {
      hasAccelerations = hasAccelerations || batch.accelerations.count > 0
      try writer?.write(batch)
    }

    /// Closes the files; one without a row is not left behind.
    func close() throws(RecordingError) {
      guard let open = writer.take() else { return }
      try open.close()
      if !hasAccelerations { try? FileManager.default.removeItem(atPath: path) }
    }
  }

  init(folder: String) throws(RecordingError) {
    self.folder = folder
    isNew = !FileManager.default.fileExists(atPath: folder)
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw .unwritable(path: folder, reason: error.localizedDescription)
    }
  }

  func take(_ event: ImportEvent) throws(RecordingError) {
    switch event {
    case .recording(let recording):
      try writer?.close()
      var name = ForeignText.fileName(recording.name)
      var number = 2
      while !names.insert(name.lowercased()).inserted {
        name = ForeignText.fileName(recording.name) + "-\(number)"
        number += 1
      }
      current = recording
      current.name = name
      // A file of fixes of an earlier recording would be read as part of this one.
      for ending in [".csv", ".csv.gz", ".gps.csv", ".gps.csv.gz"] {
        try? FileManager.default.removeItem(atPath: "\(folder)/\(name)\(ending)")
      }
      let opened = try Writer(
        path: "\(folder)/\(name).csv.gz", hasGyroscope: recording.hasGyroscope)
      written += [opened.path, opened.fixesPath]
      writer = opened
    case .batch(let batch): try writer?.write(batch)
    case .label(let start, let end, let text):
      if labels == nil {
        labels = try WholeFile(path: "\(folder)/labels.csv")
        try labels?.write("recording,subject,start,end,label\n")
      }
      var line: [UInt8] = Array("\(current.name),\(ForeignText.csv(current.subject)),".utf8)
      line.append(start)
      line.append(UInt8(ascii: ","))
      line.append(end)
      line += Array(",\(ForeignText.csv(text))\n".utf8)
      try labels?.write(line)
    }
  }

  func finish() throws(RecordingError) {
    try writer?.close()
    try labels?.finish()
  }

  func abandon() {
    writer = nil
    labels?.abandon()
    for path in written { try? FileManager.default.removeItem(atPath: path) }
    if isNew { try? FileManager.default.removeItem(atPath: folder) }
  }
}
