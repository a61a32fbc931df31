import Foundation
import LocomotionReport
import TestSupport
import Testing

/// No command destroys a file of the user.
@Suite struct OutputSafetyTests {
  private static let rows = (0..<2_000).map { "\(Double($0) / 100),0.123456789,0.2,9.8\n" }
  private static let recording = "t,ax,ay,az\n" + rows.joined()

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  private func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  private func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test func convertDoesNotReplaceAFolder() throws {
    try withTemporaryFolder { folder in
      let input = folder.path + "/walk.csv"
      try write(Self.recording, to: input)
      for (name, more) in [("p", ["--to", "ndjson"]), ("p4.gpx", [])] {
        let output = folder.path + "/" + name
        try makeFolder(output + "/d")
        let run = try ToolRun(["convert", input, output] + more)
        #expect(run.status == 74 && run.errors.contains("Is a directory"), "\(run.errors)")
        #expect(FileManager.default.fileExists(atPath: output + "/d"))
      }
    }
  }

  @Test func convertDoesNotTouchItsInput() throws {
    try withTemporaryFolder { folder in
      let rec = folder.path + "/rec"
      try makeFolder(rec)
      let input = rec + "/walk.csv"
      for content in [Self.recording, Self.recording + "20,abc,0,0\n"] {
        try write(content, to: input)
        for arguments in [[input, rec], [rec, rec], [input, input, "--to", "ndjson"]] {
          #expect(try ToolRun(["convert"] + arguments).status == 3, "\(arguments)")
          #expect(try text(input) == content)
          #expect(try names(in: rec) == ["walk.csv"])
        }
      }
    }
  }

  @Test func aFailedConversionLeavesAnotherFolderAsItWas() throws {
    try withTemporaryFolder { folder in
      let input = folder.path + "/walk.csv"
      let out = folder.path + "/out"
      try makeFolder(out)
      try write("t,ax,ay,az\n0,1,2\n", to: input)
      for name in ["walk.csv", "walk.gps.csv", "labels.csv"] {
        try write("older", to: out + "/" + name)
      }
      #expect(try ToolRun(["convert", input, out]).status == 3)
      // A valid recording, whose files would be read together with the older ones.
      try write(Self.recording, to: input)
      let run = try ToolRun(["convert", input, out])
      #expect(run.status == 3 && run.errors.contains("walk.csv: refused"), "\(run.errors)")
      #expect(try names(in: out) == ["labels.csv", "walk.csv", "walk.gps.csv"])
      for name in try names(in: out) { #expect(try text(out + "/" + name) == "older") }
    }
  }

  @Test func labelsOfOtherRecordingsInTheFolderStay() throws {
    try withTemporaryFolder { folder in
      let out = folder.path + "/out"
      for (name, label) in [("a", "walking"), ("b", "sitting"), ("a", "running")] {
        let lines =
          "{\"recording\":\"\(name)\",\"subject\":\"s\",\"gyroscope\":false}\n"
          + "{\"t\":[0,0.01],\"ax\":[0,0],\"ay\":[0,0],\"az\":[9.8,9.8]}\n"
          + "{\"label\":\"\(label)\",\"start\":0,\"end\":0.01}\n"
        try write(lines, to: folder.path + "/in.ndjson")
        let run = try ToolRun(["convert", folder.path + "/in.ndjson", out])
        #expect(run.status == 0, "\(run.errors)")
      }
      #expect(
        try text(out + "/labels.csv")
          == "recording,subject,start,end,label\nb,s,0,0.01,sitting\na,s,0,0.01,running\n")
      #expect(try names(in: out) == ["a.csv.gz", "b.csv.gz", "labels.csv"])
    }
  }

