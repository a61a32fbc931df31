import Foundation
import TestSupport
import Testing

/// Bad input gives one line with file and line number and the documented exit status, never a
/// trace.
@Suite struct HostileInputTests {
  private let folder = ScratchFolder()

  private func expectRefusal(
    _ arguments: [String], status: Int32, naming words: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let run = try ToolRun(arguments)
    #expect(run.status == status, "\(run.errors)", sourceLocation: sourceLocation)
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 1, "\(run.errors)", sourceLocation: sourceLocation)
    #expect(lines.first?.count ?? 0 < 400, sourceLocation: sourceLocation)
    for word in words {
      #expect(run.errors.contains(word), "\(run.errors)", sourceLocation: sourceLocation)
    }
    let traces = ["Fatal", "Thread 0", "Stack", "0x0"]
    #expect(!traces.contains { run.errors.contains($0) }, sourceLocation: sourceLocation)
  }

  private static let commands = ["locate", "cadence", "classify", "timeline"]

  @Test(arguments: commands) func aMissingFileGivesStatus74(command: String) throws {
    let arguments = [command, folder.path("none.csv.gz")]
    try expectRefusal(arguments, status: 74, naming: ["none.csv.gz"])
  }

  private static let malformed: [(name: String, content: String, words: [String])] = [
    ("empty.csv", "", ["empty.csv"]),
    ("odd.csv", "name,age\nAda,36\n", ["odd.csv:1", "ax"]),
    ("text.csv", "t,ax,ay,az\n0.00,0,0,9.8\n0.01,0,zero,9.8\n", ["text.csv:3", "zero"]),
  ]

  @Test(arguments: commands, malformed.indices)
  func aMalformedFileIsRejectedWithItsLine(command: String, index: Int) throws {
    let (name, content, words) = Self.malformed[index]
    try expectRefusal([command, folder.write(content, to: name)], status: 3, naming: words)
  }

  @Test(arguments: commands) func aTruncatedArchiveIsRejected(command: String) throws {
    let rows = (0..<5_000).map { "\(Double($0) / 100),0.1,0.2,\(9.8 + Double($0 % 7) / 100)" }
    let plain = try folder.write(
      "t,ax,ay,az\n" + rows.joined(separator: "\n"), to: "cut.csv")
    #expect(try ToolRun(shell: "gzip \"$1\"", plain).status == 0)
    let whole = try folder.data("cut.csv.gz")
    let half = try folder.write(whole.prefix(whole.count / 2), to: "cut.csv.gz")
    try expectRefusal([command, half], status: 3, naming: ["cut.csv.gz"])
  }

  @Test func aLineOfAGigabyteIsRejected() throws {
    // A gigabyte of digits, in one line.
    let path = try folder.write("t,ax,ay,az\n0.0,0,0,", to: "endless.csv")
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: 1 << 30)
    try file.close()
    try expectRefusal(["cadence", path], status: 3, naming: ["endless.csv:2"])
  }

  @Test(arguments: commands) func aRecordingOfOneSampleIsProcessed(command: String) throws {
    let path = try folder.write("t,ax,ay,az\n1.5,0.1,0.2,9.8\n", to: "one.csv")
    let run = try ToolRun([command, path])
    #expect(run.status == 0 && run.errors.isEmpty && run.lines.count == 1)
  }

  @Test func aRecordingOfOneFixIsProcessed() throws {
    let text = "t,lat,lon,alt,hacc,speed,course\n7.25,48.1,11.6,,12,,\n"
    let run = try ToolRun(["locate", folder.write(text, to: "one.gps.csv")])
    #expect(run.status == 0 && run.lines.count == 2)
    #expect(run.lines[1].hasPrefix("7.25,48.1"))
  }

  @Test func aFolderWithoutAFileIsRejected() throws {
    try expectRefusal(["locate", folder.path], status: 3, naming: [folder.path, "no file"])
  }

  @Test func anInvalidModelFileIsRejected() throws {
    let recording = try folder.write("t,ax,ay,az\n0,0,0,9.8\n", to: "r.csv")
    let model = try folder.write("certainly not a model", to: "model")
    let classify = ["classify", recording, "--model"]
    try expectRefusal(classify + [model], status: 3, naming: [model])
    try expectRefusal(classify + [model + "x"], status: 74, naming: [model + "x"])
    try expectRefusal(classify + [folder.path], status: 74, naming: ["readable"])
  }

  @Test(arguments: [
    ["fly", "x.csv"], ["locate"], ["locate", "a", "b"], ["locate", "a", "--mode", "psychic"],
    ["locate", "a", "--lag", "-1"], ["locate", "a", "--lag"], ["classify", "a", "--nonsense"],
    ["analyze", "a"], ["train", "--out", "m"], ["evaluate"], ["locate", "-x", "a"],
    ["locate", "--mode=", "live"], ["timeline", "a", "--json=no"], ["evaluate", "--dataset="],
    ["evaluate", "--dataset", "d", "--leave-one-subject-out", "--model", "m"],
  ]) func anInvalidCommandLineGivesStatusTwo(arguments: [String]) throws {
    try expectRefusal(arguments, status: 2, naming: ["locomotion: "])
  }

  @Test func anUnwritableOutputGivesStatus74() throws {
    let recording = try folder.write("t,ax,ay,az\n0,0,0,9.8\n1,0,0,9.8\n", to: "r.csv")
    let analyze = ["analyze", recording, "--out"]
    try expectRefusal(analyze + [recording + "/below"], status: 74, naming: ["below", "irectory"])
    try expectRefusal(analyze + [recording], status: 74, naming: ["in the way"])
  }
}
