import Locomotion
import LocomotionActivityRecognition
package import LocomotionRecordings
package import LocomotionSensing

/// Describes the courses of labelled recordings by their fixes, as the device would.
///
/// The fixes go through the device's own filter, and each step between them through its
/// `TrackFeatureExtractor`. Every recording is described as recorded and thinned, with and without
/// the speeds that its fixes report, so that one model serves every recorder. Only every third of
/// the shortest steps is used: they are much alike.
///
/// For training only, marked by ``RecordingOrigin/variant``, each step is described once more as it
/// looks afterwards: by the two minutes around it, and by the whole leg.
package struct TrackCollector: Sendable {
  /// How a recorder gives fixes.
  package struct Recorder: Sendable, Hashable, CaseIterable {
    /// The least time between two fixes, seconds; 0 for as recorded.
    package var period: Double
    /// Whether speeds come with them.
    package var hasSpeeds: Bool

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
  /// The part of the course around a step that its description afterwards reads, seconds each way.
  private static let reach = 75.0

  /// A collector.
  package init() {}

  /// A set without rows for the features that are collected.
  package static func emptySet() -> TrainingSet {
    TrainingSet(featureCount: TrackFeatureExtractor.schema.count)
  }

  /// Adds the steps of the labelled recordings of `dataset` that have fixes.
  ///
  /// - Throws: `RecordingError` at the first recording that can't be read.
  package func collect(
    _ dataset: LabelledDataset, into set: inout TrainingSet
  ) throws(RecordingError) {
    for recording in dataset.recordings where recording.hasFixes {
      let intervals = dataset.intervals.filter {
        $0.recording == recording.name && $0.activity != nil
      }
      guard !intervals.isEmpty else { continue }
      let fixes = try Self.fixes(of: recording.path)
      for recorder in Recorder.allCases {
        let origin = RecordingOrigin(
          dataset: dataset.name, person: "", recording: "\(recording.name), \(recorder.name)")
        for course in Course.courses(of: Self.accepted(recorder.thinned(fixes))) {
          course.describe(intervals, origin, into: &set)
        }
      }
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

  /// A course without a long silence.
  private struct Course {
    /// A step that is described.
    private struct Row {
      var index: Int
      var features: [Float]
    }

    private var history = TrackHistory()
    private var steps: [TrackStep] = []
    /// The first steps of the legs.
    private var legs = [0]
    private var rows: [Row] = []

    static func courses(of fixes: [LocationFix]) -> [Course] {
      var courses: [Course] = []
      var course = Course()
      var extractor = TrackFeatureExtractor()
      for fix in fixes {
        let before = course.history
        let isStep = course.history.append(fix) != nil
        if course.history.count < before.count {
          let newer = course.history
          course.history = before
          courses.append(course)
          course = Course()
          course.history = newer
        }
        guard isStep, let step = course.history.steps.last else { continue }
        course.steps.append(step)
        if course.history.legBegin != course.legs.last {
          course.legs.append(course.history.legBegin)
        }
        guard step.seconds > TrackCollector.shortStep || course.steps.count % 3 == 0 else {
          continue
        }
        extractor.extract(from: course.history)
        course.rows.append(Row(index: course.steps.count - 1, features: Array(extractor.features)))
      }
      courses.append(course)
      return courses
    }

    func describe(
      _ intervals: [LabelledDataset.Interval], _ origin: RecordingOrigin,
      into set: inout TrainingSet
    ) {
      var extractor = TrackFeatureExtractor()
      var later: [(row: [Float], activity: Activity, origin: RecordingOrigin, step: TrackStep)] = []
      for row in rows {
        let step = steps[row.index]
        let middle = step.end.advanced(byNanoseconds: -Int64(step.seconds * 0.5e9))
        guard let interval = intervals.first(where: { $0.start <= middle && middle <= $0.end }),
          let activity = interval.activity.flatMap(Activity.init(name:))
        else { continue }
        var origin = origin
        origin.person = interval.subject
        set.append(
          row.features, activity: activity, origin: origin, end: step.end,
          weight: Self.weight(of: step))
        extractor.extract(
          from: history, steps: steps, recent: around(row.index), leg: leg(of: row.index))
        origin.variant = TrackCollector.laterVariant
        later.append((Array(extractor.features), activity, origin, step))
      }
      for item in later {
        set.append(
          item.row, activity: item.activity, origin: item.origin, end: item.step.end,
          weight: Self.weight(of: item.step))
      }
    }

    /// How many of the shortest steps that are used a step stands for: a power of two, because
    /// windows of one weight are summed together.
    private static func weight(of step: TrackStep) -> Double {
      var weight = 1.0
      while weight < 16, Double(step.seconds) > 21 * weight { weight *= 2 }
      return weight
    }

    private func around(_ index: Int) -> Range<Int> {
      var (first, last) = (index, index)
      let (start, end) = (steps[index].end, steps[index].end)
      while first > 0, start.seconds(since: steps[first - 1].end) < TrackCollector.reach {
        first -= 1
      }
      while last + 1 < steps.count, steps[last].end.seconds(since: end) < TrackCollector.reach {
        last += 1
      }
      return first..<last + 1
    }

    private func leg(of index: Int) -> Range<Int> {
      let next = legs.firstIndex { $0 > index } ?? legs.count
      return legs[max(0, next - 1)]..<(next < legs.count ? legs[next] : steps.count)
    }
  }
}
