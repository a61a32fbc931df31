import Foundation
import LocomotionRecordings
import LocomotionSensing
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
      #"{"name": "", "source": {"title": "", "url": ""}, "licence": "", "samplingRate": ""}"#,
      "samplingRate"
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
      let url = folder.appendingPathComponent(file)
      let descriptor = try DatasetDescriptor(path: url.path)
      #expect(descriptor.name + ".json" == file)
      #expect(!descriptor.source.title.isEmpty, "\(file)")
      #expect(
        descriptor.source.url.hasPrefix("https://")
          || ["days", "sport_tracks"].contains(descriptor.name), "\(file)")
      #expect(!descriptor.licence.isEmpty, "\(file)")
      let keys = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
      let layout = keys?["layout"] as? [String] ?? []
      #expect(!descriptor.sensors.isEmpty && !layout.isEmpty, "\(file)")
      #expect(
        (descriptor.samplingRate != nil) == descriptor.sensors.contains("accelerometer"),
        "\(file)")
    }
  }
}

/// Each mistake in a data set is found, and named in one line.
@Suite struct DatasetCheckTests {
  private let folder = ScratchFolder()

  /// A minute of a phone that lies still, at 50 Hz unless said otherwise.
  private func recording(
    scale: Double = 9.81, rate: Double = 50, from start: Double = 0, seconds: Double = 60
  ) -> String {
    var text = "t,ax,ay,az\n"
    for index in 0..<Int(seconds * rate) {
      text += "\(start + Double(index) / rate),0.01,0.02,\(scale)\n"
    }
    return text
  }

  /// The problems of a data set with these files.
  private func problems(_ files: [String: String]) throws -> [String] {
    let folder = ScratchFolder()
    for (name, text) in files { try folder.write(text, to: name) }
    return DatasetCheck(try LabelledDataset(folder: folder.path)).problems.map {
      "\($0)".replacing(folder.path, with: "SET")
    }
  }

  private func problems(
    labels: String, _ recording: String? = nil, name: String = "a.csv"
  ) throws -> [String] {
    try problems([
      "labels.csv": "recording,subject,start,end,label\n" + labels,
      name: recording ?? self.recording(),
    ])
  }

  @Test func aSoundDataSetHasNoProblem() throws {
    #expect(try problems(labels: "a,ada,0,30,walking\na,ada,30,60,car\n") == [])
    // Sensors start one by one, labels may touch and may lie within one another.
    #expect(try problems(labels: "a,ada,-3,60,walk\na,ada,0.5,63,walking\n") == [])
    #expect(try problems(labels: "a,ada,0,30,dancing\n") == [])
  }

  @Test func aFileIsNoDataSet() throws {
    let path = try folder.write(recording(), to: "a.csv")
    let error = #expect(throws: RecordingError.self) { _ = try LabelledDataset(folder: path) }
    #expect(error.map { "\($0)".contains("a file, expected a folder of recordings") } ?? false)
  }

