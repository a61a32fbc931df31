import Foundation
import LocomotionReport
import TestSupport
import Testing

/// `record` stores what it acknowledges, and `journal` exports it.
@Suite struct RecordTests {
  private let folder = ScratchFolder()

  @Test func recordedDataAreExportedExactly() throws {
    let script = RecordScript(seed: 1)
    let refused = [
      #"{"t":[1,2],"ax":[0,1],"ay":[0,1]}"#, #"{"t":[1,"soon"]}"#, "garbage",
      #"{"fixes":[{"t":1,"lat":91,"lon":0}]}"#,
    ]
    let end = try folder.record((0..<12).map(script.line) + refused + [script.line(12)])
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
    let export = try folder.journal("export")
    #expect(export.lines.first.map(String.init) == RecordScript.header)
    #expect(export.lines.dropFirst().map { String($0) } == (0...12).flatMap(script.rows))

    // Exported lines can be recorded again, with the same export.
    let lines = try folder.journal("export", ["--format", "ndjson"]).lines.map(String.init)
    let copy = try folder.record(lines, user: "bob")
    #expect(copy.acknowledged.last == end.acknowledged.last)
    for format in ["csv", "ndjson"] {
      let outputs = try ["ada", "bob"].map { user in
        try folder.journal("export", ["--format", format], user: user).output
      }
      #expect(outputs[0] == outputs[1])
    }

    let list = try folder.journal("list")
    #expect(list.lines.count == 2)
    #expect(list.lines[1].hasPrefix("0,stopped,unknown,1000,1012.24,1,325,5,"))
    let check = try folder.journal("check")
    #expect(check.status == 0 && check.output.hasPrefix("sound: 2 users, 650 samples, 10 fixes"))
    #expect(try ToolRun(["journal", "vacuum", "--store", folder.store]).status == 0)
    #expect(try folder.journal("erase").status == 0)
    let gone = try folder.journal("export")
    #expect(gone.status == 3 && gone.output.isEmpty)
    #expect(try folder.journal("export", user: "bob").lines.count == 326)
  }

  @Test func aRunWithoutAnAcceptedLineIsRejected() throws {
    for line in [
      "garbage", "{\"t\":[1],\"ax\":[1],\"ay\":[1],\"az\":[1e999]}",
      "{\"t\":[1],\"ax\":[-1e999],\"ay\":[1],\"az\":[1]}", "{\"t\":[1e999]}",
      "{\"t\":[1],\"ax\":[inf],\"ay\":[1],\"az\":[1]}",
    ] {
      let end = try folder.record([line])
      #expect(end.status == 3 && end.acknowledged.isEmpty, "\(line)")
      #expect(end.errors.contains("all 1 lines were refused"))
    }
    #expect(try folder.record([]).status == 0)
    let missing = #"{"t":[1],"ax":[null],"ay":[NaN],"az":[1]}"#
    #expect(try folder.record([missing]).status == 0)
    let export = try folder.journal("export")
    #expect(export.output == "t,ax,ay,az\n1,,,1.0\n")
  }

  @Test(arguments: [">&-", "| true"])
  func acknowledgementsThatCannotBeWrittenAreAnError(redirection: String) throws {
    let line = #"{"t":[1],"ax":[1],"ay":[1],"az":[1]}"#
    // The reader has certainly ended when the second line comes.
    let script =
      "{ for i in 1 2 3; do echo '\(line)'; sleep .2; done; } | "
      + "{ \"$0\" record --store \"$1\" --user ada; echo $? >\"$1.status\"; } \(redirection)"
    _ = try ToolRun(shell: script, folder.store)
    #expect(try folder.text("journal.status") == "74\n")
    #expect(try ToolRun(["journal", "check", "--store", folder.store]).status == 0)
  }

