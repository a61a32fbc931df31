import Foundation
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// Reads all data sets in the folder of real recordings, when there is one.
@Suite(
  .enabled(
    if: TestFiles.datasets != nil, "no recordings at LOCOMOTION_DATASETS or ../shared/datasets"))
struct RealRecordingsTests {
  /// The names of the available data sets.
  static let sets: [String] = {
    guard let folder = TestFiles.datasets else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { name in
      var isDirectory = false
      if let values = try? folder.appendingPathComponent(name).resourceValues(
        forKeys: [.isDirectoryKey])
      {
        isDirectory = values.isDirectory ?? false
      }
      return isDirectory
    }.sorted()
  }()

  @Test(arguments: sets)
  func everyRecordingCanBeReadToItsEnd(set: String) throws {
    let folder = try #require(TestFiles.datasets).appendingPathComponent(set).path
    let dataset = try LabelledDataset(
      folder: folder, descriptor: try DatasetDescriptor.descriptor(for: folder))
    #expect(dataset.missingRecordings.isEmpty)
    var batch = SensorBatch()
    for recording in dataset.recordings {
      var reader = try RecordingReader(path: recording.path)
      #expect((reader.accelerationsPath != nil) == recording.hasAccelerations)
      #expect((reader.fixesPath != nil) == recording.hasFixes)
      var accelerations = 0
      while try reader.read(into: &batch) { accelerations += batch.accelerations.count }
      let counts = reader.counts
      #expect(counts.accelerations == accelerations)
      let headers = (recording.hasAccelerations ? 1 : 0) + (recording.hasFixes ? 1 : 0)
      let rows = counts.accelerations + counts.rowsWithPressureOnly + counts.fixes
      #expect(counts.lines == rows + counts.rowsWithoutTime + headers, "\(recording.name)")
    }
  }

  @Test(arguments: sets)
  func everyLabelIsMappedOrExplicitlyIgnored(set: String) throws {
    let folder = try #require(TestFiles.datasets).appendingPathComponent(set).path
    let description = TestFiles.packageRoot.appendingPathComponent(
      "Datasets/Descriptions/\(set).json"
    ).path
    let descriptor = try DatasetDescriptor(path: description)
    let dataset = try LabelledDataset(folder: folder, descriptor: descriptor)
    for ignored in dataset.ignoredLabels {
      #expect(descriptor.labels[ignored.label] == DatasetDescriptor.ignore, "\(ignored.label)")
    }
  }
}
