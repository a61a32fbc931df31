import Foundation
import LocomotionSensing
import SensorSimulator
import TestSupport
import Testing

/// The columns, rows and files that callers rely on.
@Suite struct OutputTests {
  private let folder = ScratchFolder()

  /// A simulated outing with fixes and accelerations.
  private static let recording = Scenario(seed: 3, start: Timestamp(nanoseconds: 250_000_000))
    .rest(.seconds(20)).walk(.seconds(90)).drive(.seconds(60)).recording()

  /// The outing as a file.
  private func outing() throws -> String {
    try Self.recording.write(to: folder.path("outing.csv.gz"))
  }

  private func number(_ field: Substring) -> Double? { Double(String(field)) }

  @Test(arguments: ["live", "lagged", "smoothed"])
  func locatePrintsOneRowPerFixInOrder(mode: String) throws {
    let run = try ToolRun.done(["locate", outing(), "--mode", mode])
    #expect(
      run.lines[0]
        == "t,lat,lon,radius68,speed,speed_sd,course,p_stationary,moving,status,alt,alt_sd")
    let fixes = Self.recording.wholeBatch().fixes
    #expect(run.rows.count == fixes.count)
    for (row, fix) in zip(run.rows, fixes) {
      #expect(row.count == 12)
      #expect(abs((number(row[0]) ?? .nan) - fix.timestamp.seconds) < 2e-6)
      #expect(abs((number(row[1]) ?? .nan) - fix.latitude) < 0.01)
      #expect((number(row[3]) ?? .nan) > 0)
      #expect((0...1).contains(number(row[7]) ?? .nan))
      #expect(["", "0", "1"].contains(row[8]))
      #expect(["used", "rejected", "relocated"].contains(row[9]))
    }
  }

  @Test func cadencePrintsOneRowPerSecond() throws {
    let run = try ToolRun(["cadence", outing()])
    #expect(run.lines[0] == "t_start,t_end,cadence,confidence,steps")
    let rows = run.rows
    // The recording begins inside a second, so it overlaps one more than its length.
    #expect(rows.count == Self.recording.seconds + 1)
    for (row, next) in zip(rows, rows.dropFirst()) { #expect(row[1] == next[0]) }
    let steps = rows.reduce(0) { $0 + (number($1[4]) ?? .nan) }
    let truth = Double(Self.recording.steps.count)
    #expect(abs(steps - truth) < 0.08 * truth, "\(steps) of \(truth)")
    #expect(rows.allSatisfy { ($0[2].isEmpty) == ($0[3].isEmpty) })
  }

  @Test(arguments: ["live", "smoothed"])
  func classifyPrintsSixProbabilitiesThatSumToOne(mode: String) throws {
    let run = try ToolRun(["classify", outing(), "--mode", mode])
    #expect(
      run.lines[0]
        == "t_start,t_end,activity,p_stationary,p_walking,p_running,p_cycling,p_automotive,"
        + "p_train")
    let names = ["unknown", "stationary", "walking", "running", "cycling", "automotive", "train"]
    let rows = run.rows
    #expect(rows.count == Self.recording.seconds + 1)
    for row in rows {
      #expect(names.contains(String(row[2])))
      let sum = row[3...].reduce(0) { $0 + (number($1) ?? .nan) }
      #expect(abs(sum - 1) < 4e-5)
    }
    // A window of half the length comes with the third second.
    #expect(mode == "smoothed" || rows.prefix(2).allSatisfy { $0[2] == "unknown" })
  }

  @Test func timelineTilesTheTime() throws {
    let document = try ToolRun(["timeline", outing(), "--json"]).object()
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
    #expect(end == Double(Self.recording.seconds + 1))
  }

  @Test func analyzeWritesWhatTheOtherCommandsPrint() throws {
    let path = try outing()
    let run = try ToolRun.done(["analyze", path, "--out", folder.path("report")])
    func content(_ name: String) throws -> String { try folder.text("report/\(name)") }
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
