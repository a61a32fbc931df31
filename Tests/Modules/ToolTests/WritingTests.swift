import Foundation
import LocomotionRecordings
import LocomotionSensing
import SensorSimulator
import TestSupport
import Testing

/// The destinations of output: full disks, closed pipes, devices, links, and the text of numbers.
@Suite struct WritingTests {
  /// A data set in the tidy format in which each of `people` stands and walks.
  private func makeDataset(of people: [String], in folder: URL) throws -> String {
    let dataset = folder.appendingPathComponent("set")
    try FileManager.default.createDirectory(at: dataset, withIntermediateDirectories: true)
    var labels = "recording,subject,start,end,label\n"
    for (index, person) in people.enumerated() {
      var writer = try RecordingWriter(path: dataset.appendingPathComponent("\(person).csv").path)
      let recording = Scenario(seed: UInt64(index) + 70, start: Timestamp(nanoseconds: 0))
        .stand(.seconds(60)).walk(.seconds(60)).recording()
      for batch in recording.batches(everySeconds: 10) { try writer.write(batch) }
      try writer.close()
      labels += "\(person),\(person),2,58,standing\n\(person),\(person),65,115,walking\n"
    }
    try Data(labels.utf8).write(to: dataset.appendingPathComponent("labels.csv"))
    return dataset.path
  }

  private func makeRecording(_ content: String, kind: String, in folder: URL) throws -> String {
    let url = folder.appendingPathComponent("r\(kind).csv")
    try Data(content.utf8).write(to: url)
    return url.path
  }

