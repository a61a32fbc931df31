import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import Testing

/// Tables and objects of positions, with the names, units and texts that programs give them.
@Suite struct LocationTableTests {
  /// 2024-05-13T12:00:00Z.
  private static let noon = 1_715_601_600.0

  /// The content of a file, read as the form that is detected.
  private func read(_ text: String, named name: String = "own.csv") throws -> Imported {
    try ImportSource(name: name, files: [name: Array(text.utf8)]).imported(detectedAs: .table)
  }

  /// Expects two fixes at noon and a minute later, at 50.5° north and 8.25° west.
  private func expectTwo(_ text: String, named name: String = "own.csv") throws -> [LocationFix] {
    let fixes = try read(text, named: name).batch.fixes
    #expect(fixes.map { $0.timestamp.seconds - Self.noon } == [0, 60], "\(text)")
    #expect(fixes.allSatisfy { abs($0.latitude - 50.5) < 1e-9 }, "\(text)")
    #expect(fixes.allSatisfy { abs($0.longitude + 8.25) < 1e-9 }, "\(text)")
    return fixes
  }

  // MARK: Times

  @Test(arguments: [
    ("date,time", "2024-05-13,12:00:00", "2024-05-13,12:01:00"),
    (
      "UTC DATE,UTC TIME,LOCAL DATE,LOCAL TIME", "2024/05/13,12:00:00,2024/05/13,14:00:00",
      "2024/05/13,12:01:00,2024/05/13,14:01:00"
    ),
    ("date,time", "240513,120000", "240513,120100"),
    ("date,time", "20240513,120000", "20240513,120100"),
    ("datetime", "13-May-2024 12:00:00.000", "13-May-2024 12:01:00.000"),
    ("Timestamp", "13.05.2024 12:00", "13.5.2024 12:01:00"),
    ("time", "5/13/2024 12:00:00 PM", "5/13/2024 12:01:00 PM"),
    ("time", "13/5/24 12:00", "13/5/24 12:01"),
    ("date,time", "5/13/2024,12:00:00", "5/13/2024,12:01:00"),
    ("recorded_at", "2024-05-13 14:00:00+02", "2024-05-13 14:01:00+02"),
    ("epoch_ms", "1715601600000", "1715601660000"), ("utc", "1715601600", "1715601660"),
  ])
  func timesAreReadAsTheyAreWritten(header: String, first: String, second: String) throws {
    _ = try expectTwo("\(header),lat,lon\n\(first),50.5,-8.25\n\(second),50.5,-8.25\n")
  }

  /// Where no date shows the order of day and month, the day is first, and the report says so.
  @Test func anAmbiguousDateIsNoted() throws {
    let found = try read("time,lat,lon\n1/5/2024 12:00,50,8\n")
    #expect(found.batch.fixes.first?.timestamp.seconds == 1_714_564_800)
    #expect(found.report.notes.contains { $0.contains("the day before the month") })
  }

  // MARK: Positions

  @Test(arguments: [
    ("latitude,longitude", "50.5,-8.25"), ("Lat,Lng", "50.5,-8.25"), ("lat,long", "50.5,-8.25"),
    ("latitudeE7,longitudeE7", "505000000,-82500000"), ("lat,lon", "50.5N,8.25W"),
    ("LATITUDE,N/S,LONGITUDE,E/W", "50.5,N,8.25,W"),
    ("LATITUDE N/S,LONGITUDE E/W", "N50.5,W8.25"), ("lat,lon", "50°30'N,8°15'0W"),
    ("geom", "POINT (-8.25 50.5)"), ("geom", "SRID=4326;POINT Z(-8.25 50.5 7)"),
    ("position", "\"50.5, -8.25\""), ("gps_latitude,gps_longitude", "50.5,-8.25"),
  ])
  func positionsAreReadAsTheyAreWritten(header: String, place: String) throws {
    // The delimiter is that of the header.
    let rows = ["2024-05-13T12:00:00Z", "2024-05-13T12:01:00Z"].map { "\($0),\(place)\n" }
    _ = try expectTwo("tracked_at,\(header)\n" + rows.joined())
  }

  @Test func otherDelimitersAndDecimalCommasAreRead() throws {
    let rows = ["2024-05-13T12:00:00Z", "2024-05-13T12:01:00Z"]
    _ = try expectTwo("time;lat;lon\n" + rows.map { "\($0);50,5;-8,25\n" }.joined())
    _ = try expectTwo(
      "time\tlat\tlon\n" + rows.map { "\($0)\t50.5\t-8.25\n" }.joined(), named: "own.tsv")
  }

  @Test(arguments: [
    ("speed_kmh", "36"), ("speed (km/h)", "36"), ("Speed (mph)", "22.36936292054402"),
    ("speed_knots", "19.438444924406"), ("velocity", "10"), ("speed_ms", "10"),
  ])
  func unitsOfSpeedsAreThoseOfTheirNames(header: String, value: String) throws {
    let fix = try read("time,lat,lon,\(header)\n1715601600,50,8,\(value)\n").batch.fixes.first
    #expect(abs(try #require(fix?.speed) - 10) < 1e-6)
  }

  @Test func theRestOfAFixIsFoundByItsNames() throws {
    let text = """
      time,lat,lng,elevation,horizontal_accuracy,bearing,hdop
      2024-05-13T12:00:00Z,50.5,-8.25,478,5,90,0.9
      2024-05-13T12:01:00Z,50.5,-8.25,-3,,,0.9
      """
    let fixes = try expectTwo(text)
    #expect(fixes.map(\.altitude) == [478, -3] && fixes.map(\.horizontalAccuracy) == [5, nil])
    #expect(fixes[0].course == 90)
    // A dilution of precision is that of ranges with an error of 5 m.
    let dilution = try read("time,lat,lon,hdop\n1715601600,50,8,1.5\n")
    #expect(dilution.batch.fixes.first?.horizontalAccuracy == 7.5)
  }

