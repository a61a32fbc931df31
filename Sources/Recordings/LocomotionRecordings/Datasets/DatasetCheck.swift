internal import Foundation
internal import LocomotionSensing

/// What a data set holds, and what is wrong with it, found before anyone trains on it.
///
/// A model learns from whatever it is given: from labels that are beside their recordings, from
/// accelerations in another unit, from a person without a name. None of that stops a training, so
/// it has to be looked for.
///
/// - Complexity: Reads every recording once, in constant memory but for the speeds of its fixes.
public struct DatasetCheck: Sendable, Hashable {
  /// What one recording holds.
  public struct Recording: Sendable, Hashable {
    /// Its name in `labels.csv`.
    public let name: String
    /// The times of the first and the last sample or fix, seconds.
    public let start, end: Double
    /// Accelerations per second where they go on, the inverse of the median interval; nil without
    /// accelerations.
    public let rate: Double?
    /// The length of the mean acceleration of five seconds, the median of them, m/s²: gravity, as
    /// what shakes averages out; nil without any.
    public let gravity: Double?
    /// Whether there are rotation rates.
    public let hasGyroscope: Bool
    /// Pauses of the accelerations above ``DatasetCheck/longestInterval``.
    public let holes: Int
    /// The sum of the pauses, seconds.
    public let holeSeconds: Double
    /// The number of fixes.
    public let fixes: Int
    /// Minutes inside the intervals of labels that stand for an activity.
    public let labelMinutes: Double
  }

  /// Something that a person should look at.
  public enum Problem: Sendable, Hashable, CustomStringConvertible {
    /// There is no `labels.csv`.
    case noLabels(path: String)
    /// A name in `labels.csv` has no recording; `found` is where a file of that name is.
    case missingRecording(name: String, found: String?)
    /// A recording that cannot be read.
    case unreadable(name: String, reason: String)
    /// Intervals that lie wholly outside their recording; `isMilliseconds` when a thousandth of
    /// their times lies inside.
    case outside(name: String, intervals: Int, of: Int, isMilliseconds: Bool)
    /// Intervals that begin before or end after their recording, by how many seconds at most.
    case beyond(name: String, intervals: Int, of: Int, seconds: Double, isMilliseconds: Bool)
    /// Intervals without a length.
    case empty(name: String, intervals: Int)
    /// Times with labels of two activities.
    case contradiction(name: String, first: String, second: String, at: Double, seconds: Double)
    /// Intervals without a person, which would become one person together.
    case noSubject(intervals: Int)
    /// A label that stands for no activity but looks like one that does.
    case unknownLabel(label: String, minutes: Double, suggestion: String)
    /// Accelerations whose mean is not gravity, m/s².
    case gravity(name: String, median: Double)
    /// Accelerations with fewer than 20 samples per second.
    case slow(name: String, rate: Double)
    /// A median speed, m/s, that the label's activity does not have.
    case speed(name: String, label: String, median: Double)

    /// The problem as one line.
    public var description: String {
      switch self {
      case .noLabels(let path): "\(path): not there, so that nothing is labelled"
      case .missingRecording(let name, let found):
        "\(name): no recording of this name in the folder"
          + (found.map { "; \($0) is not looked at" } ?? "")
      case .unreadable(_, let reason): reason
      case .outside(let name, let count, let all, let isMilliseconds):
        "\(name): \(count) of \(Self.labels(all)) outside the recording"
          + (isMilliseconds ? Self.milliseconds : "")
      case .beyond(let name, let count, let all, let seconds, let isMilliseconds):
        "\(name): \(count) of \(Self.labels(all)) beyond the recording's ends, by up to "
          + "\(Self.text(seconds)) s" + (isMilliseconds ? Self.milliseconds : "")
      case .empty(let name, let count):
        "\(name): \(Self.labels(count)) without a length"
      case .contradiction(let name, let first, let second, let at, let seconds):
        "\(name): labelled \(first) and \(second) at once for \(Self.text(seconds)) s, first at "
          + "\(Self.text(at)) s"
      case .noSubject(let count):
        "labels.csv: \(Self.labels(count)) without a subject, taken for one person"
      case .unknownLabel(let label, let minutes, let suggestion):
        "label '\(label)' stands for no activity (\(Self.text(minutes)) min): "
          + "did you mean '\(suggestion)'?"
      case .gravity(let name, let median):
        "\(name): \(AccelerationSummary.doubt(ofGravity: median) ?? "")"
      case .slow(let name, let rate):
        "\(name): \(Self.text(rate)) accelerations per second, expected 20 or more"
      case .speed(let name, let label, let median):
        "\(name): labelled \(label) at a median speed of \(Self.text(median)) m/s"
      }
    }

