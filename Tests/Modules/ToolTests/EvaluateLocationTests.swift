import Foundation
import Testing

/// `evaluate --location` on recordings with a reference track beside them.
@Suite struct EvaluateLocationTests {
  private func write(_ name: String, _ content: String, in folder: URL) throws -> String {
    let url = folder.appendingPathComponent(name)
    try Data(content.utf8).write(to: url)
    return url.path
  }

  /// A drive north at 12 m/s whose fixes lie `offset` degrees too far east.
  private func drive(_ name: String, offset: Double, in folder: URL) throws -> String {
    var (fixes, truth) = ("t,lat,lon,hacc,speed,course\n", "t,lat,lon\n")
    for second in 0..<120 {
      let latitude = 48 + Double(second) * 12 / 111_200
      fixes += "\(second),\(latitude),\(11 + offset),5,12,0\n"
      truth += "\(second),\(latitude),11\n"
    }
    _ = try write("\(name).truth.csv", truth, in: folder)
    return try write("\(name).gps.csv", fixes, in: folder)
  }

  private func tracks(_ run: ToolRun) throws -> [[String: Any]] {
    let parsed = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let document = try #require(parsed as? [String: Any])
    let recordings = try #require(document["recordings"] as? [[String: Any]])
    return recordings.flatMap { $0["tracks"] as? [[String: Any]] ?? [] }
  }

  @Test func aRecordingIsComparedWithTheTrackBesideIt() throws {
    try withTemporaryFolder { folder in
      let path = try drive("drive", offset: 1e-4, in: folder)
      let run = try ToolRun(["evaluate", "--location", path, "--json"])
      #expect(run.status == 0, "\(run.errors)")
      let raw = try #require(try tracks(run).first { $0["name"] as? String == "raw fixes" })
      let errors = try #require(raw["errorMetres"] as? [String: Double])
      // A ten-thousandth of a degree of longitude at 48° north: 7.46 m.
      #expect(abs((errors["rms"] ?? 0) - 7.46) < 0.01)
      #expect(raw["fixes"] as? Int == 120)
    }
  }

  @Test func operandsAndDataSetsAreScoredTogether() throws {
    try withTemporaryFolder { folder in
      let path = try drive("one", offset: 0, in: folder)
      let set = folder.appendingPathComponent("set")
      try FileManager.default.createDirectory(at: set, withIntermediateDirectories: true)
      _ = try drive("two", offset: 0, in: set)
      _ = try write("three.gps.csv", "t,lat,lon\n0,48,11\n", in: set)
      let run = try ToolRun(["evaluate", "--location", "--dataset", set.path, "--", path])
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.contains("one.gps.csv") && run.output.contains("two.gps.csv"))
      #expect(!run.output.contains("three") && run.output.contains("all recordings"))
    }
  }

  @Test func aRideWithoutATrackIsScoredAgainstASmoothCourse() throws {
    try withTemporaryFolder { folder in
      let path = try drive("drive", offset: 0, in: folder)
      try FileManager.default.removeItem(
        atPath: path.replacingOccurrences(of: ".gps", with: ".truth"))
      #expect(try ToolRun(["evaluate", "--location", path]).status != 0)
      let run = try ToolRun(["evaluate", "--location", path, "--smooth-course", "--json"])
      #expect(run.status == 0, "\(run.errors)")
      let raw = try #require(try tracks(run).first { $0["name"] as? String == "raw fixes" })
      let errors = try #require(raw["errorMetres"] as? [String: Double])
      #expect((errors["rms"] ?? 9) < 0.1)
    }
  }

  @Test func staysAreScoredWhenTheReferenceHasThem() throws {
    try withTemporaryFolder { folder in
      let path = try drive("drive", offset: 0, in: folder)
      let without = try ToolRun(["evaluate", "--location", path])
      #expect(!without.output.contains("Stays"))
      _ = try write("drive.stays.csv", "start,end,lat,lon\n0,400,48,11\n", in: folder)
      let with = try ToolRun(["evaluate", "--location", path])
      #expect(with.output.contains("Stays of 5 minutes") && with.output.contains("trackintel"))
    }
  }

  @Test func aRecordingWithoutAReferenceTrackIsRefused() throws {
    try withTemporaryFolder { folder in
      let path = try write("alone.gps.csv", "t,lat,lon\n0,48,11\n", in: folder)
      for arguments in [["--location", path], ["--location", "--dataset", folder.path]] {
        let run = try ToolRun(["evaluate"] + arguments)
        #expect(run.status == 3 && run.output.isEmpty)
        #expect(run.errors.contains("truth.csv"), "\(run.errors)")
      }
    }
  }

  @Test(arguments: [
    ["--location"], ["walk.csv"], ["--location", "--leave-one-subject-out", "x.csv"],
    ["--location", "--model", "m", "x.csv"],
  ]) func contradictoryOptionsAreAUsageError(arguments: [String]) throws {
    let run = try ToolRun(["evaluate"] + arguments)
    #expect(run.status == 2 && run.output.isEmpty, "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1)
  }
}
