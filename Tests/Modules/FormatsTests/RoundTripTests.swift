import Foundation
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// Round trips through each format: what it can represent is read back unchanged.
@Suite struct RoundTripTests {
  private let folder = ScratchFolder()

  /// Two hundred samples and fixes with all fields random, some missing.
  private static func batch(seed: UInt64) -> SensorBatch {
    var generator = SplitMix64(seed: seed)
    var batch = SensorBatch()
    func maybe(_ range: ClosedRange<Double>) -> Double? {
      generator.nextUniform() < 0.2 ? nil : Double.random(in: range, using: &generator)
    }
    for index in 0..<200 {
      let time = Timestamp(
        nanoseconds: 1_714_564_800_000_000_000 + Int64(index) * 10_000_000
          + Int64.random(in: 0..<9_000_000, using: &generator))
      batch.append(
        RotationRate(
          x: Float(generator.nextNormal()), y: Float(generator.nextNormal()),
          z: Float(generator.nextNormal())), at: time)
      batch.append(
        Acceleration(
          x: Float(generator.nextNormal()), y: Float(generator.nextNormal()),
          z: index == 7 ? .nan : Float(9.8 + generator.nextNormal())), at: time)
    }
    for index in 0..<20 {
      batch.append(
        pressure: 950 + Float(generator.nextNormal()),
        at: Timestamp(nanoseconds: 1_714_564_800_000_000_007 + Int64(index) * 100_000_000))
    }
    for index in 0..<50 {
      batch.append(
        LocationFix(
          timestamp: Timestamp(
            nanoseconds: 1_714_564_800_123_456_789 + Int64(index) * 40_000_000),
          latitude: Double.random(in: -90...90, using: &generator),
          longitude: Double.random(in: -180...180, using: &generator), altitude: maybe(-100...8000),
          horizontalAccuracy: maybe(1...100), verticalAccuracy: maybe(1...100),
          speed: maybe(0...60), speedAccuracy: maybe(0.1...5), course: maybe(0...359),
          courseAccuracy: maybe(1...90)))
    }
    return batch
  }

  /// `batch` written as `format` and read again.
  private func roundTrip(
    _ batch: SensorBatch, _ format: RecordingFormat, labels: Bool = true
  ) throws -> Imported {
    // The input is in lines of JSON, which keep every bit, as their own round trip shows.
    let first = try writeLines(batch, to: "first.ndjson")
    let second = folder.path(format == .csv ? "second" : "second.out")
    let report = try Conversion.run(input: first, output: second, from: .ndjson, to: format)
    #expect(report.droppedCount == 0)
    return try Imported(ImportSource(path: second), as: format)
  }

  /// Writes lines of JSON independently of the package's own writer.
  private func writeLines(_ batch: SensorBatch, to name: String) throws -> String {
    func seconds(_ time: Timestamp) -> String {
      let digits = String(time.nanoseconds)
      return digits.dropLast(9) + "." + digits.suffix(9)
    }
    func list(_ values: [Float]) -> String {
      values.map { $0.isNaN ? "null" : "\($0)" }.joined(separator: ",")
    }
    let samples = batch.accelerations
    let rates = batch.rotationRates
    let times = samples.timestamps.map(seconds).joined(separator: ",")
    var text = "{\"recording\":\"r\",\"subject\":\"s\",\"gyroscope\":true,\"barometer\":true}\n"
    let pressures = batch.pressures
    text += "{\"t\":[\(pressures.timestamps.map(seconds).joined(separator: ","))],"
    text += "\"pressure\":[\(list(pressures.hectopascals))]}\n{\"t\":[\(times)],"
    text += "\"ax\":[\(list(samples.x))],\"ay\":[\(list(samples.y))],\"az\":[\(list(samples.z))],"
    text += "\"gx\":[\(list(rates.x))],\"gy\":[\(list(rates.y))],\"gz\":[\(list(rates.z))]}\n"
    for fix in batch.fixes {
      let members: [(String, Double?)] = [
        ("lat", fix.latitude), ("lon", fix.longitude), ("alt", fix.altitude),
        ("hacc", fix.horizontalAccuracy), ("vacc", fix.verticalAccuracy), ("speed", fix.speed),
        ("sacc", fix.speedAccuracy), ("course", fix.course), ("cacc", fix.courseAccuracy),
      ]
      let rest = members.map { "\"\($0)\":\($1.map { "\($0)" } ?? "null")" }
      text += "{\"fixes\":[{\"t\":\(seconds(fix.timestamp)),"
      text += rest.joined(separator: ",") + "}]}\n"
    }
    text += "{\"label\":\"wal\\\"k,ing\",\"start\":1714564800,\"end\":1714564801.5}\n"
    return try folder.write(text, to: name)
  }

