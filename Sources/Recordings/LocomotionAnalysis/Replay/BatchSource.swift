internal import LocomotionFormats
internal import LocomotionSensing

enum BatchSource: Sendable {
  /// A recording in any form.
  case recording(RecordingSource, ignoresMotion: Bool)
  /// The events of a recording in memory, in the order of time.
  case held(HeldRecording)
  case memory([SensorBatch])

  /// Calls `body` with one batch after the other until it returns false; the next one is read into
  /// what it leaves.
  func forEach(_ body: (inout SensorBatch) throws -> Bool) throws -> ImportReport {
    var batch = SensorBatch()
    switch self {
    case .recording(let source, let ignoresMotion):
      var reader = try source.reader()
      while try reader.read(into: &batch) {
        if ignoresMotion {
          batch.accelerations.removeAll()
          batch.rotationRates.removeAll()
        }
        guard try body(&batch) else { break }
      }
      return reader.report
    case .held(var recording):
      while try recording.read(into: &batch), try body(&batch) {}
      return recording.report
    case .memory(let batches):
      for var batch in batches { guard try body(&batch) else { break } }
      return ImportReport()
    }
  }
}
