import Foundation
import LocomotionRecordings
import LocomotionSensing
import SensorSimulator
import TestSupport
import Testing

/// `evaluate --holes` cuts pieces out of labelled recordings.
@Suite struct EvaluatePausesTests {
  @Test func aWalkIsRecognisedUnderEveryPattern() throws {
    try withTemporaryFolder { folder in
      var writer = try RecordingWriter(
        path: folder.appendingPathComponent("walk.csv").path, hasGyroscope: false)
      let recording = Scenario(seed: 20).walk(.minutes(4)).recording()
      for batch in recording.batches(everySeconds: 10) { try writer.write(batch) }
      try writer.close()
      let first = recording.wholeBatch().accelerations.timestamps[0].seconds
      try Data(
        "recording,subject,start,end,label\nwalk,ada,\(first + 15),\(first + 230),walking\n".utf8
      )
      .write(to: folder.appendingPathComponent("labels.csv"))
      let run = try ToolRun(["evaluate", "--holes", "--dataset", folder.path])
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
      let mixed = try ToolRun(["evaluate", "--holes", "--json", "--dataset", folder.path])
      #expect(mixed.status == 2)
    }
  }
}
