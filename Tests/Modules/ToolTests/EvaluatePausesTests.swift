import Foundation
import SensorSimulator
import TestSupport
import Testing

/// `evaluate --holes` cuts pieces out of labelled recordings.
@Suite struct EvaluatePausesTests {
  private let folder = ScratchFolder()

  @Test func aWalkIsRecognisedUnderEveryPattern() throws {
    var dataset = try DatasetScript(in: folder)
    try dataset.add("walk", of: "ada", seed: 20, labels: ["15,230,walking"]) {
      $0.walk(.minutes(4))
    }
    let evaluate = ["evaluate", "--holes", "--dataset", dataset.path]
    let run = try ToolRun(evaluate)
    #expect(run.status == 0, "\(run.errors)")
    let rows = run.lines.suffix(7).map { line in
      line.split(separator: " %").map { $0.split(separator: " ").last.flatMap { Double($0) } }
    }
    #expect(rows.count == 7)
    for row in rows {
      let live = try #require(row[0])
      let hindsight = try #require(row[2])
      #expect(live > 99 && hindsight > 99, "\(run.output)")
    }
    for row in rows.prefix(5) {
      let steps = try #require(row[3])
      #expect(abs(steps - 100) <= 1, "\(run.output)")
    }
    #expect(try ToolRun(evaluate + ["--json"]).status == 2)
  }
}
