import Foundation
import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
@_spi(Server) import LocomotionTool

extension Command {
  static let scoreDays = Command(
    name: "score days",
    synopsis:
      "[RECORDING…] [--dataset DIRECTORY…] [--rule NAME…] [--beside FOLDER] [--write FOLDER] "
      + "[--json] [--seed NUMBER]",
    summary: "Scores stays and trips of days that are thinned as recorders thin them.",
    operandCount: 0...Int.max,
    options: [
      .dataset,
      Option(
        name: "rule", value: "NAME…",
        help: "only these recorders: \(ruleNames)"),
      Option(
        name: "without-accelerometer", value: nil, help: "without the recordings as they are"),
      Option(
        name: "write", value: "FOLDER",
        help: "the thinned days as RULE/DAY.gps.csv, for other programs"),
      Option(
        name: "beside", value: "FOLDER",
        help: "also the timelines of other programs, RULE/DAY.PROGRAM.items.csv"),
      Option(name: "json", value: nil, help: "the scores as JSON, each day's too"),
      .seed,
    ],
    run: runScoreDays)

  private static func runScoreDays(_ arguments: Arguments) throws {
    let rules = try recorderRules(arguments)
    let seed = try arguments.seed()
    let recordings = try referencedRecordings(arguments)
    let outputs = OutputFiles.forCommand(inputs: arguments.datasetFiles + arguments.operands)
    if let folder = arguments.value("write") {
      for rule in rules { try outputs.openFolder("\(folder)/\(rule.rawValue)") }
    }
    var evaluation = DaysEvaluation()
    var progress = ProgressBar(total: recordings.count)
    for recording in recordings {
      progress.advance(to: recording.path)
      defer { progress.clear() }
      guard let reference = recording.reference else { continue }
      let truth = LocationTruth(try ReferenceTrack(path: reference))
      guard truth.stays != nil else { continue }
      let day = dayName(of: recording.path)
      let fixes = try RecordingSource(path: recording.path).fixes().filter(\.hasPosition)
        .sorted { $0.timestamp < $1.timestamp }
      for rule in rules {
        let kept = rule.thinned(
          fixes, truth: truth, seed: DaysEvaluation.seed(seed, day: day, rule: rule))
        var batch = SensorBatch()
        batch.append(kept)
        if let folder = arguments.value("write") {
          try write(batch, "\(folder)/\(rule.rawValue)/\(day).csv", to: outputs)
        }
        let name = rule.rawValue
        evaluation.add(
          DayScore(
            name: name, items: try Analysis(of: batch).items, fixes: kept.count, truth: truth),
          of: day)
        for (program, path) in try timelines(arguments.value("beside"), name, day) {
          evaluation.add(
            DayScore(
              name: "\(name), \(program)", items: try TimelineTable(path: path).items,
              fixes: kept.count, truth: truth),
            of: day)
        }
      }
      guard !arguments.has("without-accelerometer"), !arguments.has("rule") else { continue }
      let analysis = try Analysis(of: RecordingSource(path: recording.path))
      evaluation.add(
        DayScore(
          name: DaysEvaluation.withAccelerations, items: analysis.items,
          fixes: analysis.fixes.count, truth: truth),
        of: day)
    }
    guard !evaluation.days.isEmpty else {
      throw RecordingError.nothingUsable(
        path: recordings[0].path, reason: "no stays, X.stays.csv[.gz], beside any recording")
    }
    try outputs.commit()
    try TextOutput.print(arguments.has("json") ? evaluation.json + "\n" : evaluation.text)
  }

  private static var ruleNames: String {
    RecorderRule.allCases.map(\.rawValue).joined(separator: ", ")
  }

  private static func recorderRules(_ arguments: Arguments) throws -> [RecorderRule] {
    guard arguments.has("rule") else { return RecorderRule.allCases }
    return try arguments.all("rule").map { name in
      guard let rule = RecorderRule(rawValue: name) else {
        throw UsageError("'--rule \(name)': expected some of \(ruleNames)")
      }
      return rule
    }
  }

  /// The file's name without its endings.
  private static func dayName(of path: String) -> String {
    let file = URL(fileURLWithPath: path).lastPathComponent
    return file.split(separator: ".").first.map(String.init) ?? file
  }

  private static func write(
    _ batch: SensorBatch, _ path: String, to outputs: OutputFiles
  ) throws {
    var writer = try RecordingWriter(
      path: path, hasGyroscope: false, hasBarometer: false, to: outputs)
    try writer.write(batch)
    _ = try writer.finish()
  }

  /// The timelines that other programs made of a thinned day, by program.
  private static func timelines(
    _ folder: String?, _ rule: String, _ day: String
  ) throws -> [(program: String, path: String)] {
    guard let folder else { return [] }
    let place = "\(folder)/\(rule)"
    guard FileStatus(path: place)?.kind == .folder else {
      throw RecordingError.notFound(path: place)
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
    return names.sorted().compactMap { name in
      let ending = ".items.csv"
      guard name.hasPrefix(day + "."), name.hasSuffix(ending) else { return nil }
      let program = name.dropFirst(day.count + 1).dropLast(ending.count)
      return program.isEmpty ? nil : (String(program), "\(place)/\(name)")
    }
  }
}
