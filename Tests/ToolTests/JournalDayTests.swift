import Foundation
import Testing

/// `journal day`, `correct`, `report`, the labels, and `places`.
@Suite struct JournalDayTests {
  /// Lines for `record`: at one place, 15 m/s to the north, and at the other end.
  static func lines() -> [String] {
    stride(from: 0, to: 7_200, by: 600).map { begin in
      let fixes = stride(from: begin, to: begin + 600, by: 10).map { second in
        let metres = Double(min(max(second - 3_000, 0), 900)) * 15
        let isDriving = 3_000..<3_900 ~= second
        return "{\"t\":\(1_700_006_400 + second),\"lat\":\(48.1 + metres / 111_200),\"lon\":11.5,"
          + "\"hacc\":6,\"speed\":\(isDriving ? 15 : 0)}"
      }
      return "{\"fixes\":[\(fixes.joined(separator: ","))]}"
    }
  }

  private func segments(_ run: ToolRun) throws -> [[String: Any]] {
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let day = try #require((json as? [[String: Any]])?.first)
    #expect(day["date"] as? String == "20231115")
    return try #require(day["segments"] as? [[String: Any]])
  }

  /// A journal with the day of ``lines()``, and the options that name it and its user.
  private func recordedDay(in folder: URL) throws -> (store: String, own: [String]) {
    let store = folder.appendingPathComponent("journal").path
    let record = try RecordRun(store: store, user: "ada")
    for line in Self.lines() { try record.send(line) }
    #expect(try record.finish().status == 0)
    return (store, ["--store", store, "--user", "ada"])
  }

  @Test func tripsAreExportedAsTracksWithTheirActivity() throws {
    try withTemporaryFolder { folder in
      let (store, own) = try recordedDay(in: folder)
      let correct = ["--start", "1700009000", "--end", "1700011000", "--activity", "train"]
      #expect(try ToolRun(["journal", "correct"] + own + correct).status == 0)
      let export = ["journal", "export", "--zone", "Europe/Berlin"] + own
      let gpx = folder.appendingPathComponent("day.gpx").path
      let run = try ToolRun(export + ["--format", "gpx", "--out", gpx])
      #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
      let text = String(
        decoding: try #require(FileManager.default.contents(atPath: gpx)), as: UTF8.self)
      #expect(text.contains("<trk><name>2023-11-15 "))
      #expect(text.contains(" train</name>"))
      // The correction is 2,000 s with a fix every 10 s; some at its ends may be of the stays.
      let points = text.matches(of: /<trkpt/).count
      #expect(170...215 ~= points, "\(points)")
      let again = try ToolRun(["convert", gpx, folder.appendingPathComponent("again").path])
      #expect(again.status == 0 && again.errors.contains("\(points) fixes"), "\(again.errors)")
      let json = folder.appendingPathComponent("day.geojson").path
      #expect(try ToolRun(export + ["--format", "geojson", "--out", json]).status == 0)
      let content = try #require(FileManager.default.contents(atPath: json))
      let object = try JSONSerialization.jsonObject(with: content) as? [String: Any]
      #expect((object?["features"] as? [Any])?.count == points)
      // Another day has no trip; the journal itself is no output; and a file is needed.
      let other = folder.appendingPathComponent("other.gpx").path
      #expect(
        try ToolRun(export + ["--format", "gpx", "--out", other, "--date", "2023-11-20"]).status
          == 0)
      #expect(try !String(contentsOfFile: other, encoding: .utf8).contains("<trk>"))
      #expect(try ToolRun(export + ["--format", "gpx", "--out", store]).status == 2)
      #expect(try ToolRun(export + ["--format", "gpx"]).status == 2)
    }
  }

