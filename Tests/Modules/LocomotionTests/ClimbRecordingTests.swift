import Foundation
import Locomotion
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// Walks into two buildings that end on a known floor, with a barometer and fixes alone.
struct ClimbRecordingTests {
  @Test(
    .enabled(
      if: TestFiles.datasets != nil, "the data sets are not here: set LOCOMOTION_DATASETS"))
  func climbsIndoorsAreTold() throws {
    let folder = try #require(TestFiles.datasets).appendingPathComponent("floors")
    let lines = try String(
      contentsOf: folder.appendingPathComponent("climbs.csv"), encoding: .utf8
    ).split(separator: "\n").dropFirst()
    #expect(lines.count == 24)
    var right = 0
    for line in lines {
      let fields = line.split(separator: ",")
      let metres = try #require(Double(fields[3]))
      let told = try climb(of: folder.appendingPathComponent("\(fields[0]).csv.gz").path)
      right += abs(told - metres) <= max(2, 0.08 * metres) ? 1 : 0
    }
    #expect(right >= 22, "\(right) of 24")
  }

  /// What the items of a recording's timeline have climbed, metres.
  private func climb(of path: String) throws -> Double {
    var reader = try RecordingReader(path: path)
    var batch = SensorBatch()
    var pipeline = LocomotionPipeline()
    var output = LocomotionOutput()
    while try reader.read(into: &batch) { pipeline.ingest(batch, into: &output) }
    pipeline.finish(into: &output)
    return TimelineBuilder.items(of: output.samples).reduce(0) { sum, item in
      switch item {
      case .stay(let stay): sum + (stay.altitudeChange?.climb ?? 0)
      case .trip(let trip): sum + (trip.altitudeChange?.climb ?? 0)
      case .gap: sum
      }
    }
  }
}
