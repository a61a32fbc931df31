/// Turns sensor batches into what the person was doing, second by second.
///
/// ```swift
/// var pipeline = LocomotionPipeline()
/// for sample in pipeline.ingest(batch).samples {
///   print(sample.end.seconds, sample.movingState, sample.cadence?.stepsPerMinute ?? 0)
/// }
/// ```
///
/// A pipeline is a value. A copy is a snapshot; one that was saved and restored goes on with the
/// same answers. It has no clock: time is what the timestamps say, and a second is over when the
/// first event after it arrives. Cutting the same events into other batches changes nothing.
///
/// ## Order of events
/// A fix comes before the first acceleration that is not earlier than it. A fix that is ahead of
/// the accelerations waits for them, so that no sample knows of a later fix and seconds end in
/// order although accelerations come in packets. When fixes have gone on alone for
/// ``Settings/longestAccelerationDelay``, they end the seconds. Accelerations of seconds that have
/// ended enter later windows only, unless their clock was set back: it is followed.
///
/// - Complexity: microseconds per second of data; allocates nothing once the arrays of the output
///   have grown to their size.
public struct LocomotionPipeline: Sendable, StateArchivable {
  /// The settings of all stages.
  public struct Settings: Sendable {
    /// How accelerations are validated and resampled; the grid must stay at 100 Hz.
    public var resampler = UniformResampler.Settings()
    /// How fixes are filtered.
    public var location = LocationFilter.Settings()
    /// How steps are found.
    public var cadence = CadenceEstimator.Settings()
    /// How the activity is decided.
    public var activity = ActivityClassifier.Settings()
    /// How long after a fix the accelerations of its time may come, nanoseconds; default 10 s.
    ///
    /// Phones deliver accelerations in packets, to let the processor sleep.
    public var longestAccelerationDelay: Int64 = 10_000_000_000

    /// The defaults of all stages.
    public init() {}
  }

  /// What came in and what became of it.
  public struct Diagnostics: Sendable, Equatable {
    /// Accelerations: received = kept + dropped.
    public var accelerations = IntakeCounts()
    /// Rotation rates: received = kept + dropped.
    public var rotationRates = IntakeCounts()
    /// Pressures of the air: received = kept + dropped.
    public var pressures = IntakeCounts()
    /// Fixes by what the filter made of them.
    public var fixes = FixCounts()
    /// Fixes that wait for the accelerations of the time before them.
    public var waitingFixes = 0
  }

  private var epochs: EpochPipeline
  /// What looks at windows of accelerations; a replay that does so elsewhere puts its own here.
  package var windowStages: WindowStages

  /// A pipeline that has seen nothing.
  ///
  /// - Precondition: the resampler's period is that of 100 Hz, and the longest delay is positive.
  public init(model: ActivityModel = .default, settings: Settings = Settings()) {
    precondition(
      settings.resampler.period == 10_000_000,
      "expected a period of 10000000 ns, got \(settings.resampler.period)")
    precondition(
      settings.longestAccelerationDelay > 0,
      "expected a positive delay, got \(settings.longestAccelerationDelay)")
    epochs = EpochPipeline(settings: settings)
    windowStages = WindowStages(model: model, settings: settings)
  }

  /// The settings of all stages.
  public var settings: Settings { epochs.settings }

  /// What came in so far and what became of it.
  public var diagnostics: Diagnostics { epochs.diagnostics }

  /// Takes in a batch and returns what it completed.
  ///
  /// For convenience: it allocates the arrays that it returns.
  public mutating func ingest(_ batch: SensorBatch) -> LocomotionOutput {
    var output = LocomotionOutput()
    ingest(batch, into: &output)
    return output
  }

  /// Takes in a batch and appends what it completed to `output`.
  public mutating func ingest(_ batch: SensorBatch, into output: inout LocomotionOutput) {
    epochs.ingest(batch, windows: &windowStages, into: &output)
  }

  /// Completes the current second and processes the fixes that wait, at the end of a recording.
  public mutating func finish(into output: inout LocomotionOutput) {
    epochs.finish(windows: &windowStages, into: &output)
  }

  /// The same as ``ingest(_:into:)``, with the windows handed to `windows` instead.
  package mutating func ingest(
    _ batch: SensorBatch, windows: inout some WindowProcessor,
    into output: inout LocomotionOutput
  ) {
    epochs.ingest(batch, windows: &windows, into: &output)
  }

  /// The same as ``finish(into:)``, with the windows handed to `windows` instead.
  package mutating func finish(
    windows: inout some WindowProcessor, into output: inout LocomotionOutput
  ) {
    epochs.finish(windows: &windows, into: &output)
  }

  /// Forgets everything but the settings and the counts of all but pressures.
  public mutating func reset() {
    epochs.reset()
    windowStages.reset()
  }

  /// All but model and settings, which are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&epochs, &windowStages)
  }
}
