import Locomotion
import LocomotionFormats
import LocomotionRecordings
import LocomotionReport
import LocomotionTraining

extension Command {
  static let checkDataset = Command(
    name: "check-dataset",
    synopsis: "DIRECTORY… [--strict]",
    summary: "Prints what labelled data sets hold, and what is wrong with them, before training.",
    operandCount: 1...Int.max,
    options: [
      Option(name: "strict", value: nil, help: "exit with an error when there are problems")
    ],
    run: runCheckDataset)

  private static func runCheckDataset(_ arguments: Arguments) throws {
    var output = TextOutput.standard
    var count = 0
    for folder in arguments.operands {
      let dataset = try LabelledDataset(path: folder)
      let check = DatasetCheck(dataset)
      count += check.problems.count
      try output.write(text(of: check, dataset))
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
    let count = ReportFormatting.plural(check.recordings.count, "recording")
    var lines = ["\(check.name): \(count)", aligned(rows), ""]
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
    let people = dataset.subjects.count
    lines.append("\(people == 1 ? "1 person" : "\(people) people"); labelled minutes by activity:")
    lines += [
      aligned(minutes.sorted { $0.value > $1.value }.map { ["  " + $0.key, fixed($0.value, 1)] }),
      "",
    ]
    lines.append(
      check.problems.isEmpty
        ? "no problem found" : "\(ReportFormatting.plural(check.problems.count, "problem")):")
    lines += check.problems.map { "  \($0)" }
    return lines.joined(separator: "\n") + "\n\n"
  }

  private static func fixed(_ value: Double, _ decimals: Int) -> String {
    ReportFormatting.fixed(value, decimals)
  }
}
