internal import Locomotion

/// A chunk of a recording, which passes through the threads of a replay.
struct Chunk: Sendable {
  private(set) var batches: [SensorBatch] = []
  /// The output of all batches; at first without the results of windows.
  private var output = LocomotionOutput()
  /// The counts of output samples and fixes up to the end of each batch.
  private var ends: [(samples: Int, fixes: Int)] = []
  /// The windows, and the analysis of each epoch's window.
  private var log = WindowLog()
  private var analyses: [WindowAnalysis] = []
  /// The number of samples and fixes in the chunk.
  private(set) var eventCount = 0

  /// A chunk without batches, with room for as much as the one before.
  init(after previous: Chunk? = nil) {
    guard let previous else { return }
    log = WindowLog(asLongAs: previous.log)
    output.samples.reserveCapacity(previous.output.samples.count)
  }

  /// Adds a batch and passes it to `pipeline`, whose windows are logged.
  mutating func append(_ batch: consuming SensorBatch, to pipeline: inout LocomotionPipeline) {
    eventCount += batch.accelerations.count + batch.rotationRates.count
    eventCount += batch.pressures.count + batch.fixes.count
    pipeline.ingest(batch, windows: &log, into: &output)
    ends.append((output.samples.count, output.fixes.count))
    batches.append(batch)
  }

  /// Adds the end of the recording, as an empty batch.
  mutating func finish(_ pipeline: inout LocomotionPipeline) {
    pipeline.finish(windows: &log, into: &output)
    ends.append((output.samples.count, output.fixes.count))
    batches.append(SensorBatch())
  }

  /// Analyzes the windows; `stages` provides the buffers.
  mutating func analyze(with stages: inout WindowStages) {
    stages.analyze(log, into: &analyses)
  }

  /// Updates the posteriors in `stages`, which are those after the chunks before, by the windows
  /// and the fixes.
  mutating func update(with stages: inout WindowStages) {
    var next = 0
    for place in output.samples.indices {
      let hasWindow = next < log.entries.count && log.entries[next].sample == place
      if hasWindow {
        stages.update(
          with: analyses[next], of: log.entries[next].epoch, into: &output.samples[place])
        next += 1
      }
      stages.processFix(of: &output.samples[place], hasWindow: hasWindow)
    }
  }

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
}
