import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// Tables as programs and spreadsheets of other languages write them, and lines that are no tables.
struct ForeignTableTests {
  private let folder = ScratchFolder()

  private func read(
    _ text: String, named name: String = "own.csv", zone: String? = nil
  ) throws -> (batch: SensorBatch, report: ImportReport) {
    var columns = TableColumns()
    columns.zone = zone
    let path = try folder.write(text, to: name)
    return try RecordingSource(path: path, columns: columns).whole()
  }

  /// Expects ten fixes from 2026-05-06T08:00:00Z on, a minute apart, at 47.3, 8.1 and east of it.
  private func expectTen(
    _ text: String, named name: String = "own.csv", within error: Double = 2e-6
  ) throws {
    let found = try read(text, named: name)
    let fixes = found.batch.fixes
    #expect(fixes.count == 10, "\(text)")
    for (index, fix) in fixes.enumerated() {
      #expect(abs(fix.timestamp.seconds - 1_778_054_400 - 60 * Double(index)) < 0.01, "\(text)")
      #expect(abs(fix.latitude - 47.3) < 2e-6, "\(text)")
      #expect(abs(fix.longitude - 8.1 - 1e-5 * Double(index)) < error, "\(text)")
    }
  }

  private func rows(_ row: (Int) -> String) -> String { (0..<10).map { row($0) + "\n" }.joined() }

  @Test(arguments: [
    "Datum;Uhrzeit;Breitengrad;Längengrad", "Date;Heure;Latitude;Longitude",
    "Fecha;Hora;Latitud;Longitud", "Data;Ora;Latitudine;Longitudine",
    "Datum;Tijd;Breedtegraad;Lengtegraad", "Data;Godzina;Szerokość;Długość",
    "# export\n\nDatum;von;Breite (°);Länge (°)",
    "\"Name\";\"Sport\"\n\"x\";\"y\"\n\nTag;Zeit;Breite;Länge",
  ])
  func namesOfEightLanguagesAreKnown(header: String) throws {
    try expectTen(header + "\n" + rows { "06.05.2026;08:0\($0):00;47,300001;8,1000\($0)" })
  }

  @Test(
    arguments: [
      ("timestampMs,geoLat,geoLng", 1e3, 0.0), ("t_us,lat,lon", 1e6, 0), ("time,lat,lon", 1e9, 0),
      ("datenum,lat,lon", 1 / 86_400.0, 719_529), ("Zeit,lat,lon", 1 / 86_400.0, 25_569),
      ("a,b,c", 1e3, 0), ("# col1,col2,col3", 1e3, 0), ("", 1e3, 0),
    ] as [(String, Double, Double)])
  func timesAreTakenByNameSizeAndPlace(header: String, unit: Double, zero: Double) throws {
    let text = rows { index in
      let time = (1_778_054_400 + 60 * Double(index)) * unit + zero
      return (unit < 1 ? "\(time)" : "\(Int(time))") + ",47.300001,8.1000\(index)"
    }
    try expectTen((header.isEmpty ? "" : header + "\n") + text, named: "own.txt")
  }

  @Test func namesThatSayOtherThingsAreNotGuessed() throws {
    let text = "time,temperature,humidity\n" + rows { "17780544\($0)0,47.300001,8.1000\($0)" }
    let error = recordingError { _ = try read(text) }
    #expect(error?.description.contains("missing: a latitude") == true)
  }

  // MARK: Lines

  @Test func sentencesRecordsAndPairsAreRead() throws {
    func sum(_ text: String) -> String {
      let sum = String(text.utf8.reduce(0, ^), radix: 16, uppercase: true)
      return "$\(text)*\(sum.count < 2 ? "0" + sum : sum)\n"
    }
    func minutes(_ index: Int) -> String { "6.00\(index * 6 / 10)\(index * 6 % 10)" }
    let sentences = rows { index in
      sum("GPGGA,080\(index)00,4700.0,N,00800.0,E,1,08,1.1,429.0,M,47.0,M,,")
        + sum("GNRMC,080\(index)00.00,A,4718.00006,N,0080\(minutes(index)),E,1.0,90,060526,,")
        + "$GNRMC,080\(index)00.00,A,4700.0,N,00800.0,E,1.0,90,060526,,*00"
    }
    let found = try read(sentences, named: "own.nmea")
    #expect(found.report.dropped == [.noTime: 10])
    #expect(found.batch.fixes.first?.horizontalAccuracy == 5.5)
    try expectTen(sentences, named: "own.nmea")
    try expectTen(
      "AXXX\nHFDTE060526\n" + rows { "B080\($0)004718000N0080600\($0 * 6 / 10)EA0042900429" },
      named: "own.igc", within: 2e-5)
    try expectTen(
      rows { "tp=lbs;k=\($0);lat=47.300001;lon=8.1000\($0);alt=0;t=177805\(4400 + 60 * $0)E3;" }
        + "tp=lbs;k=10;lat=90.0;lon=-80.0;alt=0;t=0.0;\n", named: "HiTrack_1")
  }