  @Test func analyzeTrainAndReportDoNotReplaceTheirInputs() throws {
    try withTemporaryFolder { folder in
      let recording = folder.path + "/locate.csv"
      try write(Self.recording, to: recording)
      let analyze = try ToolRun(["analyze", recording, "--out", folder.path])
      #expect(analyze.status == 3 && analyze.errors.contains("is an input"))
      #expect(try text(recording) == Self.recording)
      let labels = folder.path + "/labels.csv"
      try write("recording,subject,start,end,label\n", to: labels)
      let train = try ToolRun(["train", "--dataset", folder.path, "--out", labels])
      #expect(train.status == 3 && train.errors.contains("is an input"))
      let twice = try ToolRun(
        ["train", "--dataset", folder.path, "--out", recording + "1", "--json", recording + "1"])
      #expect(twice.status == 3 && twice.errors.contains("two outputs"))
      #expect(try names(in: folder.path) == ["labels.csv", "locate.csv"])

      let store = folder.path + "/store"
      #expect(try RecordRun.record([RecordScript(seed: 1).line(0)], to: store).status == 0)
      let before = try Data(contentsOf: URL(fileURLWithPath: store))
      for output in [store, store + "-writer", store + "-wal"] {
        let report = try ToolRun(
          ["journal", "report", "--store", store, "--user", "ada", "--out", output])
        #expect(report.status == 2, "\(report.errors)")
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }
  }

  /// SIGINT and SIGHUP are handled alike, but may be ignored where the tests run.
  @Test func aStoppedConversionLeavesNothing() throws {
    try withTemporaryFolder { folder in
      let (input, out) = (folder.path + "/walk.csv", folder.path + "/out")
      try makeFolder(out)
      // Hours, which take seconds to compress.
      let hours = (0..<2_000_000).map { "\($0 / 100).\($0 / 10 % 10)\($0 % 10),\($0 % 977),0,9\n" }
      try write("t,ax,ay,az\n" + hours.joined(), to: input)
      let process = try conversion(from: input, to: out)
      #expect(try names(in: out).first?.hasSuffix(".partial") == true)
      kill(process.processIdentifier, SIGTERM)
      process.waitUntilExit()
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGTERM)
      #expect(try names(in: out).isEmpty)
    }
  }

  /// A process that converts for seconds, once it has begun to write beside what is there.
  private func conversion(
    from input: String, to out: String, _ environment: [String: String] = [:]
  ) throws -> Process {
    let before = try names(in: out)
    let process = Process()
    process.executableURL = ToolRun.program
    process.arguments = ["convert", input, out]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardError = FileHandle.nullDevice
    try process.run()
    let deadline = ContinuousClock.now + .seconds(30)
    while try Set(names(in: out)).subtracting(before).isEmpty, ContinuousClock.now < deadline {
      usleep(1_000)
    }
    return process
  }

  @Test func whatAKilledCommandLeavesIsPrivateAndTheNextOneRemovesIt() throws {
    try withTemporaryFolder { folder in
      let (input, out) = (folder.path + "/walk.csv", folder.path + "/out")
      let temporary = folder.path + "/temporary"
      for path in [out, temporary] { try makeFolder(path) }
      let hours = (0..<2_000_000).map { "\($0 / 100).\($0 / 10 % 10)\($0 % 10),\($0 % 977),0,9\n" }
      try write("t,ax,ay,az\n" + hours.joined(), to: input)
      let zip = folder.path + "/walk.zip"
      let pack =
        "import sys, zipfile; zipfile.ZipFile(sys.argv[1], 'w').write(sys.argv[2], 'walk.csv')"
      try Process.run(
        URL(fileURLWithPath: "/usr/bin/env"), arguments: ["python3", "-c", pack, zip, input]
      ).waitUntilExit()
      let environment = ["TMPDIR": temporary]
      for killing in [true, false] {
        let process = try conversion(from: zip, to: out, environment)
        let part = try #require(try names(in: out).first)
        let mode = try FileManager.default.attributesOfItem(atPath: out + "/" + part)[
          .posixPermissions]
        #expect(part.hasSuffix(".partial") && mode as? Int == 0o600)
        #expect(try names(in: temporary).count == 1)
        if killing {
          kill(process.processIdentifier, SIGKILL)
          process.waitUntilExit()
          #expect(try names(in: out) == [part])
          continue
        }
        // Beside one that runs, another one removes what was left, and nothing else.
        #expect(try names(in: out) == [part])
        let short = folder.path + "/short.csv"
        try write(Self.recording, to: short)
        let run = try ToolRun(
          ["convert", short, out + "/other.ndjson"], environment: environment)
        #expect(run.status == 0, "\(run.errors)")
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
      }
      #expect(try names(in: out) == ["other.ndjson", "walk.csv.gz"])
      #expect(try names(in: temporary).isEmpty)
      let mode = try FileManager.default.attributesOfItem(atPath: out + "/walk.csv.gz")[
        .posixPermissions]
      #expect(mode as? Int != 0o600)
    }
  }

  @Test func aClosedStandardOutputIsNotReplacedByAnotherFile() throws {
    try withTemporaryFolder { folder in
      let input = folder.path + "/walk.csv"
      try write(Self.recording, to: input)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = [
        "-c", "\"$0\" analyze \"$1\" --out \"$2\" >&- 2>&-", ToolRun.program.path, input,
        folder.path + "/out",
      ]
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 74)
      let located = try text(folder.path + "/out/locate.csv")
      #expect(located.split(separator: "\n").count == 1)
    }
  }
}
