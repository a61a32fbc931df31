import Locomotion
import LocomotionActivityRecognition
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import LocomotionTraining

/// The labels of a data set that a model finds most at odds with their recordings.
///
/// The model is one that did not see them: a label that it doubts is a fault of the label or of the
/// model, and a person decides. In hindsight, so that all of a stretch answers for each of its
/// seconds.
struct LabelDoubts {
  /// A stretch whose label the model doubts.
  struct Doubt {
    let interval: LabelledDataset.Interval
    let labelled: Activity
    /// What the model takes it for.
    let found: Activity
    /// The mean probability of ``found``.
    let probability: Double
    /// The seconds that the model could judge.
    let seconds: Double
  }

  /// No stretch is judged by less than this, seconds.
  private static let shortest = 10.0
  /// The probability from which a stretch is listed.
  private static let least = 0.8

  /// The stretches in doubt, those with the most seconds in doubt first.
  private(set) var doubts: [Doubt] = []
  /// The seconds that were judged, by person, and those of them in doubt.
  private(set) var people: [String: (judged: Double, doubted: Double)] = [:]

  /// Judges all labels that stand for an activity; recordings that cannot be read are left out.
  init(of dataset: LabelledDataset) {
    let intervals = Dictionary(grouping: dataset.intervals, by: \.recording)
    for recording in dataset.recordings {
      let own = (intervals[recording.name] ?? []).filter { $0.activity != nil }
      guard !own.isEmpty,
        let source = try? RecordingSource(path: recording.path),
        let analysis = try? Analysis(of: source)
      else { continue }
      for interval in own { judge(interval, analysis.samples) }
    }
    doubts.sort { $0.probability * $0.seconds > $1.probability * $1.seconds }
  }

  private mutating func judge(
    _ interval: LabelledDataset.Interval, _ samples: [LocomotionSample]
  ) {
    guard let labelled = interval.activity.flatMap({ Activity(name: $0) }) else { return }
    var sums = [Float](repeating: 0, count: Activity.allCases.count)
    var seconds = 0.0
    for sample in samples where sample.start >= interval.start && sample.end <= interval.end {
      guard let probabilities = sample.activity?.probabilities else { continue }
      for activity in Activity.allCases { sums[activity.rawValue] += probabilities[activity] }
      seconds += 1
    }
    guard seconds >= Self.shortest else { return }
    let mean = ActivityProbabilities(weights: { sums[$0.rawValue] })
    // Road and rail are told apart too poorly to doubt anybody.
    let found = mean.mostProbable
    let isDoubted = found.parent != labelled.parent && Double(mean[found]) >= Self.least
    people[interval.subject, default: (0, 0)].judged += seconds
    guard isDoubted else { return }
    people[interval.subject, default: (0, 0)].doubted += seconds
    doubts.append(
      Doubt(
        interval: interval, labelled: labelled, found: found, probability: Double(mean[found]),
        seconds: seconds))
  }

  /// Up to `count` lines, with the people of whom much is in doubt.
  func text(count: Int) -> String {
    guard !doubts.isEmpty else { return "no label is at odds with the built-in model\n" }
    var lines = ["labels at odds with the built-in model, the longest first:"]
    for doubt in doubts.prefix(count) {
      let interval = doubt.interval
      let times = "\(Int(interval.start.seconds))–\(Int(interval.end.seconds)) s"
      lines.append(
        "  \(interval.recording), \(times): labelled \(interval.label), looks like "
          + "\(doubt.found.name), \(percent(doubt.probability))")
    }
    if doubts.count > count { lines.append("  and \(doubts.count - count) more") }
    for (person, time) in people.sorted(by: { $0.key < $1.key })
    where time.doubted >= 0.2 * time.judged {
      lines.append(
        "  \(percent(time.doubted / time.judged)) of the labelled time"
          + (person.isEmpty ? "" : " of \(person)"))
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
