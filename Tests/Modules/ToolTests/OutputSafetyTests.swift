import Foundation
import LocomotionReport
import TestSupport
import Testing

/// No command destroys a file of the user.
@Suite struct OutputSafetyTests {
  private let folder = ScratchFolder()

  private static let rows = (0..<2_000).map { "\(Double($0) / 100),0.123456789,0.2,9.8\n" }
  private static let recording = "t,ax,ay,az\n" + rows.joined()

  /// Hours, which take seconds to compress.
  private func writeHours() throws -> String {
    let rows = (0..<2_000_000).map { "\($0 / 100).\($0 / 10 % 10)\($0 % 10),\($0 % 977),0,9\n" }
    return try folder.write("t,ax,ay,az\n" + rows.joined(), to: "walk.csv")
  }

  private func permissions(of name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
  }

  @Test func convertDoesNotReplaceAFolder() throws {
    let input = try folder.write(Self.recording, to: "walk.csv")
    for (name, more) in [("p", ["--to", "ndjson"]), ("p4.gpx", [])] {
      let output = folder.path(name)
      try folder.makeFolder(name + "/d")
      let run = try ToolRun(["convert", input, output] + more)
      #expect(run.status == 74 && run.errors.contains("Is a directory"), "\(run.errors)")
      #expect(FileManager.default.fileExists(atPath: output + "/d"))
    }
  }

  @Test func convertDoesNotTouchItsInput() throws {
    let rec = folder.path("rec")
    for content in [Self.recording, Self.recording + "20,abc,0,0\n"] {
      let input = try folder.write(content, to: "rec/walk.csv")
      for arguments in [[input, rec], [rec, rec], [input, input, "--to", "ndjson"]] {
        #expect(try ToolRun(["convert"] + arguments).status == 3, "\(arguments)")
        #expect(try folder.text("rec/walk.csv") == content)
        #expect(try folder.names(in: "rec") == ["walk.csv"])
      }
    }
  }

  @Test func aFailedConversionLeavesAnotherFolderAsItWas() throws {
    let (input, out) = (folder.path("walk.csv"), folder.path("out"))
    try folder.write("t,ax,ay,az\n0,1,2\n", to: "walk.csv")
    let older = ["labels.csv", "walk.csv", "walk.gps.csv"]
    for name in older { try folder.write("older", to: "out/" + name) }
    #expect(try ToolRun(["convert", input, out]).status == 3)
    // A valid recording, whose files would be read together with the older ones.
    try folder.write(Self.recording, to: "walk.csv")
    let run = try ToolRun(["convert", input, out])
    #expect(run.status == 3 && run.errors.contains("walk.csv: refused"), "\(run.errors)")
    #expect(try folder.names(in: "out") == older)
    for name in older { #expect(try folder.text("out/" + name) == "older") }
  }

  @Test func labelsOfOtherRecordingsInTheFolderStay() throws {
    let out = folder.path("out")
    for (name, label) in [("a", "walking"), ("b", "sitting"), ("a", "running")] {
      let lines =
        "{\"recording\":\"\(name)\",\"subject\":\"s\",\"gyroscope\":false}\n"
        + "{\"t\":[0,0.01],\"ax\":[0,0],\"ay\":[0,0],\"az\":[9.8,9.8]}\n"
        + "{\"label\":\"\(label)\",\"start\":0,\"end\":0.01}\n"
      let run = try ToolRun(["convert", folder.write(lines, to: "in.ndjson"), out])
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(
      try folder.text("out/labels.csv")
        == "recording,subject,start,end,label\nb,s,0,0.01,sitting\na,s,0,0.01,running\n")
    #expect(try folder.names(in: "out") == ["a.csv.gz", "b.csv.gz", "labels.csv"])
  }

  @Test func analyzeAndTrainDoNotReplaceTheirInputs() throws {
    let recording = try folder.write(Self.recording, to: "locate.csv")
    let analyze = try ToolRun(["analyze", recording, "--out", folder.path])
    #expect(analyze.status == 3 && analyze.errors.contains("is an input"))
    #expect(try folder.text("locate.csv") == Self.recording)
    let labels = try folder.write("recording,subject,start,end,label\n", to: "labels.csv")
    let train = try ToolRun(["train", "--dataset", folder.path, "--out", labels])
    #expect(train.status == 3 && train.errors.contains("is an input"))
    let twice = try ToolRun(
      ["train", "--dataset", folder.path, "--out", recording + "1", "--json", recording + "1"])
    #expect(twice.status == 3 && twice.errors.contains("two outputs"))
    #expect(try folder.names() == ["labels.csv", "locate.csv"])
  }

  /// SIGINT and SIGHUP are handled alike, but may be ignored where the tests run.
  @Test func aStoppedConversionLeavesNothing() throws {
    try folder.makeFolder("out")
    let process = try conversion(from: writeHours())
    #expect(try folder.names(in: "out").first?.hasSuffix(".partial") == true)
    kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGTERM)
    #expect(try folder.names(in: "out").isEmpty)
  }

  /// A process that converts for seconds, once it has begun to write beside what is there.
  private func conversion(
    from input: String, _ environment: [String: String] = [:]
  ) throws -> Process {
    let before = try folder.names(in: "out")
    let process = Process()
    process.executableURL = ToolRun.program
    process.arguments = ["convert", input, folder.path("out")]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardError = FileHandle.nullDevice
    try process.run()
    let deadline = ContinuousClock.now + .seconds(30)
    while try Set(folder.names(in: "out")).subtracting(before).isEmpty,
      ContinuousClock.now < deadline
    {
      usleep(1_000)
    }
    return process
  }

  @Test func whatAKilledCommandLeavesIsPrivateAndTheNextOneRemovesIt() throws {
    try folder.makeFolder("out")
    let environment = ["TMPDIR": try folder.makeFolder("temporary")]
    let zip = folder.path("walk.zip")
    let pack =
      "import sys, zipfile; zipfile.ZipFile(sys.argv[1], 'w').write(sys.argv[2], 'walk.csv')"
    _ = try ToolRun(shell: "python3 -c \"$1\" \"$2\" \"$3\"", pack, zip, writeHours())
    for killing in [true, false] {
      let process = try conversion(from: zip, environment)
      let part = try #require(try folder.names(in: "out").first)
      #expect(try part.hasSuffix(".partial") && permissions(of: "out/" + part) == 0o600)
      #expect(try folder.names(in: "temporary").count == 1)
      if killing {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(try folder.names(in: "out") == [part])
        continue
      }
      // Beside one that runs, another one removes what was left, and nothing else.
      #expect(try folder.names(in: "out") == [part])
      let short = try folder.write(Self.recording, to: "short.csv")
      let run = try ToolRun(
        ["convert", short, folder.path("out/other.ndjson")], environment: environment)
      #expect(run.status == 0, "\(run.errors)")
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    #expect(try folder.names(in: "out") == ["other.ndjson", "walk.csv.gz"])
    #expect(try folder.names(in: "temporary").isEmpty)
    #expect(try permissions(of: "out/walk.csv.gz") != 0o600)
  }

  @Test func aClosedStandardOutputIsNotReplacedByAnotherFile() throws {
    let run = try ToolRun(
      shell: "\"$0\" analyze \"$1\" --out \"$2\" >&- 2>&-",
      folder.write(Self.recording, to: "walk.csv"), folder.path("out"))
    #expect(run.status == 74)
    let located = try folder.text("out/locate.csv")
    #expect(located.split(separator: "\n").count == 1)
  }
}
