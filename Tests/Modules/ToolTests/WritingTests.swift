import Foundation
import LocomotionReport
import SensorSimulator
import TestSupport
import Testing

/// The destinations of output: full disks, closed pipes, devices, links, and the text of numbers.
@Suite struct WritingTests {
  private let folder = ScratchFolder()

  private static let longRecording =
    "t,ax,ay,az\n" + (0..<400_000).map { "\(Double($0) / 20),0.1,0.2,9.8\n" }.joined()

  @Test func aReaderThatClosesThePipeIsNoError() throws {
    let path = try folder.write(Self.longRecording, to: "r.csv")
    // More than a pipe holds; the status is that of the program, not of head.
    let line = #"{ "$0" cadence "$1"; echo $? >&2; } | head -n 1"#
    #expect(try ToolRun(shell: line, path).errors == "0\n")
  }

  /// A device on which every write fails as on a full disk.
  private static let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")

  @Test(.enabled(if: hasFullDevice)) func aFullDiskIsReported() throws {
    let path = try folder.write("t,ax,ay,az\n0,0,0,9.8\n", to: "r.csv")
    try ToolRun(shell: #""$0" cadence "$1" > /dev/full"#, path)
      .expectRefusal(74, ["No space left"])
  }

  @Test func anUnwritableOutputIsRefusedBeforeTraining() throws {
    let dataset = try folder.makeDataset(of: "ada", "bob")
    let model = folder.path("model")
    for arguments in [
      ["--out", folder.path("none/model")], ["--out", folder.path],
      ["--out", model, "--report", folder.path],
      ["--out", model, "--windows", folder.path("none/windows")],
    ] {
      let run = try ToolRun(["train", "--dataset", dataset] + arguments)
      #expect(run.status == 74)
      // One line, without a summary of data sets, because none was read.
      #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: model))
    }
  }

  @Test func insufficientDataSetsAreRejectedWithTheReason() throws {
    let model = folder.path("model")
    let one = try folder.makeDataset(of: "ada")
    let alone = try ToolRun(["train", "--dataset", one, "--out", model])
    #expect(alone.status == 3 && alone.errors.contains("at least two people"))
    try folder.write("recording,subject,start,end,label\n", to: "set1/labels.csv")
    for arguments in [["train", "--out", model], ["evaluate"]] {
      let run = try ToolRun(arguments + ["--dataset", one])
      #expect(run.status == 3)
      #expect(run.errors.contains("no labelled window"), "\(run.errors)")
      #expect(run.output.isEmpty)
    }
  }

  @Test(arguments: [
    "-0.5", "0", "-3600.000000001", "0.000000001", "12.1234567", "1763683200.123456789",
    "1763683200", "-1763683200.25",
  ])
  func timesArePrintedAsTheyWereRead(time: String) throws {
    let path = try folder.write("t,lat,lon\n\(time),48,11\n", to: "r.gps.csv")
    let run = try ToolRun(["locate", path])
    #expect(run.lines.last?.hasPrefix(time + ",48.0") == true, "\(run.output)")
  }

  /// A punctuation mark with a combining accent is a different Character, but the same byte.
  @Test func textInATableIsQuotedDespiteCombiningAccents() throws {
    let name = "=\u{301}1,\u{301}\"\u{301}"
    let place = ["--lat", "48", "--lon", "11", "--name", name]
    try ToolRun.done(["places", "add"] + place + folder.own)
    let quoted = "0,\"'=\u{301}1,\u{301}\"\"\u{301}\",48"
    let list = try ToolRun(["places", "list"] + folder.own)
    #expect(Array(list.output.utf8).firstRange(of: Array(quoted.utf8)) != nil, "\(list.output)")
  }

  @Test func aCourseStaysBelow360() throws {
    var rows = "t,lat,lon,alt,hacc,speed,course\n"
    for second in 0..<300 {
      // Northward, and minimally to the west.
      rows +=
        "\(second),\(48 + Double(second) * 18e-5),11,,3,20,\(second % 2 == 0 ? 359.97 : 0)\n"
    }
    let run = try ToolRun(["locate", folder.write(rows, to: "r.gps.csv")])
    let courses = run.rows.compactMap { Double($0[6]) }
    #expect(courses.count > 250)
    #expect(courses.allSatisfy { (0..<360).contains($0) })
    #expect(courses.contains(0))
  }

  @Test func aRecordingShorterThanASecondHasAnEmptyTimeline() throws {
    let path = try folder.write("t,ax,ay,az\n5,0,0,9.8\n", to: "r.csv")
    #expect(try ToolRun(["timeline", path]).output == "{\"items\":[]}\n")
    let out = folder.path("out")
    for _ in 0..<2 {
      try ToolRun.done(["analyze", path, "--out", out])
    }
  }
}

/// No command destroys a file of the user.
@Suite struct OutputSafetyTests {
  private let folder = ScratchFolder()

  private static let rows = (0..<2_000).map { "\(Double($0) / 100),0.123456789,0.2,9.8\n" }
  private static let recording = "t,ax,ay,az\n" + rows.joined()

  /// Hours, which take seconds to compress.
  private func writeHours() throws -> String {
    let rows = (0..<2_000_000).map { "\($0 / 100).\($0 / 10 % 10)\($0 % 10),\($0 % 7),0,9\n" }
    return try folder.write("t,ax,ay,az\n" + rows.joined(), to: "walk.csv")
  }

  private func permissions(of name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
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
      try ToolRun.done(["convert", folder.write(lines, to: "in.ndjson"), out])
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

  /// A process that converts for seconds, once it has begun to write.
  private func conversion(from input: String) throws -> Process {
    let process = Process()
    process.executableURL = ToolRun.program
    process.arguments = ["convert", input, folder.path("out")]
    process.standardError = FileHandle.nullDevice
    try process.run()
    let deadline = ContinuousClock.now + .seconds(30)
    while try folder.names(in: "out").isEmpty, ContinuousClock.now < deadline { usleep(1_000) }
    return process
  }

  @Test func whatAKilledCommandLeavesIsPrivate() throws {
    try folder.makeFolder("out")
    let process = try conversion(from: writeHours())
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    let names = try folder.names(in: "out")
    #expect(try names.map { try permissions(of: "out/" + $0) } == [0o600])
    #expect(names.first?.hasPrefix(".") == true && names.first?.hasSuffix(".partial") == true)
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
