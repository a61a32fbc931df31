import Foundation
import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// Files as they lie on disk, read through the one type that reads them.
struct RecordingSourceTests {
  private let folder = ScratchFolder()

  /// What a file holds, what was said of it, and the defect that ended the reading.
  private func read(
    _ path: String
  ) throws -> (batch: SensorBatch, notes: [String], defect: RecordingError?) {
    var reader = try RecordingSource(path: path).reader()
    var (all, batch) = (SensorBatch(), SensorBatch())
    var defect: RecordingError?
    do throws(RecordingError) {
      while try reader.read(into: &batch) { all.append(contentsOf: batch) }
    } catch {
      all.append(contentsOf: batch)
      defect = error
    }
    return (all, reader.report.notes, defect)
  }

  private static func fixes(_ times: some Sequence<Int>) -> String {
    "t,lat,lon\n" + times.map { "\(1_700_000_000 + $0),50,8\n" }.joined()
  }

  @Test func rowsBeforeADefectAreGivenAlsoWhereTheFileRunsBackwards() throws {
    let path = try folder.write(
      (Self.fixes((1...5_000).reversed()) + String(repeating: "x,50,8\n", count: 400)).utf8,
      to: "walk.gps.csv")
    let found = try read(path)
    #expect(found.batch.fixes.count == 5_000)
    #expect(found.batch.fixes.first?.timestamp == Timestamp(seconds: 1_700_000_001))
    #expect(found.defect?.description.contains(":5002:") == true)
  }

  @Test(arguments: ["x,50,8", "1700000001,50", "t,lat,lon"])
  func aBadRowIsLeftOutAndCounted(row: String) throws {
    let text = Self.fixes(0..<60) + row + "\n" + Self.fixes(60..<90).dropFirst("t,lat,lon\n".count)
    let path = try folder.write(text, to: "walk.gps.csv")
    var reader = try RecordingSource(path: path).reader()
    var (batch, count) = (SensorBatch(), 0)
    while try reader.read(into: &batch) { count += batch.fixes.count }
    #expect(count == 90 && reader.report.dropped == [.notANumber: 1])
    #expect(reader.report.firstDefect?.description.contains(":62:") == true)
  }

  /// A sensor gives its samples in batches of 25, or a logger writes whole seconds.
  @Test(arguments: [(25, 0.5), (50, 1)])
  func samplesOfOneTimeAreSpread(size: Int, period: Double) throws {
    let rows = (0..<1_000).map { "\(1e9 + Double($0 / size) * period),0,0,9.8\n" }
    let path = try folder.write("t,ax,ay,az\n" + rows.joined(), to: "batches.csv")
    let found = try read(path)
    let times = found.batch.accelerations.timestamps
    let steps = zip(times.dropFirst(), times).map { $0.seconds(since: $1) }
    #expect(steps.allSatisfy { abs($0 - 0.02) < 1e-6 })
    #expect(found.notes.contains { $0.hasPrefix("samples in batches of one time") })
  }

  @Test func clocksThatDifferByYearsAndExchangedCoordinatesAreRefused() throws {
    let rows = (0..<99).map { "\(81_234 + Double($0) / 50),0,0,9.8\n" }
    let path = try folder.write("t,ax,ay,az\n" + rows.joined(), to: "boot.csv")
    try folder.write(Self.fixes(0..<60), to: "boot.gps.csv")
    let error = recordingError { _ = try RecordingSource(path: path).reader() }
    #expect(error?.description.contains("differ by 1699918766.0 s, 54 years") == true)
    let exchanged = try folder.write(
      "t,lat,lon\n" + (0..<9).map { "\($0),147.5,-35\n" }.joined(), to: "exchanged.gps.csv")
    let other = recordingError { _ = try RecordingSource(path: exchanged).reader() }
    #expect(other?.description.contains("exchanged?") == true)
  }

