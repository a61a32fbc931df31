import LocomotionActivityRecognition
package import LocomotionRecordings
package import LocomotionSensing
package import LocomotionSignals

/// Cuts the recordings of a labelled data set into windows, as the device would.
///
/// Accelerations go through the device's own resampler; every stretch of the 100 Hz grid that lies
/// inside one label's interval, without a gap, gives windows of 3.84 s that lie fully inside it;
/// and the device's own `FeatureExtractor` describes them. Where the gyroscope measured throughout,
/// `RotationFeatureExtractor` describes a window as recorded as well. Augmented copies are made of
/// the stretch on the grid, before it is cut.
///
/// For training only, marked by ``RecordingOrigin/variant``: the intervals whose label stands for
/// an activity in training alone (`DatasetDescriptor.trainingLabels`), and stretches that are
/// shorter than a window, which are repeated forwards and backwards until they fill one. The
/// features of a time-reversed gait are similar, and a few strides of one more person are worth
/// more than many of the same.
///
/// Windows come in the order in which they are collected; of a data set recordings come by name,
/// their windows by time, and augmented copies after the original of each stretch. Intervals whose
/// label stands for no activity are skipped. ``RecordingOrigin/customActivity`` tells the windows
/// of custom activities from ordinary ones.
public struct WindowCollector: Sendable {
  /// The counts of a data set.
  public struct Report: Sendable, Equatable, Codable {
    /// Recordings with accelerations and a label that stands for an activity.
    public var recordings = 0
    /// Recordings that were left out: their mean acceleration isn't gravity, so that they are in
    /// another unit, or without it.
    public var recordingsWithoutGravity = 0
    /// Windows as recorded.
    public var windows = 0
    /// Windows for training only, augmented copies among them.
    public var augmentedWindows = 0

    /// Nothing collected.
    public init() {}
  }

  /// The augmented copies that are added.
  let augmentation: AugmentationPlan
  /// The seed of the strengths of the augmentations.
  let seed: UInt64
  /// The windows of the six activities.
  package private(set) var set = Self.emptySet()
  /// Those of custom activities that behave like none: the activity that is stated for them has no
  /// meaning.
  private(set) var outside = Self.emptySet()
  private var extractor = FeatureExtractor()
  private var rotationExtractor = RotationFeatureExtractor()

  /// The distance of neighbouring windows in samples of 10 ms: 2.56 s.
  private static let hop = 256
  /// The shortest stretch that is mirrored to fill a window, seconds.
  private static let shortestSeconds = 1.5

  /// A collector of the recordings, and of augmented copies.
  public init(augmentation: AugmentationPlan = .none, seed: UInt64 = 1) {
    (self.augmentation, self.seed) = (augmentation, seed)
  }

  /// A training set without rows for the features that are collected.
  static func emptySet() -> TrainingSet {
    TrainingSet(
      featureCount: FeatureExtractor.schema.count,
      rotationFeatureCount: RotationFeatureExtractor.schema.count)
  }

  /// Adds the windows of a data set, which knows the custom activities' labels.
  ///
  /// - Throws: `RecordingError` at the first recording that can't be read.
  @discardableResult
  package mutating func collect(_ dataset: LabelledDataset) throws(RecordingError) -> Report {
    var report = Report()
    for recording in dataset.recordings { try collect(recording, of: dataset, &report) }
    return report
  }

  /// Adds the windows of one recording of a data set.
  ///
  /// It is read if it has accelerations, and an interval whose label has a meaning.
  package mutating func collect(
    _ recording: LabelledDataset.Recording, of dataset: LabelledDataset, _ report: inout Report
  ) throws(RecordingError) {
    guard recording.hasAccelerations else { return }
    // The activity is nil for a custom one that behaves like none.
    let intervals = dataset.intervals.filter { $0.recording == recording.name }
      .compactMap { interval -> (LabelledDataset.Interval, Activity?)? in
        let activity = interval.trainingActivity.flatMap(Activity.init(name:))
        return activity == nil && !interval.isCustom ? nil : (interval, activity)
      }
    guard !intervals.isEmpty else { return }
    let grid = try GriddedRecording(path: recording.path)
    guard grid.hasGravity else {
      report.recordingsWithoutGravity += 1
      return
    }
    report.recordings += 1
    let shortest = Self.shortestSeconds * Double(FeatureExtractor.samplingRate)
    for (index, (interval, activity)) in intervals.enumerated() {
      let origin = RecordingOrigin(
        dataset: dataset.name, person: interval.subject, recording: recording.name,
        variant: interval.activity == nil && !interval.isCustom ? interval.label : "",
        customActivity: interval.isCustom ? LabelledDataset.customName(of: interval.label) : "")
      let seed = seed(origin, index)
      for stretch in grid.stretches(from: interval.start, to: interval.end)
      where Double(stretch.samples.count) >= shortest {
        add(stretch, of: grid, activity, origin, seed: seed, &report)
      }
    }
  }

