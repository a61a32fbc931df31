import Foundation
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

@Suite struct LabelledDatasetTests {
  private let folder = ScratchFolder()

  let accelerations = "t,ax,ay,az\n0,0,0,9.81\n60,0,0,9.81\n"
  let fixes = "t,lat,lon\n0,48,11\n"

  /// Writes one recording of each kind, labels, steps, and tables that are not recordings.
  private func writeDataset() throws {
    try folder.compress(accelerations, to: "walk.csv.gz")
    try folder.compress(fixes, to: "walk.gps.csv.gz")
    try folder.write("t,lat,lon\n0,48,11\n", to: "walk.truth.csv")
    try folder.write(accelerations, to: "v1.2.csv")
    try folder.write(fixes, to: "drive.gps.csv")
    try folder.write("t,gx,gy\n", to: "broken.csv")
    try folder.write("recording,duration\nwalk,60\n", to: "meta.csv")
    try folder.write("start,end,kind\n", to: "walk.sources.csv")
    try folder.write("nothing", to: "README.md")
    try folder.write(
      """
      recording,subject,start,end,label,note
      walk,anna,0.0,30.5,walking,"slow, uphill"
      walk,anna,30.5,60,Bus,
      drive,ben,0,120,car,
      broken,ben,0,60,stairs,
      gone,carl,0,90,stairs,
      gone,carl,90,120,hopping,
      """, to: "labels.csv")
    try folder.write("recording,system,t\nwalk,a,1.5\nwalk,b,1.6\nwalk,a,2\n", to: "steps.csv")
  }

  @Test func recordingsAreFoundByNameAndContent() throws {
    try writeDataset()
    let dataset = try LabelledDataset(folder: folder.path)
    // "broken" has a label, so it is listed: opening it gives the error.
    #expect(dataset.recordings.map(\.name) == ["broken", "drive", "v1.2", "walk"])
    let walk = try #require(dataset.recordings.first { $0.name == "walk" })
    #expect(walk.path == folder.path("walk.csv.gz"))
    #expect(walk.hasAccelerations && walk.hasFixes)
    let drive = try #require(dataset.recordings.first { $0.name == "drive" })
    #expect(drive.path == folder.path("drive.gps.csv"))
    #expect(!drive.hasAccelerations && drive.hasFixes)
    #expect(dataset.missingRecordings == ["gone"])
    #expect(dataset.name == URL(fileURLWithPath: folder.path).lastPathComponent)
  }

