import Foundation
import TestSupport

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
