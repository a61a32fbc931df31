internal import LocomotionRecordings
internal import LocomotionSensing

/// JSON, one object per line, as `locomotion record` reads it; keeps every bit of every number.
///
/// Pressures, and rotation rates with times of their own, get a separate line. Fixes follow the
/// accelerations of their batch.
final class LineJSONExporter: RecordingExporter {
  private let file: OutputFile

  init(_ file: OutputFile) throws(RecordingError) {
    self.file = file
  }

  func take(_ event: ImportEvent) throws(RecordingError) {
    switch event {
    case .recording(let recording):
      try write([
        "\"recording\":\(ForeignText.json(recording.name))",
        "\"subject\":\(ForeignText.json(recording.subject))",
        "\"gyroscope\":\(recording.hasGyroscope)", "\"barometer\":\(recording.hasBarometer)",
      ])
    case .label(let start, let end, let text):
      try write([
        "\"label\":\(ForeignText.json(text))", "\"start\":\(LineJSON.seconds(start))",
        "\"end\":\(LineJSON.seconds(end))",
      ])
    case .batch(let batch): try write(batch)
    }
  }

  private func write(_ batch: SensorBatch) throws(RecordingError) {
    let (samples, rates) = (batch.accelerations, batch.rotationRates)
    let isAligned = samples.timestamps == rates.timestamps
    let rateColumns = [rates.x, rates.y, rates.z]
    if rates.count > 0, !isAligned {
      try write(LineJSON.samples(rates.timestamps, SensorNames.rotationRates, rateColumns))
    }
    let pressures = batch.pressures
    if pressures.count > 0 {
      try write(
        LineJSON.samples(
          pressures.timestamps, [SensorNames.pressures], [pressures.hectopascals]))
    }
    var members: [String] = []
    if samples.count > 0 {
      members = LineJSON.samples(
        samples.timestamps,
        SensorNames.accelerations + (isAligned ? SensorNames.rotationRates : []),
        [samples.x, samples.y, samples.z] + (isAligned ? rateColumns : []))
    }
    if !batch.fixes.isEmpty { members.append(LineJSON.fixes(batch.fixes)) }
    if !members.isEmpty { try write(members) }
  }

  private func write(_ members: [String]) throws(RecordingError) {
    try file.write(LineJSON.line(members))
  }

  func finish() {}
}
