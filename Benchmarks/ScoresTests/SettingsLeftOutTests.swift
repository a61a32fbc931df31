import BenchmarkScores
import Foundation
import LocomotionPositioning
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// The location filter on drives that had no part in choosing its settings.
struct SettingsLeftOutTests {
  /// Phones on drives with survey-grade truth, a minute of highway, a drive between high houses.
  @Test(
    .enabled(
      if: TestFiles.datasets != nil, "the data sets are not here: set LOCOMOTION_DATASETS"))
  func noDriveLeftOutIsWorseThanItsFixesOrTheTextbook() throws {
    let datasets = try #require(TestFiles.datasets)
    var evaluation = SettingsLeftOut(baselines: LocationEvaluation.Baselines.textbook)
    for folder in ["gsdc_chipset", "comma2k19_ex1", "city_canyon"] {
      let set = try LabelledDataset(folder: datasets.appendingPathComponent(folder).path)
      for recording in set.recordings where recording.hasFixes {
        guard let reference = ReferenceTrack.path(besideRecording: recording.path) else { continue }
        evaluation.add(
          recording.path, fixes: try fixes(of: recording.path),
          truth: LocationTruth(try ReferenceTrack(path: reference)))
      }
    }
    let rows = evaluation.rows
    #expect(rows.count == 6)
    print(evaluation.text)
    for row in rows {
      #expect(row.live <= 1.03, "\(row.name)")
      #expect(row.later <= 1.02 && row.smoothed <= 1.01, "\(row.name)")
      #expect(row.smoothed <= (row.baselines.min() ?? 0) + 1e-9, "\(row.name)")
    }
    let mean = rows.reduce(0) { $0 + $1.smoothed } / Double(rows.count)
    #expect(mean < 0.93)
  }

  /// A recording without errors has no ratio and no row.
  @Test func exactFixesAreLeftOut() {
    var evaluation = SettingsLeftOut(baselines: [])
    let fixes = (0..<20).map {
      LocationFix(
        timestamp: Timestamp(nanoseconds: $0 * 1_000_000_000), latitude: 48, longitude: 11,
        horizontalAccuracy: 5)
    }
    let moments = fixes.map {
      LocationTruth.Moment(
        timestamp: $0.timestamp, latitude: $0.latitude, longitude: $0.longitude)
    }
    evaluation.add("exact", fixes: fixes, truth: LocationTruth(moments: moments))
    #expect(evaluation.rows.isEmpty)
  }

  private func fixes(of path: String) throws -> [LocationFix] {
    var reader = try RecordingReader(path: path)
    var batch = SensorBatch()
    var fixes: [LocationFix] = []
    while try reader.read(into: &batch) { fixes += batch.fixes }
    return fixes
  }
}
