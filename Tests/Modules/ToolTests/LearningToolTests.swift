import Foundation
import LocomotionRecordings
import LocomotionSensing
import SensorSimulator
import TestSupport
import Testing

/// `journal learn`, and the commands that take its model.
@Suite struct LearningToolTests {
  private static let recording = Scenario(
    seed: 4, start: Timestamp(nanoseconds: 1_700_000_000_000_000_000)
  )
  .stand(.seconds(60)).walk(.seconds(240)).stand(.seconds(60)).recording()

  /// A journal with the scenario, and the options that name it and its user.
  private func journal(in folder: URL) throws -> [String] {
    let store = folder.appendingPathComponent("journal").path
    let record = try RecordRun(store: store, user: "ada")
    for batch in Self.recording.batches(everySeconds: 10) {
      let all = batch.accelerations
      func list(_ values: [Float]) -> String { values.map { "\($0)" }.joined(separator: ",") }
      let times = all.timestamps.map {
        "\($0.nanoseconds / 1_000_000_000)."
          + String(format: "%03d", $0.nanoseconds / 1_000_000 % 1_000)
      }
      guard !times.isEmpty else { continue }
      try record.send(
        "{\"t\":[\(times.joined(separator: ","))],\"ax\":[\(list(all.x))],"
          + "\"ay\":[\(list(all.y))],\"az\":[\(list(all.z))]}")
    }
    #expect(try record.finish().status == 0)
    return ["--store", store, "--user", "ada"]
  }

  /// The scenario as a file.
  private func walk(in folder: URL) throws -> String {
    let file = folder.appendingPathComponent("walk.csv").path
    var writer = try RecordingWriter(path: file)
    for batch in Self.recording.batches(everySeconds: 10) { try writer.write(batch) }
    try writer.close()
    return file
  }

  /// The mean probability of each activity in the walk.
  private func means(_ file: String, _ options: [String]) throws -> [String: Double] {
    let run = try ToolRun(["classify", file, "--mode", "smoothed"] + options)
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n").map { $0.split(separator: ",") }
    let rows = lines[80..<280]
    return Dictionary(
      uniqueKeysWithValues: lines[0].indices.dropFirst(3).map { column in
        let values = rows.map { Double($0[column]) ?? 0 }
        return (String(lines[0][column]), values.reduce(0, +) / Double(values.count))
      })
  }

  @Test func aCorrectedWalkTeachesWhatItWas() throws {
    try withTemporaryFolder { folder in
      let own = try journal(in: folder)
      let file = try walk(in: folder)
      let plain = try means(file, [])
      #expect(plain["p_walking"] ?? 0 > 0.9)

      let model = folder.appendingPathComponent("my.model").path
      let learn = ["journal", "learn", "--out", model] + own
      let nothing = try ToolRun(learn)
      #expect(nothing.status == 0 && nothing.output.contains("no correction"), "\(nothing.errors)")
      let correct = ["--start", "1700000070", "--end", "1700000190", "--activity", "cycling"]
      #expect(try ToolRun(["journal", "correct"] + own + correct).status == 0)
      let learned = try ToolRun(learn)
      #expect(learned.status == 0 && learned.output.hasPrefix("learned\n"), "\(learned.errors)")
      #expect(learned.output.contains("corrected stretches: 1"))
      let taught = try means(file, ["--model", model])
      // One stretch of what the base is sure of, and its steps speak for walking.
      #expect(taught["p_cycling"] ?? 0 > 1.5 * (plain["p_cycling"] ?? 1), "\(plain) \(taught)")
      let out = folder.appendingPathComponent("out").path
      let analyze = try ToolRun(["analyze", file, "--out", out, "--model", model])
      #expect(analyze.status == 0, "\(analyze.errors)")
      let rows = try String(contentsOfFile: out + "/classify.csv", encoding: .utf8)
      #expect(rows == (try ToolRun(["classify", file, "--model", model]).output))
      #expect(rows != (try ToolRun(["classify", file]).output))
      let day = try ToolRun(["journal", "day", "--storyline", "--model", model] + own)
      #expect(day.status == 0, "\(day.errors)")

      #expect(try ToolRun(["journal", "undo"] + own).status == 0)
      #expect(try ToolRun(learn).output.contains("no correction"))
      #expect(try means(file, ["--model", model]) == plain)
    }
  }

  @Test func whatIsNeverDoneIsNeverAnswered() throws {
    try withTemporaryFolder { folder in
      let own = try journal(in: folder)
      let file = try walk(in: folder)
      let model = folder.appendingPathComponent("my.model").path
      let learn = ["journal", "learn", "--out", model] + own
      #expect(try ToolRun(learn + ["--never", "walking", "train"]).status == 0)
      let found = try means(file, ["--model", model])
      #expect(found["p_walking"] == 0 && found["p_train"] == 0)
      #expect(try ToolRun(learn + ["--never", "flying"]).status == 2)
      let all = ["stationary", "walking", "running", "cycling", "automotive"]
      #expect(try ToolRun(learn + ["--never"] + all).status == 2)
      #expect(try ToolRun(["journal", "learn"] + own).status == 2)
      // The model never takes the place of the journal, nor of a companion of it.
      for path in [own[1], own[1] + "-wal"] {
        #expect(try ToolRun(["journal", "learn", "--out", path] + own).status == 2)
      }
    }
  }
}