  /// Equal bits, or both NaN.
  private func isSame(_ a: [Float], _ b: [Float]) -> Bool {
    a.map(\.bitPattern) == b.map(\.bitPattern)
  }

  @Test func linesOfJSONLoseNothing() throws {
    let batch = Self.batch(seed: 1)
    let again = try roundTrip(batch, .ndjson)
    #expect(again.batch.fixes == batch.fixes)
    #expect(again.batch.accelerations.timestamps == batch.accelerations.timestamps)
    #expect(again.batch.rotationRates.timestamps == batch.rotationRates.timestamps)
    #expect(isSame(again.batch.accelerations.x, batch.accelerations.x))
    #expect(isSame(again.batch.accelerations.y, batch.accelerations.y))
    #expect(again.batch.accelerations.z[7].isNaN)
    #expect(isSame(again.batch.rotationRates.z, batch.rotationRates.z))
    #expect(again.labels == ["wal\"k,ing 1714564800.0 1714564801.5"])
    #expect(
      again.recordings
        == [ImportedRecording(name: "r", subject: "s", hasGyroscope: true, hasBarometer: true)])
    #expect(again.batch.pressures == batch.pressures)
  }

  @Test(arguments: [RecordingFormat.geojson, .overland])
  func featuresKeepEveryBitOfAFix(format: RecordingFormat) throws {
    let batch = Self.batch(seed: 2)
    let again = try roundTrip(batch, format)
    #expect(again.batch.fixes == batch.fixes)
    #expect(again.recordings.map(\.name) == ["r"] && again.recordings.map(\.subject) == ["s"])
    #expect(again.batch.accelerations.count == 0 && again.labels.isEmpty)
  }

  @Test func gpxKeepsAFixToItsDecimals() throws {
    let batch = Self.batch(seed: 3)
    let again = try roundTrip(batch, .gpx).batch.fixes
    #expect(again.map(\.timestamp) == batch.fixes.map(\.timestamp))
    for (found, fix) in zip(again, batch.fixes) {
      #expect(abs(found.latitude - fix.latitude) <= 0.51e-9)
      #expect(abs(found.longitude - fix.longitude) <= 0.51e-9)
      for (a, b) in [
        (found.altitude, fix.altitude), (found.horizontalAccuracy, fix.horizontalAccuracy),
        (found.verticalAccuracy, fix.verticalAccuracy), (found.speed, fix.speed),
        (found.speedAccuracy, fix.speedAccuracy), (found.course, fix.course),
        (found.courseAccuracy, fix.courseAccuracy),
      ] {
        #expect((a == nil) == (b == nil))
        if let a, let b { #expect(abs(a - b) <= 0.51e-6) }
      }
    }
  }

  @Test func tidyCSVKeepsSamplesFixesAndLabels() throws {
    let batch = Self.batch(seed: 4)
    let again = try roundTrip(batch, .csv)
    #expect(again.batch.accelerations.timestamps == batch.accelerations.timestamps)
    #expect(again.batch.rotationRates.count == batch.rotationRates.count)
    for (found, given) in zip(again.batch.accelerations.x, batch.accelerations.x) {
      #expect(abs(found - given) <= 0.5e-4 + 1e-6)
    }
    for (found, given) in zip(again.batch.rotationRates.y, batch.rotationRates.y) {
      #expect(abs(found - given) <= 0.5e-5 + 1e-6)
    }
    #expect(again.batch.pressures.timestamps == batch.pressures.timestamps)
    for (found, given) in zip(again.batch.pressures.hectopascals, batch.pressures.hectopascals) {
      #expect(abs(found - given) <= 0.6e-3)
    }
    for (found, fix) in zip(again.batch.fixes, batch.fixes) {
      #expect(abs(found.latitude - fix.latitude) <= 0.51e-8)
      #expect((found.speed == nil) == (fix.speed == nil))
      // The tidy format has no columns for these.
      #expect(found.verticalAccuracy == nil && found.speedAccuracy == nil)
    }
    #expect(again.batch.fixes.count == batch.fixes.count)
    #expect(again.labels == ["wal\"k,ing 1714564800.0 1714564801.5"])
    #expect(again.recordings.map(\.subject) == ["s"])
  }
}

/// Small inputs that could take long: the time is linear in their size, or they are refused.
@Suite struct InputSizeTests {
  private static let point = """
    <trkpt lat="48.5" lon="11.5"><time>2024-05-01T12:00:00Z</time></trkpt>
    """

