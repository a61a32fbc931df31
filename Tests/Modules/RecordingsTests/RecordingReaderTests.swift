import Foundation
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

@Suite struct RecordingReaderTests {
  private let folder = ScratchFolder()

  @Test func accelerationsAreReadWithTimeAndComponents() throws {
    var reader = try recording("t,ax,ay,az\n0.0,-8.83,-2.71,-2.15\n0.02,1,2e0,3.5\n")
    var batch = SensorBatch()
    #expect(try reader.read(into: &batch))
    #expect(batch.accelerations.timestamps.map(\.nanoseconds) == [0, 20_000_000])
    #expect(batch.accelerations.x == [-8.83, 1])
    #expect(batch.accelerations.y == [-2.71, 2])
    #expect(batch.accelerations.z == [-2.15, 3.5])
    #expect(batch.rotationRates.count == 0)
    #expect(batch.fixes.isEmpty)
    #expect(try !reader.read(into: &batch))
    #expect(batch.isEmpty)
  }

  @Test func columnsAreFoundByNameInAnyOrder() throws {
    let plain = try allEvents(recording("t,ax,ay,az,gx,gy,gz\n1,2,3,4,5,6,7\n"))
    let other = try allEvents(
      recording("GZ,note,AY,AX,gx,\"gy\",T, az\r\n7,\"a, b\",3,2,5,6,1,4\r\n"))
    #expect(plain == other)
    #expect(plain.count == 2)
  }

  @Test func missingValuesAreNaNAndCounted() throws {
    let (batch, counts) = try firstRead(
      "t,ax,ay,az\n0,1,,3\n1,nan,2,3\n2,1,2,-inf\n3,1,1e300,3\n4,1,2,3\n")
    #expect(batch.accelerations.y[0].isNaN)
    #expect(batch.accelerations.x[1].isNaN)
    #expect(batch.accelerations.z[2].isNaN)
    // Finite as a Double and not as a Float.
    #expect(batch.accelerations.y[3].isNaN)
    #expect(batch.accelerations.x[0] == 1)
    #expect(counts.rowsWithMissingValues == 4)
    #expect(counts.accelerations == 5)
  }

  @Test func aRowWithoutATimeIsLeftOutAndCounted() throws {
    let (batch, counts) = try firstRead(
      "t,ax,ay,az\n,1,2,3\n0,1,2,3\nnan,1,2,3\n1e99,1,2,3\n1,1,2,3\n")
    #expect(batch.accelerations.timestamps.map(\.seconds) == [0, 1])
    #expect(counts.rowsWithoutTime == 3)
    #expect(counts.lines == 6)
  }

  @Test func rowsOfASlowGyroscopeMayBeEmpty() throws {
    let (batch, counts) = try firstRead(
      "t,ax,ay,az,gx,gy,gz\n0,1,2,3,4,5,6\n1,1,2,3,,,\n2,1,2,3,4,,6\n")
    #expect(batch.rotationRates.timestamps.map(\.seconds) == [0, 2])
    #expect(batch.rotationRates.x == [4, 4])
    #expect(batch.rotationRates.y[1].isNaN)
    #expect(counts.rotationRates == 2)
    #expect(counts.rowsWithMissingValues == 1)
  }

