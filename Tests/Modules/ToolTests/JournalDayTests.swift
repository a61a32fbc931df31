import Foundation
import TestSupport
import Testing

/// `journal day`, `correct`, `report`, the labels, and `places`.
@Suite struct JournalDayTests {
  private let folder = ScratchFolder()

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

  /// Records the day of ``lines()``.
  private func recordDay() throws {
    #expect(try folder.record(Self.lines()).status == 0)
  }

  @Test func tripsAreExportedAsTracksWithTheirActivity() throws {
    try recordDay()
    let correct = ["--start", "1700009000", "--end", "1700011000", "--activity", "train"]
    #expect(try folder.journal("correct", correct).status == 0)
    func export(_ format: String, _ options: [String]) throws -> ToolRun {
      try folder.journal("export", ["--zone", "Europe/Berlin", "--format", format] + options)
    }
    let gpx = folder.path("day.gpx")
    let run = try export("gpx", ["--out", gpx])
    #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
    let text = try folder.text("day.gpx")
    #expect(text.contains("<trk><name>2023-11-15 "))
    #expect(text.contains(" train</name>"))
    // The correction is 2,000 s with a fix every 10 s; some at its ends may be of the stays.
    let points = text.matches(of: /<trkpt/).count
    #expect(170...215 ~= points, "\(points)")
    let again = try ToolRun(["convert", gpx, folder.path("again")])
    #expect(again.status == 0 && again.errors.contains("\(points) fixes"), "\(again.errors)")
    #expect(try export("geojson", ["--out", folder.path("day.geojson")]).status == 0)
    let json = try JSONSerialization.jsonObject(with: folder.data("day.geojson"))
    let object = json as? [String: Any]
    let features = try #require(object?["features"] as? [[String: Any]])
    let activities = features.map { ($0["properties"] as? [String: Any])?["activity"] as? String }
    #expect(text.matches(of: /<type>train<\/type>/).count == 1 && activities.contains("train"))
    let lines = features.compactMap {
      ($0["geometry"] as? [String: Any])?["coordinates"] as? [Any]
    }
    #expect(lines.reduce(0) { $0 + $1.count } == points && lines.count == features.count)
    // Another day has no trip; the journal itself is no output; and a file is needed.
    let other = folder.path("other.gpx")
    #expect(try export("gpx", ["--out", other, "--date", "2023-11-20"]).status == 0)
    #expect(try !folder.text("other.gpx").contains("<trk>"))
    #expect(try export("gpx", ["--out", folder.store]).status == 2)
    #expect(try export("gpx", []).status == 2)
  }

  @Test func aRecordedDayCanBePrintedCorrectedAndReported() throws {
    try recordDay()
    func day(_ options: String...) throws -> ToolRun { try folder.journal("day", options) }
    for run in [try day("--storyline"), try day("--storyline", "--date", "2023-11-15")] {
      let found = try segments(run)
      #expect(found.map { $0["type"] as? String } == ["place", "move", "place"])
      #expect(found[0]["startTime"] as? String == "20231115T000000Z")
      for (one, next) in zip(found, found.dropFirst()) {
        #expect(one["endTime"] as? String == next["startTime"] as? String)
      }
    }
    let empty = try day("--storyline", "--date", "2023-11-14")
    #expect(empty.output == "[{\"date\":\"20231114\",\"segments\":[]}]\n")
    let berlin = try day("--storyline", "--zone", "Europe/Berlin")
    #expect(berlin.output.contains("\"startTime\":\"20231115T010000+0100\""))
    for (option, bad) in [("--date", "2023-13-01"), ("--date", "today"), ("--zone", "Atlantis")] {
      #expect(try day(option, bad).status == 2)
    }

    func correct(_ start: String, _ end: String, _ rest: String...) throws -> Int32 {
      try folder.journal("correct", ["--start", start, "--end", end] + rest).status
    }
    #expect(try correct("20231115T005500Z", "1700010000", "--activity", "train") == 0)
    #expect(try correct("20231115T005500Z", "1700010000", "--activity", "flying") == 2)
    #expect(try correct("1700011000", "1700012000", "--purpose", "a\u{1b}[2Jb") == 0)
    let after = try segments(day("--storyline"))
    let legs = try #require(after[1]["activities"] as? [[String: Any]])
    let manual = legs.filter { $0["manual"] as? Bool == true }
    #expect(manual.map { $0["activity"] as? String } == ["train"])
    #expect(manual.first?["startTime"] as? String == "20231115T005500Z")
    let text = try day().output
    #expect(text.contains("train") && text.contains(" · your correction"))
    #expect(!text.contains("\u{1b}"))
    #expect(text.contains("A → B  ") && text.contains("Stay at A  "))
    let labels = try folder.journal("export", ["--format", "labels"])
    #expect(
      labels.output == "recording,subject,start,end,label\nada,ada,1700009700,1700010000,train\n")