  @Test(arguments: [(1_000.0, 1), (1e6, 1), (1, 1)])
  func timesInSmallerUnitsAreTakenForWhatTheyAre(unit: Double, step: Int) throws {
    let rows = (0..<60).map { "\(Int(unit) * (1_700_000_000 + $0 * step)),50,8\n" }.joined()
    let found = try read(try folder.write(("t,lat,lon\n" + rows).utf8, to: "walk.csv"))
    #expect(found.batch.fixes.count == 60)
    #expect(found.batch.fixes.last?.timestamp == Timestamp(seconds: 1_700_000_059))
  }

  @Test func aZipFileOfAFolderIsReadAsTheFolder() throws {
    var zip = ZipFile()
    zip.add("Läufe/walk.gps.csv", Array(Self.fixes(0..<9).utf8))
    zip.add("Läufe/raw/other.csv", Array("a,b\n1,2\n".utf8))
    let found = try read(try folder.write(zip.file, to: "day.zip"))
    #expect(found.batch.fixes.count == 9)
  }

  @Test func tracksOfTheSameTimeAreMergedWithANote() throws {
    try folder.write(Self.fixes(0..<60).utf8, to: "both/a.gps.csv")
    try folder.write(Self.fixes(30..<90).utf8, to: "both/b.gps.csv")
    let both = try read(folder.path + "/both")
    // Of the fixes of one time there is one.
    #expect(both.batch.fixes.count == 90)
    #expect(both.notes.contains { $0.contains("'a' and 'b' are of the same time") })
    try folder.write(Self.fixes(60..<90).utf8, to: "after/b.gps.csv")
    try folder.write(Self.fixes(0..<60).utf8, to: "after/a.gps.csv")
    #expect(try read(folder.path + "/after").notes.isEmpty)
  }
}

/// Files of positions as recorders leave them: in any order, twice, with dates or speeds that no
/// receiver measured.
@Suite struct RecorderHabitTests {
  private let folder = ScratchFolder()
  private static let zero = 1_700_000_000

  /// The fixes of a file as everything but a conversion reads them.
  private func read(
    _ text: String, as name: String = "day.gps.csv"
  ) throws -> (fixes: [LocationFix], report: ImportReport) {
    let found = try RecordingSource(path: folder.write(text, to: name)).whole()
    return (found.batch.fixes, found.report)
  }

  private static func tidy(_ seconds: some Sequence<Int>) -> String {
    "t,lat,lon\n" + seconds.map { "\(zero + $0),\(50 + Double($0) * 1e-6),8\n" }.joined()
  }

  private static func seconds(_ fixes: [LocationFix]) -> [Int] {
    fixes.map { Int($0.timestamp.seconds) - zero }
  }

  // MARK: Order

  /// Batches of a hundred, the newest batch first; and an order without any order.
  private static let orders: [[Int]] = [
    (0..<3).reversed(),
    (0..<10_000).reversed(),
    (0..<100).reversed().flatMap { (100 * $0)..<(100 * $0 + 100) },
    (0..<9_973).map { $0 * 5_003 % 9_973 },
    Array(0..<9_000) + [4_500],
  ]

  @Test(arguments: orders.indices) func fixesAreReadInTheOrderOfTime(index: Int) throws {
    let order = Self.orders[index]
    let found = try read(Self.tidy(order))
    #expect(Self.seconds(found.fixes) == Set(order).sorted())
    #expect(found.report.notes == ["sorted by time"] && found.report.outOfOrder > 0)
    #expect(found.report.fixes == Set(order).count && found.report.read == order.count)
  }

  @Test func whatIsInOrderIsStreamedAsItIs() throws {
    let found = try read(Self.tidy(0..<10_000))
    #expect(Self.seconds(found.fixes) == Array(0..<10_000))
    #expect(found.report.notes.isEmpty && found.report.dropped.isEmpty)
  }

