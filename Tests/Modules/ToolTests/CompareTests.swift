import Foundation
import TestSupport
import Testing

/// `compare` on tracks in files.
@Suite struct CompareTests {
  /// A drive north at 12 m/s, `east` degrees east of the meridian.
  private func drive(
    _ name: String, east: Double = 0, from start: Int = 0, in folder: URL
  ) throws -> String {
    var fixes = "t,lat,lon,hacc,speed,course\n"
    for second in start..<start + 120 {
      fixes += "\(second),\(48 + Double(second) * 12 / 111_200),\(11 + east),5,12,0\n"
    }
    let url = folder.appendingPathComponent("\(name).gps.csv")
    try Data(fixes.utf8).write(to: url)
    return url.path
  }

  @Test func twoTracksOfOneDriveDifferByTheirOffset() throws {
    try withTemporaryFolder { folder in
      let (a, b) = (try drive("a", east: 1e-3, in: folder), try drive("b", in: folder))
      let page = folder.appendingPathComponent("page.html").path
      let run = try ToolRun(["compare", a, b, "--tolerance", "50", "--report", page])
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.lines.first == "t,lat,lon,distance,cross_track,lag")
      #expect(run.lines.count == 121)
      let row = try #require(run.lines.dropFirst(60).first).split(separator: ",")
      // A thousandth of a degree of longitude at 48° north: 74.6 m, east of a way north.
      #expect(abs(try #require(Double(row[4])) - 74.6) < 0.5)
      #expect(run.errors.contains("cross-track distance: median 74.6 m"))
      let html = try String(contentsOfFile: page, encoding: .utf8)
      #expect(html.contains("a.gps.csv") && html.contains("Where they differ most"))
      #expect(!html.contains("<script"))
    }
  }

  @Test func otherFormatsAreReadAsTheyAre() throws {
    try withTemporaryFolder { folder in
      let a = try drive("a", in: folder)
      let gpx = folder.appendingPathComponent("b.gpx").path
      #expect(try ToolRun(["convert", a, gpx]).status == 0)
      let run = try ToolRun(["compare", a, gpx, "--mode", "recorded"])
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors.contains("median 0.0 m"))
    }
  }

  @Test func tracksOfDifferentTimesAreAnErrorThatNamesBoth() throws {
    try withTemporaryFolder { folder in
      let run = try ToolRun([
        "compare", try drive("a", in: folder), try drive("b", from: 1_000, in: folder),
      ])
      #expect(run.status != 0 && run.output.isEmpty)
      #expect(run.errors.contains("b.gps.csv") && run.errors.contains("0.0 to 119.0 s"))
    }
  }

  @Test func theReportNeverReplacesAnInput() throws {
    try withTemporaryFolder { folder in
      let (a, b) = (try drive("a", in: folder), try drive("b", in: folder))
      let before = try Data(contentsOf: URL(fileURLWithPath: b))
      let run = try ToolRun(["compare", a, b, "--report", b])
      #expect(run.status != 0)
      #expect(try Data(contentsOf: URL(fileURLWithPath: b)) == before)
    }
  }
}