    private static let milliseconds = "; their times look like milliseconds"

    private static func labels(_ count: Int) -> String {
      count == 1 ? "1 label" : "\(count) labels"
    }

    private static func text(_ value: Double) -> String {
      String(format: abs(value) < 10 ? "%.2g" : "%.0f", value)
    }
  }

  /// An interval between accelerations above this is a hole, seconds.
  public static let longestInterval = 1.0
  /// What labels may reach beyond a recording, seconds: its sensors start and stop one by one.
  public static let tolerance = 5.0

  /// The data set's name.
  public let name: String
  /// The recordings that could be read, in the order of their names.
  public let recordings: [Recording]
  /// What a person should look at.
  public let problems: [Problem]

  /// Checks a data set.
  public init(_ dataset: LabelledDataset) {
    name = dataset.name
    var problems = Self.problemsOfLabels(dataset)
    var recordings: [Recording] = []
    let intervals = Dictionary(grouping: dataset.intervals, by: \.recording)
    for recording in dataset.recordings {
      let own = intervals[recording.name] ?? []
      do throws(RecordingError) {
        let reading = try RecordingSummary(path: recording.path)
        recordings.append(Recording(recording, reading, own))
        problems += Self.problems(of: recording.name, reading, own)
      } catch {
        problems.append(.unreadable(name: recording.name, reason: "\(error)"))
      }
    }
    self.recordings = recordings
    self.problems = problems
  }

  /// What shows without reading a recording.
  private static func problemsOfLabels(_ dataset: LabelledDataset) -> [Problem] {
    var problems: [Problem] = []
    if !dataset.hasLabels { problems.append(.noLabels(path: "\(dataset.folder)/labels.csv")) }
    for name in dataset.missingRecordings {
      problems.append(.missingRecording(name: name, found: file(of: name, below: dataset.folder)))
    }
    let nobody = dataset.intervals.count { $0.subject.isEmpty }
    if nobody > 0 { problems.append(.noSubject(intervals: nobody)) }
    for ignored in dataset.ignoredLabels {
      if let suggestion = DatasetDescriptor.suggestion(for: ignored.label) {
        problems.append(
          .unknownLabel(
            label: ignored.label, minutes: ignored.minutes, suggestion: suggestion))
      }
    }
    return problems
  }

  /// Where in the subfolders a recording of this name is.
  private static func file(of name: String, below folder: String) -> String? {
    let paths = FileManager.default.enumerator(atPath: folder)
    var looked = 0
    while let path = paths?.nextObject() as? String, looked < 100_000 {
      looked += 1
      let file = RecordingPath(path)
      if !file.ending.isEmpty, file.stem.split(separator: "/").last.map(String.init) == name {
        return path
      }
    }
    return nil
  }

  private static func problems(
    of name: String, _ reading: RecordingSummary, _ intervals: [LabelledDataset.Interval]
  ) -> [Problem] {
    var problems: [Problem] = []
    if let rate = reading.accelerations.rate, rate < 20 {
      problems.append(.slow(name: name, rate: rate))
    }
    if let gravity = reading.accelerations.gravity,
      AccelerationSummary.doubt(ofGravity: gravity) != nil
    {
      problems.append(.gravity(name: name, median: gravity))
    }
    problems += problemsOfTimes(name, reading, intervals)
    problems += contradictions(name, intervals)
    for (label, own) in Dictionary(grouping: intervals, by: \.label).sorted(by: { $0.key < $1.key })
    {
      guard let activity = own[0].trainingActivity, let limit = fastest[activity],
        let median = reading.medianSpeed(in: own), median > limit
      else { continue }
      problems.append(.speed(name: name, label: label, median: median))
    }
    return problems
  }

  /// Median speeds, m/s, above which a label is doubtful.
  private static let fastest = ["stationary": 3.0, "walking": 4, "running": 9, "cycling": 20]