  private static func gpx(_ content: String) -> String {
    "<?xml version=\"1.0\"?><gpx version=\"1.1\"><trk><trkseg>\(point)\(content)"
      + "</trkseg></trk></gpx>"
  }

  /// `text` with this many attributes, all with different names, in place of each `#`.
  private static func filled(_ text: String, _ count: Int, _ attribute: String) -> String {
    let attributes = (0..<count).map {
      " " + attribute.replacingOccurrences(of: "b", with: "b\($0)")
    }
    return text.replacingOccurrences(of: "#", with: attributes.joined())
  }

  @Test(arguments: [
    ("<a#/>", 60_000), ("<a#><c#/></a>", 60_000), ("<a#></a><a#></a>", 200), ("<!-- # -->", 1000),
    ("<![CDATA[#]]>", 1000), ("#", 1000), ("<!----><!-- > - -->", 1), ("<a c='\"\"'/>", 1),
    ("<a c=\"'''\"/>", 1),
  ])
  func xmlWithManyAttributesIsRead(pattern: String, count: Int) throws {
    let text = Self.gpx(Self.filled(pattern, count, "b='1'"))
    let imported = try Imported(text, named: "a.gpx", as: .gpx)
    #expect(imported.batch.fixes.count == 1)
  }

  @Test(arguments: [("<!--#-->", ">c"), ("<![CDATA[#]]>", ">c"), ("#", "cc"), ("<?a #?>", "?c")])
  func aLongCommentOrTextOfXMLIsPassedOver(pattern: String, piece: String) throws {
    let long = String(repeating: piece, count: 600_000)
    let text = Self.gpx(pattern.replacingOccurrences(of: "#", with: long))
    #expect(try Imported(text, named: "a.gpx", as: .gpx).batch.fixes.count == 1)
  }

  @Test func aLongTagOfXMLIsRefused() {
    let text = Self.gpx("<a b=\"\(String(repeating: "c>", count: 600_000))\"/>")
    let found = refusal { _ = try Imported(text, named: "a.gpx", as: .gpx) }
    let reason = "a tag of more than 1048576 bytes at byte "
    #expect(found?.path == "a.gpx" && found?.reason.hasPrefix(reason) == true)
  }

  /// Twenty thousand people: too slow if each of them scanned all files.
  @Test(.timeLimit(.minutes(5))) func geoLifeTakesLinearTimeInItsFiles() throws {
    let text = String(repeating: "header\n", count: 6) + "39.9,116.3,0,492,1,2008-10-23,02:53:04\n"
    let bytes = Array(text.utf8)
    let names = (0..<20_000).map { "\($0)/Trajectory/a.plt" }
    let files = Dictionary(uniqueKeysWithValues: names.map { ($0, bytes) })
    let imported = try Imported(ImportSource(name: "set", files: files), as: .geolife)
    #expect(imported.recordings.count == 20_000)
    #expect(imported.report.fixes == 20_000)
  }

  @Test func filesOfAPersonInAnyOrderAreOneGeoLifeRecording() throws {
    func track(_ second: Int) -> [UInt8] {
      let row = "39.9,116.3,0,492,1,2008-10-23,02:53:0\(second)\n"
      return Array((String(repeating: "header\n", count: 6) + row).utf8)
    }
    // In the order of names the files of `a` are before and after those of `a/Zed`.
    let files = ["a/Trajectory/x.plt": track(1), "a/Zed/x.plt": track(2), "a/b.plt": track(3)]
    let imported = try Imported(ImportSource(name: "set", files: files), as: .geolife)
    #expect(imported.recordings.map(\.name) == ["a", "Zed"])
    #expect(imported.report.fixes == 3)
  }

  @Test func phyphoxTimesUseTheLatestStartBeforeThem() throws {
    let starts = (0..<10_000).map { "\"START\",\($0 * 10),\(1_000_000 + $0 * 100)\n" }
    let times = [-5, 0, 9, 10, 15, 99_980, 99_999, 500_000]
    let header =
      "\"Time (s)\",\"Acceleration x (m/s^2)\",\"Acceleration y (m/s^2)\","
      + "\"Acceleration z (m/s^2)\"\n"
    let files = [
      "Accelerometer.csv": header + times.map { "\($0),0,0,9.8\n" }.joined(),
      "meta/time.csv": "event,experiment time,system time\n" + starts.joined(),
    ]
    #expect(
      try source(files).imported(as: .phyphox).seconds == [
        999_995, 1_000_000, 1_000_009, 1_000_100, 1_000_105, 1_999_800, 1_999_909, 2_399_910,
      ])
  }
}
