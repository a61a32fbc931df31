import Foundation
import TestSupport
import Testing

@Suite struct ConvertTests {
  private static let gpx = """
    <?xml version="1.0"?><gpx version="1.1"><trk><trkseg>
    <trkpt lat="48.5" lon="11.5"><time>1970-01-01T00:00:01Z</time></trkpt>
    <trkpt lat="48.6" lon="11.5"><time>1970-01-01T00:00:02Z</time></trkpt>
    <trkpt lat="48.7" lon="11.5"></trkpt>
    </trkseg></trk></gpx>
    """

  @Test func convertWritesAFolderThatOtherCommandsCanRead() throws {
    try withTemporaryFolder { folder in
      let input = folder.appendingPathComponent("walk.gpx")
      try Data(Self.gpx.utf8).write(to: input)
      let output = folder.appendingPathComponent("out").path
      let run = try ToolRun(["convert", input.path, output])
      #expect(run.status == 0 && run.output.isEmpty)
      #expect(try ToolRun(["convert", input.path, output, "--from", "auto"]).status == 0)
      #expect(run.errors.hasPrefix("read 3, kept 2: 0 accelerations, 0 rotation rates, "))
      #expect(run.errors.contains(", 0 pressures, 2 fixes, 0 labels"))
      #expect(run.errors.contains("dropped 1: no usable time"))
      let located = try ToolRun(["locate", output + "/walk.gps.csv.gz"])
      #expect(located.status == 0 && located.lines.count == 3)
    }
  }

  @Test func waypointsAreNoRowsOfARecording() throws {
    try withTemporaryFolder { folder in
      let input = folder.appendingPathComponent("walk.gpx")
      let points = String(repeating: "<wpt lat=\"48\" lon=\"11\"/>", count: 50)
      try Data(Self.gpx.replacing("<trk>", with: points + "<trk>").utf8).write(to: input)
      let run = try ToolRun(["convert", input.path, folder.appendingPathComponent("out").path])
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors.contains("dropped 50: not a point of a track"))
    }
  }

  @Test func tooFewKeptRowsGiveStatusThree() throws {
    try withTemporaryFolder { folder in
      let input = folder.appendingPathComponent("walk.gpx")
      try Data(Self.gpx.utf8).write(to: input)
      let output = folder.appendingPathComponent("out.ndjson").path
      #expect(try ToolRun(["convert", input.path, output, "--keep", "0.9"]).status == 3)
      #expect(try ToolRun(["convert", input.path, output, "--keep", "0.6"]).status == 0)
    }
  }

  @Test func aFailedConversionPrintsOneLine() throws {
    try withTemporaryFolder { folder in
      let none = folder.appendingPathComponent("none").path
      let missing = try ToolRun(["convert", none, none + ".gpx"])
      #expect(missing.status == 74 && missing.errors == "locomotion: \(none): no such file\n")
      let text = folder.appendingPathComponent("a.txt")
      try Data("hello\n".utf8).write(to: text)
      let unknown = try ToolRun(["convert", text.path, none])
      #expect(unknown.status == 3 && unknown.errors.contains("expected one of the forms csv, gpx"))
      #expect(try ToolRun(["convert", text.path, none, "--to", "arc"]).status == 2)
      #expect(try ToolRun(["convert", text.path, none + ".xyz"]).status == 2)
      #expect(try ToolRun(["convert", text.path, none, "--from", "word"]).status == 2)
      #expect(try ToolRun(["convert", text.path]).status == 2)
      #expect(!FileManager.default.fileExists(atPath: none))
    }
  }

  @Test func aPipeIsRefusedAtOnce() throws {
    try withTemporaryFolder { folder in
      let pipe = folder.appendingPathComponent("pipe").path
      let making = Process()
      making.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      making.arguments = ["mkfifo", pipe]
      try making.run()
      making.waitUntilExit()
      // Without a writer, a program that opens it would block for ever.
      let run = try ToolRun(["convert", pipe, pipe + ".ndjson"])
      #expect(
        run.errors
          == "locomotion: \(pipe): cannot be read: is neither a regular file nor a folder\n")
      #expect(run.status == 74)
      #expect(!FileManager.default.fileExists(atPath: pipe + ".ndjson"))
    }
  }
}