  /// The exit status and the diagnostics of a shell command, in which $0 is the program.
  private func shell(_ line: String, _ arguments: String...) throws -> (status: Int32, text: String)
  {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", line, ToolRun.program.path] + arguments
    let messages = Pipe()
    process.standardError = messages
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let data = messages.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  private static let longRecording =
    "t,ax,ay,az\n" + (0..<400_000).map { "\(Double($0) / 20),0.1,0.2,9.8\n" }.joined()

  @Test func aReaderThatClosesThePipeIsNoError() throws {
    try withTemporaryFolder { folder in
      let path = try makeRecording(Self.longRecording, kind: "", in: folder)
      // More than a pipe holds; the status is that of the program, not of head.
      let line = #"{ "$0" cadence "$1"; echo $? >&2; } | head -n 1"#
      #expect(try shell(line, path).text == "0\n")
    }
  }

  /// A device on which every write fails as on a full disk.
  private static let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")

  @Test(.enabled(if: hasFullDevice)) func aFullDiskIsReported() throws {
    try withTemporaryFolder { folder in
      let path = try makeRecording("t,ax,ay,az\n0,0,0,9.8\n", kind: "", in: folder)
      let run = try shell(#""$0" cadence "$1" > /dev/full"#, path)
      #expect(run.status == 74)
      #expect(run.text.contains("No space left"))
      #expect(run.text.split(separator: "\n").count == 1)
    }
  }

  @Test(.enabled(if: hasFullDevice)) func aDeviceIsWrittenToAndNotReplaced() throws {
    try withTemporaryFolder { folder in
      let dataset = try makeDataset(of: ["ada", "bob"], in: folder)
      // A link to the device, so that a failure of this test cannot replace the device itself.
      let link = folder.appendingPathComponent("full").path
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: "/dev/full")
      let run = try ToolRun(["train", "--dataset", dataset, "--out", link])
      #expect(run.status == 74)
      #expect(run.errors.contains("No space left"))
      #expect(
        try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/full")
    }
  }

  @Test func anOutputThroughALinkKeepsTheLink() throws {
    try withTemporaryFolder { folder in
      let dataset = try makeDataset(of: ["ada", "bob"], in: folder)
      let link = folder.appendingPathComponent("newest").path
      let target = folder.appendingPathComponent("model").path
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
      let run = try ToolRun(["train", "--dataset", dataset, "--out", link])
      #expect(run.status == 0, "\(run.errors)")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
      #expect(FileManager.default.contents(atPath: target)?.isEmpty == false)
    }
  }

  @Test func anUnwritableOutputIsRefusedBeforeTraining() throws {
    try withTemporaryFolder { folder in
      let dataset = try makeDataset(of: ["ada", "bob"], in: folder)
      let model = folder.appendingPathComponent("model").path
      for arguments in [
        ["--out", folder.path + "/none/model"], ["--out", folder.path],
        ["--out", model, "--report", folder.path],
        ["--out", model, "--windows", folder.path + "/none/windows"],
      ] {
        let run = try ToolRun(["train", "--dataset", dataset] + arguments)
        #expect(run.status == 74)
        // One line, without a summary of data sets, because none was read.
        #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: model))
      }
    }
  }

  @Test func insufficientDataSetsAreRejectedWithTheReason() throws {
    try withTemporaryFolder { folder in
      let model = folder.appendingPathComponent("model").path
      let one = try makeDataset(of: ["ada"], in: folder)
      let alone = try ToolRun(["train", "--dataset", one, "--out", model])
      #expect(alone.status == 3)
      #expect(alone.errors.contains("at least two people"))
      try Data("recording,subject,start,end,label\n".utf8)
        .write(to: URL(fileURLWithPath: one + "/labels.csv"))
      for arguments in [["train", "--out", model], ["evaluate"]] {
        let run = try ToolRun(arguments + ["--dataset", one])
        #expect(run.status == 3)
        #expect(run.errors.contains("no labelled window"), "\(run.errors)")
        #expect(run.output.isEmpty)
      }
    }
  }

  @Test(arguments: [
    "-0.5", "0", "-3600.000000001", "0.000000001", "12.1234567", "1763683200.123456789",
    "1763683200", "-1763683200.25",
  ])
  func timesArePrintedAsTheyWereRead(time: String) throws {
    try withTemporaryFolder { folder in
      let path = try makeRecording("t,lat,lon\n\(time),48,11\n", kind: ".gps", in: folder)
      let run = try ToolRun(["locate", path])
      #expect(run.lines.last?.hasPrefix(time + ",48.0") == true, "\(run.output)")
    }
  }

  /// A punctuation mark with a combining accent is a different Character, but the same byte.
  @Test func textInATableIsQuotedDespiteCombiningAccents() throws {
    try withTemporaryFolder { folder in
      let place = ["--store", folder.path + "/journal", "--user", "ada"]
      let name = "=\u{301}1,\u{301}\"\u{301}"
      let added = try ToolRun(
        ["places", "add", "--lat", "48", "--lon", "11", "--name", name] + place)
      #expect(added.status == 0, "\(added.errors)")
      let quoted = "0,\"'=\u{301}1,\u{301}\"\"\u{301}\",48"
      let list = try ToolRun(["places", "list"] + place)
      #expect(Array(list.output.utf8).firstRange(of: Array(quoted.utf8)) != nil, "\(list.output)")
    }
  }

  @Test func aCourseStaysBelow360() throws {
    try withTemporaryFolder { folder in
      var rows = "t,lat,lon,alt,hacc,speed,course\n"
      for second in 0..<300 {
        // Northward, and minimally to the west.
        rows +=
          "\(second),\(48 + Double(second) * 18e-5),11,,3,20,\(second % 2 == 0 ? 359.97 : 0)\n"
      }
      let run = try ToolRun(["locate", try makeRecording(rows, kind: ".gps", in: folder)])
      let courses = run.lines.dropFirst().compactMap {
        Double(String($0.split(separator: ",", omittingEmptySubsequences: false)[6]))
      }
      #expect(courses.count > 250)
      #expect(courses.allSatisfy { (0..<360).contains($0) })
      #expect(courses.contains(0))
    }
  }

  @Test func aRecordingShorterThanASecondHasAnEmptyTimeline() throws {
    try withTemporaryFolder { folder in
      let path = try makeRecording("t,ax,ay,az\n5,0,0,9.8\n", kind: "", in: folder)
      #expect(try ToolRun(["timeline", path]).output == "{\"items\":[]}\n")
      let out = folder.appendingPathComponent("out").path
      for _ in 0..<2 {
        let run = try ToolRun(["analyze", path, "--out", out])
        #expect(run.status == 0, "\(run.errors)")
      }
    }
  }

  @Test func oneWrongTimeInAFileLosesOneRow() throws {
    try withTemporaryFolder { folder in
      func recording(_ name: String, wrongFix: Int?, wrongAcceleration: Int?) throws -> String {
        var fixes = "t,lat,lon,alt,hacc,speed,course\n"
        for second in 0..<120 {
          let time = Double(second) + (second == wrongFix ? 3_600.5 : 0.5)
          fixes += "\(time),\(48 + Double(second) * 12e-6),11,,5,1.3,0\n"
        }
        var rows = "t,ax,ay,az\n"
        for index in 0..<12_000 {
          let time = Double(index) / 100
          let phase = 2 * Double.pi * 1.9 * time
          rows += "\(time + (index == wrongAcceleration ? 3_600 : 0)),\(2 * sin(phase / 2)),0,"
          rows += "\(9.81 + 3 * cos(phase))\n"
        }
        _ = try makeRecording(fixes, kind: name + ".gps", in: folder)
        return try makeRecording(rows, kind: name, in: folder)
      }
      func steps(_ path: String) throws -> (rows: Int, sum: Double) {
        let fields = try ToolRun(["cadence", path]).lines.dropFirst().map {
          $0.split(separator: ",")
        }
        return (fields.count, fields.reduce(0) { $0 + (Double(String($1.last ?? "")) ?? .nan) })
      }
      let whole = try steps(recording("a", wrongFix: nil, wrongAcceleration: nil))
      #expect(whole.rows == 120)
      for (fix, acceleration) in [(40, nil), (nil, 4_020)] as [(Int?, Int?)] {
        let path = try recording("b", wrongFix: fix, wrongAcceleration: acceleration)
        let damaged = try steps(path)
        #expect(damaged.rows == whole.rows)
        #expect(abs(damaged.sum - whole.sum) < 0.5)
        let statuses = try ToolRun(["locate", path]).lines.dropFirst()
        #expect(statuses.dropLast().allSatisfy { $0.contains(",used,") })
      }
    }
  }

  @Test func disorderedRepeatedAndFutureFixesGetOneRowEach() throws {
    try withTemporaryFolder { folder in
      var rows = "t,lat,lon,alt,hacc,speed,course\n"
      let times = (0..<60).map(Double.init) + [59, 30, 4_000, 60, 61, 62, 63]
      for time in times { rows += "\(time),48,11,,5,0,\n" }
      _ = try makeRecording(rows, kind: ".gps", in: folder)
      let path = try makeRecording(
        "t,ax,ay,az\n" + (0..<6_600).map { "\(Double($0) / 100),0,0.1,9.8\n" }.joined(), kind: "",
        in: folder)
      for mode in ["live", "lagged", "smoothed"] {
        let run = try ToolRun(["locate", path, "--mode", mode])
        let printed = run.lines.dropFirst().compactMap {
          Double(String($0.split(separator: ",")[0]))
        }
        #expect(printed.sorted() == times.sorted())
      }
    }
  }
}
