import Foundation
import LocomotionReport
import TestSupport
import Testing

/// `record` stores what it acknowledges, and `journal` exports it.
@Suite struct RecordTests {
  @Test func recordedDataAreExportedExactly() throws {
    try withTemporaryFolder { folder in
      let store = folder.appendingPathComponent("journal").path
      let script = RecordScript(seed: 1)
      let run = try RecordRun(store: store, user: "ada")
      for number in 0..<12 { try run.send(script.line(number)) }
      try run.send("{\"t\":[1,2],\"ax\":[0,1],\"ay\":[0,1]}")
      try run.send("{\"t\":[1,\"soon\"]}")
      try run.send("garbage")
      try run.send("{\"fixes\":[{\"t\":1,\"lat\":91,\"lon\":0}]}")
      try run.send(script.line(12))
      let end = try run.finish()
      #expect(end.status == 0)
      #expect(end.acknowledged.last == "{\"acknowledged_samples\":325,\"acknowledged_fixes\":5}")
      #expect(end.acknowledged.count == 13)
      for words in [
        "input:13: az: expected an array of 2 numbers, found none",
        "input:14: t[1]: expected a number within ±1.8e308, null or NaN, found \"soon\"",
        "input:15: byte 1: expected '{', found g",
        "input:16: fixes[0].lat: expected degrees within ±90",
      ] {
        #expect(end.errors.contains(words), "\(end.errors)")
      }
      let export = try ToolRun(["journal", "export", "--store", store, "--user", "ada"])
      #expect(export.lines.first.map(String.init) == RecordScript.header)
      #expect(export.lines.dropFirst().map { String($0) } == (0...12).flatMap(script.rows))

      // Exported lines can be recorded again, with the same export.
      let lines = try ToolRun(
        ["journal", "export", "--store", store, "--user", "ada", "--format", "ndjson"])
      let copy = try RecordRun(store: store, user: "bob")
      for line in lines.lines { try copy.send(String(line)) }
      #expect(try copy.finish().acknowledged.last == end.acknowledged.last)
      for format in ["csv", "ndjson"] {
        let outputs = try ["ada", "bob"].map { user in
          try ToolRun(
            ["journal", "export", "--store", store, "--user", user, "--format", format]
          ).output
        }
        #expect(outputs[0] == outputs[1])
      }

      let list = try ToolRun(["journal", "list", "--store", store, "--user", "ada"])
      #expect(list.lines.count == 2)
      #expect(list.lines[1].hasPrefix("0,stopped,unknown,1000,1012.24,1,325,5,"))
      let check = try ToolRun(["journal", "check", "--store", store, "--user", "ada"])
      #expect(check.status == 0 && check.output.hasPrefix("sound: 2 users, 650 samples, 10 fixes"))
      #expect(try ToolRun(["journal", "vacuum", "--store", store]).status == 0)
      #expect(try ToolRun(["journal", "erase", "--store", store, "--user", "ada"]).status == 0)
      let gone = try ToolRun(["journal", "export", "--store", store, "--user", "ada"])
      #expect(gone.status == 3 && gone.output.isEmpty)
      let left = try ToolRun(["journal", "export", "--store", store, "--user", "bob"])
      #expect(left.lines.count == 326)
    }
  }

