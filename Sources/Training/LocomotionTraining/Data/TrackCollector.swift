import Locomotion
package import LocomotionRecordings
package import LocomotionSensing

/// Describes the courses of labelled recordings by their fixes, as the device would.
///
/// The fixes go through the device's own filter, and each step between them through its
/// `TrackFeatureExtractor`. Every recording is described as recorded and thinned, with and without
/// the speeds that its fixes report, so that one model serves every recorder. Only every third of
/// the shortest steps is used: they are much alike.
///
/// Each step is described once more as it looks afterwards, marked by ``RecordingOrigin/variant``.
/// For training only, recordings of one activity are described at other paces too: people are
/// faster and slower than those who recorded.
package enum TrackCollector {
  /// How a recorder gives fixes.
  package struct Recorder: Sendable, Hashable, CaseIterable {
    /// The least time between two fixes, seconds; 0 for as recorded.
    var period: Double
    /// Whether speeds come with them.
    var hasSpeeds: Bool

    package static let allCases = [
      Recorder(period: 0, hasSpeeds: true), Recorder(period: 0, hasSpeeds: false),
      Recorder(period: 5, hasSpeeds: true), Recorder(period: 15, hasSpeeds: true),
      Recorder(period: 15, hasSpeeds: false), Recorder(period: 60, hasSpeeds: true),
      Recorder(period: 60, hasSpeeds: false),
    ]

    /// As in "a fix per 15 s, without speeds".
    package var name: String {
      (period > 0 ? "a fix per \(Int(period)) s" : "as recorded")
        + (hasSpeeds ? "" : ", without speeds")
    }

    /// The fixes that this recorder would have given.
    package func thinned(_ fixes: [LocationFix]) -> [LocationFix] {
      var kept: [LocationFix] = []
      for var fix in fixes {
        if let last = kept.last, period > 0,
          fix.timestamp.seconds(since: last.timestamp) < period - 0.5
        {
          continue
        }
        if !hasSpeeds { fix.speed = nil }
        kept.append(fix)
      }
      return kept
    }
  }

  /// The variant of the rows that know what comes later.
  static let laterVariant = "as it looks later"
  /// Steps shorter than this are described one in three, seconds.
  private static let shortStep: Float = 10
  /// The factors of the pace of altered copies: what the activity still is.
  private static let paces: [Activity: [Double]] = [
    .walking: [0.85, 1.18], .running: [0.8, 1.2, 1.4], .cycling: [0.8, 1.2],
  ]

  /// A set without rows for the features that are collected.
  package static func emptySet() -> TrainingSet {
    TrainingSet(featureCount: TrackFeatureExtractor.schema.count)
  }

  /// Adds the steps of the labelled recordings of `dataset` that have fixes.
  ///
  /// - Throws: `RecordingError` at the first recording that can't be read.
  package static func collect(
    _ dataset: LabelledDataset, into set: inout TrainingSet
  ) throws(RecordingError) {
    for recording in dataset.recordings where recording.hasFixes {
      let intervals = dataset.intervals.filter {
        $0.recording == recording.name && $0.activity != nil
      }
      guard !intervals.isEmpty else { continue }
      let fixes = try Self.fixes(of: recording.path)
      let activities = Set(intervals.compactMap { $0.activity.flatMap(Activity.init(name:)) })
      let paces = activities.count == 1 ? activities.first.flatMap { Self.paces[$0] } ?? [] : []
      for recorder in Recorder.allCases {
        var origin = RecordingOrigin(
          dataset: dataset.hasOwnSources ? "\(dataset.name) \(intervals[0].subject)" : dataset.name,
          person: "", recording: "\(recording.name), \(recorder.name)")
        let kept = Self.accepted(recorder.thinned(fixes))
        describe(kept, intervals, origin, into: &set)
        for pace in paces {
          origin.variant = "\(pace) of its pace"
          describe(Self.fixes(kept, at: pace), intervals, origin, into: &set)
        }
      }
    }
  }

  /// The same course at another pace: larger by as much.
  private static func fixes(_ fixes: [LocationFix], at pace: Double) -> [LocationFix] {
    guard let first = fixes.first else { return [] }
    return fixes.map {
      var fix = $0
      fix.latitude = first.latitude + pace * (fix.latitude - first.latitude)
      fix.longitude = first.longitude + pace * (fix.longitude - first.longitude)
      fix.speed = fix.speed.map { $0 * pace }
      return fix
    }
  }

  private static func fixes(of path: String) throws(RecordingError) -> [LocationFix] {
    var reader = try RecordingReader(path: path)
    var batch = SensorBatch()
    var fixes: [LocationFix] = []
    while try reader.read(into: &batch) { fixes += batch.fixes }
    return fixes
  }

  /// The fixes that the device would use: one a second, of those that its filter accepts.
  private static func accepted(_ fixes: [LocationFix]) -> [LocationFix] {
    var batch = SensorBatch()
    batch.fixes = fixes
    var pipeline = EpochPipeline(settings: .init())
    var none = NoWindows()
    var output = LocomotionOutput()
    pipeline.ingest(batch, windows: &none, into: &output)
    pipeline.finish(windows: &none, into: &output)
    return output.samples.compactMap(\.rawLocation)
  }

  /// Describes a course, of altered copies half as often.
  private static func describe(
    _ fixes: [LocationFix], _ intervals: [LabelledDataset.Interval], _ origin: RecordingOrigin,
    into set: inout TrainingSet
  ) {
    let interval = origin.variant.isEmpty ? 3 : 6
    var course = TrackCourse()
    var extractor = TrackFeatureExtractor()
    var live: [(step: Int, features: [Float])] = []
    for fix in fixes where course.append(fix) {
      let index = course.steps.count - 1
      guard course.steps[index].seconds > Self.shortStep || index % interval == interval - 1 else {
        continue
      }
      extractor.extract(from: course.history)
      live.append((index, Array(extractor.features)))
    }
    var later: [[Float]] = []
    course.describe { later.append(Array($0)) }
    for isLater in [false, true] {
      for row in live {
        let step = course.steps[row.step]
        let middle = step.end.advanced(byNanoseconds: -Int64(step.seconds * 0.5e9))
        guard let interval = intervals.first(where: { $0.start <= middle && middle <= $0.end }),
          let activity = interval.activity.flatMap(Activity.init(name:))
        else { continue }
        var origin = origin
        origin.person = interval.subject
        if isLater { origin.variant += Self.laterVariant }
        set.append(
          isLater ? later[row.step] : row.features, activity: activity, origin: origin,
          end: step.end, weight: Self.weight(of: step))
      }
    }
  }

  /// How many of the shortest steps that are used a step stands for: a power of two, because
  /// windows of one weight are summed together.
  private static func weight(of step: TrackStep) -> Double {
    var weight = 1.0
    while weight < 16, Double(step.seconds) > 21 * weight { weight *= 2 }
    return weight
  }
}
