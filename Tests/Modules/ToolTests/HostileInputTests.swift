import Foundation
import TestSupport
import Testing

/// Bad input gives one line with file and line number and the documented exit status, never a
/// trace.
@Suite struct HostileInputTests {
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

  private func file(_ name: String, _ content: String, in folder: URL) throws -> String {
    let url = folder.appendingPathComponent(name)
    try Data(content.utf8).write(to: url)
    return url.path
  }

  private static let commands = ["locate", "cadence", "classify", "timeline"]

  @Test(arguments: commands) func aMissingFileGivesStatus74(command: String) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("none.csv.gz").path
      try expectRefusal([command, path], status: 74, naming: ["none.csv.gz"])
    }
  }

  private static let malformed: [(name: String, content: String, words: [String])] = [
    ("empty.csv", "", ["empty.csv"]),
    ("odd.csv", "name,age\nAda,36\n", ["odd.csv:1", "ax"]),
    ("text.csv", "t,ax,ay,az\n0.00,0,0,9.8\n0.01,0,zero,9.8\n", ["text.csv:3", "zero"]),
  ]

  @Test(arguments: commands, malformed.indices)
  func aMalformedFileIsRejectedWithItsLine(command: String, index: Int) throws {
    try withTemporaryFolder { folder in
      let (name, content, words) = Self.malformed[index]
      let path = try file(name, content, in: folder)
      try expectRefusal([command, path], status: 3, naming: words)
    }
  }

  @Test(arguments: commands) func aTruncatedArchiveIsRejected(command: String) throws {
    try withTemporaryFolder { folder in
      let rows = (0..<5_000).map { "\(Double($0) / 100),0.1,0.2,\(9.8 + Double($0 % 7) / 100)" }
      let plain = try file("cut.csv", "t,ax,ay,az\n" + rows.joined(separator: "\n"), in: folder)
      let gzip = Process()
      gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      gzip.arguments = ["gzip", plain]
      try gzip.run()
      gzip.waitUntilExit()
      let whole = try Data(contentsOf: URL(fileURLWithPath: plain + ".gz"))
      try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: plain + ".gz"))
      try expectRefusal([command, plain + ".gz"], status: 3, naming: ["cut.csv.gz"])
    }
  }

  @Test func aLineOfAGigabyteIsRejected() throws {
    try withTemporaryFolder { folder in
      // A gigabyte of digits, in one line.
      let url = folder.appendingPathComponent("endless.csv")
      try Data("t,ax,ay,az\n0.0,0,0,".utf8).write(to: url)
      let handle = try FileHandle(forWritingTo: url)
      try handle.truncate(atOffset: 1 << 30)
      try handle.close()
      try expectRefusal(["cadence", url.path], status: 3, naming: ["endless.csv:2"])
    }
  }

  @Test(arguments: commands) func aRecordingOfOneSampleIsProcessed(command: String) throws {
    try withTemporaryFolder { folder in
      let path = try file("one.csv", "t,ax,ay,az\n1.5,0.1,0.2,9.8\n", in: folder)
      let run = try ToolRun([command, path])
      #expect(run.status == 0)
      #expect(run.errors.isEmpty)
      #expect(run.lines.count == 1)
    }
  }

  @Test func aRecordingOfOneFixIsProcessed() throws {
    try withTemporaryFolder { folder in
      let path = try file(
        "one.gps.csv", "t,lat,lon,alt,hacc,speed,course\n7.25,48.1,11.6,,12,,\n", in: folder)
      let run = try ToolRun(["locate", path])
      #expect(run.status == 0)
      #expect(run.lines.count == 2)
      #expect(run.lines[1].hasPrefix("7.25,48.1"))
    }
  }

  @Test func aFolderWithoutAFileIsRejected() throws {
    try withTemporaryFolder { folder in
      try expectRefusal(["locate", folder.path], status: 3, naming: [folder.path, "no file"])
    }
  }

  @Test func anInvalidModelFileIsRejected() throws {
    try withTemporaryFolder { folder in
      let recording = try file("r.csv", "t,ax,ay,az\n0,0,0,9.8\n", in: folder)
      let model = try file("model", "certainly not a model", in: folder)
      try expectRefusal(
        ["classify", recording, "--model", model], status: 3, naming: [model])
      try expectRefusal(
        ["classify", recording, "--model", model + "x"], status: 74, naming: [model + "x"])
      try expectRefusal(
        ["classify", recording, "--model", folder.path], status: 74, naming: ["readable"])
    }
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
    try withTemporaryFolder { folder in
      let recording = try file("r.csv", "t,ax,ay,az\n0,0,0,9.8\n1,0,0,9.8\n", in: folder)
      try expectRefusal(
        ["analyze", recording, "--out", recording + "/below"], status: 74,
        naming: ["below", "irectory"])
      try expectRefusal(
        ["analyze", recording, "--out", recording], status: 74, naming: ["in the way"])
    }
  }
}
