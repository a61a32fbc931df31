import Foundation
import TestSupport
import Testing

@Suite struct ContentFenceTests {
  @Test func noFileContainsAPathOfADeveloperMachine() {
    // In parts, so that this file does not contain a path itself.
    let folders = ["work", "root", "home", "Users"].map { "/" + $0 + "/" }
    for file in RepositoryFile.all {
      guard let text = file.text else { continue }
      for folder in folders {
        let found = text.contains(folder)
        #expect(!found, "\(file) mentions \(folder)")
      }
    }
  }

  @Test func noFileIsLarge() {
    let large = RepositoryFile.all.filter { $0.size > 1 << 20 }
    #expect(large.isEmpty, "\(large)")
  }

  @Test func noFileIsARecording() {
    let kinds = [
      ".gz", ".gpx", ".fit", ".tcx", ".sqlite", ".db", ".parquet", ".zip", ".mat", ".npz",
    ]
    // The change indicator's recordings are simulated.
    let files = RepositoryFile.all.filter { !$0.path.hasPrefix("Tests/Support/ChangeIndicator/") }
    let packed = files.filter { file in kinds.contains { file.name.hasSuffix($0) } }
    #expect(packed.isEmpty, "\(packed)")
    // The first line of a recording, whatever the file is called.
    let headers = ["t,ax,ay,az", "t,lat,lon"]
    let recordings = files.filter { file in
      guard !file.isSwift, let line = file.lines.first else { return false }
      return headers.contains { line.hasPrefix($0) }
    }
    #expect(recordings.isEmpty, "\(recordings)")
  }

  @Test func theSwiftCodeOfTheReadmeIsInACompiledTest() throws {
    let readme = TestFiles.packageRoot.appendingPathComponent("README.md")
    let text = try #require(
      try? String(contentsOf: readme, encoding: .utf8), "there is no README.md")
    let blocks = Self.swiftBlocks(in: text)
    #expect(!blocks.isEmpty, "README.md has no block of Swift")
    let example = TestFiles.packageRoot.appendingPathComponent(
      "Tests/Modules/LocomotionTests/ReadmeExample.swift")
    let source = try #require(
      try? String(contentsOf: example, encoding: .utf8),
      "README.md has Swift, but there is no \(example.lastPathComponent) that compiles it")
    let code = Self.unindented(source)
    for block in blocks {
      #expect(Self.contains(code, Self.unindented(block)), "not in the example:\n\(block)")
    }
  }

  @Test func blocksAreFoundAndComparedWithoutTheirIndentation() {
    let text = "a\n```swift\nlet x = 1\n  f()\n```\nb\n```\nnot this\n```\n```swift\ng()\n```\n"
    let blocks = Self.swiftBlocks(in: text)
    #expect(blocks == ["let x = 1\n  f()", "g()"])
    let code = Self.unindented("func t() {\n  let x = 1\n\n    f()\n}")
    #expect(Self.contains(code, Self.unindented(blocks[0])))
    #expect(!Self.contains(code, Self.unindented(blocks[1])))
    #expect(!Self.contains(code, Self.unindented("let x = 1\n}")))
  }

  private static func swiftBlocks(in text: String) -> [String] {
    var blocks: [String] = []
    var block: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```swift" {
        block = []
      } else if line.hasPrefix("```") {
        if let lines = block { blocks.append(lines.joined(separator: "\n")) }
        block = nil
      } else {
        block?.append(line)
      }
    }
    return blocks
  }

  private static func unindented(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  private static func contains(_ code: [String], _ block: [String]) -> Bool {
    guard !block.isEmpty, code.count >= block.count else { return block.isEmpty }
    return (0...code.count - block.count).contains {
      Array(code[$0..<$0 + block.count]) == block
    }
  }
}
