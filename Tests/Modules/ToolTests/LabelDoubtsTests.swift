import Foundation
import LocomotionRecordings
import LocomotionSensing
import SensorSimulator
import TestSupport
import Testing

/// `check-dataset` lists the labels that look like something else.
@Suite struct LabelDoubtsTests {
  /// A person who stands and walks in turn, with the labels of the first two stretches exchanged or
  /// not.
  private func withDataset(_ isSwapped: Bool, _ body: (String) throws -> Void) throws {
    try withTemporaryFolder { folder in
      var writer = try RecordingWriter(path: folder.appendingPathComponent("day.csv.gz").path)
      let recording = Scenario(seed: 5, start: Timestamp(nanoseconds: 0))
        .stand(.seconds(100)).walk(.seconds(100)).stand(.seconds(100)).walk(.seconds(100))
        .recording()
      for batch in recording.batches(everySeconds: 10) { try writer.write(batch) }
      try writer.close()
      let first = isSwapped ? ["walking", "standing"] : ["standing", "walking"]
      let labels = (first + ["standing", "walking"]).enumerated().map { index, label in
        "day,ada,\(index * 100 + 4),\(index * 100 + 96),\(label)\n"
      }
      try Data(("recording,subject,start,end,label\n" + labels.joined()).utf8)
        .write(to: folder.appendingPathComponent("labels.csv"))
      try body(folder.path)
    }
  }

  @Test func swappedLabelsAreListedWithTheirPerson() throws {
    try withDataset(true) { folder in
      let run = try ToolRun(["check-dataset", folder])
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.contains("day, 4–96 s: labelled walking, looks like stationary, "))
      #expect(run.output.contains("day, 104–196 s: labelled standing, looks like walking, "))
      #expect(!run.output.contains("204–296"))
      #expect(run.output.contains(" % of the labelled time of ada"))
      #expect(
        try !ToolRun(["check-dataset", folder, "--doubts", "0"]).output.contains("looks like"))
      let one = try ToolRun(["check-dataset", folder, "--doubts", "1"]).output
      #expect(one.contains("and 1 more"))
    }
  }

  @Test func rightLabelsAreNotDoubted() throws {
    try withDataset(false) { folder in
      let run = try ToolRun(["check-dataset", folder])
      #expect(run.output.contains("no label is at odds with the built-in model"))
    }
  }

  @Test func minutesOutsideTheRecordingLabelNothing() throws {
    try withDataset(false) { folder in
      let path = folder + "/labels.csv"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      try Data((text + "day,ada,4000,96000,standing\n").utf8).write(to: URL(fileURLWithPath: path))
      let lines = try ToolRun(["check-dataset", folder]).lines
      let row = lines.first { $0.hasPrefix("  stationary") }
      #expect(row?.contains("3.1") == true, "\(row ?? "")")
    }
  }
}