  @Test func unknownQuantitiesOfAFixAreNil() throws {
    let (batch, counts) = try firstRead(
      nil,
      fixes: """
        t,lat,lon,alt,hacc,speed,course
        0,48.5,-11.25,-3.5,14.1,,
        1,48,11,,-1,-1,-1
        2,,,,,0,360
        """)
    #expect(
      batch.fixes[0]
        == LocationFix(
          timestamp: Timestamp(nanoseconds: 0), latitude: 48.5, longitude: -11.25, altitude: -3.5,
          horizontalAccuracy: 14.1))
    #expect(
      batch.fixes[1]
        == LocationFix(
          timestamp: Timestamp(nanoseconds: 1_000_000_000), latitude: 48, longitude: 11))
    #expect(batch.fixes[2].latitude.isNaN)
    #expect(batch.fixes[2].speed == 0)
    #expect(batch.fixes[2].course == 0)
    #expect(counts.fixesWithoutPosition == 1)
    #expect(counts.fixes == 3)
  }

  @Test func aFixComesBeforeTheFirstAccelerationThatIsNotEarlier() throws {
    let order = try allEvents(
      recording(
        "t,ax,ay,az\n1,0,0,0\n2,0,0,0\n3,0,0,0\n",
        fixes: "t,lat,lon\n2,1,1\n2.5,1,1\n9,1,1\n")
    ).map { event -> String in
      switch event {
      case .acceleration(let time, _): "a\(Double(time) / 1e9)"
      case .fix(let time, _): "f\(Double(time) / 1e9)"
      case .rotationRate: "r"
      }
    }
    #expect(order == ["a1.0", "f2.0", "a2.0", "f2.5", "a3.0", "f9.0"])
  }

  /// Two files with clocks that jump, and the merged sequence by definition.
  func jumpingRecording(seed: UInt64) -> (String, String, [Int64]) {
    var generator = SplitMix64(seed: seed)
    let accelerations = (0..<500).map { _ in Int64.random(in: 0..<100, using: &generator) }
    let fixes = (0..<80).map { _ in Int64.random(in: 0..<100, using: &generator) }
    var merged: [Int64] = []
    var next = 0
    // A time that is later than the next one of its file is merged at that one's time.
    func due(_ times: [Int64], _ index: Int) -> Int64 { times[index...].prefix(2).min() ?? .max }
    for (index, time) in accelerations.enumerated() {
      while next < fixes.count, due(fixes, next) <= due(accelerations, index) {
        merged.append(-1 - fixes[next])
        next += 1
      }
      merged.append(time)
    }
    merged += fixes[next...].map { -1 - $0 }
    return (
      "t,ax,ay,az\n" + accelerations.map { "\($0),0,0,0\n" }.joined(),
      "t,lat,lon\n" + fixes.map { "\($0),1,1\n" }.joined(), merged
    )
  }

  @Test(arguments: 1...8)
  func rowsOfAFileAreNotReorderedWhenItsClockJumps(seed: UInt64) throws {
    let (accelerations, fixes, expected) = jumpingRecording(seed: seed)
    let order = try allEvents(recording(accelerations, fixes: fixes)).map { event -> Int64 in
      switch event {
      case .acceleration(let time, _), .rotationRate(let time, _): time / 1_000_000_000
      case .fix(let time, _): -1 - time / 1_000_000_000
      }
    }
    #expect(order == expected)
  }

  @Test func oneWrongTimeDelaysNeitherFile() throws {
    let (a, f) = ("t,ax,ay,az\n1,0,0,0\n%,0,0,0\n3,0,0,0\n4,0,0,0\n", "t,lat,lon\n1,1,1\n3,1,1\n")
    let late = try allEvents(recording(a.replacing("%", with: "3600"), fixes: f)).map(\.seconds)
    #expect(late == [-1, 1, -3, 3_600, 3, 4])
    let (b, g) = ("t,ax,ay,az\n1,0,0,0\n2,0,0,0\n3,0,0,0\n", "t,lat,lon\n1,1,1\n3600,1,1\n3,1,1\n")
    let fixes = try allEvents(recording(b, fixes: g)).map(\.seconds)
    #expect(fixes == [-1, 1, 2, -3_600, -3, 3])
  }

  @Test(arguments: [1, 2, 3, 7, 64, 579, 580, 4096])
  func everyBatchSizeGivesTheSameSequence(maximumEvents: Int) throws {
    let (accelerations, fixes, expected) = jumpingRecording(seed: 9)
    var reader = try recording(accelerations, fixes: fixes)
    var batch = SensorBatch()
    var place = 0
    while try reader.read(into: &batch, maximumEvents: maximumEvents) {
      let events = expected[place..<min(place + maximumEvents, expected.count)]
      let fixes = batch.fixes.map { -1 - Int64($0.timestamp.seconds) }
      #expect(fixes == events.filter { $0 < 0 })
      #expect(
        batch.accelerations.timestamps.map { Int64($0.seconds) } == events.filter { $0 >= 0 })
      place += events.count
    }
    #expect(place == expected.count)
    #expect(reader.counts.accelerations + reader.counts.fixes == expected.count)
  }

  /// Plain rows are read in one pass, rows with a blank in three, with the same result.
  @Test(arguments: ["\n", "\r\n"], ["t,ax,ay,az", "gy,ax,note,t,az,gx,gz,ay"])
  func theFastPathAndTheGeneralPathReadTheSame(lineEnd: String, header: String) throws {
    var generator = SplitMix64(seed: 3)
    let columns = header.split(separator: ",").map(String.init)
    func value(_ column: String, row: Int) -> String {
      if column == "t" {
        // Nineteen digits, more than a Double holds; one row in fifty has a time out of range.
        let fraction = UInt64.random(in: 0..<1 << 29, using: &generator)
        return row % 50 == 7 ? "99999999999" : "\(1_778_544_000 + row).\(fraction)"
      }
      let digits = Int.random(in: 0...9, using: &generator)
      let whole = Int.random(in: -20...20, using: &generator)
      let fraction = (0..<digits).map { _ in String(Int.random(in: 0...9, using: &generator)) }
      return "\(whole)" + (digits % 3 == 1 ? "" : "." + fraction.joined())
    }
    var (plain, careful) = (header + lineEnd, header + lineEnd)
    for row in 0..<3000 {
      let values = columns.map { value($0, row: row) }
      plain += values.joined(separator: ",") + lineEnd
      careful += values.joined(separator: " ,") + lineEnd
    }
    let fixes = "t,lat,lon\n" + (0..<200).map { "\(1_778_544_000 + 15 * $0),1,1\n" }.joined()
    let events = try allEvents(recording(plain, fixes: fixes))
    #expect(try allEvents(recording(careful, fixes: fixes)) == events)
    #expect(events.count >= 2940 + 200)
    var one = try recording(plain, fixes: fixes)
    var other = try recording(careful, fixes: fixes)
    var batch = SensorBatch()
    while try one.read(into: &batch) {}
    while try other.read(into: &batch) {}
    #expect(one.counts == other.counts)
    #expect(one.counts.rowsWithoutTime == 60)
  }

  @Test func theFileOfFixesBesideARecordingIsFound() throws {
    let path = try folder.compress("t,ax,ay,az\n1,2,3,4\n", to: "walk.csv.gz")
    #expect(try RecordingReader(path: path).fixesPath == nil)

    let plain = try folder.compress("t,lat,lon\n0,1,2\n", to: "walk.gps.csv")
    let reader = try RecordingReader(path: path)
    #expect(reader.accelerationsPath == path)
    #expect(reader.fixesPath == plain)
    #expect(try allEvents(reader).count == 2)

    let compressed = try folder.compress("t,lat,lon\n0,1,2\n1,1,2\n", to: "walk.gps.csv.gz")
    #expect(try RecordingReader(path: path).fixesPath == compressed)
  }

  @Test func aRecordingMayHaveOnlyFixes() throws {
    try folder.write("t,ax,ay,az\n1,2,3,4\n", to: "walk.csv")
    for name in ["walk.gps.csv", "walk.gps.csv.gz"] {
      let path = try folder.compress("t,lat,lon\n0,1,2\n", to: name)
      let reader = try RecordingReader(path: path)
      #expect(reader.accelerationsPath == nil)
      #expect(reader.fixesPath == path)
      #expect(try allEvents(reader).count == 1)
    }
    let track = try folder.write("t,lat,lon\n0,1,2\n", to: "track.txt")
    #expect(try RecordingReader(path: track).fixesPath == track)
  }

  @Test func compressionIsDetectedByContentAndNotByName() throws {
    let text = "t,ax,ay,az\n1,2,3,4\n"
    let plain = try folder.write(text, to: "plain.csv.gz")
    let compressed = try folder.compress(text, to: "compressed.csv.gz")
    let renamed = folder.path("renamed.csv")
    try FileManager.default.copyItem(atPath: compressed, toPath: renamed)
    for path in [plain, compressed, renamed] {
      #expect(try allEvents(RecordingReader(path: path)) == allEvents(recording(text)))
    }
  }

  @Test func aRecordingMayHaveOneSample() throws {
    #expect(try allEvents(recording("t,ax,ay,az\n5,1,2,3")).count == 1)
    #expect(try allEvents(recording(nil, fixes: "t,lat,lon\n5,1,2")).count == 1)
  }

  @Test func oneOfTheTwoFilesMayHaveNoRows() throws {
    #expect(try allEvents(recording("t,ax,ay,az\n", fixes: "t,lat,lon\n5,1,2")).count == 1)
    #expect(try allEvents(recording("t,ax,ay,az\n5,1,2,3", fixes: "t,lat,lon\n")).count == 1)
  }
}

extension Event {
  /// The time in whole seconds; negative for a fix.
  fileprivate var seconds: Int64 {
    switch self {
    case .acceleration(let time, _), .rotationRate(let time, _): time / 1_000_000_000
    case .fix(let time, _): -time / 1_000_000_000
    }
  }
}

/// Reads all data sets in the folder of real recordings, when there is one.
@Suite(
  .enabled(
    if: TestFiles.datasets != nil, "no recordings at LOCOMOTION_DATASETS or ../shared/datasets"))
struct RealRecordingsTests {
  /// The names of the available data sets.
  static let sets: [String] = {
    let content = TestFiles.datasets.flatMap {
      try? FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
    }
    return (content ?? []).filter(\.hasDirectoryPath).map(\.lastPathComponent).sorted()
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