  @Test func aRunWithoutAnAcceptedLineIsRejected() throws {
    try withTemporaryFolder { folder in
      let store = folder.appendingPathComponent("journal").path
      for line in [
        "garbage", "{\"t\":[1],\"ax\":[1],\"ay\":[1],\"az\":[1e999]}",
        "{\"t\":[1],\"ax\":[-1e999],\"ay\":[1],\"az\":[1]}", "{\"t\":[1e999]}",
        "{\"t\":[1],\"ax\":[inf],\"ay\":[1],\"az\":[1]}",
      ] {
        let end = try RecordRun.record([line], to: store)
        #expect(end.status == 3 && end.acknowledged.isEmpty, "\(line)")
        #expect(end.errors.contains("all 1 lines were refused"))
      }
      let empty = try RecordRun(store: store, user: "ada")
      #expect(try empty.finish().status == 0)
      #expect(
        try RecordRun.record(["{\"t\":[1],\"ax\":[null],\"ay\":[NaN],\"az\":[1]}"], to: store)
          .status == 0)
      let export = try ToolRun(["journal", "export", "--store", store, "--user", "ada"])
      #expect(export.output == "t,ax,ay,az\n1,,,1.0\n")
    }
  }

  @Test(arguments: [">&-", "| true"])
  func acknowledgementsThatCannotBeWrittenAreAnError(redirection: String) throws {
    try withTemporaryFolder { folder in
      let store = folder.appendingPathComponent("journal").path
      let line = #"{"t":[1],"ax":[1],"ay":[1],"az":[1]}"#
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      // The reader has certainly ended when the second line comes.
      let script =
        "{ for i in 1 2 3; do echo '\(line)'; sleep .2; done; } | "
        + "{ \"$0\" record --store \"$1\" --user ada; echo $? >\"$1.status\"; } \(redirection)"
      process.arguments = ["-c", script, ToolRun.program.path, store]
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(try String(contentsOfFile: store + ".status", encoding: .utf8) == "74\n")
      let check = try ToolRun(["journal", "check", "--store", store])
      #expect(check.status == 0)
    }
  }

  /// Records lines and exports them; recording the exported lines must give the same export.
  private func exports(of lines: [String]) throws -> (csv: [String], lines: [String]) {
    try withTemporaryFolder { folder in
      let store = folder.appendingPathComponent("journal").path
      func record(_ lines: [String], _ user: String) throws {
        let end = try RecordRun.record(lines, to: store, user: user)
        #expect(end.status == 0 && !end.errors.contains("refused"), "\(end.errors)")
      }
      func export(_ format: String, _ user: String) throws -> [String] {
        try ToolRun(["journal", "export", "--store", store, "--user", user, "--format", format])
          .lines.map(String.init)
      }
      try record(lines, "ada")
      let (csv, ndjson) = (try export("csv", "ada"), try export("ndjson", "ada"))
      try record(ndjson, "bob")
      #expect(try export("csv", "bob") == csv)
      #expect(try export("ndjson", "bob") == ndjson)
      return (csv, ndjson)
    }
  }

  @Test func rotationRatesAtOtherTimesAreExportedInSeparateRows() throws {
    let (csv, lines) = try exports(of: [
      "{\"t\":[1,2,3],\"ax\":[1,null,3],\"ay\":[0,0,0],\"az\":[-0.0,9,9]}",
      "{\"t\":[0.5,2,2.5],\"gx\":[7,8,9],\"gy\":[0,null,0],\"gz\":[0.1,1e-300,-0.0]}",
    ])
    #expect(
      csv == [
        "t,ax,ay,az,gx,gy,gz", "0.5,,,,7.0,0.0,0.1", "1,1.0,0.0,-0.0,,,",
        "2,,0.0,9.0,8.0,,1e-300", "2.5,,,,9.0,0.0,-0.0", "3,3.0,0.0,9.0,,,",
      ])
    #expect(lines.count == 2 && lines[1].contains("\"gx\":[7.0,8.0,9.0]"))
  }

  @Test func recordingsOfRotationRatesAloneAreExported() throws {
    let (csv, lines) = try exports(of: [
      "{\"t\":[2,1],\"gx\":[7,8],\"gy\":[0,0],\"gz\":[0,1]}"
    ])
    // The order of recording, which is not time order.
    #expect(csv == ["t,ax,ay,az,gx,gy,gz", "2,,,,7.0,0.0,0.0", "1,,,,8.0,0.0,1.0"])
    #expect(lines == ["{\"t\":[2,1],\"gx\":[7.0,8.0],\"gy\":[0.0,0.0],\"gz\":[0.0,1.0]}"])
  }

  @Test func pressuresAreExportedInTheRowOfTheirTime() throws {
    let (csv, lines) = try exports(of: [
      "{\"t\":[1,2],\"ax\":[1,2],\"ay\":[0,0],\"az\":[9,9],\"pressure\":[1000.25,null]}",
      "{\"t\":[1.5,2.5],\"pressure\":[1000.5,1e3]}",
    ])
    #expect(
      csv == [
        "t,ax,ay,az,pressure", "1,1.0,0.0,9.0,1000.25", "1.5,,,,1000.5",
        "2,2.0,0.0,9.0,", "2.5,,,,1000.0",
      ])
    let times = "[1,1.5,2.5]"
    #expect(lines.last == "{\"t\":\(times),\"pressure\":[1000.25,1000.5,1000.0]}")
  }

  @Test func withoutRotationRatesTheExportHasNoColumnsForThem() throws {
    let (csv, lines) = try exports(of: [
      "{\"t\":[1,1,0],\"ax\":[1,2,3],\"ay\":[0,0,0],\"az\":[0,0,0]}"
    ])
    #expect(csv == ["t,ax,ay,az", "1,1.0,0.0,0.0", "1,2.0,0.0,0.0", "0,3.0,0.0,0.0"])
    #expect(lines.count == 1 && !lines[0].contains("g"))
  }

  @Test func disorderedAndRepeatedTimesOfBothSensorsSurviveTheRoundTrip() throws {
    var random = SplitMix64(seed: 5)
    let recorded = (0..<40).map { number in
      // A clock that jumps, repeats, and differs between the sensors.
      let isBoth = number % 3 == 0
      func series(_ names: [String]) -> String {
        let times = (0..<97).map { _ in "\(random.next() % 50)" }
        let columns = names.map { name in
          let values = times.map { _ in random.next() % 9 == 0 ? "null" : "\(random.nextNormal())" }
          return "\"\(name)\":[\(values.joined(separator: ","))]"
        }
        return "{\"t\":[\(times.joined(separator: ","))],\(columns.joined(separator: ","))}"
      }
      return series(
        isBoth
          ? ["ax", "ay", "az", "gx", "gy", "gz"]
          : number % 3 == 1 ? ["ax", "ay", "az"] : ["gx", "gy", "gz"])
    }
    _ = try exports(of: recorded)
  }

  @Test func aReportDoesNotOverwriteTheJournal() throws {
    try withTemporaryFolder { folder in
      let store = folder.appendingPathComponent("journal").path
      try RecordRun.record(JournalDayTests.lines(), to: store)
      let link = folder.appendingPathComponent("link").path
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store)
      let before = FileManager.default.contents(atPath: store)
      for (from, out) in [
        (store, store), (store, link), (link, store),
        (
          store,
          folder.path + "/../"
            + folder.lastPathComponent + "/journal"
        ), (store, store + "-wal"),
      ] {
        let report = try ToolRun(
          ["journal", "report", "--store", from, "--user", "ada", "--out", out])
        #expect(report.status == 2, "\(out)")
      }
      #expect(FileManager.default.contents(atPath: store) == before)
    }
  }

  @Test(.enabled(if: geteuid() != 0, "who may do everything has no folder that is read-only"))
  func aJournalInAReadOnlyFolderCanBeRead() throws {
    try withTemporaryFolder { folder in
      let store = folder.appendingPathComponent("a%b?c#d").path
      try RecordRun.record([RecordScript(seed: 1).line(0)], to: store)
      let files = FileManager.default
      try files.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path)
      defer { try? files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path) }
      let export = try ToolRun(["journal", "export", "--store", store, "--user", "ada"])
      #expect(export.status == 0 && export.lines.count == 26, "\(export.errors)")
      #expect(try ToolRun(["journal", "check", "--store", store]).status == 0)
    }
  }

  @Test func anArgumentOfInvalidUTF8IsRefused() throws {
    try withTemporaryFolder { folder in
      let store = folder.appendingPathComponent("journal").path
      for byte in [#"\377"#, #"\376"#] {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
          "-c", "exec \"$1\" record --store \"$2\" --user \"$(printf 'ada\(byte)')\"", "sh",
          ToolRun.program.path, store,
        ]
        shell.standardInput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 2)
      }
      #expect(!FileManager.default.fileExists(atPath: store))
    }
  }

  @Test func aRefusedPlaceCreatesNoJournal() throws {
    try withTemporaryFolder { folder in
      let store = folder.appendingPathComponent("journal").path
      let add = ["places", "add", "--store", store, "--lat", "1", "--lon", "1"]
      let long = String(repeating: "a", count: 2_000)
      for rest in [
        ["--user", "a\u{1}"], ["--user", "a\u{FFFD}"], ["--user", "ada", "--name", long],
      ] {
        let run = try ToolRun(add + rest)
        #expect(run.status == 3)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  }

  @Test func checkReportsADamagedStore() throws {
    try withTemporaryFolder { folder in
      let store = folder.appendingPathComponent("journal").path
      try RecordRun.record((0..<200).map(RecordScript(seed: 1).line), to: store)
      var bytes = try Data(contentsOf: URL(fileURLWithPath: store))
      let letters = try #require(bytes.range(of: Data("LJB1".utf8)))
      bytes[letters.upperBound + 40] ^= 1
      try bytes.write(to: URL(fileURLWithPath: store))
      let check = try ToolRun(["journal", "check", "--store", store, "--user", "ada"])
      #expect(check.status == 3)
      #expect(check.output.contains("user 1: a block of samples"))
      #expect(check.errors.contains("damaged"))
      let export = try ToolRun(["journal", "export", "--store", store, "--user", "ada"])
      #expect(export.status == 3)
    }
  }

  /// A store whose recorder was killed, so that it has a write-ahead log.
  private func killedStore(in folder: URL) throws -> String {
    let store = folder.appendingPathComponent("journal").path
    let run = try RecordRun(store: store, user: "ada")
    for number in 0..<40 { try run.send(RecordScript(seed: 1).line(number)) }
    for _ in 0..<40 { _ = run.nextAcknowledgement() }
    #expect(try run.kill().samplesAcknowledged == 1_000)
    return store
  }

  private func change(_ path: String, _ body: (inout Data) -> Void) throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    body(&bytes)
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  @Test func salvagePrintsItsResultAndFailsWhenDataAreLost() throws {
    try withTemporaryFolder { folder in
      let store = try killedStore(in: folder)
      let new = folder.appendingPathComponent("new").path
      let salvage = ["journal", "salvage", "--store", store, "--to"]
      let restored = try ToolRun(salvage + [new])
      #expect(restored.status == 0, "\(restored.errors)")
      #expect(
        restored.output.hasPrefix("kept: 1 users, 1000 samples, 500 rotation rates, 14 fixes"))
      let export = try ToolRun(["journal", "export", "--store", new, "--user", "ada"])
      let expected = (0..<40).flatMap { RecordScript(seed: 1).rows($0) }
      #expect(export.lines.dropFirst().map { String($0) } == expected)
      // The new journal must not exist, nor be the store itself.
      for target in [new, store] {
        let refused = try ToolRun(salvage + [target])
        #expect(refused.status == 3 && refused.errors.contains("a file is in the way"))
      }
      #expect(try ToolRun(salvage + [folder.path + "/none/new"]).status == 3)
      let none = try ToolRun(["journal", "salvage", "--store", new + "-none", "--to", new + "-2"])
      #expect(none.status == 74)
      // Every block, once the log is in the file: samples are lost.
      #expect(try ToolRun(["journal", "vacuum", "--store", store]).status == 0)
      try change(store) { file in
        while let letters = file.range(of: Data("LJB1".utf8)) { file[letters.lowerBound] = 0 }
      }
      let lost = try ToolRun(salvage + [new + "-3"])
      #expect(lost.status == 3 && lost.errors.contains("something is lost"))
      #expect(lost.output.hasPrefix("kept: 1 users, 0 samples"))
      #expect(lost.output.contains(" samples are lost\n"))
      #expect(lost.output.contains("gap: user 1: "))
    }
  }

  @Test func aFullDiskLeavesNoPartialSalvagedJournal() throws {
    try withTemporaryFolder { folder in
      let store = try killedStore(in: folder)
      let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      let shell = Process()
      shell.executableURL = URL(fileURLWithPath: "/bin/sh")
      // With the shell's limit for the size of files: 32 KiB.
      shell.arguments = [
        "-c", "ulimit -f 64; exec \"$1\" journal salvage --store \"$2\" --to \"$2-new\"", "sh",
        ToolRun.program.path, store,
      ]
      shell.standardError = FileHandle.nullDevice
      try shell.run()
      shell.waitUntilExit()
      #expect(shell.terminationReason == .exit && shell.terminationStatus == 74)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
    }
  }

  @Test func anIncompleteTransactionIsUndone() throws {
    try withTemporaryFolder { folder in
      let store = try killedStore(in: folder)
      // A frame, and a part of one.
      for length in [24 + 4_096, 10] {
        try change(store + "-wal") { $0.removeLast(length) }
        let check = try ToolRun(["journal", "check", "--store", store])
        #expect(check.status == 0 && check.output.contains("sound: 1 users, 975 samples"))
      }
    }
  }

  @Test func aSecondRecorderIsRefused() throws {
    try withTemporaryFolder { folder in
      let store = folder.appendingPathComponent("journal").path
      let first = try RecordRun(store: store, user: "ada")
      try first.send(RecordScript(seed: 1).line(0))
      #expect(first.nextAcknowledgement() != nil)
      let second = try RecordRun(store: store, user: "bob")
      let end = try second.finish()
      #expect(end.status == 74)
      #expect(end.errors.contains("another writer"))
      try first.send(RecordScript(seed: 1).line(1))
      #expect(try first.finish().status == 0)
    }
  }

  @Test func aFullDiskIsReportedAndNothingAcknowledgedIsLost() throws {
    try withTemporaryFolder { folder in
      let store = folder.appendingPathComponent("journal").path
      let script = RecordScript(seed: 2)
      // The shell limits the size of files, which for this process is a full disk.
      let run = try RecordRun(store: store, user: "ada", blocksOfHalfAKilobyte: 320)
      for number in 0..<300 { try run.send(script.line(number)) }
      let end = try run.finish()
      #expect(end.status == 74)
      #expect(end.errors.contains("not saved"))
      let acknowledged = end.samplesAcknowledged
      #expect(acknowledged > 0 && acknowledged < 300 * 25)
      let next = try RecordRun(store: store, user: "ada")
      for number in acknowledged / 25..<300 { try next.send(script.line(number)) }
      #expect(try next.finish().samplesAcknowledged == 300 * 25 - acknowledged)
      let export = try ToolRun(["journal", "export", "--store", store, "--user", "ada"])
      #expect(export.lines.dropFirst().map { String($0) } == (0..<300).flatMap(script.rows))
    }
  }
}

/// Kills `record` at random moments; `LOCOMOTION_KILLS` gives the number.
@Suite struct RecordKillTests {
  @Test func aKilledRecorderLosesNothingAcknowledged() throws {
    let environment = ProcessInfo.processInfo.environment
    let kills = environment["LOCOMOTION_KILLS"].flatMap { Int($0) } ?? 50
    var random = SplitMix64(seed: environment["LOCOMOTION_SEED"].flatMap { UInt64($0) } ?? 1)
    var (lost, torn, unacknowledged) = (0, 0, 0)
    var slowest = 0.0
    try withTemporaryFolder { folder in
      // One store for many kills, so that opening repairs the state after the kill before.
      var store = ""
      var kept: [String] = []
      var sent = 0
      for kill in 0..<kills {
        if kill % 25 == 0 {
          store = folder.appendingPathComponent("journal-\(kill)").path
          kept = []
          sent = 0
        }
        let script = RecordScript(seed: UInt64(kill))
        let run = try RecordRun(store: store, user: "ada")
        let limit = 1 + Int(random.next() % 40)
        let pause = UInt32(random.next() % 12_000)
        for number in sent..<sent + limit { try run.send(script.line(number)) }
        // Somewhere between the first lines and long after the last.
        for _ in 0..<random.next() % UInt64(limit + 1) { _ = run.nextAcknowledgement() }
        usleep(pause)
        let end = try run.kill()
        let start = ContinuousClock.now
        let export = try ToolRun(["journal", "export", "--store", store, "--user", "ada"])
        let seconds = Double((ContinuousClock.now - start).components.attoseconds) * 1e-18
        slowest = max(slowest, seconds)
        // A process killed before it added the user has stored nothing.
        let rows = export.lines.dropFirst().map(String.init)
        #expect(export.status == 0 || end.samplesAcknowledged == 0, "\(export.errors)")
        guard export.status == 0 else { continue }
        let new = rows.count - kept.count
        let expected = kept + (sent..<sent + limit).flatMap(script.rows)
        lost += max(0, end.samplesAcknowledged - new)
        if new % 25 != 0 || rows != Array(expected.prefix(rows.count)) { torn += 1 }
        unacknowledged += max(0, new - end.samplesAcknowledged) / 25
        kept = rows
        sent += limit
        if kill % 5 == 0 {
          #expect(try ToolRun(["journal", "check", "--store", store]).status == 0)
        }
      }
    }
    #expect(lost == 0)
    #expect(torn == 0)
    print(
      "\(kills) kills: \(lost) acknowledged samples lost, \(torn) torn batches, \(unacknowledged) "
        + "batches kept before they were acknowledged, slowest opening and export \(slowest) s")
  }
}
