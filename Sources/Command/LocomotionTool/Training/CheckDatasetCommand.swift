import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
import LocomotionReport
import LocomotionTraining

extension Command {
  static let checkDataset = Command(
    name: "check-dataset",
    synopsis: "DIRECTORY… [--strict] [--doubts NUMBER]",
    summary: "Prints what labelled data sets hold, and what is wrong with them, before training.",
    operandCount: 1...Int.max,
    options: [
      Option(name: "strict", value: nil, help: "exit with an error when there are problems"),
      Option(
        name: "doubts", value: "NUMBER",
        help: "how many labels to list that are most at odds with the built-in model (default 10; "
          + "0: don't look, which is faster)"),
    ],
    run: runCheckDataset)

  private static func runCheckDataset(_ arguments: Arguments) throws {
    var output = TextOutput.standard
    var count = 0
    let doubts = Int(try arguments.number("doubts", default: 10, in: 0...1_000))
    for folder in arguments.operands {
      let dataset = try LabelledDataset(path: folder)
      let check = DatasetCheck(dataset)
      count += check.problems.count
      try output.write(text(of: check, dataset))
      if doubts > 0 {
        try output.write(LabelDoubts(of: dataset).text(count: doubts) + "\n")
      }
    }
    try output.finish()
    guard count == 0 || !arguments.has("strict") else { throw CommandFailure.strict(count) }
  }

  private static func text(of check: DatasetCheck, _ dataset: LabelledDataset) -> String {
    var rows = [
      [
        "recording", "minutes", "rate/s", "gravity", "gyroscope", "holes", "seconds of holes",
        "fixes", "labelled minutes",
      ]
    ]
    for recording in check.recordings {
      rows.append([
        recording.name, fixed((recording.end - recording.start) / 60, 1),
        recording.rate.map { fixed($0, 0) } ?? "", recording.gravity.map { fixed($0, 1) } ?? "",
        recording.hasGyroscope ? "yes" : "", "\(recording.holes)",
        fixed(recording.holeSeconds, 0), "\(recording.fixes)", fixed(recording.labelMinutes, 1),
      ])
    }
    var lines = ["\(check.name): \(check.recordings.count) recordings", aligned(rows), ""]
    var minutes: [String: Double] = [:]
    // What lies outside its recording labels nothing.
    let recordings = Dictionary(
      check.recordings.map { ($0.name, ($0.start, $0.end)) },
      uniquingKeysWith: { first, _ in first })
    for interval in dataset.intervals {
      guard let (start, end) = recordings[interval.recording] else { continue }
      let seconds = min(interval.end.seconds, end) - max(interval.start.seconds, start)
      minutes[interval.trainingActivity ?? "no activity", default: 0] += max(0, seconds) / 60
    }
    lines.append("\(dataset.subjects.count) people; labelled minutes by activity:")
    lines += [
      aligned(minutes.sorted { $0.value > $1.value }.map { ["  " + $0.key, fixed($0.value, 1)] }),
      "",
    ]
    lines.append(
      check.problems.isEmpty ? "no problem found" : "\(check.problems.count) problems:")
    lines += check.problems.map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n\n"
  }

  private static func fixed(_ value: Double, _ decimals: Int) -> String {
    ReportFormatting.fixed(value, decimals)
  }
}

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