  @Test func withoutLabelsTheFileIsNamed() throws {
    #expect(
      try problems(["a.csv": recording()])
        == ["SET/labels.csv: not there, so that nothing is labelled"])
  }

  @Test func recordingsThatAreMissingOrInASubfolderAreNamed() throws {
    let found = try problems([
      "labels.csv": "recording,subject,start,end,label\na,ada,0,9,walking\nb,ada,0,9,walking\n"
        + "c,ada,0,9,walking\n",
      "a.csv": recording(), "week1/b.csv": recording(),
    ])
    #expect(
      found == [
        "b: no recording of this name in the folder; week1/b.csv is not looked at",
        "c: no recording of this name in the folder",
      ])
  }

  @Test(arguments: [
    ("a,ada,0,30,walking\na,ada,100,130,walking\n", "a: 1 of 2 labels outside the recording"),
    (
      "a,ada,10000,30000,walking\n",
      "a: 1 of 1 label outside the recording; their times look like milliseconds"
    ),
    (
      "a,ada,0,50000,walking\n",
      "a: 1 of 1 label beyond the recording's ends, by up to 49940 s; their times look like "
        + "milliseconds"
    ),
    ("a,ada,0,90,walking\n", "a: 1 of 1 label beyond the recording's ends, by up to 30 s"),
    ("a,ada,-20,60,walking\n", "a: 1 of 1 label beyond the recording's ends, by up to 20 s"),
    ("a,ada,7,7,walking\na,ada,0,60,walking\n", "a: 1 label without a length"),
    (
      "a,,0,30,walking\na,,30,60,car\n",
      "labels.csv: 2 labels without a subject, taken for one person"
    ),
  ])
  func labelsThatCannotBeMeantAreNamed(labels: String, problem: String) throws {
    #expect(try problems(labels: labels) == [problem])
  }

  @Test(arguments: [
    (9.81, 10.0, "10 accelerations per second, expected 20 or more"),
    (1.0, 50, "the mean acceleration is 1 m/s², expected 9.8; the values look like g"),
    (
      0.5, 50,
      "the mean acceleration is 0.5 m/s², expected 9.8; the values look like accelerations "
        + "without gravity"
    ), (98.1, 50, "the mean acceleration is 98 m/s², expected 9.8"),
  ])
  func slowRecordingsAndAccelerationsInAnotherUnitAreNamed(
    scale: Double, rate: Double, problem: String
  ) throws {
    let found = try problems(labels: "a,ada,0,60,walking\n", recording(scale: scale, rate: rate))
    #expect(found == ["a: \(problem)"])
  }

  @Test func twoActivitiesAtOnceAreNamed() throws {
    #expect(
      try problems(labels: "a,ada,0,40,walking\na,ada,30,60,car\na,ada,45,50,walk\n")
        == [
          "a: labelled car and walking at once for 10 s, first at 30 s",
          "a: labelled car and walk at once for 5 s, first at 45 s",
        ])
  }

  @Test(arguments: [
    ("walkin", "walking"), ("Cyclng", "cycling"), ("trian", "train"), ("stationery", "stationary"),
  ])
  func misspelledLabelsGetASuggestion(label: String, suggestion: String) throws {
    #expect(
      try problems(labels: "a,ada,0,60,\(label)\n")
        == [
          "label '\(label)' stands for no activity (1 min): did you mean '\(suggestion)'?"
        ])
  }

  @Test func speedsThatContradictALabelAreNamed() throws {
    let fixes =
      "t,lat,lon,hacc,speed\n" + (0..<60).map { "\($0),48,11,5,14\n" }.joined()
    #expect(
      try problems([
        "labels.csv": "recording,subject,start,end,label\na,ada,0,60,walking\n",
        "a.csv": recording(), "a.gps.csv": fixes,
      ]) == ["a: labelled walking at a median speed of 14 m/s"])
  }

  @Test func aRecordingThatCannotBeReadIsNamedAndTheOthersAreChecked() throws {
    let found = try problems([
      "labels.csv": "recording,subject,start,end,label\na,ada,0,60,walking\nb,ada,0,60,walking\n",
      "a.csv": "t,ax,ay,az\n0,1,2\n", "b.csv": recording(scale: 1),
    ])
    #expect(found.count == 2 && found[0].contains("a.csv") && found[1].hasPrefix("b: the mean"))
  }

  @Test func recordingsAreSummarised() throws {
    let text = recording(seconds: 20) + recording(from: 30, seconds: 10).dropFirst(11)
    try folder.write(text, to: "a.csv")
    try folder.write("recording,subject,start,end,label\na,ada,0,60,walking\n", to: "labels.csv")
    let check = DatasetCheck(try LabelledDataset(folder: folder.path))
    let found = try #require(check.recordings.first)
    #expect(found.rate.map { abs($0 - 50) < 0.5 } ?? false)
    #expect(found.gravity.map { abs($0 - 9.8) < 0.1 } ?? false)
    #expect(found.holes == 1 && abs(found.holeSeconds - 10) < 0.1)
    #expect(abs(found.labelMinutes - 40 / 60.0) < 0.01 && !found.hasGyroscope && found.fixes == 0)
  }
}

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

  @Test func aDataSetMayHaveNoLabels() throws {
    try folder.write(accelerations, to: "a.csv")
    let dataset = try LabelledDataset(folder: folder.path)
    #expect(dataset.recordings.count == 1)
    #expect(dataset.intervals.isEmpty && dataset.subjects.isEmpty)
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
