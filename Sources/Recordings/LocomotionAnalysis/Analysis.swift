public import Locomotion
public import LocomotionActivityRecognition
public import LocomotionFormats
internal import LocomotionPositioning
public import LocomotionSensing

/// What a recording that is over says: its seconds in hindsight, its timeline, and what was left
/// out of it.
///
/// ```swift
/// let analysis = try Analysis(of: RecordingSource(path: "day.gpx"))
/// for item in analysis.items { print(item.start.seconds, item.end.seconds) }
/// ```
///
/// The command, the report and the Python package all go this way from a file to a result, so that
/// one recording has the same numbers everywhere. Holds one sample per second, some 100 MB a week.
public struct Analysis: Sendable {
  /// One sample per second in hindsight, as `Hindsight.smooth(_:reports:model:)` makes them.
  public let samples: [LocomotionSample]
  /// The reports on the fixes as they were live, one per fix.
  public let fixes: [FixReport]
  /// The stays, trips and gaps that tile the time of the samples, with what other systems state of
  /// it as evidence.
  public let items: [TimelineItem]
  /// The counts of the pipeline.
  public let diagnostics: LocomotionPipeline.Diagnostics
  /// What was read of the input, kept and left out.
  public let report: ImportReport

  /// Analyzes a recording.
  ///
  /// - Parameters:
  ///   - source: The recording.
  ///   - model: The model that classifies activities.
  ///   - jobs: The number of threads that analyze windows; nil for the number of cores. The answers
  ///     are the same.
  ///   - live: Receives each batch's live output, in order.
  /// - Throws: The error of reading, and that of `live`.
  public init(
    of source: RecordingSource, model: ActivityModel = .default, jobs: Int? = nil,
    live: (LocomotionOutput) throws -> Void = { _ in }
  ) throws {
    try self.init(.recording(source, ignoresMotion: false), model, jobs, live)
  }

  /// Analyzes what a program holds in memory, on the thread of the caller.
  ///
  /// - Parameters:
  ///   - batch: The measurements, of each sensor in the order in which they came.
  ///   - model: The model that classifies activities.
  ///   - live: Receives the live output, in order.
  /// - Throws: The error of `live`.
  public init(
    of batch: SensorBatch, model: ActivityModel = .default,
    live: (LocomotionOutput) throws -> Void = { _ in }
  ) throws {
    try self.init(.memory([batch]), model, 1, live)
  }

  private init(
    _ source: BatchSource, _ model: ActivityModel, _ jobs: Int?,
    _ live: (LocomotionOutput) throws -> Void
  ) throws {
    var samples: [LocomotionSample] = []
    var fixes: [FixReport] = []
    var replay = RecordingReplay(model: model, jobs: jobs)
    try replay.run(source) { _, output in
      try live(output)
      samples += output.samples
      fixes += output.fixes
    }
    Hindsight.smooth(&samples, reports: fixes, model: model)
    self.samples = samples
    self.fixes = fixes
    diagnostics = replay.pipeline.diagnostics
    report = replay.report
    items = StatedEvidence(report.statements, samples).weigh(TimelineBuilder.items(of: samples))
  }
}
