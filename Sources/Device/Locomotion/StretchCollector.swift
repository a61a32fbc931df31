/// Collects the windows of a stretch of time that its owner labels, from what was recorded then.
///
/// ```swift
/// var collector = StretchCollector(from: ride.start, to: ride.end)
/// for batch in batches { collector.ingest(batch) }
/// let stretch = LabelledStretch(activity: .cycling, windows: collector.finish().map(\.features))
/// let mine = ActivityModel.default.learning(from: [stretch]).model
/// ```
///
/// The windows are those that the pipeline looks at and takes for evidence: without gaps, with a
/// valid signal. They lie fully inside the stretch.
public struct StretchCollector: Sendable {
  /// A window of the stretch.
  public struct Window: Equatable, Sendable {
    /// The first instant of it.
    public var start: Timestamp
    /// The first instant after it.
    public var end: Timestamp
    /// Its features, in the order of `FeatureExtractor.schema`.
    public var features: [Float]
  }

  private var epochs = EpochPipeline(settings: .init())
  private var output = LocomotionOutput()
  private var features: FeatureProcessor

  /// A collector of the windows between two instants.
  public init(from start: Timestamp, to end: Timestamp) {
    features = FeatureProcessor(start: start, end: end)
  }

  /// Takes in what was recorded, in order of time; what is outside the stretch does no harm.
  public mutating func ingest(_ batch: SensorBatch) {
    epochs.ingest(batch, windows: &features, into: &output)
    output.removeAll()
  }

  /// The windows, evenly spaced, as many as a stretch has at most.
  public mutating func finish() -> [Window] {
    epochs.finish(windows: &features, into: &output)
    return LabelledStretch.chosen(from: features.windows)
  }
}

/// Describes the windows of an interval, and leaves everything else out.
private struct FeatureProcessor: WindowProcessor {
  let start: Timestamp
  let end: Timestamp
  private(set) var windows: [StretchCollector.Window] = []
  private var classifier = ActivityClassifier(model: .default)

  init(start: Timestamp, end: Timestamp) {
    (self.start, self.end) = (start, end)
  }

  mutating func process(
    _ epoch: EpochContext, ofSample number: Int, accelerations: Span<SIMD4<Float>>,
    rotation: Span<SIMD4<Float>>, into sample: inout LocomotionSample
  ) {
    let length = ActivityClassifier.windowLength
    let first = sample.end.advanced(byNanoseconds: -Int64(length) * 10_000_000)
    guard first >= start, sample.end <= end, accelerations.count >= length,
      epoch.observedFraction == 1
    else { return }
    let found = classifier.analyze(window: accelerations, rotation: rotation.extracting(0..<0))
    if case .unusable = found { return }
    windows.append(
      .init(start: first, end: sample.end, features: classifier.lastFeatures))
  }
}
