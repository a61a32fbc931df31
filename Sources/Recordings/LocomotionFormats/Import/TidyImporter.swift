internal import LocomotionRecordings
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
    let folders = Set(tables.map { $0.split(separator: "/").dropLast().joined(separator: "/") })
    let depth = { (folder: String) in folder.split(separator: "/").count }
    let highest = folders.map(depth).min()
    let first = folders.filter { depth($0) == highest }
    guard first.count == 1, let folder = first.first, !folder.isEmpty else { return source.root }
    return "\(source.root)/\(folder)"
  }

  private func copy(_ path: String, _ recording: ImportedRecording) throws(RecordingError) {
    var reader = try RecordingReader(path: path)
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
  }

  /// Appends all samples and fixes of a batch.
  func append(contentsOf batch: SensorBatch) throws(RecordingError) {
    let rates = batch.rotationRates
    var next = 0
    let series = batch.accelerations
    for index in 0...series.count {
      let time = index < series.count ? series.timestamps[index] : nil
      while next < rates.count, time.map({ rates.timestamps[next] <= $0 }) ?? true {
        try append(
          RotationRate(x: rates.x[next], y: rates.y[next], z: rates.z[next]),
          at: rates.timestamps[next])
        next += 1
      }
      guard let time else { break }
      try append(Acceleration(x: series.x[index], y: series.y[index], z: series.z[index]), at: time)
    }
    for (pressure, time) in zip(batch.pressures.hectopascals, batch.pressures.timestamps) {
      try append(pressure: Double(pressure), at: time)
    }
    for fix in batch.fixes { try append(fix) }
  }
}
