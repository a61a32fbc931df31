internal import Foundation
public import Locomotion
public import LocomotionFormats

/// Runs a whole recording through a pipeline, on several cores and in constant memory.
///
/// ```swift
/// var replay = RecordingReplay()
/// try replay.run(path: "day.csv.gz") { _, output in
///   for sample in output.samples { print(sample.end.seconds, sample.steps) }
/// }
/// ```
///
/// The results are those of streaming, bit by bit, whatever the number of jobs.
///
/// ## How it works
/// One thread reads and computes everything but the windows, a seventh of the work: locations,
/// levels, the grid. The analysis of a window is most of the work and does not depend on the
/// windows before, so that other threads analyze the chunks that the first thread cuts. The
/// caller's thread then updates the state with the results, second by second, in the recording's
/// order.
///
/// Memory: about 10 megabytes per job. With one job there are no chunks and no other thread, and 1
/// megabyte is enough.
public struct RecordingReplay: Sendable {
  /// What of the recording was read, kept and left out; empty for batches in memory.
  public private(set) var report = ImportReport()
  /// The pipeline, after `run` in the state after the recording; when that threw, in some state
  /// before.
  public private(set) var pipeline: LocomotionPipeline
  /// The number of threads that analyze windows.
  public let jobs: Int
  /// Whether accelerations and rotation rates are ignored; default false.
  public var ignoresMotion = false
  /// Whether windows are skipped, when only locations are needed, which do not depend on them.
  package var leavesWindowsOut = false
  /// The number of samples and fixes from which on a chunk is complete.
  package var chunkLength = 1 << 13

  /// A replay with a new pipeline.
  ///
  /// - Parameters:
  ///   - model: The model that classifies activities.
  ///   - settings: The settings of all stages.
  ///   - jobs: The number of threads that analyze windows, positive; nil for the number of cores.
  public init(
    model: ActivityModel = .default, settings: LocomotionPipeline.Settings = .init(),
    jobs: Int? = nil
  ) {
    let jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
    precondition(jobs > 0, "expected a positive number of jobs, got \(jobs)")
    self.jobs = jobs
    pipeline = LocomotionPipeline(model: model, settings: settings)
  }

  /// Processes the recording at `path`, in any form; see `RecordingSource`.
  ///
  /// Calls `body` with each batch and its output, in order, and last with an empty batch and the
  /// output at the end of the recording; of tracks without accelerations, of which none continues
  /// the one before, at the end of each.
  ///
  /// - Throws: The error of reading, after the batches before the defect, and that of `body`.
  public mutating func run(
    path: String, _ body: (SensorBatch, LocomotionOutput) throws -> Void
  ) throws {
    try run(RecordingSource(path: path), body)
  }

  /// Processes a recording; `body` is called as in ``run(path:_:)``.
  public mutating func run(
    _ source: RecordingSource, _ body: (SensorBatch, LocomotionOutput) throws -> Void
  ) throws {
    try run(BatchSource(source), body)
  }

  /// Processes a recording in memory; `body` is called as in ``run(path:_:)``.
  public mutating func run(
    batches: [SensorBatch], _ body: (SensorBatch, LocomotionOutput) throws -> Void
  ) throws {
    try run(.memory(batches), body)
  }

  mutating func run(
    _ source: BatchSource, _ body: (SensorBatch, LocomotionOutput) throws -> Void
  ) throws {
    for (number, part) in source.parts.enumerated() {
      if number > 0 { pipeline.reset() }
      let part = ignoresMotion ? .withoutMotion(part) : part
      if leavesWindowsOut {
        var none = NoWindows()
        try runAlone(part, windows: &none, body)
      } else if jobs == 1 {
        var stages = pipeline.windowStages
        defer { pipeline.windowStages = stages }
        try runAlone(part, windows: &stages, body)
      } else {
        try runInChunks(part, body)
      }
    }
  }

  /// Reads and processes everything on this thread.
  private mutating func runAlone(
    _ source: BatchSource, windows: inout some WindowProcessor,
    _ body: (SensorBatch, LocomotionOutput) throws -> Void
  ) throws {
    var output = LocomotionOutput()
    report = try source.forEach { batch in
      output.removeAll()
      pipeline.ingest(batch, windows: &windows, into: &output)
      try body(batch, output)
      return true
    }
    output.removeAll()
    pipeline.finish(windows: &windows, into: &output)
    try body(SensorBatch(), output)
  }

  /// Analyzes windows on as many threads as there are jobs, while another one reads.
  private mutating func runInChunks(
    _ source: BatchSource, _ body: (SensorBatch, LocomotionOutput) throws -> Void
  ) throws {
    let chunks = RecordingChunks(source, into: pipeline, length: chunkLength, jobs: jobs)
    defer { chunks.abandon() }
    var stages = pipeline.windowStages
    while var chunk = try chunks.next() {
      chunk.update(with: &stages)
      try chunk.forEach(body)
    }
    guard let end = try chunks.end() else { return }
    report = end.report
    pipeline = end.pipeline
    pipeline.windowStages = stages
  }
}
