import Foundation
import TestSupport
import Testing

/// Every command takes a recording in every form, puts it in order, and says what it took.
@Suite struct AnyFormTests {
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

  /// Writes texts to a folder and returns their paths.
  private static func write(_ texts: [String: String], to folder: URL) throws -> [String: String] {
    var paths: [String: String] = [:]
    for (name, text) in texts {
      let file = folder.appendingPathComponent(name)
      try Data(text.utf8).write(to: file)
      paths[name] = file.path
    }
    return paths
  }

  @Test func aFormGivesTheRowsOfItsTidyCopy() throws {
    try withTemporaryFolder { folder in
      let paths = try Self.write(
        ["day.gpx": Self.gpx(Self.day), "day.gps.csv": Self.tidy(Self.day)], to: folder)
      let (form, tidy) = (paths["day.gpx"] ?? "", paths["day.gps.csv"] ?? "")
      for command in [["timeline", "--json"], ["locate"], ["locate", "--mode", "smoothed"]] {
        let (one, other) = (try ToolRun(command + [form]), try ToolRun(command + [tidy]))
        #expect(one.status == 0 && one.output == other.output && one.lines.count >= 1)
        #expect(one.errors.contains("day.gpx: form: gpx") && other.errors.isEmpty)
      }
      for command in ["cadence", "classify"] {
        #expect(try ToolRun([command, form]).output == ToolRun([command, tidy]).output)
      }
      let out = folder.appendingPathComponent("out").path
      #expect(try ToolRun(["analyze", form, "--out", out]).status == 0)
      let timeline = try String(contentsOfFile: out + "/timeline.json", encoding: .utf8)
      #expect(try timeline == ToolRun(["timeline", "--json", form]).output)
      #expect(try ToolRun(["compare", form, tidy]).status == 0)
    }
  }

  /// A folder with a file per half of the day, the later one first by name, is one day.
  @Test func aFolderOfSeveralRecordingsIsOneDay() throws {
    try withTemporaryFolder { folder in
      let halves = folder.appendingPathComponent("halves")
      try FileManager.default.createDirectory(at: halves, withIntermediateDirectories: true)
      _ = try Self.write(
        ["a.gpx": Self.gpx(Array(Self.day[150...])), "b.gpx": Self.gpx(Array(Self.day[..<150]))],
        to: halves)
      let whole = try Self.write(["day.gps.csv": Self.tidy(Self.day)], to: folder)
      let run = try ToolRun(["timeline", "--json", halves.path])
      #expect(try run.output == ToolRun(["timeline", "--json", whole["day.gps.csv"] ?? ""]).output)
      #expect(run.errors.contains("sorted by time"))
    }
  }

  @Test(arguments: [3, 316]) func newestFirstIsPutInOrder(count: Int) throws {
    try withTemporaryFolder { folder in
      let rows = Array(Self.day.prefix(count))
      let paths = try Self.write(
        ["day.gps.csv": Self.tidy(rows), "back.gps.csv": Self.tidy(rows.reversed())], to: folder)
      let (there, back) = (paths["day.gps.csv"] ?? "", paths["back.gps.csv"] ?? "")
      for command in [["timeline", "--json"], ["locate"]] {
        let run = try ToolRun(command + [back])
        #expect(try run.output == ToolRun(command + [there]).output)
        #expect(run.errors.contains("kept out of order: \(count - 1)"))
      }
    }
  }

  /// The fixes beside accelerations, too.
  @Test func newestFirstFixesBesideAccelerationsArePutInOrder() throws {
    try withTemporaryFolder { folder in
      let samples = "t,ax,ay,az\n" + (0..<3_000).map { "\(Double($0) / 50),0,0,9.8\n" }.joined()
      let fixes = (0..<60).map { "\($0),\(47.3 + Double($0) * 1e-5),8.1\n" }
      let paths = try Self.write(
        [
          "there.csv": samples, "there.gps.csv": "t,lat,lon\n" + fixes.joined(),
          "back.csv": samples, "back.gps.csv": "t,lat,lon\n" + fixes.reversed().joined(),
        ], to: folder)
      for command in [["timeline", "--json"], ["locate"], ["classify"]] {
        let run = try ToolRun(command + [paths["back.csv"] ?? ""])
        #expect(try run.output == ToolRun(command + [paths["there.csv"] ?? ""]).output)
        #expect(run.status == 0 && run.errors.contains("sorted by time"))
      }
    }
  }