  @Test func objectsOfServicesAreRows() throws {
    func list(_ element: (Int, Int) -> String) -> String {
      "[" + (0..<10).map { element($0, 1_778_054_400 + 60 * $0) }.joined(separator: ",") + "]"
    }
    try expectTen(
      "[{\"points\":"
        + list {
          "[{\"location\":[[{\"latitude\":47.3},{\"longitude\":8.1000\($0)}]]},"
            + "{\"timestamp\":\"Wed May 06 08:0\($0):00 UTC 2026\"}] \($1 == 0 ? "" : "")"
        } + "}]", named: "endomondo.json")
    let series = [("latitude", "47.3000"), ("longitude", "8.1000")].map { name, value in
      "{\"type\":\"\(name)\",\"values\":"
        + list { "{\"start_epoch_ms\":\($1)000,\"value\":\(value)\(name == "latitude" ? 0 : $0)}" }
        + "}"
    }
    try expectTen("{\"metrics\":[\(series.joined(separator: ","))]}", named: "nike.json")
    try expectTen(
      "{\"Data Points\":"
        + list {
          "{\"fitValue\":[{\"value\":{\"fpVal\":47.3}},{\"value\":{\"fpVal\":8.1000\($0)}}],"
            + "\"startTimeNanos\":\($1)000000000}"
        } + "}", named: "fit.json")
  }

  // MARK: Clocks and sensors

  /// The hour from 2 to 3 comes twice.
  @Test(arguments: ["Europe/Zurich", nil]) func aNightWithAChangeOfTheClock(zone: String?) throws {
    let readings = ["01:30", "02:10", "02:40", "02:12", "02:50", "03:10"]
    let text = readings.map { "2026-10-25 \($0):00,47,8\n" }.joined()
    let found = try read("time,lat,lon\n" + text, zone: zone)
    let times = found.batch.fixes.map(\.timestamp)
    let steps = zip(times.dropFirst(), times).map { $0.seconds(since: $1) / 60 }
    #expect(steps == [40, 30, 32, 38, 20])
    let first = try #require(times.first).seconds
    #expect(first == 1_792_891_800 - (zone == nil ? 0 : 7_200))
  }

  /// Rows of two hours of a walk north, and then at rest, that were sorted by their readings.
  @Test(arguments: ["Europe/Zurich", nil]) func hoursThatAreInTurnAreFound(zone: String?) throws {
    let steps = (-20..<80).flatMap { minute -> [(reading: Int, latitude: Double)] in
      let readings = 0..<60 ~= minute ? [minute, minute + 60] : [minute + (minute < 0 ? 0 : 60)]
      return readings.map { (minute, 47 + 0.001 * Double(min($0, 90))) }
    }
    let text = steps.map { row in
      "2026-10-25 0\((120 + row.reading) / 60):\((row.reading + 60) % 60 + 100),\(row.latitude),8\n"
        .replacing(":1", with: ":")
    }.joined()
    let fixes = try read("time,lat,lon\n" + text, zone: zone).batch.fixes
    #expect(fixes.count == 160)
    #expect(zip(fixes.dropFirst(), fixes).allSatisfy { $0.latitude >= $1.latitude })
  }

  @Test(
    arguments: [
      ("time_ms,acc_x,acc_y,acc_z", 16_384.0, 20.0), ("t,ax,ay,az", 4_096, 0.02),
      (
        "Zeit (s),Beschleunigung x (m/s^2),Beschleunigung y (m/s^2),Beschleunigung z (m/s^2)", 9.8,
        0.02
      ),
      ("Kanal 1,Kanal 2,Kanal 3,Kanal 4", 1_000, 0.02), ("time,seconds_elapsed,z,y,x", 9.8, 2e7),
      ("tidy t,ax,ay,az", 1, 20),
    ] as [(String, Double, Double)])
  func accelerationsAreInMetresPerSecondSquared(header: String, gravity: Double, step: Double)
    throws
  {
    let isLogger = header.contains("elapsed")
    let text = (0..<60).map { index in
      "\(Double(index) * step),\(isLogger ? "0," : "")\(gravity),0,0\n"
    }.joined()
    let found = try read(header.replacing("tidy ", with: "") + "\n" + text)
    let samples = found.batch.accelerations
    #expect(samples.count == 60)
    #expect(samples.x.indices.allSatisfy { abs(samples.x[$0] + samples.z[$0] - 9.8) < 0.01 })
    #expect(abs(try #require(samples.timestamps.last).seconds - 59 * 0.02) < 1e-3)
  }

  @Test func aUnitThatNothingTellsIsRefusedAndACounterGoesOn() throws {
    let odd = "time,acc_x,acc_y,acc_z\n" + (0..<60).map { "\(Double($0) / 50),3000,0,0\n" }.joined()
    #expect(recordingError { _ = try read(odd) }?.description.contains("'--unit'") == true)
    let wrapped = (0..<60).map { "\((4_294_967_000 + $0 * 20) % (1 << 32)),0,0,9.8\n" }
    let times = try read("time_ms,ax,ay,az\n" + wrapped.joined()).batch.accelerations.timestamps
    #expect(zip(times.dropFirst(), times).allSatisfy { $0.nanoseconds(since: $1) == 20_000_000 })
  }
}
