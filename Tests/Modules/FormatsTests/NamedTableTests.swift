import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import Testing

/// Tables whose columns have names of their own.
struct NamedTableTests {
  private static func read(
    _ text: String, _ columns: TableColumns = TableColumns()
  ) throws -> (batch: SensorBatch, report: ImportReport) {
    let source = ImportSource(name: "own.csv", files: ["own.csv": Array(text.utf8)])
    var all = SensorBatch()
    let report = try RecordingFormat.table.read(source, columns: columns) { event in
      if case .batch(let batch) = event { all.append(contentsOf: batch) }
    }
    return (all, report)
  }

  private static func table(_ header: String, _ row: (Int) -> String) -> String {
    header + "\n" + (0..<60).map { row($0) + "\n" }.joined()
  }

  /// The seconds from the first to the last acceleration.
  private static func span(_ batch: SensorBatch) throws -> Double {
    let times = batch.accelerations.timestamps
    return try #require(times.last).seconds(since: #require(times.first))
  }

  @Test(arguments: [
    "2024-05-01T12:00:29+02:00", "2024-05-01T12:00:29.250+00:00", "2024-05-01T12:00:29Z",
    "2024-05-01 12:00:29 UTC", "2024-05-01 12:00:29:250", "12:00:29",
  ])
  func timesAsTextAreRead(time: String) throws {
    #expect(try Self.read("time,lat,lon\n\(time),50,8\n").batch.fixes.count == 1)
  }

  @Test(arguments: ["1e300:00", "inf:00", "1e30:00:00", "nan:00", "::", ":::", "-1:00", "x"])
  func noTextOfATimeStopsTheProgram(time: String) throws {
    let read = try Self.read("time,lat,lon\n12:00,50,8\n\(time),50,8\n")
    #expect(read.batch.fixes.count == 1 && read.report.dropped[.noTime] == 1)
  }

  /// Since the phone's start as since 1970.
  @Test(arguments: [
    (0.0, 0.02), (1_700_000_000, 0.02), (1_700_000_000_000, 20), (5e12, 2e7), (5e14, 2e7),
    (86_400_000, 20), (4e9, 20_000), (1.7e15, 20_000),
  ])
  func theIntervalTellsTheUnitOfTime(zero: Double, step: Double) throws {
    let text = Self.table("timestamp,x,y,z") { "\(zero + Double($0) * step),0,0,9.8" }
    let read = try Self.read(text)
    #expect(read.batch.accelerations.count == 60)
    #expect(abs(try Self.span(read.batch) - 59 * 0.02) < 0.001, "\(read.report.lines)")
  }

  @Test func aDecimalCommaAndMissingTimesAreNoText() throws {
    let comma = try Self.read(Self.table("time;x;y;z") { "0,\($0 + 10);0,1;0,2;9,8" })
    #expect(comma.batch.accelerations.count == 60)
    let missing = try Self.read(
      Self.table("time,x,y,z") { ($0 == 3 ? "" : "\(Double($0) / 50)") + ",0,0,9.8" })
    #expect(missing.batch.accelerations.count == 59 && missing.report.dropped[.noTime] == 1)
  }

  @Test func aDateBesideATimeOfDayBelongsToIt() throws {
    let read = try Self.read(
      "date,time,lat,lon\n2024-05-01,12:00:00,50,8\n2024-05-02,12:00:00,50,8\n")
    let times = read.batch.fixes.map(\.timestamp)
    #expect(times.count == 2 && times[1].seconds(since: times[0]) == 86_400)
  }

  /// Both ways, because some programs write the newest row first.
  @Test(arguments: [
    ["23:59:50", "00:00:10", "00:00:30"], ["00:00:30", "00:00:10", "23:59:50"],
  ])
  func timesOfDayGoOnAfterMidnight(times: [String]) throws {
    let read = try Self.read("time,lat,lon\n" + times.map { "\($0),50,8\n" }.joined())
    let found = read.batch.fixes.map(\.timestamp)
    #expect(found.count == 3)
    #expect(abs(found[1].seconds(since: found[0])) == 20)
    #expect(abs(found[2].seconds(since: found[0])) == 40)
  }

  @Test func rowsOfOtherSensorsAreKept() throws {
    let rates = try Self.read(
      Self.table("time,ax,ay,az,gx,gy,gz") {
        "\(Double($0) / 50)," + ($0.isMultiple(of: 2) ? "0,0,9.8,,," : ",,,1,2,3")
      })
    #expect(rates.batch.accelerations.count == 30 && rates.batch.rotationRates.count == 30)
    let air = try Self.read(
      Self.table("time,ax,ay,az,pressure") {
        "\(Double($0) / 50)," + ($0 == 7 ? ",,,1013" : "0,0,9.8,")
      })
    #expect(air.batch.pressures.count == 1 && air.report.droppedCount == 0)
  }

  @Test func unitsOfNamesAreThoseOfTheirColumns() throws {
    let fast = try Self.read(
      "time,lat,lon,speed (km/h)\n0,50,8,36\n", TableColumns([], units: ["s"]))
    #expect(fast.batch.fixes.first?.speed == 10)
    let milliseconds = try Self.read("milliseconds,lat,lon\n0,50,8\n1000,50,8\n")
    #expect(milliseconds.batch.fixes.last?.timestamp.seconds == 1)
  }

  @Test func namesThatMeanSomethingElseAreLeftOut() throws {
    let projected = try Self.read("time,lat,lon,x,y,z\n0,50,8,5e5,5e6,100\n")
    #expect(projected.batch.accelerations.count == 0 && projected.batch.fixes.count == 1)
    let magnitude = try Self.read("time,lat,lon,ax,ay,az,acc\n0,50,8,0,0,9.8,9.8\n")
    #expect(magnitude.batch.fixes.first?.horizontalAccuracy == nil)
    let grade = try Self.read("time,lat,lon,acc\n0,50,8,9.8\n")
    #expect(grade.batch.fixes.first?.horizontalAccuracy == 9.8)
  }
}
