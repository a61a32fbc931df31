import Foundation
import TestSupport
import Testing

/// The version is in one place, and what is written by hand agrees with it.
@Suite struct VersionTests {
  private func text(_ path: String) throws -> String {
    try String(
      contentsOf: TestFiles.packageRoot.appendingPathComponent(path), encoding: .utf8)
  }

  @Test func filesWrittenByHandTellTheVersion() throws {
    let source = try text("Sources/Command/LocomotionTool/Commands/LocomotionVersion.swift")
    let number = try #require(source.firstMatch(of: #/number = "(\d+\.\d+\.\d+)"/#)?.1)
    let newest = try text("CHANGELOG.md").firstMatch(of: #/\n## (\d+\.\d+\.\d+)/#)?.1
    #expect(newest == number)
    #expect(try text("CITATION.cff").contains("\nversion: \(number)\n"))
    let readme = try text("README.md")
    #expect(readme.contains("Version \(number) "))
    #expect(readme.contains("from: \"\(number)\""))
  }

  @Test func otherPackagesTakeTheVersionFromThere() throws {
    let source = try text("Sources/Command/LocomotionTool/Commands/LocomotionVersion.swift")
    let number = try #require(source.firstMatch(of: #/number = "(\d+\.\d+\.\d+)"/#)?.1)
    let run = try Command.run(["bash", "Sources/Bindings/version.sh"], in: TestFiles.packageRoot)
    #expect(run.status == 0 && run.output == "\(number)\n")
    for path in ["Sources/Bindings/LocomotionC/build.sh", ".ci/release"] {
      #expect(try text(path).contains("Sources/Bindings/version.sh"), "\(path)")
    }
    let python = try text("Sources/Bindings/LocomotionPython/pyproject.toml")
    #expect(python.contains("LocomotionVersion.swift"))
  }
}
