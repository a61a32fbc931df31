public import Locomotion
public import LocomotionFormats

/// What a recording that is over says: its seconds in hindsight, its timeline, and what was left
/// out of it.
///
/// ```swift
/// let analysis = try Analysis(of: RecordingSource(path: "day.gpx"))
/// for item in analysis.items { print(item.start.seconds, item.end.seconds) }
/// ```
///
/// The command, the report and the Python package all go this way from a file to a result, so that
/// one recording has the same numbers everywhere. Holds one sample per second, some 400 MB a week.
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
    try self.init(BatchSource(source), model, jobs, keeping: true, live)
  }

  /// Analyzes a recording and hands each second in hindsight on instead of keeping it: without
  /// samples and reports, and in constant memory where the recording is a table in this package's
  /// own form.
  ///
  /// - Parameters:
  ///   - source: The recording.
  ///   - model: The model that classifies activities.
  ///   - jobs: The number of threads that analyze windows; nil for the number of cores.
  ///   - live: Receives each batch's live output, in order.
  ///   - seconds: Receives each second in hindsight, in order, before its stays are known:
  ///     `Hindsight.agree` is left to the receiver.
  /// - Throws: The error of reading, and that of `live` and `seconds`.
  package init(
    of source: RecordingSource, model: ActivityModel = .default, jobs: Int? = nil,
    live: (LocomotionOutput) throws -> Void, seconds: (LocomotionSample) throws -> Void
  ) throws {
    try self.init(BatchSource(source), model, jobs, keeping: false, live, seconds)
  }

  /// Analyzes a recording for its timeline alone: without samples and reports, and in constant
  /// memory where the recording is a table in this package's own form.
  ///
  /// - Throws: The error of reading.
  package init(timelineOf source: RecordingSource, model: ActivityModel = .default) throws {
    var settings = HindsightStream.Settings()
    settings.seconds = .none
    try self.init(BatchSource(source), model, nil, keeping: false, settings: settings) { _ in }
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
    try self.init(.memory([batch]), model, 1, keeping: true, live)
  }

  /// Analyzes a recording, or several tracks without accelerations, between which are gaps.
  private init(
    _ source: BatchSource, _ model: ActivityModel, _ jobs: Int?, keeping: Bool,
    settings: HindsightStream.Settings = .init(), _ live: (LocomotionOutput) throws -> Void,
    _ seconds: (LocomotionSample) throws -> Void = { _ in }
  ) throws {
    var samples: [LocomotionSample] = []
    var fixes: [FixReport] = []
    let known = if case .held(let all) = source { all.report } else { ImportReport() }
    var hindsight = HindsightStream(
      settings: settings, model: model, statements: known.statements)
    func takeSamples() throws {
      let new = hindsight.takeSamples()
      if keeping { samples += new } else { try new.forEach(seconds) }
    }
    var replay = RecordingReplay(model: model, jobs: jobs)
    var hasEnded = false
    try replay.run(source) { batch, output in
      if hasEnded, let start = batch.fixes.first?.timestamp { hindsight.begin(at: start) }
      hasEnded = batch.isEmpty
      try live(output)
      hindsight.append(output)
      try takeSamples()
      if keeping { fixes += output.fixes }
    }
    hindsight.finish()
    try takeSamples()
    (self.fixes, report, diagnostics) = (fixes, replay.report, replay.pipeline.diagnostics)
    items = hindsight.items.naming(report.statements)
    Hindsight.agree(&samples, with: items)
    self.samples = samples
  }
}
