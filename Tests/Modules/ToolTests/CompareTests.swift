import Foundation
import TestSupport
import Testing

/// `compare` on tracks in files.
@Suite struct CompareTests {
  private let folder = ScratchFolder()

  /// A drive north at 12 m/s, `east` degrees east of the meridian.
  private func drive(_ name: String, east: Double = 0, from start: Int = 0) throws -> String {
    var fixes = "t,lat,lon,hacc,speed,course\n"
    for second in start..<start + 120 {
      fixes += "\(second),\(48 + Double(second) * 12 / 111_200),\(11 + east),5,12,0\n"
    }
    return try folder.write(fixes, to: "\(name).gps.csv")
  }

  @Test func twoTracksOfOneDriveDifferByTheirOffset() throws {
    let (a, b) = (try drive("a", east: 1e-3), try drive("b"))
    let report = ["--tolerance", "50", "--report", folder.path("page.html")]
    let run = try ToolRun(["compare", a, b] + report)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.lines.first == "t,lat,lon,distance,cross_track,lag")
    #expect(run.lines.count == 121)
    let row = run.rows[59]
    // A thousandth of a degree of longitude at 48° north: 74.6 m, east of a way north.
    #expect(abs(try #require(Double(row[4])) - 74.6) < 0.5)
    #expect(run.errors.contains("cross-track distance: median 74.6 m"))
    let html = try folder.text("page.html")
    #expect(html.contains("a.gps.csv") && html.contains("Where they differ most"))
    // Above the line, and by as much all the time.
    #expect(html.contains(#/"signed":1,"values":"74.\d(,74.\d)+"/#))
  }

  @Test func otherFormatsAreReadAsTheyAre() throws {
    let a = try drive("a")
    let gpx = folder.path("b.gpx")
    #expect(try ToolRun(["convert", a, gpx]).status == 0)
    let run = try ToolRun(["compare", a, gpx, "--mode", "recorded"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("median 0.0 m"))
  }

  @Test func tracksOfDifferentTimesAreAnErrorThatNamesBoth() throws {
    let run = try ToolRun(["compare", drive("a"), drive("b", from: 1_000)])
    #expect(run.status != 0 && run.output.isEmpty)
    #expect(run.errors.contains("b.gps.csv") && run.errors.contains("0.0 to 119.0 s"))
  }

  @Test func theReportNeverReplacesAnInput() throws {
    let (a, b) = (try drive("a"), try drive("b"))
    let before = try folder.data("b.gps.csv")
    #expect(try ToolRun(["compare", a, b, "--report", b]).status != 0)
    #expect(try folder.data("b.gps.csv") == before)
  }
}
