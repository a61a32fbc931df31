import Foundation
import TestSupport
import Testing

@Suite struct ConvertTests {
  private let folder = ScratchFolder()

  private static let gpx = """
    <?xml version="1.0"?><gpx version="1.1"><trk><trkseg>
    <trkpt lat="48.5" lon="11.5"><time>1970-01-01T00:00:01Z</time></trkpt>
    <trkpt lat="48.6" lon="11.5"><time>1970-01-01T00:00:02Z</time></trkpt>
    <trkpt lat="48.7" lon="11.5"></trkpt>
    </trkseg></trk></gpx>
    """

  @Test func convertWritesAFolderThatOtherCommandsCanRead() throws {
    let input = try folder.write(Self.gpx, to: "walk.gpx")
    let output = folder.path("out")
    let run = try ToolRun(["convert", input, output])
    #expect(run.status == 0 && run.output.isEmpty)
    #expect(try ToolRun(["convert", input, output, "--from", "auto"]).status == 0)
    #expect(run.errors.hasPrefix("read 3, kept 2: 0 accelerations, 0 rotation rates, "))
    #expect(run.errors.contains(", 0 pressures, 2 fixes, 0 labels"))
    #expect(run.errors.contains("dropped 1: no usable time"))
    let located = try ToolRun(["locate", output + "/walk.gps.csv.gz"])
    #expect(located.status == 0 && located.lines.count == 3)
  }

  @Test func waypointsAreNoRowsOfARecording() throws {
    let points = String(repeating: "<wpt lat=\"48\" lon=\"11\"/>", count: 50)
    let text = Self.gpx.replacing("<trk>", with: points + "<trk>")
    let input = try folder.write(text, to: "walk.gpx")
    let run = try ToolRun(["convert", input, folder.path("out")])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("dropped 50: not a point of a track"))
  }

  @Test func tooFewKeptRowsGiveStatusThree() throws {
    let input = try folder.write(Self.gpx, to: "walk.gpx")
    let output = folder.path("out.ndjson")
    #expect(try ToolRun(["convert", input, output, "--keep", "0.9"]).status == 3)
    #expect(try ToolRun(["convert", input, output, "--keep", "0.6"]).status == 0)
  }

  @Test func aFailedConversionPrintsOneLine() throws {
    let none = folder.path("none")
    let missing = try ToolRun(["convert", none, none + ".gpx"])
    #expect(missing.status == 74 && missing.errors == "locomotion: \(none): no such file\n")
    let text = try folder.write("hello\n", to: "a.txt")
    let unknown = try ToolRun(["convert", text, none])
    #expect(unknown.status == 3 && unknown.errors.contains("expected one of the forms csv, gpx"))
    #expect(try ToolRun(["convert", text, none, "--to", "arc"]).status == 2)
    #expect(try ToolRun(["convert", text, none + ".xyz"]).status == 2)
    #expect(try ToolRun(["convert", text, none, "--from", "word"]).status == 2)
    #expect(try ToolRun(["convert", text]).status == 2)
    #expect(!FileManager.default.fileExists(atPath: none))
  }

  @Test func aPipeIsRefusedAtOnce() throws {
    let pipe = folder.path("pipe")
    #expect(try ToolRun(shell: "mkfifo \"$1\"", pipe).status == 0)
    // Without a writer, a program that opens it would block for ever.
    let run = try ToolRun(["convert", pipe, pipe + ".ndjson"])
    #expect(
      run.errors
        == "locomotion: \(pipe): cannot be read: is neither a regular file nor a folder\n")
    #expect(run.status == 74)
    #expect(!FileManager.default.fileExists(atPath: pipe + ".ndjson"))
  }
}
