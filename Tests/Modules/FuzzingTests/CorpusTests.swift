import Foundation
import TestSupport
import Testing

/// Runs every input of the fuzzer's corpus, and random changes of them.
@Suite struct CorpusTests {
  private static let folder = TestFiles.packageRoot
    .appendingPathComponent("Tests/Modules/FuzzingTests/Corpus")

  /// The inputs of a target, one per line in Base64.
  private static func inputs(of target: String) throws -> [[UInt8]] {
    let text = try String(
      contentsOf: folder.appendingPathComponent("\(target).txt"), encoding: .utf8)
    return try text.split(separator: "\n").map {
      [UInt8](try #require(Data(base64Encoded: String($0)), "\(target): \($0.prefix(20))"))
    }
  }

  @Test(arguments: FuzzTarget.all.map(\.name)) func noInputTraps(name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    let inputs = try Self.inputs(of: name)
    #expect(!inputs.isEmpty)
    // Targets with files take a hundred times as long as those in memory.
    let isSlow = ["csv", "zip"].contains(name)
    let changes = TestLength.runs(isSlow ? 200 : 2_000, long: isSlow ? 20_000 : 200_000)
    var generator = SplitMix64(seed: 1)
    let changed = (0..<changes).map { index in
      mutated(inputs[index % inputs.count], changes: 1...4, &generator)
    }
    for input in [inputs + [[]], changed].joined() {
      if let broken = target.run(input) {
        Issue.record("\(name), \(Data(input).base64EncodedString()): \(broken)")
      }
    }
  }

  @Test func theCorpusIsSmallAndBelongsToKnownTargets() throws {
    var total = 0
    for file in try FileManager.default.contentsOfDirectory(atPath: Self.folder.path) {
      #expect(FuzzTarget.all.contains { "\($0.name).txt" == file }, "\(file)")
      let inputs = try Self.inputs(of: String(file.dropLast(4)))
      #expect(inputs.allSatisfy { $0.count <= 4096 }, "\(file)")
      total += inputs.reduce(0) { $0 + $1.count }
    }
    #expect(total <= 200_000)
  }
}
