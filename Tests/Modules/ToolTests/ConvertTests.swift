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
    let run = try ToolRun.done(["convert", input, folder.path("out")])
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
    let missing = ["convert", none, none + ".gpx"]
    try ToolRun.expectRefusal(missing, status: 74, naming: "locomotion: \(none): no such file\n")
    let text = try folder.write("hello\n", to: "a.txt")
    let forms = "expected a recording in a form that 'locomotion formats' lists, found \"hello"
    try ToolRun.expectRefusal(["convert", text, none], status: 3, naming: forms)
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
    try ToolRun.expectRefusal(
      ["convert", pipe, pipe + ".ndjson"], status: 74,
      naming: "locomotion: \(pipe): cannot be read: is neither a regular file nor a folder\n")
    #expect(!FileManager.default.fileExists(atPath: pipe + ".ndjson"))
  }
}

/// Bad input gives one line with file and line number and the documented exit status, never a
/// trace.
@Suite struct HostileInputTests {
  private let folder = ScratchFolder()

  private static let commands = ["locate", "cadence", "classify", "timeline"]

  @Test(arguments: commands) func aMissingFileGivesStatus74(command: String) throws {
    let arguments = [command, folder.path("none.csv.gz")]
    try ToolRun.expectRefusal(arguments, status: 74, naming: "none.csv.gz")
  }

  private static let malformed: [(name: String, content: String, words: [String])] = [
    ("empty.csv", "", ["empty.csv"]),
    ("odd.csv", "name,age\nAda,36\n", ["odd.csv:1", "ax"]),
    ("text.csv", "t,ax,ay,az\n0.00,0,0,9.8\n0.01,0,zero,9.8\n", ["text.csv:3", "zero"]),
  ]

  @Test(arguments: commands, malformed.indices)
  func aMalformedFileIsRejectedWithItsLine(command: String, index: Int) throws {
    let (name, content, words) = Self.malformed[index]
    try ToolRun([command, folder.write(content, to: name)]).expectRefusal(3, words)
  }

  @Test(arguments: commands) func aRecordingOfOneSampleIsProcessed(command: String) throws {
    let path = try folder.write("t,ax,ay,az\n1.5,0.1,0.2,9.8\n", to: "one.csv")
    let run = try ToolRun([command, path])
    #expect(run.status == 0 && run.errors.isEmpty && run.lines.count == 1)
  }

  @Test func aFolderWithoutAFileIsRejected() throws {
    try ToolRun.expectRefusal(["locate", folder.path], status: 3, naming: folder.path, "no file")
  }

  @Test func anInvalidModelFileIsRejected() throws {
    let recording = try folder.write("t,ax,ay,az\n0,0,0,9.8\n", to: "r.csv")
    let model = try folder.write("certainly not a model", to: "model")
    let classify = ["classify", recording, "--model"]
    try ToolRun.expectRefusal(classify + [model], status: 3, naming: model)
    try ToolRun.expectRefusal(classify + [model + "x"], status: 74, naming: model + "x")
    try ToolRun.expectRefusal(classify + [folder.path], status: 74, naming: "readable")
  }

  @Test(arguments: [
    ["fly", "x.csv"], ["locate"], ["locate", "a", "b"], ["locate", "a", "--mode", "psychic"],
    ["locate", "a", "--lag", "-1"], ["locate", "a", "--lag"], ["classify", "a", "--nonsense"],
    ["analyze", "a"], ["train", "--out", "m"], ["evaluate"], ["locate", "-x", "a"],
    ["locate", "--mode=", "live"], ["timeline", "a", "--json=no"], ["evaluate", "--dataset="],
    ["evaluate", "--dataset", "d", "--leave-one-subject-out", "--model", "m"],
  ]) func anInvalidCommandLineGivesStatusTwo(arguments: [String]) throws {
    try ToolRun.expectRefusal(arguments, status: 2, naming: "locomotion: ")
  }

  @Test func anUnwritableOutputGivesStatus74() throws {
    let recording = try folder.write("t,ax,ay,az\n0,0,0,9.8\n1,0,0,9.8\n", to: "r.csv")
    let analyze = ["analyze", recording, "--out"]
    let below = recording + "/below"
    try ToolRun.expectRefusal(analyze + [below], status: 74, naming: "below", "irectory")
    try ToolRun.expectRefusal(analyze + [recording], status: 74, naming: "in the way")
  }
}
