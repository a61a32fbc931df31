import Foundation
import TestSupport
import Testing

/// Every command takes a recording in every form, puts it in order, and says what it took.
@Suite struct AnyFormTests {
  private let folder = ScratchFolder()

  /// A day of fixes, one every two minutes: eight hours at one place, half an hour north, and two
  /// hours there.
  private static let day: [(seconds: Int, latitude: Double)] = (0...315).map { index in
    let steps = Double(min(max(index - 240, 0), 15))
    return (120 * index, 47.300_217 + 0.006_013 * steps)
  }

  private static func gpx(_ rows: [(seconds: Int, latitude: Double)]) -> String {
    let points = rows.map { row in
      let time = Date(timeIntervalSince1970: 1_777_852_800 + Double(row.seconds))
      return
        "<trkpt lat=\"\(row.latitude)\" lon=\"8.1\"><time>\(time.ISO8601Format())</time></trkpt>"
    }
    return "<?xml version=\"1.0\"?><gpx version=\"1.1\"><trk><trkseg>\n"
      + points.joined(separator: "\n") + "\n</trkseg></trk></gpx>\n"
  }

  private static func tidy(_ rows: [(seconds: Int, latitude: Double)]) -> String {
    "t,lat,lon\n"
      + rows.map { "\(1_777_852_800 + $0.seconds),\($0.latitude),8.1\n" }.joined()
  }

  @Test func aFormGivesTheRowsOfItsTidyCopy() throws {
    let form = try folder.write(Self.gpx(Self.day), to: "day.gpx")
    let tidy = try folder.write(Self.tidy(Self.day), to: "day.gps.csv")
    for command in [["timeline", "--json"], ["locate"], ["locate", "--mode", "smoothed"]] {
      let (one, other) = (try ToolRun(command + [form]), try ToolRun(command + [tidy]))
      #expect(one.status == 0 && one.output == other.output && one.lines.count >= 1)
      #expect(one.errors.contains("day.gpx: form: gpx") && other.errors.isEmpty)
    }
    for command in ["cadence", "classify"] {
      #expect(try ToolRun([command, form]).output == ToolRun([command, tidy]).output)
    }
    #expect(try ToolRun(["analyze", form, "--out", folder.path("out")]).status == 0)
    let timeline = try folder.text("out/timeline.json")
    #expect(try timeline == ToolRun(["timeline", "--json", form]).output)
  }

  /// A route, or a track without times or with one time for all, has a length, a rise and a map.
  @Test(arguments: [nil, "", "<time>1901-12-13T20:45:52Z</time>"])
  func aPlanIsShownThoughNothingOfItHasATime(ofTrack time: String?) throws {
    let (way, point) = time == nil ? ("rte", "rtept") : ("trk", "trkpt")
    let points = [(48, 500), (48.01, 540)].map {
      "<\(point) lat=\"\($0)\" lon=\"11\"><ele>\($1)</ele>\(time ?? "")</\(point)>"
    }
    let segment = time == nil ? points.joined() : "<trkseg>\(points.joined())</trkseg>"
    let route = try folder.write(
      "<gpx version=\"1.1\"><wpt><name>Hut</name></wpt><\(way)><name>Ridge</name>\(segment)"
        + "</\(way)></gpx>", to: "route.gpx")
    let run = try ToolRun(["analyze", route, "--out", folder.path("plan")])
    #expect(run.status == 0 && run.output.contains("Plan, 1.1 km · Ridge"))
    #expect(run.output.contains(#/Up +40 m.*\nHighest point +540 m +lowest 500 m/#))
    let page = try folder.text("plan/report.html")
    #expect(page.contains("\"plan\":{") && page.contains("\"values\":\"500,540\""))
    let words = "a plan of 1.11 km and 40 m up"
    try ToolRun.expectRefusal(["timeline", route], status: 3, naming: words)
  }

