import Locomotion
import LocomotionRecordings

/// Runs a whole recording through a pipeline, batch by batch, in constant memory.
struct Replay {
  var pipeline: LocomotionPipeline
  private(set) var counts = RecordingReader.Counts()

  init(model: ActivityModel = .default) {
    pipeline = LocomotionPipeline(model: model)
  }

  /// Calls `body` with what each batch completed; the order of the calls is that of time.
  mutating func run(_ path: String, _ body: (LocomotionOutput) throws -> Void) throws {
    var reader = try RecordingReader(path: path)
    var batch = SensorBatch()
    var output = LocomotionOutput()
    while try reader.read(into: &batch) {
      output.removeAll()
      pipeline.ingest(batch, into: &output)
      try body(output)
    }
    output.removeAll()
    pipeline.finish(into: &output)
    try body(output)
    counts = reader.counts
  }
}

extension Arguments {
  /// The recording that the command is to read.
  var recording: String { operands[0] }
}