  /// Records lines and exports them; recording the exported lines must give the same export.
  private func exports(of lines: [String]) throws -> (csv: [String], lines: [String]) {
    func record(_ lines: [String], _ user: String) throws {
      let end = try folder.record(lines, user: user)
      #expect(end.status == 0 && !end.errors.contains("refused"), "\(end.errors)")
    }
    func export(_ format: String, _ user: String) throws -> [String] {
      try folder.journal("export", ["--format", format], user: user).lines.map(String.init)
    }
    try record(lines, "ada")
    let (csv, ndjson) = (try export("csv", "ada"), try export("ndjson", "ada"))
    try record(ndjson, "bob")
    #expect(try export("csv", "bob") == csv)
    #expect(try export("ndjson", "bob") == ndjson)
    #expect(ndjson.first?.hasPrefix(#"{"journal":1,"#) == true)
    return (csv, ndjson.map { $0.replacing(#""journal":1,"#, with: "") })
  }

  @Test(arguments: [
    // Rotation rates at other times are in rows of their own.
    (
      [
        #"{"t":[1,2,3],"ax":[1,null,3],"ay":[0,0,0],"az":[-0.0,9,9]}"#,
        #"{"t":[0.5,2,2.5],"gx":[7,8,9],"gy":[0,null,0],"gz":[0.1,1e-300,-0.0]}"#,
      ],
      [
        "t,ax,ay,az,gx,gy,gz", "0.5,,,,7.0,0.0,0.1", "1,1.0,0.0,-0.0,,,",
        "2,,0.0,9.0,8.0,,1e-300", "2.5,,,,9.0,0.0,-0.0", "3,3.0,0.0,9.0,,,",
      ], 2, #""gx":[7.0,8.0,9.0]"#
    ),
    // Rotation rates alone, in the order of recording, which is not that of time.
    (
      [#"{"t":[2,1],"gx":[7,8],"gy":[0,0],"gz":[0,1]}"#],
      ["t,ax,ay,az,gx,gy,gz", "2,,,,7.0,0.0,0.0", "1,,,,8.0,0.0,1.0"], 1,
      #"{"t":[2,1],"gx":[7.0,8.0],"gy":[0.0,0.0],"gz":[0.0,1.0]}"#
    ),
    // Pressures are in the row of their time.
    (
      [
        #"{"t":[1,2],"ax":[1,2],"ay":[0,0],"az":[9,9],"pressure":[1000.25,null]}"#,
        #"{"t":[1.5,2.5],"pressure":[1000.5,1e3]}"#,
      ],
      [
        "t,ax,ay,az,pressure", "1,1.0,0.0,9.0,1000.25", "1.5,,,,1000.5", "2,2.0,0.0,9.0,",
        "2.5,,,,1000.0",
      ], 2, #"{"t":[1,1.5,2.5],"pressure":[1000.25,1000.5,1000.0]}"#
    ),
    // Without rotation rates there are no columns for them.
    (
      [#"{"t":[1,1,0],"ax":[1,2,3],"ay":[0,0,0],"az":[0,0,0]}"#],
      ["t,ax,ay,az", "1,1.0,0.0,0.0", "1,2.0,0.0,0.0", "0,3.0,0.0,0.0"], 1,
      #"{"t":[1,1,0],"ax":[1.0,2.0,3.0],"ay":[0.0,0.0,0.0],"az":[0.0,0.0,0.0]}"#
    ),
  ])
  func sensorsAreExportedInTheRowsOfTheirTimes(
    recorded: [String], csv: [String], count: Int, end: String
  ) throws {
    let found = try exports(of: recorded)
    #expect(found.csv == csv)
    #expect(found.lines.count == count && found.lines.last?.contains(end) == true)
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
    try folder.record(JournalDayTests.lines())
    let store = folder.store
    let link = folder.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store)
    let before = try folder.data("journal")
    let around = folder.path("../\(folder.url.lastPathComponent)/journal")
    for (from, out) in [
      (store, store), (store, link), (link, store), (store, around), (store, store + "-wal"),
      (store, store + "-writer"),
    ] {
      let report = try ToolRun(
        ["journal", "report", "--store", from, "--user", "ada", "--out", out])
      #expect(report.status == 2, "\(out)")
    }
    #expect(try folder.data("journal") == before)
  }

  @Test(.enabled(if: geteuid() != 0, "who may do everything has no folder that is read-only"))
  func aJournalInAReadOnlyFolderCanBeRead() throws {
    let store = folder.path("a%b?c#d")
    let run = try RecordRun(store: store, user: "ada")
    try run.send(RecordScript(seed: 1).line(0))
    _ = try run.finish()
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path)
    defer { try? files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path) }
    let export = try ToolRun(["journal", "export", "--store", store, "--user", "ada"])
    #expect(export.status == 0 && export.lines.count == 26, "\(export.errors)")
    #expect(try ToolRun(["journal", "check", "--store", store]).status == 0)
  }

  @Test func anArgumentOfInvalidUTF8IsRefused() throws {
    for byte in [#"\377"#, #"\376"#] {
      let run = try ToolRun(
        shell: "exec \"$0\" record --store \"$1\" --user \"$(printf 'ada\(byte)')\"",
        folder.store)
      #expect(run.status == 2)
    }
    #expect(try folder.names().isEmpty)
  }

  @Test func aRefusedPlaceCreatesNoJournal() throws {
    let add = ["places", "add", "--store", folder.store, "--lat", "1", "--lon", "1"]
    let long = String(repeating: "a", count: 2_000)
    for rest in [
      ["--user", "a\u{1}"], ["--user", "a\u{FFFD}"], ["--user", "ada", "--name", long],
    ] {
      #expect(try ToolRun(add + rest).status == 3)
    }
    #expect(try folder.names().isEmpty)
  }

  @Test func checkReportsADamagedStore() throws {
    try folder.record((0..<200).map(RecordScript(seed: 1).line))
    var bytes = try folder.data("journal")
    let letters = try #require(bytes.range(of: Data("LJB1".utf8)))
    bytes[letters.upperBound + 40] ^= 1
    try folder.write(bytes, to: "journal")
    let check = try folder.journal("check")
    #expect(check.status == 3)
    #expect(check.output.contains("user 1: a block of samples"))
    #expect(check.errors.contains("damaged"))
    #expect(try folder.journal("export").status == 3)
  }

  @Test func aSecondRecorderIsRefused() throws {
    let first = try RecordRun(store: folder.store, user: "ada")
    try first.send(RecordScript(seed: 1).line(0))
    #expect(first.nextAcknowledgement() != nil)
    let end = try folder.record([], user: "bob")
    #expect(end.status == 74 && end.errors.contains("another writer"))
    try first.send(RecordScript(seed: 1).line(1))
    #expect(try first.finish().status == 0)
  }

  @Test func aFullDiskIsReportedAndNothingAcknowledgedIsLost() throws {
    let script = RecordScript(seed: 2)
    // The shell limits the size of files, which for this process is a full disk.
    let run = try RecordRun(store: folder.store, user: "ada", blocksOfHalfAKilobyte: 320)
    for number in 0..<300 { try run.send(script.line(number)) }
    let end = try run.finish()
    #expect(end.status == 74 && end.errors.contains("not saved"))
    let acknowledged = end.samplesAcknowledged
    #expect(acknowledged > 0 && acknowledged < 300 * 25)
    let next = try folder.record((acknowledged / 25..<300).map(script.line))
    #expect(next.samplesAcknowledged == 300 * 25 - acknowledged)
    let export = try folder.journal("export")
    #expect(export.lines.dropFirst().map { String($0) } == (0..<300).flatMap(script.rows))
  }
}

/// Kills `record` at random moments; `LOCOMOTION_KILLS` gives the number.
@Suite struct RecordKillTests {
  private let folder = ScratchFolder()

  @Test func aKilledRecorderLosesNothingAcknowledged() throws {
    let environment = ProcessInfo.processInfo.environment
    let kills = environment["LOCOMOTION_KILLS"].flatMap { Int($0) } ?? 50
    var random = SplitMix64(seed: environment["LOCOMOTION_SEED"].flatMap { UInt64($0) } ?? 1)
    var (lost, torn, unacknowledged) = (0, 0, 0)
    var slowest = 0.0
    // One store for many kills, so that opening repairs the state after the kill before.
    var store = ""
    var kept: [String] = []
    var sent = 0
    for kill in 0..<kills {
      if kill % 25 == 0 {
        store = folder.path("journal-\(kill)")
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
    #expect(lost == 0)
    #expect(torn == 0)
    print(
      "\(kills) kills: \(lost) acknowledged samples lost, \(torn) torn batches, \(unacknowledged) "
        + "batches kept before they were acknowledged, slowest opening and export \(slowest) s")
  }
}

/// Lines for `record`, and the expected output of `journal export`.
struct RecordScript {
  let seed: UInt64
  private static let samples = 25

  /// The samples of one line, as text.
  private func columns(_ number: Int) -> [[String]] {
    var random = SplitMix64(seed: seed &* 1_000_003 &+ UInt64(number))
    let times = (0..<Self.samples).map { index in
      index == 0 ? "\(1_000 + number)" : "\(Double(100_000 + 100 * number + index) / 100)"
    }
    // Every second line has rotation rates too.
    let axes = (0..<(number % 2 == 0 ? 6 : 3)).map { axis in
      (0..<Self.samples).map { _ in
        // Some with all digits, the others rounded as in a sensor's text.
        let value = random.nextNormal()
        return "\(axis % 3 == 1 ? value : (value * 1_000).rounded() / 1_000)"
      }
    }
    return [times] + axes
  }

  /// One line: 25 samples, with every second one rotation rates, and with every third one a fix.
  func line(_ number: Int) -> String {
    let names = ["t", "ax", "ay", "az", "gx", "gy", "gz"]
    var fields = zip(names, columns(number)).map { name, values in
      "\"\(name)\":[\(values.joined(separator: ","))]"
    }
    if number % 3 == 0 {
      fields.append(
        "\"fixes\":[{\"t\":\(1_000 + number),\"lat\":48.1,\"lon\":11.5,\"hacc\":5,\"speed\":1.5}]")
    }
    return "{\(fields.joined(separator: ","))}"
  }

  /// The first row of the CSV.
  static let header = "t,ax,ay,az,gx,gy,gz"

  /// The rows of CSV of one line.
  func rows(_ number: Int) -> [String] {
    let columns = columns(number)
    return (0..<Self.samples).map { index in
      // Times are exported without trailing zeros.
      let time = columns[0][index]
      let short = time.hasSuffix(".0") ? String(time.dropLast(2)) : time
      let values = columns[1...].map { $0[index] }
      let missing = Array(repeating: "", count: 6 - values.count)
      return ([short] + values + missing).joined(separator: ",")
    }
  }
}

extension ScratchFolder {
  /// The path of a test's journal.
  var store: String { path("journal") }

  /// The options that name a test's journal and its user.
  var own: [String] { ["--store", store, "--user", "ada"] }

  /// Runs `locomotion journal` with a verb for the journal of a test.
  func journal(
    _ verb: String, _ options: [String] = [], user: String = "ada"
  ) throws -> ToolRun {
    try ToolRun(["journal", verb, "--store", store, "--user", user] + options)
  }

  /// Records lines in the journal of a test and ends.
  @discardableResult
  func record(_ lines: [String], user: String = "ada") throws -> RecordRun.End {
    let run = try RecordRun(store: store, user: user)
    for line in lines { try run.send(line) }
    return try run.finish()
  }
}

/// A running `locomotion record`.
final class RecordRun {
  /// The result of a run.
  struct End {
    let status: Int32
    let acknowledged: [String]
    let errors: String

    /// The number of samples in the last acknowledgement.
    var samplesAcknowledged: Int {
      acknowledged.last.flatMap { line in
        line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
      } ?? 0
    }
  }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errors: URL
  private var text: [UInt8] = []
  private var lines: [String] = []

  init(store: String, user: String, blocksOfHalfAKilobyte limit: Int? = nil) throws {
    // Writing to a process that was killed must not end this one.
    signal(SIGPIPE, SIG_IGN)
    errors = FileManager.default.temporaryDirectory
      .appendingPathComponent("locomotion-record-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
    let command = [ToolRun.program.path, "record", "--store", store, "--user", user]
    process.executableURL = URL(fileURLWithPath: limit == nil ? command[0] : "/bin/sh")
    process.arguments =
      limit.map { ["-c", "ulimit -f \($0); exec \"$@\"", "sh"] + command }
      ?? Array(command.dropFirst())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
  }

  /// Writes a line; a failure shows in the acknowledgements.
  func send(_ line: String) throws {
    try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Waits for the next acknowledgement; nil when the process has ended.
  func nextAcknowledgement() -> String? {
    while true {
      if let end = text.firstIndex(of: UInt8(ascii: "\n")) {
        lines.append(String(decoding: text[..<end], as: UTF8.self))
        text.removeSubrange(...end)
        return lines.last
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { return nil }
      text += more
    }
  }

  /// Closes the input and waits for the process to end.
  func finish() throws -> End {
    try? input.fileHandleForWriting.close()
    while nextAcknowledgement() != nil {}
    process.waitUntilExit()
    let messages = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
    try? FileManager.default.removeItem(at: errors)
    return End(status: process.terminationStatus, acknowledged: lines, errors: messages)
  }

  /// Kills the process and reads what it had acknowledged.
  func kill() throws -> End {
    Foundation.kill(process.processIdentifier, SIGKILL)
    return try finish()
  }
}
