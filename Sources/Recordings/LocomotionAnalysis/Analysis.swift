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
    try self.init(source, model, jobs, keeping: true, live)
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
    try self.init(source, model, jobs, keeping: false, live, seconds)
  }

  /// Analyzes a recording for its timeline alone: without samples and reports, and in constant
  /// memory where the recording is a table in this package's own form.
  ///
  /// - Throws: The error of reading.
  package init(timelineOf source: RecordingSource, model: ActivityModel = .default) throws {
    try self.init(source, model, nil, keeping: false) { _ in }
  }

  private init(
    _ source: RecordingSource, _ model: ActivityModel, _ jobs: Int?, keeping: Bool,
    _ live: (LocomotionOutput) throws -> Void,
    _ seconds: (LocomotionSample) throws -> Void = { _ in }
  ) throws {
    let held = try source.held()
    let sources = held?.parts.map(BatchSource.held) ?? [.recording(source, ignoresMotion: false)]
    try self.init(sources, held?.report, model, jobs, keeping: keeping, live, seconds)
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
    try self.init([.memory([batch])], nil, model, 1, keeping: true, live)
  }

  /// Analyzes a recording, or several tracks without accelerations, between which are gaps.
  private init(
    _ sources: [BatchSource], _ report: ImportReport?, _ model: ActivityModel, _ jobs: Int?,
    keeping: Bool, _ live: (LocomotionOutput) throws -> Void,
    _ seconds: (LocomotionSample) throws -> Void = { _ in }
  ) throws {
    var samples: [LocomotionSample] = []
    var fixes: [FixReport] = []
    var hindsight = HindsightStream(model: model, statements: report?.statements ?? [])
    func takeSamples() throws {
      let new = hindsight.takeSamples()
      if keeping { samples += new } else { try new.forEach(seconds) }
    }
    var counts: [LocomotionPipeline.Diagnostics] = []
    var read = ImportReport()
    for (index, source) in sources.enumerated() {
      var replay = RecordingReplay(model: model, jobs: jobs)
      var begins = index > 0
      try replay.run(source) { batch, output in
        if begins, let start = batch.fixes.first?.timestamp {
          hindsight.begin(at: start)
          begins = false
        }
        try live(output)
        hindsight.append(output)
        try takeSamples()
        if keeping { fixes += output.fixes }
      }
      counts.append(replay.pipeline.diagnostics)
      read = replay.report
    }
    hindsight.finish()
    try takeSamples()
    (self.fixes, self.report) = (fixes, report ?? read)
    diagnostics = counts.dropFirst().reduce(into: counts[0]) { $0.fixes += $1.fixes }
    items = hindsight.items.naming(self.report.statements)
    Hindsight.agree(&samples, with: items)
    self.samples = samples
  }
}

extension [TimelineItem] {
  /// The stays with the names that statements give to their places, numbered in order of time.
  fileprivate func naming(_ statements: [StatedInterval]) -> Self {
    var places: [Place] = []
    let visits = statements.compactMap { visit -> (visit: StatedInterval, place: Place)? in
      guard let name = visit.place, case .visit(let latitude, let longitude, _) = visit.kind else {
        return nil
      }
      let known = places.first { $0.name == name && $0.isAt(latitude, longitude) }
      let new = Place(id: places.count + 1, name: name, latitude: latitude, longitude: longitude)
      if known == nil { places.append(new) }
      return (visit, known ?? new)
    }
    return map { item in
      guard case .stay(var stay) = item, stay.place == nil, let location = stay.location else {
        return item
      }
      stay.place =
        visits.first { told in
          told.visit.start < stay.end && stay.start < told.visit.end
            && told.place.isAt(location.latitude, location.longitude)
        }?.place
      return .stay(stay)
    }
  }
}

extension Place {
  /// Whether a point is as near as one that a journal takes for the same place.
  fileprivate func isAt(_ latitude: Double, _ longitude: Double) -> Bool {
    Geodesic(from: (latitude, longitude), to: (self.latitude, self.longitude)).distance <= 200
  }
}
