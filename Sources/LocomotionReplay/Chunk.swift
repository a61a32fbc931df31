internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionGait
internal import LocomotionPositioning
internal import LocomotionSensing
internal import LocomotionSignals

/// A stretch of a recording on its way through the threads of a replay.
struct Chunk: Sendable {
  /// What was recorded.
  private(set) var batches: [SensorBatch] = []
  /// What all batches completed; at first without what windows tell.
  private var output = LocomotionOutput()
  /// How much of the output each batch and those before it completed.
  private var ends: [(samples: Int, fixes: Int)] = []
  /// The windows, and the analysis of each epoch's.
  private var log = WindowLog()
  private var analyses: [WindowAnalysis] = []
  /// The samples and fixes in it.
  private(set) var eventCount = 0

  /// A chunk without batches.
  init() {}

  /// Takes in a batch by `pipeline`, whose windows are logged.
  mutating func append(_ batch: consuming SensorBatch, to pipeline: inout LocomotionPipeline) {
    eventCount += batch.accelerations.count + batch.rotationRates.count + batch.fixes.count
    pipeline.ingest(batch, windows: &log, into: &output)
    ends.append((output.samples.count, output.fixes.count))
    batches.append(batch)
  }

  /// Takes in the end of the recording, as an empty batch.
  mutating func finish(_ pipeline: inout LocomotionPipeline) {
    pipeline.finish(windows: &log, into: &output)
    ends.append((output.samples.count, output.fixes.count))
    batches.append(SensorBatch())
  }

  /// Analyses the windows; `stages` lends its memory.
  mutating func analyze(with stages: inout WindowStages) {
    stages.analyze(log, into: &analyses)
  }

  /// Updates the posteriors, which `stages` holds, by the chunk's windows.
  mutating func update(with stages: inout WindowStages) {
    for (index, entry) in log.entries.enumerated() {
      stages.update(
        with: analyses[index], of: entry.epoch, into: &output.samples[entry.sample])
    }
  }

  /// Calls `body` with each batch and what it completed.
  func forEach(_ body: (SensorBatch, LocomotionOutput) throws -> Void) rethrows {
    var completed = LocomotionOutput()
    var start = (samples: 0, fixes: 0)
    for index in batches.indices {
      let end = ends[index]
      completed.removeAll()
      completed.samples += output.samples[start.samples..<end.samples]
      completed.fixes += output.fixes[start.fixes..<end.fixes]
      try body(batches[index], completed)
      start = end
    }
  }

  /// Removes everything, keeps the memory, and returns the batches, which nobody else holds then.
  mutating func removeAll() -> [SensorBatch] {
    defer {
      batches.removeAll(keepingCapacity: true)
    }
    output.removeAll()
    ends.removeAll(keepingCapacity: true)
    log.removeAll()
    eventCount = 0
    return batches
  }
}
