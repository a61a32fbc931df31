import Foundation
import Locomotion
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// Walks into two buildings that end on a known floor, with a barometer and fixes alone, and hikes
/// of the fixes of a watch.
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

  /// A watch gives times, positions and altitudes, rounded to 0.2 m, without any accuracy.
  @Test(arguments: [1, 5, 10, 30]) func aHikeOfAWatchIsToldAtAnyRate(step: Int) throws {
    // GIVEN a straight walk over six hills of 50 m in an hour
    var random = SplitMix64(seed: 7)
    var batch = SensorBatch()
    for second in stride(from: 0, through: 3_600, by: step) {
      let altitude = 325 - 25 * cos(Double(second) / 600 * 2 * Double.pi)
      batch.fixes.append(
        LocationFix(
          timestamp: Timestamp(nanoseconds: Int64(1_700_000_000 + second) * 1_000_000_000),
          latitude: 48 + 1.4 * Double(second) / 111_200, longitude: 11,
          altitude: ((altitude + 0.2 * random.nextNormal()) * 5).rounded() / 5))
    }
    // WHEN the timeline is made of them
    let items = TimelineBuilder.items(of: run([batch]).samples)
    // THEN it tells the way up and down, and between which altitudes
    let sum = Optional.sum(items.map { $0.altitudeChange })
    let change = try #require(sum)
    #expect(abs(change.climb - 300) < min(30, change.climbDeviation), "\(change.climb)")
    #expect(abs(change.descent - 300) < min(30, change.descentDeviation), "\(change.descent)")
    #expect(abs((change.highest?.altitude ?? 0) - 350) < 3)
    #expect(abs((change.lowest?.altitude ?? 0) - 300) < 3)
  }

  /// What the items of a recording's timeline have climbed, metres.
  private func climb(of path: String) throws -> Double {
    var reader = try RecordingReader(path: path)
    var (batch, all) = (SensorBatch(), [SensorBatch]())
    while try reader.read(into: &batch) { all.append(batch) }
    let items = TimelineBuilder.items(of: run(all).samples)
    return Optional.sum(items.map { $0.altitudeChange })?.climb ?? 0
  }
}