  // MARK: Objects

  @Test func objectsWithCommonNamesAreRows() throws {
    let trip = """
      {"locations":[{"lat":50.5,"lon":-8.25,"time":1715601600.25},
      {"lat":50.5,"lon":-8.25,"time":1715601660.25}]}
      """
    let first = try read(trip, named: "locations.json")
    #expect(first.batch.fixes.map { $0.timestamp.seconds - Self.noon } == [0.25, 60.25])
    let entries = """
      [{"metadata":{"key":"background/location","write_ts":1,"platform":"android"},"data":{
      "latitude":50.5,"longitude":-8.25,"ts":1715601600,"accuracy":12,"sensed_speed":3,
      "loc":{"type":"Point","coordinates":[-8.25,50.5]}}},
      {"metadata":{"key":"background/battery","write_ts":1},"data":{"ts":1715601601,"level":9}},
      {"metadata":{"key":"background/location","write_ts":1},"data":{
      "latitude":50.5,"longitude":-8.25,"ts":1715601660,"accuracy":null}}]
      """
    let fixes = try expectTwo(entries, named: "entries.json")
    #expect(fixes[0].horizontalAccuracy == 12 && fixes[0].speed == 3)
    #expect(fixes[1].horizontalAccuracy == nil)
    let nested = """
      {"location":{"coords":{"latitude":50.5,"longitude":-8.25},"timestamp":"2024-05-13T12:00:00Z"}}
      {"location":{"coords":{"latitude":50.5,"longitude":-8.25},"timestamp":"2024-05-13T12:01:00Z"}}
      """
    _ = try expectTwo(nested, named: "lines.json")
  }

  @Test func moreObjectsThanAreLookedAtAreAllRead() throws {
    let rows = (0..<1_000).map { "{\"time\":\(1_715_601_600 + $0),\"lat\":50,\"lng\":8}" }
    let found = try read("[" + rows.joined(separator: ",") + "]", named: "points.json")
    #expect(found.batch.fixes.count == 1_000 && found.report.droppedCount == 0)
  }

  @Test(arguments: ["[]", "{}", "[1,2,[3,{\"a\":{\"b\":null}}]]", "{\"lat\":1}"])
  func objectsWithoutPositionsAreNoTable(text: String) {
    let source = ImportSource(name: "a.json", files: ["a.json": Array(text.utf8)])
    #expect(recordingError { _ = try RecordingFormat(detecting: source) } != nil)
  }

  // MARK: Accelerations

  @Test(arguments: [(1.0, "g"), (9.8, "m/s2"), (1_000, "mg")])
  func theLengthTellsTheUnitOfAccelerations(gravity: Double, unit: String) throws {
    let rows = (0..<100).map { "\(Double($0) / 50),\(0.01 * gravity),0,\(gravity)\n" }
    let found = try read("Timestamp,X,Y,Z\n" + rows.joined())
    #expect(found.batch.accelerations.z.allSatisfy { abs($0 - 9.8) < 0.02 })
    #expect(found.report.notes.contains { $0.hasSuffix("accelerations in \(unit)") })
    // What the caller says counts more.
    let source = ImportSource(
      name: "own.csv", files: ["own.csv": Array(("t,x,y,z\n" + rows.joined()).utf8)])
    var given = SensorBatch()
    _ = try RecordingFormat.table.read(source, columns: TableColumns([], units: ["m/s2"])) {
      if case .batch(let batch) = $0 { given.append(contentsOf: batch) }
    }
    #expect(given.accelerations.z.allSatisfy { $0 == Float(gravity) })
  }

  /// The files of one phone, of which each has the columns of the others.
  @Test func theNameOfAFileTellsTheSensor() throws {
    let rows = "Timestamp,X,Y,Z\n" + (0..<50).map { "\(Double($0) / 50),1,2,9.5\n" }.joined()
    let names = ["Acceleration.csv", "AngularVelocity.csv", "MagneticField.csv", "Position.csv"]
    var files = Dictionary(uniqueKeysWithValues: names.map { ($0, Array(rows.utf8)) })
    files["Position.csv"] = Array("Timestamp,latitude,longitude,hacc\n0.5,50,8,4\n".utf8)
    let found = try Imported(ImportSource(name: "phone", files: files), as: .table)
    #expect(found.batch.accelerations.count == 50 && found.batch.rotationRates.count == 50)
    #expect(found.batch.rotationRates.z.allSatisfy { $0 == 9.5 } && found.batch.fixes.count == 1)
    #expect(found.report.notes.contains { $0.hasPrefix("left out: MagneticField.csv") })
  }

  // MARK: Unknown tables

  @Test(arguments: [
    (
      "zeitx,breit,laeng",
      "missing: a time (t, timestamp, …), a latitude (lat, …), a longitude (lon, lng, …), or "
    ),
    ("time,lat,breadth", "missing: a longitude (lon, lng, …)"),
    ("time,ax,ay,azimuth", "missing: an acceleration (az, acc_z, …)"),
    (
      "lat;lon",
      "missing: a time (t, timestamp, …); nearest form: csv (t,lat,lon)"
    ),
  ])
  func theErrorOfAnUnknownTableSaysWhatIsMissing(header: String, expected: String) throws {
    let source = ImportSource(name: "own.csv", files: ["own.csv": Array("\(header)\n1,2,3\n".utf8)])
    let error = try #require(recordingError { _ = try RecordingFormat(detecting: source) })
    #expect(error.description.contains(expected), "\(error)")
    #expect(error.description.contains("nearest form: "), "\(error)")
  }
}

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
