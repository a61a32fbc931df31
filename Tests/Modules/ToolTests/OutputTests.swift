import Foundation
import LocomotionRecordings
import LocomotionSensing
import SensorSimulator
import TestSupport
import Testing

/// The columns, rows and files that callers rely on.
@Suite struct OutputTests {
  /// Writes a simulated outing with fixes and accelerations, and calls `body` with its path.
  private func withOuting(_ body: (String, SimulatedRecording, URL) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let recording = Scenario(seed: 3, start: Timestamp(nanoseconds: 250_000_000))
        .rest(.seconds(20)).walk(.seconds(90)).drive(.seconds(60)).recording()
      let path = folder.appendingPathComponent("outing.csv.gz").path
      var writer = try RecordingWriter(path: path)
      for batch in recording.batches(everySeconds: 10) { try writer.write(batch) }
      try writer.close()
      try body(path, recording, folder)
    }
  }

  private func number(_ field: Substring) -> Double? { Double(String(field)) }

  private func rows(_ run: ToolRun) -> [[Substring]] {
    run.lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
  }

  @Test(arguments: ["live", "lagged", "smoothed"])
  func locatePrintsOneRowPerFixInOrder(mode: String) throws {
    try withOuting { path, recording, _ in
      let run = try ToolRun(["locate", path, "--mode", mode])
      #expect(run.status == 0)
      #expect(
        run.lines[0]
          == "t,lat,lon,radius68,speed,speed_sd,course,p_stationary,moving,status,alt,alt_sd")
      let rows = rows(run)
      let fixes = recording.wholeBatch().fixes
      #expect(rows.count == fixes.count)
      for (row, fix) in zip(rows, fixes) {
        #expect(row.count == 12)
        #expect(abs((number(row[0]) ?? .nan) - fix.timestamp.seconds) < 2e-6)
        #expect(abs((number(row[1]) ?? .nan) - fix.latitude) < 0.01)
        #expect((number(row[3]) ?? .nan) > 0)
        #expect((0...1).contains(number(row[7]) ?? .nan))
        #expect(["", "0", "1"].contains(row[8]))
        #expect(["used", "rejected", "relocated"].contains(row[9]))
      }
    }
  }

  @Test func cadencePrintsOneRowPerSecond() throws {
    try withOuting { path, recording, _ in
      let run = try ToolRun(["cadence", path])
      #expect(run.lines[0] == "t_start,t_end,cadence,confidence,steps")
      let rows = rows(run)
      // The recording begins inside a second, so it overlaps one more than its length.
      #expect(rows.count == recording.seconds + 1)
      for (row, next) in zip(rows, rows.dropFirst()) { #expect(row[1] == next[0]) }
      let steps = rows.reduce(0) { $0 + (number($1[4]) ?? .nan) }
      let truth = Double(recording.steps.count)
      #expect(abs(steps - truth) < 0.08 * truth, "\(steps) of \(truth)")
      #expect(rows.allSatisfy { ($0[2].isEmpty) == ($0[3].isEmpty) })
    }
  }

  @Test(arguments: ["live", "smoothed"])
  func classifyPrintsSixProbabilitiesThatSumToOne(mode: String) throws {
    try withOuting { path, recording, _ in
      let run = try ToolRun(["classify", path, "--mode", mode])
      #expect(
        run.lines[0]
          == "t_start,t_end,activity,p_stationary,p_walking,p_running,p_cycling,p_automotive,"
          + "p_train")
      let names = [
        "unknown", "stationary", "walking", "running", "cycling", "automotive", "train",
      ]
      let rows = rows(run)
      #expect(rows.count == recording.seconds + 1)
      for row in rows {
        #expect(names.contains(String(row[2])))
        let sum = row[3...].reduce(0) { $0 + (number($1) ?? .nan) }
        #expect(abs(sum - 1) < 4e-5)
      }
      // A window of half the length comes with the third second.
      #expect(mode == "smoothed" || rows.prefix(2).allSatisfy { $0[2] == "unknown" })
    }
  }

  @Test func timelineTilesTheTime() throws {
    try withOuting { path, recording, _ in
      let run = try ToolRun(["timeline", path, "--json"])
      let document = try #require(
        JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
      let items = try #require(document["items"] as? [[String: Any]])
      #expect(!items.isEmpty)
      var end: Double?
      for item in items {
        let start = try #require(item["start"] as? Double)
        if let end { #expect(start == end) }
        end = try #require(item["end"] as? Double)
        #expect(["stay", "trip", "gap"].contains(item["type"] as? String))
        if item["type"] as? String == "trip" {
          #expect(item["activity"] is String)
          #expect(item["legs"] is [[String: Any]])
        }
      }
      #expect(end == Double(recording.seconds + 1))
    }
  }

  @Test func analyzeWritesWhatTheOtherCommandsPrint() throws {
    try withOuting { path, _, folder in
      let out = folder.appendingPathComponent("report")
      let run = try ToolRun(["analyze", path, "--out", out.path])
      #expect(run.status == 0, "\(run.errors)")
      func content(_ name: String) throws -> String {
        try String(contentsOf: out.appendingPathComponent(name), encoding: .utf8)
      }
      #expect(try content("locate.csv") == ToolRun(["locate", path]).output)
      #expect(try content("cadence.csv") == ToolRun(["cadence", path]).output)
      #expect(try content("classify.csv") == ToolRun(["classify", path]).output)
      #expect(try content("timeline.json") == ToolRun(["timeline", path]).output)
      #expect(try content("summary.txt") == run.output)
      #expect(try content("report.html").hasPrefix("<!"))
      let geo = try JSONSerialization.jsonObject(with: Data(content("track.geojson").utf8))
      #expect((geo as? [String: Any])?["type"] as? String == "FeatureCollection")
    }
  }

  @Test func theSameRecordingGivesTheSameBytes() throws {
    try withOuting { path, _, _ in
      for command in ["locate", "cadence", "classify", "timeline"] {
        let first = try ToolRun([command, path]).output
        #expect(try ToolRun([command, path]).output == first)
      }
    }
  }

  @Test func helpPrintsTheFirstSteps() throws {
    let run = try ToolRun(["help"])
    #expect(run.status == 0)
    for command in ["locate", "cadence", "classify", "timeline", "analyze", "train", "evaluate"] {
      #expect(run.output.contains(command))
      let help = try ToolRun([command, "--help"])
      #expect(help.status == 0)
      #expect(help.output.contains("usage: locomotion \(command)"))
    }
  }

  @Test func aModelCanBeTrainedStoredAndUsed() throws {
    try withTemporaryFolder { folder in
      // Two people who rest and walk, recorded as a data set in the tidy format.
      var labels = "recording,subject,start,end,label\n"
      for (person, seed) in [("ada", 5), ("bob", 6)] as [(String, UInt64)] {
        let name = "day_\(person)"
        var writer = try RecordingWriter(
          path: folder.appendingPathComponent("\(name).csv.gz").path)
        let recording = Scenario(seed: seed, start: Timestamp(nanoseconds: 0))
          .stand(.seconds(120)).walk(.seconds(120)).recording()
        for batch in recording.batches(everySeconds: 10) { try writer.write(batch) }
        try writer.close()
        labels += "\(name),\(person),2,118,standing\n\(name),\(person),125,235,walking\n"
      }
      try Data(labels.utf8).write(to: folder.appendingPathComponent("labels.csv"))
      let model = folder.appendingPathComponent("own.model").path
      let trained = try ToolRun(["train", "--dataset", folder.path, "--out", model])
      #expect(trained.status == 0, "\(trained.errors)")
      #expect(trained.output.contains("not trained on"))
      let scores = try ToolRun(
        ["evaluate", "--dataset", folder.path, "--model", model, "--json"])
      #expect(scores.status == 0, "\(scores.errors)")
      #expect(throws: Never.self) {
        try JSONSerialization.jsonObject(with: Data(scores.output.utf8))
      }
      let recording = folder.appendingPathComponent("day_ada.csv.gz").path
      let rows = rows(try ToolRun(["classify", recording, "--model", model]))
      let walking = rows[140..<230]
      #expect(walking.count { $0[2] == "walking" } > 80)
    }
  }
}