  @Test func standardInputIsARecording() throws {
    try withTemporaryFolder { folder in
      for (name, text) in ["a.gps.csv": Self.tidy(Self.day), "a.gpx": Self.gpx(Self.day)] {
        let path = try Self.write([name: text], to: folder)[name] ?? ""
        let piped = try ToolRun(["locate", "-"], input: path)
        #expect(try piped.output == ToolRun(["locate", path]).output && piped.status == 0)
      }
      let empty = try ToolRun(["locate", "-"])
      #expect(empty.status == 3 && empty.errors.hasPrefix("locomotion: standard input"))
    }
  }

  /// Two phones that record at the same time are no single recording.
  @Test func recordingsOfTheSameTimeAreRefused() throws {
    try withTemporaryFolder { folder in
      let row = "t,ax,ay,az\n" + (0..<200).map { "\(Double($0) / 50),0,0,9.8\n" }.joined()
      _ = try Self.write(["a.csv": row, "b.csv": row], to: folder)
      let run = try ToolRun(["classify", folder.path])
      #expect(run.status == 3 && run.errors.contains("'a' and 'b'"))
    }
  }

  // MARK: Tables with other names and units

  private static func table(_ header: String, _ row: (Int) -> String) -> String {
    header + "\n" + (0..<600).map { row($0) + "\n" }.joined()
  }

  @Test(arguments: [
    ("timestamp,acc_x,acc_y,acc_z", ",", 1_000.0), ("t;x;y;z", ";", 1),
    ("time_us,ax,ay,az", ",", 1e6),
  ])
  func commonNamesAreRead(header: String, separator: String, unit: Double) throws {
    try withTemporaryFolder { folder in
      func text(_ header: String, _ separator: String, _ unit: Double) -> String {
        Self.table(header) { index in
          ["\(Double(index) / 50 * unit)", "0.1", "0.2", "9.8"].joined(separator: separator)
        }
      }
      let paths = try Self.write(
        ["own.csv": text(header, separator, unit), "tidy.csv": text("t,ax,ay,az", ",", 1)],
        to: folder)
      let own = try ToolRun(["classify", paths["own.csv"] ?? ""])
      #expect(own.status == 0, "\(own.errors)")
      #expect(try own.output == ToolRun(["classify", paths["tidy.csv"] ?? ""]).output)
      #expect(own.errors.contains("form: table"))
    }
  }

  @Test func columnsAndUnitsCanBeNamed() throws {
    try withTemporaryFolder { folder in
      func text(_ header: String, _ scale: Double, _ second: Double) -> String {
        Self.table(header) { index in
          "\(Double(index) / 50 * second),\(0.5 * scale),\(-0.25 * scale),\(scale)"
        }
      }
      let paths = try Self.write(
        [
          "own.csv": text("when,one,two,three", 1, 1_000),
          "tidy.csv": text("t,ax,ay,az", 9.80665, 1),
        ],
        to: folder)
      let (own, tidy) = (paths["own.csv"] ?? "", paths["tidy.csv"] ?? "")
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
  }

  /// The fixes beside a table with other units belong to it, as they do to a tidy recording.
  @Test func fixesBesideATableAreRead() throws {
    try withTemporaryFolder { folder in
      let samples = Self.table("t,ax,ay,az") { "\(Double($0) / 50),0,0,1" }
      let fixes = "t,lat,lon\n" + (0..<12).map { "\($0),47.3,8.1\n" }.joined()
      let paths = try Self.write(["walk.csv": samples, "walk.gps.csv": fixes], to: folder)
      let run = try ToolRun(["locate", paths["walk.csv"] ?? "", "--unit", "g"])
      #expect(run.status == 0 && run.lines.count == 13, "\(run.errors)")
      #expect(
        try ToolRun(["locate", paths["walk.csv"] ?? "", "--unit", "g", "--from", "csv"]).status == 2
      )
      let out = folder.appendingPathComponent("out").path
      #expect(try ToolRun(["convert", "-", out], input: paths["walk.gps.csv"]).status == 0)
    }
  }

  @Test func dubiousUnitsAreNamed() throws {
    try withTemporaryFolder { folder in
      func text(_ scale: Double, _ second: Double) -> String {
        Self.table("t,ax,ay,az") { "\(Double($0) / 50 * second),0,0,\(scale)" }
      }
      let paths = try Self.write(
        [
          "g.csv": text(1, 1), "none.csv": text(0.1, 1), "ms.csv": text(9.8, 1_000),
          "right.csv": text(9.8, 1),
        ], to: folder)
      let words = [
        "g.csv": "look like g", "none.csv": "without gravity", "ms.csv": "look like milliseconds",
      ]
      for (name, word) in words {
        let run = try ToolRun(["classify", paths[name] ?? ""])
        #expect(run.status == 0 && run.errors.contains(word), "\(name): \(run.errors)")
      }
      #expect(try ToolRun(["classify", paths["right.csv"] ?? ""]).errors.isEmpty)
    }
  }
}