  /// Two rows in three thousand are a clock that was set back, of which accelerations tell.
  @Test func aClockSetBackBesideAccelerationsIsLeftAlone() throws {
    let times = (0..<3_000).map { (k: Int) in Double(k < 1_500 ? k : k - 1_000) / 50 }
    let path = try folder.write(
      "t,ax,ay,az\n" + times.map { "\($0),0,0,9.8\n" }.joined(), to: "walk.csv")
    let (batch, report) = try RecordingSource(path: path).whole()
    #expect(batch.accelerations.timestamps == times.compactMap { Timestamp(seconds: $0) })
    #expect(report.notes.isEmpty)
  }

  // MARK: Repetition

  @Test(arguments: [false, true]) func ofOneTimeTheMostAccurateFixIsKept(isBackwards: Bool) throws {
    let rows = [
      "1,50.1,8,40", "1,50.2,8,4", "1,50.3,8,4", "2,50.4,8,", "2,50.5,8,9", "2,50.5,8,9",
      "3,,8,1", "3,50.6,8,99", "4,50.7,8,5",
    ]
    let text = "t,lat,lon,hacc\n" + (isBackwards ? rows.reversed() : rows).joined(separator: "\n")
    let found = try read(text)
    #expect(found.fixes.map(\.timestamp.seconds) == [1, 2, 3, 4])
    // Of two that are as accurate the first in the file.
    #expect(found.fixes.map(\.latitude) == [isBackwards ? 50.3 : 50.2, 50.5, 50.6, 50.7])
    #expect(found.report.dropped == [.sameTime: 4, .duplicate: 1])
    #expect(found.report.fixes == 4 && found.report.read == 9)
  }

  @Test func fixesOfOneTimeInOtherFormsAreOne() throws {
    let found = try read("time,lat,lon,accuracy\n5,50,8,40\n5,51,8,4\n6,50,8,4\n", as: "own.csv")
    #expect(found.fixes.map(\.latitude) == [51, 50])
    #expect(found.report.dropped == [.sameTime: 1])
    #expect(found.report.lines.contains("dropped 1: another fix at that time is as good"))
  }

  // MARK: Dates

