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
      try file.write(
        "{\"recording\":\(ForeignText.json(recording.name)),"
          + "\"subject\":\(ForeignText.json(recording.subject)),"
          + "\"gyroscope\":\(recording.hasGyroscope),"
          + "\"barometer\":\(recording.hasBarometer)}\n")
    case .label(let start, let end, let text):
      var line = Array("{\"label\":\(ForeignText.json(text)),\"start\":".utf8)
      line.append(start)
      line += ",\"end\":".utf8
      line.append(end)
      line += "}\n".utf8
      try file.write(line)
    case .batch(let batch): try write(batch)
    }
  }

  private func write(_ batch: SensorBatch) throws(RecordingError) {
    let (samples, rates) = (batch.accelerations, batch.rotationRates)
    let isAligned = samples.timestamps == rates.timestamps
    if rates.count > 0, !isAligned {
      try file.write("{" + columns(rates, ["gx", "gy", "gz"], hasTimes: true) + "}\n")
    }
    let pressures = batch.pressures
    if pressures.count > 0 {
      let values = column("pressure", pressures.hectopascals)
      try file.write("{\(times(pressures.timestamps)),\(values)}\n")
    }
    var members: [String] = []
    if samples.count > 0 { members.append(columns(samples, ["ax", "ay", "az"], hasTimes: true)) }
    if samples.count > 0, isAligned {
      members.append(columns(rates, ["gx", "gy", "gz"], hasTimes: false))
    }
    if !batch.fixes.isEmpty {
      members.append("\"fixes\":[" + batch.fixes.map(Self.object).joined(separator: ",") + "]")
    }
    guard !members.isEmpty else { return }
    try file.write("{" + members.joined(separator: ",") + "}\n")
  }

  private func columns(
    _ series: SensorBatch.Series, _ names: [String], hasTimes: Bool
  ) -> String {
    var members: [String] = []
    if hasTimes { members.append(times(series.timestamps)) }
    for (name, values) in zip(names, [series.x, series.y, series.z]) {
      members.append(column(name, values))
    }
    return members.joined(separator: ",")
  }

  private func times(_ timestamps: [Timestamp]) -> String {
    "\"t\":[" + timestamps.map(Self.seconds).joined(separator: ",") + "]"
  }

  private func column(_ name: String, _ values: [Float]) -> String {
    let numbers = values.map { $0.isFinite ? "\($0)" : "null" }
    return "\"\(name)\":[" + numbers.joined(separator: ",") + "]"
  }

  private static func object(_ fix: LocationFix) -> String {
    var text = "{\"t\":\(seconds(fix.timestamp)),\"lat\":\(fix.latitude),\"lon\":\(fix.longitude)"
    let numbers = [
      ("alt", fix.altitude), ("hacc", fix.horizontalAccuracy), ("vacc", fix.verticalAccuracy),
      ("speed", fix.speed), ("sacc", fix.speedAccuracy), ("course", fix.course),
      ("cacc", fix.courseAccuracy),
    ]
    for (name, value) in numbers {
      if let value { text += ",\"\(name)\":\(value)" }
    }
    return text + "}"
  }

  private static func seconds(_ time: Timestamp) -> String {
    var text: [UInt8] = []
    text.append(time)
    return String(decoding: text, as: UTF8.self)
  }

  func finish() {}
}
