import Foundation
import TestSupport
import Testing

/// `evaluate days` thins recordings with stays beside them, and scores timelines.
@Suite struct EvaluateDaysTests {
  /// Half an hour at one place, ten minutes north at 12 m/s, and half an hour at another.
  private func day(in folder: URL, hasStays: Bool = true) throws {
    var (fixes, truth) = ("t,lat,lon,hacc,speed,course\n", "t,lat,lon,moving\n")
    for second in 0...4_200 {
      let isMoving = (1_800..<2_400).contains(second)
      let latitude = 48 + Double(min(max(second - 1_800, 0), 600)) * 12 / 111_200
      fixes += "\(second),\(latitude),11,5,\(isMoving ? 12 : 0),\n"
      truth += "\(second),\(latitude),11,\(isMoving ? 1 : 0)\n"
    }
    let stays = "start,end,lat,lon\n0,1800,48,11\n2400,4200,48.0647482,11\n"
    var files = ["day.gps.csv": fixes, "day.truth.csv": truth]
    if hasStays { files["day.stays.csv"] = stays }
    for (name, text) in files {
      try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }
  }

  private func rows(_ run: ToolRun) throws -> [String: [String: Any]] {
    let parsed = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let document = try #require(parsed as? [String: Any])
    let rows = try #require(document["rows"] as? [[String: Any]])
    return Dictionary(uniqueKeysWithValues: rows.map { ($0["name"] as? String ?? "", $0) })
  }

  @Test func eachRecorderIsScoredAndThinnedDaysAreWritten() throws {
    try withTemporaryFolder { folder in
      let set = folder.appendingPathComponent("set")
      try FileManager.default.createDirectory(at: set, withIntermediateDirectories: true)
      try day(in: set)
      let out = folder.appendingPathComponent("thinned")
      let run = try ToolRun([
        "evaluate", "--days", "--dataset", set.path, "--json", "--write", out.path,
      ])
      #expect(run.status == 0, "\(run.errors)")
      let rows = try rows(run)
      #expect(rows.count == 12 && rows["with accelerations"] != nil)
      let full = try #require(rows["full"])
      #expect(full["f1"] as? Double == 1 && full["fixesPerDay"] as? Double == 4_201)
      #expect(full["rightTimeFraction"] as? Double ?? 0 > 0.98)
      let minute = try String(
        contentsOf: out.appendingPathComponent("every60/day.gps.csv"), encoding: .utf8)
      #expect(minute.split(separator: "\n").count == 1 + 71)
      let files = try FileManager.default.contentsOfDirectory(
        atPath: out.appendingPathComponent("every60").path)
      #expect(files == ["day.gps.csv"])
    }
  }

  @Test func timelinesOfOtherProgramsAreScoredBeside() throws {
    try withTemporaryFolder { folder in
      try day(in: folder)
      let place = folder.appendingPathComponent("other/gpx")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let items = "kind,start,end,lat,lon,distance\nstay,0,1800,,,\ntrip,1800,2400,,,7200\n"
      try Data(items.utf8).write(to: place.appendingPathComponent("day.peer.items.csv"))
      let recording = folder.appendingPathComponent("day.gps.csv").path
      let beside = ["--beside", folder.appendingPathComponent("other").path]
      let run = try ToolRun(
        ["evaluate", "days", recording, "--rule", "gpx", "--json"] + beside)
      #expect(run.status == 0, "\(run.errors)")
      let rows = try rows(run)
      #expect(rows.keys.sorted() == ["gpx", "gpx, peer"])
      let peer = try #require(rows["gpx, peer"])
      #expect(peer["rightTimeFraction"] as? Double == 2_400.0 / 4_200)
      #expect(peer["distanceErrorFraction"] as? Double ?? 1 < 0.01)
      #expect(peer["matchedStays"] as? Int == 1 && peer["trueStays"] as? Int == 2)
      let text = try ToolRun(["evaluate", "days", recording, "--rule", "gpx"] + beside)
      #expect(text.status == 0 && text.output.contains("gpx, peer"))
      let missing = try ToolRun(["evaluate", "days", recording, "--rule", "cells"] + beside)
      #expect(missing.status == 74 && missing.errors.contains("cells"))
    }
  }

  @Test func whatCannotBeScoredIsAnError() throws {
    try withTemporaryFolder { folder in
      try day(in: folder, hasStays: false)
      let recording = folder.appendingPathComponent("day.gps.csv").path
      let run = try ToolRun(["evaluate", "days", recording])
      #expect(run.status == 3 && run.output.isEmpty && run.errors.contains("stays.csv"))
      let unknown = try ToolRun(["evaluate", "days", recording, "--rule", "hourly"])
      #expect(unknown.status == 2 && unknown.errors.contains("half-hourly"))
      #expect(try ToolRun(["evaluate", "days"]).status == 2)
    }
  }
}
