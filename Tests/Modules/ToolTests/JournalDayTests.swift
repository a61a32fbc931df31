import Foundation
import TestSupport
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
    #expect(try RecordRun.record(Self.lines(), to: store).status == 0)
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
      let features = try #require(object?["features"] as? [[String: Any]])
      let activities = features.map { ($0["properties"] as? [String: Any])?["activity"] as? String }
      #expect(text.matches(of: /<type>train<\/type>/).count == 1 && activities.contains("train"))
      let lines = features.compactMap {
        ($0["geometry"] as? [String: Any])?["coordinates"] as? [Any]
      }
      #expect(lines.reduce(0) { $0 + $1.count } == points && lines.count == features.count)
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
      for arguments in [["--storyline"], ["--storyline", "--date", "2023-11-15"]] {
        let found = try segments(try ToolRun(day + arguments))
        #expect(found.map { $0["type"] as? String } == ["place", "move", "place"])
        #expect(found[0]["startTime"] as? String == "20231115T000000Z")
        for (one, next) in zip(found, found.dropFirst()) {
          #expect(one["endTime"] as? String == next["startTime"] as? String)
        }
      }
      let empty = try ToolRun(day + ["--storyline", "--date", "2023-11-14"])
      #expect(empty.output == "[{\"date\":\"20231114\",\"segments\":[]}]\n")
      let berlin = try ToolRun(day + ["--storyline", "--zone", "Europe/Berlin"])
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
      let after = try ToolRun(day + ["--storyline"])
      let legs = try #require(try segments(after)[1]["activities"] as? [[String: Any]])
      let manual = legs.filter { $0["manual"] as? Bool == true }
      #expect(manual.map { $0["activity"] as? String } == ["train"])
      #expect(manual.first?["startTime"] as? String == "20231115T005500Z")
      let text = try ToolRun(day).output
      #expect(text.contains("train") && text.contains("(your correction)"))
      #expect(!text.contains("\u{1b}"))
      #expect(text.contains("A → B: ") && text.contains("Stay at A  "))
      let labels = try ToolRun(["journal", "export", "--format", "labels"] + own)
      #expect(
        labels.output == "recording,subject,start,end,label\nada,ada,1700009700,1700010000,train\n")

      let page = folder.appendingPathComponent("day.html").path
      let report = ["journal", "report"] + own + ["--day", "2023-11-15", "--out", page]
      #expect(try ToolRun(report).status == 0)
      let html = try String(contentsOfFile: page, encoding: .utf8)
      #expect(html.contains("Wed 15 Nov 2023, 00:00–01:59") && html.contains("train"))
      #expect(html.contains("2 stays and 1 trip"))
      // The chart of the activities paints what the user said.
      #expect(html.contains("class=\"f-train\" d="))
      #expect(html.contains("class=\"corrected\" d=\"M") && html.contains("your\u{A0}correction"))
      #expect(try ToolRun(["journal", "check"] + own).status == 0)
      let other = try ToolRun(["journal", "day", "--store", store, "--user", "bob"])
      #expect(other.status == 3 && other.output.isEmpty)
    }
  }

  /// The items of a document, without what only a journal adds.
  private func items(_ run: ToolRun) throws -> [[String: NSObject]] {
    #expect(run.status == 0, "\(run.errors)")
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let items = try #require((json as? [String: Any])?["items"] as? [[String: NSObject]])
    return items.map { item in item.filter { !["place", "place_id"].contains($0.key) } }
  }

  @Test func anImportedRecordingHasTheItemsOfItsTimeline() throws {
    try withTemporaryFolder { folder in
      let (store, file) = (folder.path + "/journal", folder.path + "/day.gps.csv")
      let bad = folder.path + "/bad.csv"
      let fixes = DayFixes.rows(from: 1_700_006_400)
      try Data(("t,lat,lon,hacc\n" + fixes).utf8).write(to: URL(fileURLWithPath: file))
      try Data("x,y\n1,2\n".utf8).write(to: URL(fileURLWithPath: bad))
      let own = ["--store", store, "--user", "ada"]
      let first = try ToolRun(["journal", "import"] + own + [file])
      #expect(first.status == 0 && first.output.contains("0 samples, "), "\(first.errors)")
      let expected = try items(ToolRun(["timeline", "--json", file]))
      let day = ["journal", "day", "--json", "--zone", "UTC"] + own
      #expect(try items(ToolRun(day)) == expected && expected.count == 3)
      // Once, however often; what is refused is named, and the others go in.
      let again = try ToolRun(["journal", "import"] + own + [bad, file])
      #expect(again.status == 3 && again.errors.contains("bad.csv"))
      #expect(again.output.contains("0 samples, 0 fixes; "))
      #expect(try items(ToolRun(day)) == expected)
    }
  }

  @Test func editsAreListedUndoneAndRefused() throws {
    try withTemporaryFolder { folder in
      let (_, own) = try recordedDay(in: folder)
      func day() throws -> [String] {
        try segments(try ToolRun(["journal", "day", "--storyline"] + own)).map {
          ($0["type"] as? String ?? "") + " " + ($0["startTime"] as? String ?? "").suffix(7)
        }
      }
      func journal(_ verb: String, _ rest: [String]) throws -> Int32 {
        try ToolRun(["journal", verb] + own + rest).status
      }
      let before = try day()
      let edge = try #require(before.count == 3 ? String(before[1].suffix(7)) : nil)
      #expect(
        try journal("move", ["--edge", "20231115T\(edge)", "--at", "20231115T004500Z"]) == 0)
      #expect(try day()[1].hasSuffix("004500Z"))
      #expect(try journal("split", ["--at", "20231115T013000Z"]) == 0)
      #expect(try day().count == 4)
      let whole = ["--start", "20231115T000000Z", "--end", "20231115T020000Z"]
      #expect(try journal("merge", whole + ["--as", "stay"]) == 0)
      #expect(try day() == ["place 000000Z"])
      let list = try ToolRun(["journal", "edits"] + own).output.split(separator: "\n")
      #expect(list.map { $0.split(separator: ",")[3] } == ["change", "extent", "split", "stay"])
      #expect(try journal("undo", []) == 0)
      #expect(try day().count == 4)
      #expect(try journal("undo", ["--edit", "0"]) == 0)
      #expect(try journal("undo", ["--edit", "0"]) == 3)
      #expect(try journal("undo", []) == 0)
      #expect(try day() == before)
      #expect(try journal("undo", []) == 3)
      #expect(try journal("split", ["--at", "20231116T000000Z"]) == 3)
      #expect(try journal("merge", whole + ["--as", "gap"]) == 2)
      #expect(try journal("move", ["--edge", "x", "--at", "y"]) == 2)
    }
  }

  @Test func totalsAndStepsArePrintedAndAnIntervalIsErased() throws {
    try withTemporaryFolder { folder in
      let (_, own) = try recordedDay(in: folder)
      let totals = try ToolRun(["journal", "totals"] + own).output.split(separator: "\n")
      #expect(totals.first == "start,end,activity,duration,distance,steps")
      #expect(totals.contains { $0.hasPrefix("1700006400,1700092800,stay,") })
      #expect(totals.last?.hasPrefix("1700006400,1700092800,all,86400,1") == true)
      let week = try ToolRun(
        ["journal", "totals", "--by", "week", "--time-zone", "Europe/Berlin"] + own
      ).output
      #expect(week.contains("\n1699830000,1700434800,all,604800,"))
      let none = try ToolRun(
        ["journal", "totals", "--from", "2020-01-01", "--to", "2020-02-01"] + own)
      #expect(none.status == 0 && none.output.split(separator: "\n").count == 1)
      let steps = try ToolRun(["journal", "export", "--format", "steps"] + own)
      #expect(steps.status == 0 && steps.output == "start,end,count\n")

      func fixes(_ rest: [String]) throws -> Int {
        let run = try ToolRun(["journal", "export", "--format", "ndjson"] + own + rest)
        return run.output.matches(of: /"lat"/).count
      }
      let all = try fixes([])
      let hour = ["--from", "20231115T010000Z", "--to", "20231115T013000Z"]
      #expect(try fixes(hour) == 180 && fixes(["--date", "2023-11-15"]) == all)
      #expect(try fixes(["--from", "2023-11-16"]) == 0)
      for wrong in [
        ["--date", "2023-11-15"] + hour, ["--from", "2023-11-16", "--to", "2023-11-14"],
      ] {
        #expect(try ToolRun(["journal", "erase"] + own + wrong).status == 2)
      }
      #expect(try ToolRun(["journal", "erase"] + own + hour).status == 0)
      #expect(try fixes([]) == all - 180)
      #expect(try ToolRun(["journal", "erase", "--measurement", "7"] + own).status == 3)
      #expect(try ToolRun(["journal", "check"] + own).status == 0)
      #expect(try ToolRun(["journal", "erase"] + own).status == 0)
      #expect(try ToolRun(["journal", "day"] + own).status == 3)
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
      #expect(try places("rename", "ada", ["--id", "C", "--name", "far"]).status == 0)
      #expect(try places("remove", "bob", ["--id", "2"]).status == 3)
      #expect(try places("remove", "ada", ["--id", "2"]).status == 0)
      #expect(try places("list", "ada", ["--json"]).output.contains("\"name\":\"west\""))
      #expect(try places("add", "ada", ["--lat", "91", "--lon", "0"]).status == 2)
      #expect(try places("near", "ada", ["--lat", "1"]).status == 2)
      #expect(try places("near", "eve", ["--lat", "1", "--lon", "1"]).status == 3)
    }
  }
}

/// Half an hour at one place, a ride, and half an hour at another.
private enum DayFixes {
  static func rows(from start: Int) -> String {
    (0..<5_400).map { second in
      let metres = 10.0 * Double(min(max(second - 1_800, 0), 1_800))
      return "\(start + second),48.1,\(11.5 + metres / 74_500),6\n"
    }.joined()
  }
}