  /// Adds the windows of one stretch and of its augmented copies.
  private mutating func add(
    _ stretch: GriddedSeries.Stretch, of grid: GriddedRecording, _ activity: Activity?,
    _ label: RecordingOrigin, seed: UInt64, _ report: inout Report
  ) {
    var origin = label
    let samples = stretch.filledSamples
    if samples.count > stretch.samples.count {
      origin.variant += origin.variant.isEmpty ? "mirrored" : " mirrored"
    }
    let taken = cut(samples, from: stretch.firstCell, activity, origin, of: grid)
    if origin.isAsRecorded { report.windows += taken } else { report.augmentedWindows += taken }
    for (index, variant) in augmentation.variants.enumerated()
    where variant.activities.isEmpty || variant.activities.contains(activity ?? .stationary) {
      origin.variant = [label.variant, variant.name].filter { !$0.isEmpty }.joined(separator: " ")
      origin.isAltered = true
      let seed = seed &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15
      let changed = variant.applied(
        to: samples, rateHertz: Double(FeatureExtractor.samplingRate), seed: seed)
      report.augmentedWindows += cut(changed, from: stretch.firstCell, activity, origin, of: nil)
    }
  }

  /// A seed that depends on the stretch only, not on those before it.
  private func seed(_ origin: RecordingOrigin, _ interval: Int) -> UInt64 {
    var hash = StableHash(seed: self.seed)
    for byte in "\(origin.dataset)/\(origin.recording)/\(interval)".utf8 { hash.add(UInt64(byte)) }
    return hash.value
  }

  /// Adds the windows of a stretch and returns the number accepted.
  ///
  /// Speeds are those of `grid`, and so are rotation rates where the stretch is as recorded.
  private mutating func cut(
    _ samples: [SIMD3<Float>], from firstCell: Int64, _ activity: Activity?,
    _ origin: RecordingOrigin, of grid: GriddedRecording?
  ) -> Int {
    let length = ActivityClassifier.windowLength
    let lanes = ContiguousArray(samples.map { SIMD4($0, ($0 * $0).sum().squareRoot()) })
    var features = ContiguousArray<Float>(repeating: 0, count: set.featureCount)
    var taken = 0
    for start in stride(from: 0, through: samples.count - length, by: Self.hop) {
      var output = features.mutableSpan
      extractor.extract(from: lanes.span.extracting(start..<start + length), into: &output)
      let rates = describeRotation(
        lanes.span.extracting(0..<start + length), from: firstCell,
        of: origin.isAsRecorded ? grid : nil)
      let end = GriddedRecording.timestamp(ofCell: firstCell + Int64(start + length))
      func append(to set: inout TrainingSet) -> Bool {
        set.append(
          features, activity: activity ?? .stationary, origin: origin, end: end,
          speed: grid?.speed(at: end), rotation: rates)
      }
      let isTaken = activity == nil ? append(to: &outside) : append(to: &set)
      if isTaken { taken += 1 }
    }
    return taken
  }

  /// The features of the rotation rates of the newest 5.12 s, unless they are invalid or fewer.
  private mutating func describeRotation(
    _ accelerations: Span<SIMD4<Float>>, from firstCell: Int64, of grid: GriddedRecording?
  ) -> ArraySlice<Float>? {
    let length = FeatureExtractor.windowLength
    let start = accelerations.count - length
    guard start >= 0, let rates = grid?.rotation(from: firstCell + Int64(start), count: length),
      RotationFeatureExtractor.isSound(rates.span)
    else { return nil }
    let window = accelerations.extracting(last: length)
    var features = ContiguousArray<Float>(repeating: 0, count: set.rotationFeatureCount)
    var output = features.mutableSpan
    rotationExtractor.extract(from: rates.span, accelerations: window, into: &output)
    return features[...]
  }
}