  private static func problemsOfTimes(
    _ name: String, _ reading: RecordingSummary, _ intervals: [LabelledDataset.Interval]
  ) -> [Problem] {
    var problems: [Problem] = []
    let (first, last) = (reading.start, reading.end)
    let empty = intervals.count { $0.start == $0.end }
    if empty > 0 { problems.append(.empty(name: name, intervals: empty)) }
    let outside = intervals.filter {
      $0.start < $0.end && ($0.end.seconds < first || $0.start.seconds > last)
    }
    let isMilliseconds =
      2 * intervals.count { $0.end.seconds - first > 2 * (last - first) } > intervals.count
      && intervals.allSatisfy {
        let (start, end) = ($0.start.seconds / 1_000, $0.end.seconds / 1_000)
        return start >= first - tolerance && end <= last + tolerance
      }
    if !outside.isEmpty {
      problems.append(
        .outside(
          name: name, intervals: outside.count, of: intervals.count,
          isMilliseconds: isMilliseconds))
    }
    let excess = intervals.filter { !($0.end.seconds < first || $0.start.seconds > last) }
      .map { max(first - $0.start.seconds, $0.end.seconds - last) }.filter { $0 > tolerance }
    if let largest = excess.max() {
      problems.append(
        .beyond(
          name: name, intervals: excess.count, of: intervals.count, seconds: largest,
          isMilliseconds: isMilliseconds))
    }
    return problems
  }

  /// The times at which two labels stand for different activities, by pairs of labels.
  private static func contradictions(
    _ name: String, _ intervals: [LabelledDataset.Interval]
  ) -> [Problem] {
    let sorted = intervals.filter { $0.trainingActivity != nil }.sorted { $0.start < $1.start }
    var found: [[String]: (at: Double, seconds: Double)] = [:]
    for (index, interval) in sorted.enumerated() {
      for other in sorted[(index + 1)...].prefix(while: { $0.start < interval.end })
      where other.trainingActivity != interval.trainingActivity {
        let seconds = min(interval.end, other.end).seconds(since: other.start)
        guard seconds > 1 else { continue }
        let pair = [interval.label, other.label].sorted()
        found[pair, default: (other.start.seconds, 0)].seconds += seconds
      }
    }
    return found.sorted { $0.value.at < $1.value.at }.map { pair, value in
      .contradiction(
        name: name, first: pair[0], second: pair[1], at: value.at, seconds: value.seconds)
    }
  }
}

extension DatasetCheck.Recording {
  fileprivate init(
    _ recording: LabelledDataset.Recording, _ reading: RecordingSummary,
    _ intervals: [LabelledDataset.Interval]
  ) {
    name = recording.name
    start = reading.start
    end = reading.end
    rate = reading.accelerations.rate
    gravity = reading.accelerations.gravity
    hasGyroscope = reading.hasGyroscope
    holes = reading.accelerations.holes
    holeSeconds = reading.accelerations.holeSeconds
    fixes = reading.fixes
    labelMinutes =
      intervals.reduce(0) { sum, interval in
        guard interval.trainingActivity != nil else { return sum }
        let inside =
          min(interval.end.seconds, reading.end) - max(interval.start.seconds, reading.start)
        return sum + max(0, inside)
      } / 60
  }
}

/// What a check needs to know of a recording's samples.
private struct RecordingSummary {
  private(set) var start = Double.infinity
  private(set) var end = -Double.infinity
  private(set) var hasGyroscope = false
  private(set) var accelerations = AccelerationSummary()
  private(set) var fixes = 0
  private var speeds: [(time: Timestamp, metresPerSecond: Double)] = []

  init(path: String) throws(RecordingError) {
    var reader = try RecordingReader(path: path)
    var batch = SensorBatch()
    while try reader.read(into: &batch) {
      let samples = batch.accelerations
      for index in 0..<samples.count {
        let time = samples.timestamps[index]
        extend(to: time)
        accelerations.add(samples.x[index], samples.y[index], samples.z[index], at: time)
      }
      hasGyroscope = hasGyroscope || batch.rotationRates.count > 0
      for fix in batch.fixes {
        extend(to: fix.timestamp)
        fixes += 1
        if let speed = fix.speed { speeds.append((fix.timestamp, speed)) }
      }
    }
  }

  private mutating func extend(to time: Timestamp) {
    start = min(start, time.seconds)
    end = max(end, time.seconds)
  }

  /// The median of the speeds inside some intervals; nil with fewer than ten.
  func medianSpeed(in intervals: [LabelledDataset.Interval]) -> Double? {
    let inside = speeds.filter { speed in
      intervals.contains { $0.start <= speed.time && speed.time <= $0.end }
    }.map(\.metresPerSecond).sorted()
    return inside.count < 10 ? nil : inside[inside.count / 2]
  }
}
