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
    /// Pauses of the accelerations above `DatasetCheck.longestInterval`.
    public let holes: Int
    /// The sum of the pauses, seconds.
    public let holeSeconds: Double
    /// The number of fixes.
    public let fixes: Int
    /// Minutes inside the intervals of labels that stand for an activity.
    public let labelMinutes: Double
  }

  /// An interval between accelerations above this is a hole, seconds.
  static let longestInterval = AccelerationSummary.longestInterval
  /// What labels may reach beyond a recording, seconds: its sensors start and stop one by one.
  public static let tolerance = 5.0

  /// The data set's name.
  public let name: String
  /// The recordings that could be read, in the order of their names.
  public let recordings: [Recording]
  /// What a person should look at, one line each.
  public let problems: [String]

  /// Checks a data set.
  public init(_ dataset: LabelledDataset) {
    name = dataset.name
    var problems = Self.problemsOfLabels(dataset)
    var recordings: [Recording] = []
    let intervals = Dictionary(grouping: dataset.intervals, by: \.recording)
    for recording in dataset.recordings {
      let own = intervals[recording.name] ?? []
      do {
        var speeds: [(time: Timestamp, speed: Double)] = []
        let found = try Recording(recording, own, &speeds)
        recordings.append(found)
        problems += Self.problems(of: found, speeds, own)
      } catch {
        problems.append("\(error)")
      }
    }
    self.recordings = recordings
    self.problems = problems
  }

  /// What shows without reading a recording.
  private static func problemsOfLabels(_ dataset: LabelledDataset) -> [String] {
    var problems: [String] = []
    if !dataset.hasLabels {
      problems.append("\(dataset.folder)/labels.csv: not there, so that nothing is labelled")
    }
    for name in dataset.missingRecordings {
      let found = file(of: name, below: dataset.folder).map { "; \($0) is not looked at" } ?? ""
      problems.append("\(name): no recording of this name in the folder\(found)")
    }
    let nobody = dataset.intervals.count { $0.subject.isEmpty }
    if nobody > 0 {
      problems.append("labels.csv: \(labels(nobody)) without a subject, taken for one person")
    }
    for ignored in dataset.ignoredLabels {
      if let suggestion = DatasetDescriptor.suggestion(for: ignored.label) {
        problems.append(
          "label '\(ignored.label)' stands for no activity (\(text(ignored.minutes)) min): "
            + "did you mean '\(suggestion)'?")
      }
    }
    return problems
  }

  private static func labels(_ count: Int) -> String {
    count == 1 ? "1 label" : "\(count) labels"
  }

  private static func text(_ value: Double) -> String {
    String(format: abs(value) < 10 ? "%.2g" : "%.0f", value)
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
    of recording: Recording, _ speeds: [(time: Timestamp, speed: Double)],
    _ intervals: [LabelledDataset.Interval]
  ) -> [String] {
    let name = recording.name
    var problems: [String] = []
    if let rate = recording.rate, rate < 20 {
      problems.append("\(name): \(text(rate)) accelerations per second, expected 20 or more")
    }
    if let doubt = recording.gravity.flatMap(AccelerationSummary.doubt(ofGravity:)) {
      problems.append("\(name): \(doubt)")
    }
    problems += problemsOfTimes(recording, intervals)
    problems += contradictions(name, intervals)
    for (label, own) in Dictionary(grouping: intervals, by: \.label).sorted(by: { $0.key < $1.key })
    {
      guard let activity = own[0].trainingActivity, let limit = fastest[activity],
        let median = median(speeds, in: own), median > limit
      else { continue }
      problems.append("\(name): labelled \(label) at a median speed of \(text(median)) m/s")
    }
    return problems
  }

  /// The median of the speeds inside some intervals; nil with fewer than ten.
  private static func median(
    _ speeds: [(time: Timestamp, speed: Double)], in intervals: [LabelledDataset.Interval]
  ) -> Double? {
    let inside = speeds.filter { speed in
      intervals.contains { $0.start <= speed.time && speed.time <= $0.end }
    }.map(\.speed).sorted()
    return inside.count < 10 ? nil : inside[inside.count / 2]
  }

  /// Median speeds, m/s, above which a label is doubtful.
  private static let fastest = ["stationary": 3.0, "walking": 4, "running": 9, "cycling": 20]

  private static func problemsOfTimes(
    _ recording: Recording, _ intervals: [LabelledDataset.Interval]
  ) -> [String] {
    var problems: [String] = []
    let (name, first, last) = (recording.name, recording.start, recording.end)
    let empty = intervals.count { $0.start == $0.end }
    if empty > 0 { problems.append("\(name): \(labels(empty)) without a length") }
    let outside = intervals.filter {
      $0.start < $0.end && ($0.end.seconds < first || $0.start.seconds > last)
    }
    let isMilliseconds =
      2 * intervals.count { $0.end.seconds - first > 2 * (last - first) } > intervals.count
      && intervals.allSatisfy {
        let (start, end) = ($0.start.seconds / 1_000, $0.end.seconds / 1_000)
        return start >= first - tolerance && end <= last + tolerance
      }
    let hint = isMilliseconds ? "; their times look like milliseconds" : ""
    if !outside.isEmpty {
      problems.append(
        "\(name): \(outside.count) of \(labels(intervals.count)) outside the recording\(hint)")
    }
    let excess = intervals.filter { !($0.end.seconds < first || $0.start.seconds > last) }
      .map { max(first - $0.start.seconds, $0.end.seconds - last) }.filter { $0 > tolerance }
    if let largest = excess.max() {
      problems.append(
        "\(name): \(excess.count) of \(labels(intervals.count)) beyond the recording's ends, "
          + "by up to \(text(largest)) s\(hint)")
    }
    return problems
  }

  /// The times at which two labels stand for different activities, by pairs of labels.
  private static func contradictions(
    _ name: String, _ intervals: [LabelledDataset.Interval]
  ) -> [String] {
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
      "\(name): labelled \(pair[0]) and \(pair[1]) at once for \(text(value.seconds)) s, "
        + "first at \(text(value.at)) s"
    }
  }
}

