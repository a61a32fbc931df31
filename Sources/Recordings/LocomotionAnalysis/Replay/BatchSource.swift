internal import LocomotionFormats
internal import LocomotionRecordings
internal import LocomotionSensing

enum BatchSource: Sendable {
  /// A recording that is streamed.
  case stream(RecordingSource)
  /// The events of a recording in memory, in the order of time.
  case held(HeldRecording)
  case memory([SensorBatch])
  /// What another one has but accelerations and rotation rates.
  indirect case withoutMotion(BatchSource)

  init(_ source: RecordingSource) throws(RecordingError) {
    self = try source.held().map { .held($0) } ?? .stream(source)
  }

  /// The recordings of which each is one of its own.
  var parts: [BatchSource] {
    if case .held(let recording) = self { recording.parts.map { .held($0) } } else { [self] }
  }

  /// Calls `body` with one batch after the other until it returns false; the next one is read into
  /// what it leaves.
  func forEach(_ body: (inout SensorBatch) throws -> Bool) throws -> ImportReport {
    var batch = SensorBatch()
    switch self {
    case .stream(let source):
      var reader = try source.reader()
      while try reader.read(into: &batch), try body(&batch) {}
      return reader.report
    case .held(var recording):
      while try recording.read(into: &batch), try body(&batch) {}
      return recording.report
    case .memory(let batches):
      for var batch in batches { guard try body(&batch) else { break } }
      return ImportReport()
    case .withoutMotion(let source):
      return try source.forEach { batch in
        batch.accelerations.removeAll()
        batch.rotationRates.removeAll()
        return try body(&batch)
      }
    }
  }
}