  /// A receiver that began to count the weeks anew, and one that caught up.
  @Test(arguments: [0..<20, 40..<60]) func weeksThatWereNotCountedAreAdded(early: Range<Int>) throws
  {
    let times = (0..<60).map { 60 * $0 - (early.contains($0) ? 619_315_200 : 0) }
    let found = try read("t,lat,lon\n" + times.map { "\(Self.zero + $0),50,8\n" }.joined())
    #expect(Self.seconds(found.fixes) == (0..<60).map { 60 * $0 })
    #expect(
      found.report.notes.contains { $0.contains("1,024 weeks early") && $0.hasSuffix(": 20") })
  }

  @Test func yearsBetweenFixesAreNoError() throws {
    let times = [0, 60, 600_000_000, 600_000_060]
    #expect(try Self.seconds(read(Self.tidy(times)).fixes) == times)
  }

  // MARK: Speeds

  private static func ride(_ speed: (Int) -> String, accuracy: Int = 5) -> String {
    "t,lat,lon,hacc,speed\n"
      + (0..<30).map { number in
        "\(zero + 30 * number),\(50.00012 + Double(number) * 0.003),8,\(accuracy),"
          + "\(speed(number))\n"
      }.joined()
  }

  @Test func speedsThatThePositionsContradictAreIgnored() throws {
    let zero = try read(Self.ride { _ in "0" })
    #expect(zero.fixes.allSatisfy { $0.speed == nil } && zero.fixes.count == 30)
    #expect(
      zero.report.notes == [
        "the speeds are far below those of the positions: ignored, of 30 fixes"
      ])
    // 333 m in 30 s; also where a third of the speeds is missing or 0.
    for speeds in [{ _ in "11" }, { $0 % 3 == 0 ? "0" : "11" }, { $0 % 3 == 0 ? "-1" : "11" }]
      as [(Int) -> String]
    {
      let right = try read(Self.ride(speeds))
      #expect(right.fixes[1].speed == 11 && right.report.notes.isEmpty)
    }
    // Neither positions of nowhere nor steps that the accuracies explain tell anything.
    let rows = (0..<30).map { "\(Self.zero + $0),\($0 % 4 == 0 ? 0 : 50),8,5,0\n" }
    let nowhere = try read("t,lat,lon,hacc,speed\n" + rows.joined())
    #expect(nowhere.fixes.allSatisfy { $0.speed == 0 } && nowhere.report.notes.isEmpty)
    #expect(try read(Self.ride({ _ in "0" }, accuracy: 400)).fixes.allSatisfy { $0.speed == 0 })
  }

  @Test func speedsBesideAccelerationsAreIgnoredToo() throws {
    try folder.write(Self.ride { _ in "0" }, to: "ride.gps.csv")
    let rows = (0..<900).map { "\(Self.zero + $0),0,0,9.8\n" }
    let path = try folder.write("t,ax,ay,az\n" + rows.joined(), to: "ride.csv")
    let all = try RecordingSource(path: path).whole().batch
    #expect(all.fixes.count == 30 && all.fixes.allSatisfy { $0.speed == nil })
    #expect(all.accelerations.count == 900)
  }

  /// A phone that reports significant changes alone.
  @Test func anUnknownSpeedLeavesTheAccuracy() throws {
    let text = "t,lat,lon,hacc,speed,course\n"
    let found = try read(text + "0,50,8,65,-1,-1\n300,50.05,8,65,-1,-1\n")
    #expect(found.fixes.map(\.horizontalAccuracy) == [65, 65])
    #expect(found.fixes.allSatisfy { $0.speed == nil && $0.course == nil })
    #expect(found.report.notes.isEmpty && found.report.dropped.isEmpty)
  }

  // MARK: Devices

  private func expectFirstDevice(_ text: String, as name: String) throws {
    let found = try read(text, as: name)
    #expect(found.fixes.count == 20 && found.fixes.allSatisfy { $0.latitude < 51 }, "\(name)")
    #expect(found.report.dropped == [.otherDevice: 10], "\(name): \(found.report.lines)")
    #expect(found.report.notes.contains { $0.contains("another device") && $0.hasSuffix(" 10") })
  }

  @Test func ofTwoDevicesAtATimeTheOneWithMoreFixesIsRead() throws {
    let rows = (0..<30).map { ($0, $0 % 3 == 0) }
    try expectFirstDevice(
      "time,lat,lon,device\n"
        + rows.map { "\(Self.zero + 10 * $0),\($1 ? 52 : 50),8,\($1 ? "watch" : "phone")\n" }
        .joined(), as: "own.csv")
    try expectFirstDevice(
      rows.map { index, isOther in
        "{\"_type\":\"location\",\"tst\":\(Self.zero + 10 * index),\"lat\":\(isOther ? 52 : 50),"
          + "\"lon\":8,\"tid\":\"\(isOther ? "wa" : "ph")\"}\n"
      }.joined(), as: "messages.json")
    let records = rows.map { index, isOther in
      "{\"timestampMs\":\"\(Self.zero + 10 * index)000\",\"longitudeE7\":80000000,"
        + "\"latitudeE7\":\(isOther ? 520_000_000 : 500_000_000),\"deviceTag\":\(isOther ? -7 : 9)}"
    }
    let features = rows.map { index, isOther in
      "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":"
        + "[8,\(isOther ? 52 : 50)]},\"properties\":{\"timestamp\":\(Self.zero + 10 * index),"
        + "\"device_id\":\"\(isOther ? "watch" : "phone")\"}}"
    }
    try expectFirstDevice(
      "{\"locations\":[" + features.joined(separator: ",") + "]}", as: "batch.json")
    try expectFirstDevice(
      "{\"locations\":[" + records.joined(separator: ",") + "]}", as: "Records.json")
  }

  @Test func aDeviceThatReplacedAnotherOneGoesOn() throws {
    let rows = (0..<30).map { "\(Self.zero + 3_600 * $0),50,8,\($0 < 20 ? "old" : "new")\n" }
    let found = try read("time,lat,lon,device\n" + rows.joined(), as: "own.csv")
    #expect(found.fixes.count == 30 && found.report.dropped.isEmpty)
  }
}