  /// Between two outings of a file nobody knows where the person was.
  @Test(arguments: [32_400, 1_080]) func anOutingEndsWithItsTrack(next: Int) throws {
    let tracks = [0, next].map { start in
      let points = (0..<900).map { second in
        let time = Date(timeIntervalSince1970: 1_777_852_800 + Double(start + second))
        let latitude = 47.3 + 6 * Double(second + start / 36) / 111_200
        return
          "<trkpt lat=\"\(latitude)\" lon=\"8.1\"><time>\(time.ISO8601Format())</time></trkpt>"
      }
      return "<trk><type>cycling</type><trkseg>\(points.joined())</trkseg></trk>"
    }
    let input = try folder.write("<gpx version=\"1.1\">\(tracks.joined())</gpx>", to: "two.gpx")
    let timeline = try ToolRun(["timeline", "--json", input]).output
    let trips = timeline.matches(of: #/"distance":([0-9.]+),"distance_sd"/#)
    #expect(trips.count == 2 && trips.allSatisfy { abs((Double($0.1) ?? 0) - 5_394) < 60 })
    let single = try tracks.enumerated().map { number, track in
      try folder.write("<gpx version=\"1.1\">\(track)</gpx>", to: "\(1 - number).gpx")
    }
    for words in ["locate", "locate --mode smoothed", "classify", "classify --mode settled"] {
      let rows = try ([input] + single).map { path in
        try ToolRun(words.split(separator: " ").map(String.init) + [path]).output
          .split(separator: "\n").dropFirst()
      }
      #expect(rows[0].count > 1_700 && rows[0] == rows[1] + rows[2])
    }
    // In a journal, too, and when they come one after the other.
    func times(_ text: String) -> [String] {
      text.matches(of: #/"(?:distance|end|start)":[0-9.]+/#).map { String($0.0) }
    }
    for (user, imports) in [("ada", [[input]]), ("bob", [single]), ("eve", single.map { [$0] })] {
      let own = ["--store", folder.path("store"), "--user", user]
      for files in imports {
        #expect(try ToolRun(["journal", "import"] + own + files).status == 0)
      }
      let day = try ToolRun(["journal", "day", "--json", "--zone", "UTC"] + own).output
      #expect(times(day) == times(timeline))
    }
  }

  /// Three runs of a minute and a half, all within one block of a journal.
  @Test func shortOutingsEndInAJournalAsInAFile() throws {
    let tracks = [0, 180, 360].map { start in
      let points = (start..<start + 90).map { second in
        let time = Date(timeIntervalSince1970: 1_777_852_800 + Double(second)).ISO8601Format()
        let latitude = 47.3 + 3 * Double(second) / 111_200
        return "<trkpt lat=\"\(latitude)\" lon=\"8.1\"><time>\(time)</time></trkpt>"
      }
      return "<trk><type>running</type><trkseg>\(points.joined())</trkseg></trk>"
    }
    let input = try folder.write("<gpx version=\"1.1\">\(tracks.joined())</gpx>", to: "three.gpx")
    let own = ["--store", folder.path("store"), "--user", "ada"]
    #expect(try ToolRun(["journal", "import", input] + own).status == 0)
    let runs = try [
      ToolRun(["timeline", "--json", input]),
      ToolRun(["journal", "day", "--json", "--zone", "UTC", "--date", "2026-05-04"] + own),
    ]
    let types = runs.map { run in
      run.output.matches(of: #/"type":"(\w+)"/#).map { String($0.1) }
    }
    #expect(types[0] == ["trip", "gap", "trip", "gap", "trip"] && types[1] == types[0])
  }

  /// The output of the first run is no input of the second.
  @Test func aFolderIsAnalysedAgainIntoItself() throws {
    try folder.write(Self.gpx(Self.day), to: "again/day.gpx")
    let analyze = ["analyze", folder.path("again"), "--out", folder.path("again/report")]
    let first = try ToolRun(analyze)
    #expect(first.status == 0)
    #expect(try ToolRun(analyze).output == first.output)
  }

  /// A folder with a file per half of the day, the later one first by name, is one day.
  @Test func aFolderOfSeveralRecordingsIsOneDay() throws {
    try folder.write(Self.gpx(Array(Self.day[150...])), to: "halves/a.gpx")
    try folder.write(Self.gpx(Array(Self.day[..<150])), to: "halves/b.gpx")
    let whole = try folder.write(Self.tidy(Self.day), to: "day.gps.csv")
    let run = try ToolRun(["timeline", "--json", folder.path("halves")])
    #expect(try run.output == ToolRun(["timeline", "--json", whole]).output)
    #expect(run.errors.contains("sorted by time"))
  }

  /// The fixes beside accelerations, too.
  @Test func newestFirstFixesBesideAccelerationsArePutInOrder() throws {
    let samples = "t,ax,ay,az\n" + (0..<3_000).map { "\(Double($0) / 50),0,0,9.8\n" }.joined()
    let fixes = (0..<60).map { "\($0),\(47.3 + Double($0) * 1e-5),8.1\n" }
    let there = try folder.write(samples, to: "there.csv")
    try folder.write("t,lat,lon\n" + fixes.joined(), to: "there.gps.csv")
    let back = try folder.write(samples, to: "back.csv")
    try folder.write("t,lat,lon\n" + fixes.reversed().joined(), to: "back.gps.csv")
    for command in [["timeline", "--json"], ["locate"], ["classify"]] {
      let run = try ToolRun(command + [back])
      #expect(try run.output == ToolRun(command + [there]).output)
      #expect(run.status == 0 && run.errors.contains("sorted by time"))
    }
  }

  @Test func standardInputIsARecording() throws {
    for (name, text) in ["a.gps.csv": Self.tidy(Self.day), "a.gpx": Self.gpx(Self.day)] {
      let path = try folder.write(text, to: name)
      let piped = try ToolRun(["locate", "-"], input: path)
      #expect(try piped.output == ToolRun(["locate", path]).output && piped.status == 0)
    }
    let empty = try ToolRun(["locate", "-"])
    #expect(empty.status == 3 && empty.errors.hasPrefix("locomotion: standard input"))
  }

  /// Two phones that record at the same time are no single recording.
  @Test func recordingsOfTheSameTimeAreRefused() throws {
    let row = "t,ax,ay,az\n" + (0..<200).map { "\(Double($0) / 50),0,0,9.8\n" }.joined()
    for name in ["a.csv", "b.csv"] { try folder.write(row, to: name) }
    let run = try ToolRun(["classify", folder.path])
    #expect(run.status == 3 && run.errors.contains("'a' and 'b'"))
  }

  // MARK: Tables with other names and units

  private static func table(_ header: String, _ row: (Int) -> String) -> String {
    header + "\n" + (0..<600).map { row($0) + "\n" }.joined()
  }

  @Test func columnsAndUnitsCanBeNamed() throws {
    func text(_ header: String, _ scale: Double, _ second: Double) -> String {
      Self.table(header) { index in
        "\(Double(index) / 50 * second),\(0.5 * scale),\(-0.25 * scale),\(scale)"
      }
    }
    let own = try folder.write(text("when,one,two,three", 1, 1_000), to: "own.csv")
    let tidy = try folder.write(text("t,ax,ay,az", 9.80665, 1), to: "tidy.csv")
    let names = ["--column", "t=when,ax=one,ay=two,az=three", "--unit", "g,ms"]
    let run = try ToolRun(["classify", own] + names)
    #expect(try run.output == ToolRun(["classify", tidy]).output && run.status == 0)
    let unnamed = try ToolRun(["classify", own])
    #expect(unnamed.status == 3 && unnamed.errors.contains("--column"))
    #expect(unnamed.errors.contains("when,one,two,three"))
    #expect(try ToolRun(["classify", own, "--column", "t=nothing"]).status == 3)
    #expect(try ToolRun(["classify", own, "--column", "speed of light=c"]).status == 2)
    #expect(try ToolRun(["classify", own, "--unit", "furlong"]).status == 2)
  }

  /// The fixes beside a table with other units belong to it, as they do to a tidy recording.
  @Test func fixesBesideATableAreRead() throws {
    let samples = Self.table("t,ax,ay,az") { "\(Double($0) / 50),0,0,1" }
    let fixes = "t,lat,lon\n" + (0..<12).map { "\($0),47.3,8.1\n" }.joined()
    let locate = ["locate", try folder.write(samples, to: "walk.csv"), "--unit", "g"]
    let path = try folder.write(fixes, to: "walk.gps.csv")
    let run = try ToolRun(locate)
    #expect(run.status == 0 && run.lines.count == 13, "\(run.errors)")
    #expect(try ToolRun(locate + ["--from", "csv"]).status == 2)
    #expect(try ToolRun(["convert", "-", folder.path("out")], input: path).status == 0)
  }

  @Test(
    arguments: [
      (1, 1, "accelerations in g"), (0.1, 1, "without gravity"), (9.8, 1_000, "times in ms"),
      (9.8, 1, nil),
    ] as [(Double, Double, String?)])
  func dubiousUnitsAreNamed(scale: Double, second: Double, words: String?) throws {
    let text = Self.table("t,ax,ay,az") { "\(Double($0) / 50 * second),0,0,\(scale)" }
    let run = try ToolRun.done(["classify", folder.write(text, to: "walk.csv")])
    if let words { #expect(run.errors.contains(words)) } else { #expect(run.errors.isEmpty) }
  }
}