extension DatasetCheck.Recording {
  /// Reads a recording; `speeds` gets those of its fixes, m/s.
  fileprivate init(
    _ recording: LabelledDataset.Recording, _ intervals: [LabelledDataset.Interval],
    _ speeds: inout [(time: Timestamp, speed: Double)]
  ) throws(RecordingError) {
    var (start, end) = (Double.infinity, -Double.infinity)
    func extend(to time: Timestamp) {
      start = min(start, time.seconds)
      end = max(end, time.seconds)
    }
    var accelerations = AccelerationSummary()
    var hasGyroscope = false
    var fixes = 0
    var reader = try RecordingReader(path: recording.path)
    var batch = SensorBatch()
    while try reader.read(into: &batch) {
      batch.accelerations.timestamps.forEach(extend)
      accelerations.add(batch.accelerations)
      hasGyroscope = hasGyroscope || batch.rotationRates.count > 0
      fixes += batch.fixes.count
      for fix in batch.fixes {
        extend(to: fix.timestamp)
        if let speed = fix.speed { speeds.append((fix.timestamp, speed)) }
      }
    }
    name = recording.name
    (self.start, self.end) = (start, end)
    rate = accelerations.rate
    gravity = accelerations.gravity
    self.hasGyroscope = hasGyroscope
    holes = accelerations.holes
    holeSeconds = accelerations.holeSeconds
    self.fixes = fixes
    labelMinutes =
      intervals.reduce(0) { sum, interval in
        guard interval.trainingActivity != nil else { return sum }
        return sum + max(0, min(interval.end.seconds, end) - max(interval.start.seconds, start))
      } / 60
  }
}
