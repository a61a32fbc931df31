import Foundation
import LocomotionSensing
import SensorSimulator
import TestSupport
import Testing

/// The output of every command on simulated recordings, so that no change alters it unnoticed.
///
/// `Tests/Support/ChangeIndicator` holds a digest of every output and a thinned copy of it, so that
/// a review shows what changed. After a change that is meant to alter the output, run these tests
/// with `LOCOMOTION_ACCEPT_CHANGES=1` and give the reason in the commit message. The digests are
/// those of Linux on x86-64; other mathematics libraries round differently.
@Suite(.serialized) struct ChangeIndicatorTests {
  private let scratch = ScratchFolder()

  private static let folder = TestFiles.packageRoot.appendingPathComponent(
    "Tests/Support/ChangeIndicator")
  private static let acceptsChanges =
    ProcessInfo.processInfo.environment["LOCOMOTION_ACCEPT_CHANGES"] != nil

  /// The name of an output's file, and its command.
  private static let commands: [(name: String, arguments: [String])] = [
    ("locate-live", ["locate", "--mode", "live"]),
    ("locate-lagged", ["locate", "--mode", "lagged"]),
    ("locate-smoothed", ["locate", "--mode", "smoothed"]),
    ("cadence", ["cadence"]),
    ("classify-live", ["classify", "--mode", "live"]),
    ("classify-settled", ["classify", "--mode", "settled"]),
    ("classify-smoothed", ["classify", "--mode", "smoothed"]),
    ("timeline", ["timeline", "--json"]),
  ]

  #if os(Linux) && arch(x86_64)
    @Test(arguments: ChangeIndicatorRecordings.names)
    func outputForACommittedRecordingIsUnchanged(name: String) throws {
      let recordings = Self.folder.appendingPathComponent("Recordings")
      let path = recordings.appendingPathComponent("\(name).csv.gz").path
      if Self.acceptsChanges, !FileManager.default.fileExists(atPath: path) {
        try ChangeIndicatorRecordings.write(name, into: recordings)
      }
      try Self.compare(name, recording: path, every: 10)
    }

    @Test func outputForTheDemoDayIsUnchanged() throws {
      var phone = SimulatedPhone()
      phone.sampleRate = 50
      phone.restFixInterval = 5
      let recording = Scenario.demoDay(seed: 1, phone: phone).recording()
      let path = try recording.write(to: scratch.path("demo.csv.gz"), every: 60)
      try Self.compare("demo-day", recording: path, every: 300)
    }
  #endif

  /// Compares the output of every command for a recording with the stored one, or stores it.
  private static func compare(_ name: String, recording: String, every: Int) throws {
    let folder = Self.folder.appendingPathComponent(name)
    let digestFile = folder.appendingPathComponent("digests.txt")
    let kept = try? String(contentsOf: digestFile, encoding: .utf8)
    var digests = ""
    for (command, arguments) in commands {
      let run = try ToolRun.done([arguments[0], recording] + arguments.dropFirst())
      let answer = digest(of: run.output)
      digests += "\(command) \(answer)\n"
      let isKept = kept?.split(separator: "\n").contains("\(command) \(answer)") ?? false
      let thinned = Self.thinned(run.output, every: every)
      let file = folder.appendingPathComponent("\(command).txt")
      if acceptsChanges {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(thinned.utf8).write(to: file)
        continue
      }
      guard !isKept else { continue }
      Issue.record(
        """
        \(command) of \(name) has changed; where the thinned copies differ first:
        \(firstDifference(between: try String(contentsOf: file, encoding: .utf8), and: thinned))
        """)
    }
    if acceptsChanges { try Data(digests.utf8).write(to: digestFile) }
  }

  /// The number of bytes and their 64-bit FNV-1a hash.
  private static func digest(of text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "\(text.utf8.count) \(String(hash, radix: 16))"
  }

  /// The first line and then one of every `every` lines.
  private static func thinned(_ text: String, every: Int) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > every else { return text }
    return stride(from: 0, to: lines.count, by: every).map { lines[$0] + "\n" }.joined()
  }

  private static func firstDifference(between kept: String, and now: String) -> String {
    let (old, new) = (kept.split(separator: "\n"), now.split(separator: "\n"))
    for (a, b) in zip(old, new) where a != b { return "was \(a)\nis  \(b)" }
    return old.count == new.count
      ? "nowhere: only lines that were left out" : "was \(old.count) lines, is \(new.count)"
  }
}
