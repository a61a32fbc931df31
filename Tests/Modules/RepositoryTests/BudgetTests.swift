import Foundation
import TestSupport
import Testing

/// The sources grow only where somebody decides that they may, by a number in `.ci/budget`.
@Suite struct BudgetTests {
  @Test func noFolderOfTheSourcesHasMoreLinesThanItsBudget() throws {
    let table = TestFiles.packageRoot.appendingPathComponent(".ci/budget")
    var budgets: [String: Int] = [:]
    for row in try String(contentsOf: table, encoding: .utf8).split(separator: "\n")
    where !row.hasPrefix("#") {
      let cells = row.split(separator: " ")
      guard cells.count == 2, let budget = Int(cells[1]) else {
        Issue.record("no folder and number: \(row)")
        continue
      }
      budgets[String(cells[0])] = budget
    }
    var lines: [String: Int] = [:]
    // The server's tests lie within its package.
    for file in RepositoryFile.swift
    where file.path.hasPrefix("Sources/") && !file.path.hasPrefix("Sources/Server/Tests/") {
      let count = file.lines.count - 1
      lines["Sources", default: 0] += count
      lines[file.path.split(separator: "/").prefix(2).joined(separator: "/"), default: 0] += count
    }
    #expect(Set(budgets.keys) == Set(lines.keys))
    for (folder, count) in lines {
      let budget = budgets[folder] ?? 0
      #expect(count <= budget, "\(folder) has \(count) lines of Swift")
    }
  }
}
