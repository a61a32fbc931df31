internal import CLocomotion
internal import LocomotionC
internal import LocomotionFormats
internal import LocomotionRecordings
internal import LocomotionSensing
internal import LocomotionSignals
internal import LocomotionTraining

/// Reads recordings in any format, and gives their columns.
///
/// For each recording: "recording" (its name), "subject", then "accelerations.times" (Int64,
/// nanoseconds), "accelerations.xyz" (Float, three per time), the same of "rotation_rates",
/// "pressures.times", "pressures.hectopascals" and "fixes" (`locomotion_fix`); and for each
/// labelled interval "label" (its text) with "label.span" (Int64, start and end). Then "report",
/// one line for each thing that was counted.
struct RecordingReading {
  let results: Results

  /// Reads the file or folder at `path`.
  ///
  /// Of a tidy recording every row is given, as the command processes it; of another form what
  /// `locomotion convert` keeps, in the order of the file.
  func read(_ path: String) throws(RecordingError) {
    let source = try RecordingSource(path: path)
    if source.isTidyFile {
      results.give("recording", source.files.stem)
      results.give("subject", "")
      var reader = try source.reader()
      var all = SensorBatch()
      var batch = SensorBatch()
      while try reader.read(into: &batch) { all.append(contentsOf: batch) }
      give(all)
      results.give("report", reader.report.lines.joined(separator: "\n"))
      return
    }
    var isOpen = false
    var all = SensorBatch()
    let report = try source.importEvents { event in
      switch event {
      case .recording(let recording):
        if isOpen { give(all) }
        isOpen = true
        all = SensorBatch()
        results.give("recording", recording.name)
        results.give("subject", recording.subject)
      case .batch(let batch): all.append(contentsOf: batch)
      case .label(let start, let end, let text):
        results.give("label", text)
        results.give("label.span", [start.nanoseconds, end.nanoseconds])
      }
    }
    if isOpen { give(all) }
    results.give("report", report.lines.joined(separator: "\n"))
  }

  private func give(_ batch: SensorBatch) {
    let (accelerations, rates) = (batch.accelerations, batch.rotationRates)
    results.give("accelerations", accelerations.timestamps, accelerations.interleaved)
    results.give("rotation_rates", rates.timestamps, rates.interleaved)
    results.give(batch.pressures, batch.fixes)
  }
}

extension Results {
  fileprivate func give(_ name: String, _ times: [Timestamp], _ xyz: [Float]) {
    give("\(name).times", times.map(\.nanoseconds))
    give("\(name).xyz", xyz)
  }

  fileprivate func give(_ pressures: SensorBatch.PressureSeries, _ fixes: [LocationFix]) {
    give("pressures.times", pressures.timestamps.map(\.nanoseconds))
    give("pressures.hectopascals", pressures.hectopascals)
    give("fixes", fixes.map { locomotion_fix($0) })
  }
}

extension SensorBatch.Series {
  /// A series of nanoseconds and three values for each.
  fileprivate init(_ times: [Int64], _ xyz: [Float]) {
    self.init()
    guard !times.isEmpty else { return }
    let times = times.map { Timestamp(nanoseconds: $0) }
    let count = xyz.count
    append(
      x: xyz[0..<count].span, y: xyz[1..<count].span, z: xyz[2..<count].span,
      at: times[0..<times.count].span, stride: 3)
  }

  /// Three values for each time.
  fileprivate var interleaved: [Float] {
    (0..<count).flatMap { [x[$0], y[$0], z[$0]] }
  }
}

/// A recording of the caller's, whose arrays have the names of ``RecordingReading``.
struct PlainRecording {
  let batch: SensorBatch

  init(_ arrays: NamedArrays) {
    var batch = SensorBatch()
    batch.accelerations = SensorBatch.Series(
      arrays.values("accelerations.times"), arrays.values("accelerations.xyz"))
    batch.rotationRates = SensorBatch.Series(
      arrays.values("rotation_rates.times"), arrays.values("rotation_rates.xyz"))
    let times: [Int64] = arrays.values("pressures.times")
    batch.pressures.append(
      arrays.values("pressures.hectopascals"), at: times.map { Timestamp(nanoseconds: $0) })
    let fixes: [locomotion_fix] = arrays.values("fixes")
    batch.append(fixes.map { LocationFix($0) })
    self.batch = batch
  }

  /// Writes the file `path`, and the file of fixes beside it, with nine decimals each: what is
  /// read again differs by less than the resolution of any sensor.
  func write(to path: String) throws(RecordingError) {
    var writer = try RecordingWriter(
      path: path, hasGyroscope: batch.rotationRates.count > 0,
      hasBarometer: batch.pressures.count > 0, decimals: 9)
    try writer.write(batch)
    try writer.close()
  }

  /// Gives "stretch" (Int64: the time of its first sample) and "samples" (Float, three per sample
  /// of 10 ms) for each stretch without a gap.
  static func giveGrid(_ times: [Int64], _ accelerations: [Float], to results: Results) {
    for stretch in GriddedRecording(SensorBatch.Series(times, accelerations)).stretches {
      let start = GriddedRecording.timestamp(ofCell: stretch.firstCell)
      results.give("stretch", [start.nanoseconds])
      results.give("samples", stretch.samples.flatMap { [$0.x, $0.y, $0.z] })
    }
  }
}