extension GriddedSeries.Stretch {
  /// The accelerations, or when they are fewer than a window's, as many of them forwards,
  /// backwards, forwards … as fill one.
  fileprivate var filledSamples: [SIMD3<Float>] {
    let count = samples.count
    return (0..<max(count, ActivityClassifier.windowLength)).map { index in
      let (turns, place) = index.quotientAndRemainder(dividingBy: count)
      let sample = samples[turns.isMultiple(of: 2) ? place : count - 1 - place]
      return SIMD3(sample.x, sample.y, sample.z)
    }
  }
}

/// The accelerations and rotation rates of a recording on the device's 100 Hz grid, in stretches
/// without gaps.
package struct GriddedRecording {
  /// The accelerations, m/s².
  package let stretches: [GriddedSeries.Stretch]
  /// The rotation rates, rad/s.
  private let rotations: [GriddedSeries.Stretch]
  /// The speeds that fixes reported, m/s, as they came.
  let speeds: [(timestamp: Timestamp, metresPerSecond: Float)]
  /// Whether the mean acceleration may be the Earth's gravity: not in another unit, nor without it.
  let hasGravity: Bool

  private static let period = UniformResampler.Settings().period

  /// When cell number `cell` starts.
  package static func timestamp(ofCell cell: Int64) -> Timestamp {
    Timestamp(nanoseconds: cell * period)
  }

  init(path: String) throws(RecordingError) {
    var reader = try RecordingReader(path: path)
    var batch = SensorBatch()
    var accelerations = GriddedSeries()
    var rates = GriddedSeries(settings: .rotationRates)
    var speeds: [(timestamp: Timestamp, metresPerSecond: Float)] = []
    var summary = AccelerationSummary()
    while try reader.read(into: &batch) {
      for fix in batch.fixes {
        if let speed = fix.speed { speeds.append((fix.timestamp, Float(speed))) }
      }
      summary.add(batch.accelerations)
      accelerations.append(batch.accelerations)
      rates.append(batch.rotationRates)
    }
    stretches = accelerations.stretches
    rotations = rates.stretches
    self.speeds = speeds.sorted { $0.timestamp < $1.timestamp }
    hasGravity = summary.gravity.map { AccelerationSummary.doubt(ofGravity: $0) == nil } ?? true
  }

  /// The grid of accelerations without anything else.
  package init(_ accelerations: SensorBatch.Series) {
    var grid = GriddedSeries()
    grid.append(accelerations)
    stretches = grid.stretches
    rotations = []
    speeds = []
    hasGravity = true
  }

  /// The rotation rates of some cells; nil unless all were measured.
  func rotation(from firstCell: Int64, count: Int) -> ArraySlice<SIMD4<Float>>? {
    let end = firstCell + Int64(count)
    let stretch = rotations.last {
      $0.firstCell <= firstCell && end <= $0.endCell
    }
    guard let stretch else { return nil }
    let first = Int(firstCell - stretch.firstCell)
    return stretch.samples[first..<first + count]
  }

  /// The newest speed of the eight seconds before `instant`, m/s.
  func speed(at instant: Timestamp) -> Float? {
    guard let newest = speeds.last(where: { $0.timestamp <= instant }),
      instant.seconds(since: newest.timestamp) <= Self.longestSpeedAge
    else { return nil }
    return newest.metresPerSecond
  }

  /// The greatest age of a speed, seconds.
  private static let longestSpeedAge = 8.0

  /// The parts of the stretches that lie fully in an interval.
  func stretches(from start: Timestamp, to end: Timestamp) -> [GriddedSeries.Stretch] {
    // Cell k is inside when k · period ≥ first and (k + 1) · period ≤ last.
    let first = start.firstInterval(of: Self.period)
    let last = end.interval(of: Self.period)
    return stretches.compactMap { stretch in
      let lower = max(stretch.firstCell, first)
      let upper = min(stretch.endCell, last)
      guard lower < upper else { return nil }
      let range = Int(lower - stretch.firstCell)..<Int(upper - stretch.firstCell)
      var part = stretch
      (part.firstCell, part.samples) = (lower, Array(stretch.samples[range]))
      return part
    }
  }
}
