import Foundation
import SensorSimulator
import TestSupport
import Testing

/// `check-dataset` lists the labels that look like something else.
@Suite struct LabelDoubtsTests {
  private let folder = ScratchFolder()

  /// A person who stands and walks in turn, with the labels of the first two stretches exchanged or
  /// not.
  private func makeDataset(isSwapped: Bool) throws {
    var dataset = try DatasetScript(in: folder)
    let first = isSwapped ? ["walking", "standing"] : ["standing", "walking"]
    let labels = (first + ["standing", "walking"]).enumerated().map { index, label in
      "\(index * 100 + 4),\(index * 100 + 96),\(label)"
    }
    try dataset.add("day", ending: ".csv.gz", of: "ada", seed: 5, labels: labels) {
      $0.stand(.seconds(100)).walk(.seconds(100)).stand(.seconds(100)).walk(.seconds(100))
    }
  }

  private func check(_ options: String...) throws -> ToolRun {
    let run = try ToolRun(["check-dataset", folder.path("set")] + options)
    #expect(run.status == 0, "\(run.errors)")
    return run
  }

  @Test func swappedLabelsAreListedWithTheirPerson() throws {
    try makeDataset(isSwapped: true)
    let output = try check().output
    #expect(output.contains("day, 4–96 s: labelled walking, looks like stationary, "))
    #expect(output.contains("day, 104–196 s: labelled standing, looks like walking, "))
    #expect(!output.contains("204–296"))
    #expect(output.contains(" % of the labelled time of ada"))
    #expect(try !check("--doubts", "0").output.contains("looks like"))
    #expect(try check("--doubts", "1").output.contains("and 1 more"))
  }

  @Test func rightLabelsAreNotDoubtedAndMinutesOutsideTheRecordingLabelNothing() throws {
    try makeDataset(isSwapped: false)
    #expect(try check().output.contains("no label is at odds with the built-in model"))
    let text = try folder.text("set/labels.csv")
    try folder.write(text + "day,ada,4000,96000,standing\n", to: "set/labels.csv")
    let row = try check().lines.first { $0.hasPrefix("  stationary") }
    #expect(row?.contains("3.1") == true, "\(row ?? "")")
  }
}
