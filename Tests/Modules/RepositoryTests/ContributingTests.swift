import Foundation
import TestSupport
import Testing

/// What CONTRIBUTING.md lists is what there is.
@Suite struct ContributingTests {
  @Test func theTreeNamesEveryFolderOfTheSources() throws {
    let guide = try Self.text(of: ".github/CONTRIBUTING.md")
    let tree = try #require(Self.part(of: guide, from: "Sources/", to: "```"))
    var folders: Set<String> = []
    for file in RepositoryFile.all where file.path.hasPrefix("Sources/") {
      folders.formUnion(file.path.split(separator: "/").dropFirst().dropLast().map(String.init))
    }
    folders.subtract(["include", "Documentation.docc"])
    #expect(!folders.isEmpty)
    for folder in folders.sorted() {
      let isNamed = tree.contains(" \(folder)/")
      #expect(isNamed, "the tree doesn't name \(folder)/")
    }
    for match in tree.matches(of: #/ (C?Locomotion\w*)\//#) {
      let isThere = folders.contains(String(match.1))
      #expect(isThere, "the tree names \(match.1)/, which isn't there")
    }
  }

  private static func text(of path: String) throws -> String {
    let file = TestFiles.packageRoot.appendingPathComponent(path)
    return try String(contentsOf: file, encoding: .utf8)
  }

  /// The text between `start` and the next `end`.
  private static func part(of text: String, from start: String, to end: String) -> String? {
    guard let lower = text.range(of: start)?.upperBound,
      let upper = text.range(of: end, range: lower..<text.endIndex)?.lowerBound
    else { return nil }
    return String(text[lower..<upper])
  }
}