    let report = ["--day", "2023-11-15", "--out", folder.path("day.html")]
    #expect(try folder.journal("report", report).status == 0)
    let html = try folder.text("day.html")
    #expect(html.contains("Wed 15 Nov 2023, 00:00–01:59") && html.contains("train"))
    #expect(html.contains("2 stays and 1 trip"))
    // The chart of the activities paints what the user said.
    #expect(html.contains("\"activity\":\"train\"") && html.contains("\"corrected\":1"))
    #expect(html.contains("your\u{A0}correction"))
    #expect(try folder.journal("check").status == 0)
    let other = try folder.journal("day", user: "bob")
    #expect(other.status == 3 && other.output.isEmpty)
  }

  /// The items of a document, without what only a journal adds.
  private func items(_ run: ToolRun) throws -> [[String: NSObject]] {
    #expect(run.status == 0, "\(run.errors)")
    let items = try #require(try run.object()["items"] as? [[String: NSObject]])
    return items.map { item in item.filter { !["place", "place_id"].contains($0.key) } }
  }

  /// A ride of 40 minutes between two half hours, as a history of Google with a wrong activity.
  private func history(day: Int = 0) throws -> String {
    func point(_ second: Int) -> String {
      let metres = 6.0 * Double(min(max(second - 1_800, 0), 2_400))
      return "\"\(48.1)°, \(11.5 + metres / 74_500)°\""
    }
    func time(_ second: Int) -> String {
      "\"\(Date(timeIntervalSince1970: Double(1_700_006_400 + 86_400 * day + second)).ISO8601Format())\""
    }
    func span(_ start: Int, _ end: Int, _ rest: String) -> String {
      "{\"startTime\":\(time(start)),\"endTime\":\(time(end)),\(rest)}"
    }
    func visit(_ start: Int, _ end: Int, _ type: String) -> String {
      let place = "\"placeLocation\":{\"latLng\":\(point(start))},\"semanticType\":\"\(type)\""
      return span(start, end, "\"visit\":{\"topCandidate\":{\(place)}}")
    }
    let path = stride(from: 0, through: 6_000, by: 60).map {
      "{\"point\":\(point($0)),\"time\":\(time($0))}"
    }
    let segments = [
      visit(0, 1_800, "HOME"), span(0, 6_000, "\"timelinePath\":[\(path.joined(separator: ","))]"),
      span(1_860, 4_200, "\"activity\":{\"topCandidate\":{\"type\":\"IN_BUS\"}}"),
      visit(4_200, 6_000, "WORK"),
    ]
    return try folder.write(
      "{\"semanticSegments\":[\(segments.joined(separator: ","))]}", to: "Timeline.json")
  }

  /// Half an hour at one place, a ride, and half an hour at another.
  private func ride() throws -> String {
    let fixes = (0..<5_400).map { second in
      let metres = 10.0 * Double(min(max(second - 1_800, 0), 1_800))
      return "\(1_700_006_400 + second),48.1,\(11.5 + metres / 74_500),6\n"
    }
    return try folder.write("t,lat,lon,hacc\n" + fixes.joined(), to: "day.gps.csv")
  }

  @Test(arguments: [false, true])
  func anImportedRecordingHasTheItemsOfItsTimeline(hasStatements: Bool) throws {
    let file = try hasStatements ? history() : ride()
    let bad = try folder.write("x,y\n1,2\n", to: "bad.csv")
    let expected = try items(ToolRun(["timeline", "--json", file]))
    let stated = expected.compactMap { ($0["stated"] as? [String: NSObject])?["activity"] }
    #expect(stated == (hasStatements ? ["bus" as NSString] : []) && expected.count == 3)
    let first = try folder.journal("import", [file])
    #expect(first.status == 0 && first.output.contains("0 samples, "), "\(first.errors)")
    #expect(first.output.contains("fixes, 3 statements") == hasStatements)
    func day() throws -> ToolRun { try folder.journal("day", ["--json", "--zone", "UTC"]) }
    #expect(try items(day()) == expected)
    let names = try #require(try day().object()["items"] as? [[String: Any]]).map {
      $0["place"] as? String
    }
    if hasStatements {
      #expect(names == ["Home", nil, "Work"])
      let whole = try ToolRun(["timeline", "--json", file]).object()["items"] as? [[String: Any]]
      #expect(whole?.map { $0["place"] as? String } == names)
    }
    // Once, however often; what is refused is named, and the others go in.
    let again = try folder.journal("import", [bad, file])
    #expect(again.status == 3 && again.errors.contains("bad.csv"))
    #expect(again.output.contains("0 samples, 0 fixes; an outing that the journal has"))
    #expect(try items(day()) == expected)
  }

  @Test func anExportIsImportedAsItIs() throws {
    let file = try history(day: 2)
    #expect(try folder.journal("import", [file]).status == 0)
    try recordDay()
    for (start, end, change) in [
      ("0035", "0100", ["--activity", "skiing=none"]), ("0005", "0025", ["--purpose", "Zoë"]),
    ] {
      let span = ["--start", "20231115T\(start)00Z", "--end", "20231115T\(end)00Z"]
      #expect(try folder.journal("correct", span + change).status == 0)
    }
    func tell(_ user: String) throws -> [String] {
      // The places of stays are learned when a day is asked for.
      #expect(try folder.journal("day", user: user).status == 0)
      return try [
        folder.journal("export", ["--format", "ndjson"], user: user),
        folder.journal("export", user: user), folder.journal("edits", user: user),
        folder.journal("day", ["--json", "--date", "2023-11-15"], user: user),
        folder.journal("day", ["--storyline", "--date", "2023-11-17"], user: user),
      ].map(\.output)
    }
    let before = try tell("ada")
    let copy = try folder.write(
      folder.journal("export", ["--format", "ndjson"]).output, to: "ada.ndjson")
    let run = try folder.journal("import", [copy], user: "bob")
    #expect(run.status == 0 && run.output.contains("edits"), "\(run.output)\(run.errors)")
    #expect(try tell("bob") == before)
    #expect(try folder.journal("import", [copy], user: "bob").status == 0)
    #expect(try tell("bob") == before)
  }

  @Test func editsAreListedUndoneAndRefused() throws {
    try recordDay()
    func day() throws -> [String] {
      try segments(try folder.journal("day", ["--storyline"])).map {
        ($0["type"] as? String ?? "") + " " + ($0["startTime"] as? String ?? "").suffix(7)
      }
    }
    func journal(_ verb: String, _ rest: [String]) throws -> Int32 {
      try folder.journal(verb, rest).status
    }
    let before = try day()
    let edge = try #require(before.count == 3 ? String(before[1].suffix(7)) : nil)
    #expect(try journal("move", ["--edge", "20231115T\(edge)", "--at", "20231115T004500Z"]) == 0)
    #expect(try day()[1].hasSuffix("004500Z"))
    #expect(try journal("split", ["--at", "20231115T013000Z"]) == 0)
    #expect(try day().count == 4)
    let whole = ["--start", "20231115T000000Z", "--end", "20231115T020000Z"]
    #expect(try journal("merge", whole + ["--as", "stay"]) == 0)
    #expect(try day() == ["place 000000Z"])
    let list = try folder.journal("edits").lines
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

  @Test func totalsArePrintedAndAnIntervalIsErased() throws {
    try recordDay()
    let totals = try folder.journal("totals").lines
    #expect(totals.first == "start,end,activity,duration,distance,steps")
    #expect(totals.contains { $0.hasPrefix("1700006400,1700092800,stay,") })
    #expect(totals.last?.hasPrefix("1700006400,1700092800,all,86400,1") == true)
    let week = try folder.journal("totals", ["--by", "week", "--time-zone", "Europe/Berlin"])
    #expect(week.output.contains("\n1699830000,1700434800,all,604800,"))
    let none = try folder.journal("totals", ["--from", "2020-01-01", "--to", "2020-02-01"])
    #expect(none.status == 0 && none.lines.count == 1)

    func fixes(_ rest: [String]) throws -> Int {
      let run = try folder.journal("export", ["--format", "ndjson"] + rest)
      return run.output.matches(of: /{"t":/).count
    }
    let all = try fixes([])
    let hour = ["--from", "20231115T010000Z", "--to", "20231115T013000Z"]
    #expect(try fixes(hour) == 180 && fixes(["--date", "2023-11-15"]) == all)
    #expect(try fixes(["--from", "2023-11-16"]) == 0)
    for wrong in [
      ["--date", "2023-11-15"] + hour, ["--from", "2023-11-16", "--to", "2023-11-14"],
    ] {
      #expect(try folder.journal("erase", wrong).status == 2)
    }
    #expect(try folder.journal("erase", hour).status == 0)
    #expect(try fixes([]) == all - 180)
    #expect(try folder.journal("erase", ["--measurement", "7"]).status == 3)
    #expect(try folder.journal("check").status == 0)
    #expect(try folder.journal("erase").status == 0)
    #expect(try folder.journal("day").status == 3)
  }

  @Test func placesAreAddedAndFoundPerUser() throws {
    func places(_ verb: String, _ user: String, _ rest: [String]) throws -> ToolRun {
      try ToolRun(["places", verb, "--store", folder.store, "--user", user] + rest)
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