  @Test func aRecordedDayCanBePrintedCorrectedAndReported() throws {
    try withTemporaryFolder { folder in
      let (store, own) = try recordedDay(in: folder)
      let day = ["journal", "day"] + own
      for arguments in [["--json"], ["--json", "--date", "2023-11-15"]] {
        let found = try segments(try ToolRun(day + arguments))
        #expect(found.map { $0["type"] as? String } == ["place", "move", "place"])
        #expect(found[0]["startTime"] as? String == "20231115T000000Z")
        for (one, next) in zip(found, found.dropFirst()) {
          #expect(one["endTime"] as? String == next["startTime"] as? String)
        }
      }
      let empty = try ToolRun(day + ["--json", "--date", "2023-11-14"])
      #expect(empty.output == "[{\"date\":\"20231114\",\"segments\":[]}]\n")
      let berlin = try ToolRun(day + ["--json", "--zone", "Europe/Berlin"])
      #expect(berlin.output.contains("\"startTime\":\"20231115T010000+0100\""))
      for bad in [["--date", "2023-13-01"], ["--date", "today"], ["--zone", "Atlantis"]] {
        #expect(try ToolRun(day + bad).status == 2)
      }

      let correct = ["journal", "correct"] + own
      let interval = ["--start", "20231115T005500Z", "--end", "1700010000"]
      #expect(try ToolRun(correct + interval + ["--activity", "train"]).status == 0)
      #expect(try ToolRun(correct + interval + ["--activity", "flying"]).status == 2)
      #expect(
        try ToolRun(
          correct + ["--start", "1700011000", "--end", "1700012000", "--purpose", "a\u{1b}[2Jb"]
        ).status == 0)
      let after = try ToolRun(day + ["--json"])
      let legs = try #require(try segments(after)[1]["activities"] as? [[String: Any]])
      let manual = legs.filter { $0["manual"] as? Bool == true }
      #expect(manual.map { $0["activity"] as? String } == ["train"])
      #expect(manual.first?["startTime"] as? String == "20231115T005500Z")
      let text = try ToolRun(day).output
      #expect(text.contains("train") && text.contains("(yours)") && !text.contains("\u{1b}"))
      let labels = try ToolRun(["journal", "export", "--format", "labels"] + own)
      #expect(
        labels.output == "recording,subject,start,end,label\nada,ada,1700009700,1700010000,train\n")

      let page = folder.appendingPathComponent("day.html").path
      let report = ["journal", "report"] + own + ["--day", "2023-11-15", "--out", page]
      #expect(try ToolRun(report).status == 0)
      let html = try String(contentsOfFile: page, encoding: .utf8)
      #expect(html.contains("15 November 2023") && html.contains("train"))
      #expect(html.contains("2 stays and 1 trip"))
      #expect(try ToolRun(["journal", "check"] + own).status == 0)
      let other = try ToolRun(["journal", "day", "--store", store, "--user", "bob"])
      #expect(other.status == 3 && other.output.isEmpty)
    }
  }

  @Test func placesAreAddedAndFoundPerUser() throws {
    try withTemporaryFolder { folder in
      let store = folder.appendingPathComponent("journal").path
      func places(_ verb: String, _ user: String, _ rest: [String]) throws -> ToolRun {
        try ToolRun(["places", verb, "--store", store, "--user", user] + rest)
      }
      for (name, longitude) in [("east", "179.9995"), ("west", "-179.9995"), ("=far", "179")] {
        let run = try places("add", "ada", ["--name", name, "--lat", "-17", "--lon", longitude])
        #expect(run.status == 0, "\(run.errors)")
      }
      #expect(try places("add", "bob", ["--lat", "0", "--lon", "0"]).status == 0)
      let near = try places("near", "ada", ["--lat", "-17", "--lon", "179.9996"])
      #expect(near.lines.first == "id,name,lat,lon,radius,learned,distance")
      #expect(near.lines.dropFirst().map { $0.split(separator: ",")[1] } == ["east", "west"])
      let none = try places("near", "bob", ["--lat", "-17", "--lon", "180", "--radius", "1000"])
      #expect(none.lines.count == 1)
      #expect(try places("list", "ada", []).output.contains("'=far"))
      #expect(try places("rename", "ada", ["--id", "2", "--name", "far"]).status == 0)
      #expect(try places("remove", "bob", ["--id", "2"]).status == 3)
      #expect(try places("remove", "ada", ["--id", "2"]).status == 0)
      #expect(try places("list", "ada", ["--json"]).output.contains("\"name\":\"west\""))
      #expect(try places("add", "ada", ["--lat", "91", "--lon", "0"]).status == 2)
      #expect(try places("near", "ada", ["--lat", "1"]).status == 2)
      #expect(try places("near", "eve", ["--lat", "1", "--lon", "1"]).status == 3)
    }
  }
}
