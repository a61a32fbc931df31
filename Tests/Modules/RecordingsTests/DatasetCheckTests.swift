import Foundation
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

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
