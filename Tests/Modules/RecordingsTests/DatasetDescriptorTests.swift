import Foundation
import LocomotionRecordings
import TestSupport
import Testing

@Suite struct DatasetDescriptorTests {
  private let folder = ScratchFolder()

  @Test func onlyNameSourceAndLicenceAreRequired() throws {
    let path = try folder.write(
      #"{"name": "s", "source": {"title": "T", "url": "U"}, "licence": "MIT", "more": [1]}"#,
      to: "dataset.json")
    let descriptor = try DatasetDescriptor(path: path)
    #expect(
      descriptor
        == DatasetDescriptor(name: "s", source: .init(title: "T", url: "U"), licence: "MIT"))
    #expect(try DatasetDescriptor.descriptor(for: folder.path) == descriptor)
    #expect(try DatasetDescriptor.descriptor(for: folder.path("")) == descriptor)
  }

  @Test func aDataSetWithoutADescriptionGivesNil() throws {
    #expect(try DatasetDescriptor.descriptor(for: folder.path) == nil)
  }

  @Test func encodingAndDecodingGiveTheSameDescription() throws {
    var descriptor = DatasetDescriptor(
      name: "s", source: .init(title: "T", url: "U"), licence: "MIT", labels: ["a": "ignore"])
    descriptor.samplingRate = 50
    descriptor.horizontalAccuracy = .radius95
    descriptor.layout = ["one", "two"]
    descriptor.trainingLabels = ["b": "walking"]
    let path = try folder.write(JSONEncoder().encode(descriptor), to: "d.json")
    #expect(try DatasetDescriptor(path: path) == descriptor)
  }

  @Test(arguments: [
    (#"{"name": "s", "source": {"title": "T", "url": "U"}}"#, "licence"),
    (#"{"name": 5, "source": {"title": "T", "url": "U"}, "licence": ""}"#, "name"),
    (
      #"{"name": "", "source": {"title": "", "url": ""}, "licence": "", "labels": {"a": "fly"}}"#,
      "a stands for fly"
    ),
    (
      #"{"name": "", "source": {"title": "", "url": ""}, "licence": "", "#
        + #""trainingLabels": {"b": "ignore"}}"#,
      "b stands for ignore"
    ),
    (
      #"{"name": "", "source": {"title": "", "url": ""}, "licence": "", "horizontalAccuracy": ""}"#,
      "horizontalAccuracy"
    ),
    ("{", ""), ("not JSON", ""), ("[]", ""), ("\u{0}", ""),
    (String(repeating: "[", count: 100_000), ""),
    (String(repeating: " ", count: 1 << 21), "longer"),
  ])
  func anInvalidDescriptionIsRejectedWithTheReason(json: String, reason: String) throws {
    let path = try folder.write(json, to: "dataset.json")
    let error = recordingError { _ = try DatasetDescriptor.descriptor(for: folder.path) }
    let found = if case .badDescriptor(path, let found)? = error { found } else { nil as String? }
    #expect(found.map { reason.isEmpty || $0.contains(reason) } == true, "\(found ?? "")")
    #expect(error?.description.contains("\n") == false)
    #expect(error?.isInputRejection == true)
  }

  @Test func everyCommittedDescriptionIsComplete() throws {
    let folder = TestFiles.packageRoot.appendingPathComponent("Datasets/Descriptions")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".json") }
    #expect(files.count >= 11)
    for file in files {
      let descriptor = try DatasetDescriptor(path: folder.appendingPathComponent(file).path)
      #expect(descriptor.name + ".json" == file)
      #expect(!descriptor.source.title.isEmpty, "\(file)")
      #expect(
        descriptor.source.url.hasPrefix("https://")
          || ["days", "sport_tracks"].contains(descriptor.name), "\(file)")
      #expect(!descriptor.licence.isEmpty, "\(file)")
      #expect(!descriptor.sensors.isEmpty && !descriptor.layout.isEmpty, "\(file)")
      #expect(
        (descriptor.samplingRate != nil) == descriptor.sensors.contains("accelerometer"),
        "\(file)")
    }
  }
}
