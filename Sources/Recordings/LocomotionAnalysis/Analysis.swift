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
    try self.init(source, model, jobs, .all, live)
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
  ///     `Hindsight.rest` is left to the receiver.
  /// - Throws: The error of reading, and that of `live` and `seconds`.
  package init(
    of source: RecordingSource, model: ActivityModel = .default, jobs: Int? = nil,
    live: (LocomotionOutput) throws -> Void, seconds: (LocomotionSample) throws -> Void
  ) throws {
    try self.init(source, model, jobs, .nothing, live, seconds)
  }

  /// Analyzes a recording for its timeline alone: without samples and reports, and in constant
  /// memory where the recording is a table in this package's own form.
  ///
  /// - Throws: The error of reading.
  package init(timelineOf source: RecordingSource, model: ActivityModel = .default) throws {
    try self.init(source, model, nil, .noSeconds) { _ in }
  }

  /// What is kept of the seconds and the reports.
  private enum Kept {
    /// All.
    case all
    /// The seconds until statements are weighed with them.
    case statements
    /// Nothing.
    case nothing
    /// Nothing: there are no seconds at all.
    case noSeconds
  }

  /// Analyzes a recording; what is in memory anyway may state activities, for which seconds are
  /// needed.
  private init(
    _ source: RecordingSource, _ model: ActivityModel, _ jobs: Int?, _ kept: Kept,
    _ live: (LocomotionOutput) throws -> Void,
    _ seconds: (LocomotionSample) throws -> Void = { _ in }
  ) throws {
    guard let held = try source.held() else {
      let sources = [BatchSource.recording(source, ignoresMotion: false)]
      try self.init(sources, nil, model, jobs, kept, live, seconds)
      return
    }
    try self.init(
      held.parts.map(BatchSource.held), held.report, model, jobs,
      kept == .nothing ? .statements : .all, live,
      seconds)
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
    try self.init([.memory([batch])], nil, model, 1, .all, live)
  }

  /// Analyzes recordings that follow each other, of which there is one at least: what was not
  /// recorded is a gap.
  private init(
    _ sources: [BatchSource], _ report: ImportReport?, _ model: ActivityModel, _ jobs: Int?,
    _ kept: Kept, _ live: (LocomotionOutput) throws -> Void,
    _ seconds: (LocomotionSample) throws -> Void = { _ in }
  ) throws {
    var all = try Part(sources[0], model, jobs, kept, live, seconds)
    for source in sources.dropFirst() {
      all.append(try Part(source, model, jobs, kept, live, seconds))
    }
    fixes = all.fixes
    diagnostics = all.diagnostics
    self.report = report ?? all.report
    items =
      StatedEvidence(self.report.statements)?.weigh(all.items, SampledTrack(all.samples))
      ?? all.items
    if kept == .statements {
      try all.samples.forEach(seconds)
      all.samples = []
    }
    Hindsight.rest(&all.samples, in: items)
    samples = all.samples
  }

  /// What one recording says.
  private struct Part {
    var samples: [LocomotionSample] = []
    var fixes: [FixReport] = []
    var items: [TimelineItem]
    var diagnostics: LocomotionPipeline.Diagnostics
    var report: ImportReport

    init(
      _ source: BatchSource, _ model: ActivityModel, _ jobs: Int?, _ kept: Kept,
      _ live: (LocomotionOutput) throws -> Void, _ seconds: (LocomotionSample) throws -> Void
    ) throws {
      var samples: [LocomotionSample] = []
      var fixes: [FixReport] = []
      func take(_ new: [LocomotionSample]) throws {
        switch kept {
        case .all, .statements: samples += new
        case .nothing, .noSeconds: try new.forEach(seconds)
        }
      }
      var replay = RecordingReplay(model: model, jobs: jobs)
      var settings = HindsightStream.Settings()
      if kept == .noSeconds { settings.seconds = .none }
      var hindsight = HindsightStream(settings: settings, model: model)
      try replay.run(source) { _, output in
        try live(output)
        hindsight.append(output)
        try take(hindsight.takeSamples())
        if kept == .all { fixes += output.fixes }
      }
      hindsight.finish()
      try take(hindsight.takeSamples())
      items = hindsight.items
      (self.samples, self.fixes) = (samples, fixes)
      diagnostics = replay.pipeline.diagnostics
      report = replay.report
    }

    /// Adds the next recording, a track without accelerations.
    mutating func append(_ next: Part) {
      if let end = items.last?.end, let start = next.items.first?.start, end < start {
        items.append(.gap(Gap(start: end, end: start)))
      }
      items += next.items
      samples += next.samples
      fixes += next.fixes
      diagnostics.fixes += next.diagnostics.fixes
    }
  }
}