  @Test func labelsBecomeIntervals() throws {
    try writeDataset()
    let dataset = try LabelledDataset(folder: folder.path)
    let first = dataset.intervals[0]
    #expect(first.recording == "walk" && first.subject == "anna" && first.label == "walking")
    #expect(first.start.nanoseconds == 0 && first.end.nanoseconds == 30_500_000_000)
    #expect(first.duration == 30.5)
    #expect(first.note == "slow, uphill")
    #expect(
      dataset.intervals.map(\.activity)
        == ["walking", "automotive", "automotive", nil, nil, nil])
    #expect(dataset.subjects == ["anna", "ben", "carl"])
  }

  @Test func ignoredLabelsAreReportedWithTheirMinutes() throws {
    try writeDataset()
    let dataset = try LabelledDataset(folder: folder.path)
    #expect(dataset.ignoredLabels.map(\.label) == ["hopping"])
    #expect(dataset.ignoredLabels.map(\.minutes) == [0.5])
  }

  @Test func theDescriptorTakesPrecedenceOverTheGeneralRule() throws {
    let descriptor = DatasetDescriptor(
      name: "set", source: .init(title: "", url: ""), licence: "CC0",
      labels: ["bus": "ignore", "stairs": "walking"])
    try writeDataset()
    let dataset = try LabelledDataset(folder: folder.path, descriptor: descriptor)
    #expect(dataset.name == "set")
    #expect(
      dataset.intervals.map(\.activity)
        == ["walking", nil, "automotive", "walking", "walking", nil])
    #expect(dataset.ignoredLabels.map(\.label) == ["hopping", "Bus"])
  }

  @Test(arguments: [
    ("walking", "walking"), ("Running", "running"), ("bus", "automotive"), ("car", "automotive"),
    ("metro", "train"), ("tram", "train"), ("subway", "train"), ("sit", "stationary"),
    ("standing", "stationary"), ("lie", "stationary"), ("jog", "running"), ("bike", "cycling"),
    ("train", "train"), ("stairs", nil), ("", nil), ("other", nil), ("unknown", nil),
    ("ignore", nil),
  ])
  func labelsAreMappedByTheGeneralRule(label: String, activity: String?) {
    #expect(DatasetDescriptor.generalActivity(for: label) == activity)
  }

  @Test func someLabelsAreMappedInTrainingOnly() {
    #expect(DatasetDescriptor.generalTrainingActivity(for: "Stairs") == "walking")
    #expect(DatasetDescriptor.generalTrainingActivity(for: "lift") == "stationary")
    #expect(DatasetDescriptor.generalTrainingActivity(for: "bus") == "automotive")
    #expect(DatasetDescriptor.generalTrainingActivity(for: "hopping") == nil)
    var descriptor = DatasetDescriptor(
      name: "set", source: .init(title: "", url: ""), licence: "CC0",
      labels: ["stairs": "ignore", "lift": "ignore", "bus": "train"])
    descriptor.trainingLabels = ["lift": "stationary", "other": "running", "bus": "walking"]
    #expect(descriptor.trainingActivity(for: "stairs") == nil)
    #expect(descriptor.trainingActivity(for: "upstairs") == "walking")
    #expect(descriptor.trainingActivity(for: "Lift") == "stationary")
    #expect(descriptor.activity(for: "lift") == nil)
    #expect(descriptor.trainingActivity(for: "other") == "running")
    #expect(descriptor.trainingActivity(for: "bus") == "train")
  }

  @Test func stepsAreGroupedByRecordingAndInstrument() throws {
    try writeDataset()
    let steps = try LabelledDataset(folder: folder.path).steps
    #expect(steps.map(\.recording) == ["walk", "walk"])
    #expect(steps.map(\.system) == ["a", "b"])
    #expect(steps.map { $0.timestamps.map(\.seconds) } == [[1.5, 2], [1.6]])
  }

  @Test func aDataSetMayHaveNoLabels() throws {
    try folder.write(accelerations, to: "a.csv")
    let dataset = try LabelledDataset(folder: folder.path)
    #expect(dataset.recordings.count == 1)
    #expect(dataset.intervals.isEmpty && dataset.steps.isEmpty && dataset.subjects.isEmpty)
  }

  @Test func foldersWithoutADataSetAreRejected() throws {
    #expect(
      recordingError { _ = try LabelledDataset(folder: folder.path) }
        == .nothingUsable(path: folder.path, reason: "no recording in this folder"))
    let missing = folder.path("missing")
    #expect(
      recordingError { _ = try LabelledDataset(folder: missing) } == .notFound(path: missing))
    let file = try folder.write(accelerations, to: "a.csv")
    #expect(recordingError { _ = try LabelledDataset(folder: file) }?.isInputRejection == false)
  }

  @Test func withoutAColumnOfSubjectsAllIsOfOnePerson() throws {
    try folder.write(accelerations, to: "a.csv")
    try folder.write("recording,start,end,label\na,0,9,walking\na,9,12,sit\n", to: "labels.csv")
    let dataset = try LabelledDataset(folder: folder.path)
    #expect(dataset.subjects == ["person"] && dataset.intervals.count == 2)
    #expect(DatasetCheck(dataset).problems == [])
  }

  @Test func invalidLabelsAreRejectedWithTheirLine() throws {
    try folder.write(accelerations, to: "a.csv")
    let path = folder.path("labels.csv")
    func error(_ rows: String) throws -> RecordingError? {
      try folder.write("recording,subject,start,end,label\n" + rows, to: "labels.csv")
      return recordingError { _ = try LabelledDataset(folder: folder.path) }
    }
    #expect(
      try error("a,s,1,1,walking\na,s,5,4,walking\n")
        == .badInterval(path: path, line: 3, start: 5, end: 4))
    #expect(
      try error("a,s,0,soon,walking\n")
        == .badNumber(path: path, line: 2, column: "end", text: "soon"))
    #expect(
      try error("a,s,0\n") == .wrongFieldCount(path: path, line: 2, expected: 5, found: 3))
    let open = try error("a,s,0,,walking\n")
    let hasNoEnd = if case .badInterval(path, 2, 0, let end)? = open { end.isNaN } else { false }
    #expect(hasNoEnd)
    let several = try error("a,s,5,4,walking\na,s,0,9,walking\na,s,0,soon,walking\na,s,0\n")
    #expect(
      several
        == .severalLines(
          [
            .badInterval(path: path, line: 2, start: 5, end: 4),
            .badNumber(path: path, line: 4, column: "end", text: "soon"),
            .wrongFieldCount(path: path, line: 5, expected: 5, found: 3),
          ], others: 0))
    let many = try #require(try error(String(repeating: "a,s,0,x,walking\n", count: 50)))
    #expect(many.isInputRejection && many.description.hasSuffix("; and 30 more lines"))
    try folder.write("recording,start,end\n", to: "labels.csv")
    #expect(
      recordingError { _ = try LabelledDataset(folder: folder.path) }
        == .badHeader(
          path: path, line: 1, expected: "recording,subject,start,end,label[,note]",
          found: "recording,start,end"))
  }
}
