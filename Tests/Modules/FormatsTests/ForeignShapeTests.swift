import Foundation
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// Shapes of files that programs write besides those that their descriptions show.
@Suite struct ForeignShapeTests {
  private let folder = ScratchFolder()
  private static let acceleration =
    "Time (s),Acceleration x (m/s^2),Acceleration y (m/s^2),Acceleration z (m/s^2)\n"
  private static let meta = "event,experiment time,system time\nSTART,0,1714564800\n"

  // MARK: Folders

  @Test func foldersOfOneInputAreRecordingsOfTheirOwn() throws {
    let imported = try source([
      "monday/Accelerometer.csv": Self.acceleration + "1,0,0,9.81\n",
      "monday/meta/time.csv": Self.meta,
      "tuesday/Accelerometer.csv": Self.acceleration + "2,0,0,9.5\n",
      "tuesday/notes/meta/time.csv": Self.meta,
    ]).imported(as: .phyphox)
    #expect(imported.recordings.map(\.name) == ["monday", "tuesday"])
    // The clock of another folder is not borrowed.
    #expect(imported.seconds == [1_714_564_801, 2])
    #expect(imported.report.notes.contains("2 folders: a recording each"))
  }

  @Test func phonesOfOneArchiveAreNotMixed() throws {
    let header = "time,seconds_elapsed,z,y,x\n"
    let imported = try source([
      "android/TotalAcceleration.csv": header + "1000000000,0,9.5,0,0\n",
      "android/Metadata.csv": "platform\nandroid\n",
      "iphone/TotalAcceleration.csv": header + "9000000000,0,-9.25,0,0\n",
      "iphone/Gyroscope.csv": header + "9000000000,0,3,2,1\n",
      "iphone/Metadata.csv": "platform\nios\n",
    ]).imported(as: .sensorlogger)
    #expect(imported.recordings.map(\.name) == ["android", "iphone"])
    #expect(imported.recordings.map(\.hasGyroscope) == [false, true])
    #expect(imported.batch.accelerations.z == [9.5, 9.25])
  }

  @Test func aFolderInAFolderIsTheOneRecording() throws {
    let imported = try source([
      "export/walk/Accelerometer.csv": Self.acceleration + "1,0,0,9.81\n",
      "export/walk/meta/time.csv": Self.meta,
    ]).imported(as: .phyphox)
    #expect(imported.seconds == [1_714_564_801] && imported.recordings.map(\.name) == ["walk"])
    #expect(imported.report.notes.isEmpty)
  }

  // MARK: Columns

  @Test func sensorsSideBySideInOneTableAreAllRead() throws {
    let text = """
      Time (s),Acceleration x (m/s^2),Acceleration y (m/s^2),Acceleration z (m/s^2),\
      Time (s),Gyroscope x (rad/s),Gyroscope y (rad/s),Gyroscope z (rad/s),\
      Time (s),Pressure (hPa)
      0.0,1,2,9.5,0.001,0.1,0.2,0.3,0.5,1000
      0.1,3,4,9.25,0.101,0.4,0.5,0.6,,
      0.2,5,6,9.75,,,,,,
      """
    let imported = try source(["all.csv": text]).imported(as: .phyphox)
    #expect(imported.seconds == [0, 0.1, 0.2])
    #expect(imported.batch.rotationRates.timestamps.map(\.seconds) == [0.001, 0.101])
    #expect(imported.batch.rotationRates.z == [0.3, 0.6])
    #expect(imported.batch.pressures.timestamps.map(\.seconds) == [0.5])
    #expect(imported.report.droppedCount == 0 && imported.report.read == 6)
    #expect(imported.recordings.first?.hasGyroscope == true)
  }

  @Test func unitsInTheHeaderAreConverted() throws {
    let imported = try source([
      "a.csv": "Time (s),Acceleration x (g),Acceleration y (g),Acceleration z (g)\n0,0,0,1\n",
      "b.csv": "Time (s),Gyroscope x (deg/s),Gyroscope y (deg/s),Gyroscope z (deg/s)\n"
        + "0,180,0,-90\n",
    ]).imported(as: .phyphox)
    #expect(imported.batch.accelerations.z == [9.80665])
    #expect(abs(imported.batch.rotationRates.x[0] - .pi) < 1e-6)
    #expect(abs(imported.batch.rotationRates.z[0] + .pi / 2) < 1e-6)
  }

  @Test(arguments: ["accuracy", "accuracy_horizontal", "horizontalAccuracy"])
  func accuraciesAreReadByTheirOtherNames(name: String) throws {
    let imported = try source([
      "Location.csv": "time,seconds_elapsed,latitude,longitude,\(name)\n1000000000,0,48,11,7.5\n"
    ]).imported(as: .sensorlogger)
    #expect(imported.batch.fixes.map(\.horizontalAccuracy) == [7.5])
  }

  @Test(arguments: ["hAcc", "hacc", "ns:accuracy", "horizontalAccuracy"])
  func accuraciesOfGPXAreReadByTheirOtherNames(name: String) throws {
    let text = """
      <gpx xmlns:ns="x"><trk><trkseg><trkpt lat="48" lon="11"><time>2024-05-01T12:00:00Z</time>\
      <extensions><\(name)>7.5</\(name)></extensions></trkpt></trkseg></trk></gpx>
      """
    let imported = try source(["a.gpx": text]).imported(as: .gpx)
    #expect(imported.batch.fixes.map(\.horizontalAccuracy) == [7.5])
  }

  private static func gpx(_ start: String, _ name: [UInt8]) -> ImportSource {
    let rest = """
      </name><trkseg><trkpt lat="48" lon="11"><time>2024-05-01T12:00:00Z</time></trkpt></trkseg>\
      </trk></gpx>
      """
    return ImportSource(
      name: "a.gpx",
      files: ["a.gpx": Array("\(start)\n<gpx><trk><name>".utf8) + name + Array(rest.utf8)])
  }

  @Test(arguments: ["ISO-8859-1", "iso-8859-1", "windows-1252", "Latin1"])
  func gpxInEncodingsOfSingleBytesIsRead(encoding: String) throws {
    let start = "<?xml version=\"1.0\" encoding=\"\(encoding)\"?>"
    // "Straße", and a euro sign that ISO 8859-1 does not have.
    let imported = try Imported(
      Self.gpx(start, [0x53, 0x74, 0x72, 0x61, 0xDF, 0x65, 0x80, 0x81]), as: .gpx)
    #expect(imported.batch.fixes.map(\.latitude) == [48])
  }

  @Test func processingInstructionsOfGPXArePassedOver() throws {
    let start = """
      <?xml version="1.0" encoding="UTF-8"?>
      <?xml-stylesheet type="text/xsl" href="details.xsl"?><!-- <? --><?a?><?b "?>
      """
    #expect(try Imported(Self.gpx(start, []), as: .gpx).batch.fixes.count == 1)
    // A quotation mark in an instruction hides nothing from the limits behind it.
    let deep = String(repeating: "<a>", count: 1_000) + String(repeating: "</a>", count: 1_000)
    let error = recordingError {
      _ = try source(["a.gpx": "<gpx><?a \" ?>\(deep)\"</gpx>"]).imported(as: .gpx)
    }
    #expect(error == .refused(path: "in", reason: "XML of more than 64 levels"))
  }

  // MARK: Tables of apps

  @Test func sensorLogHasApplesSignAndTheIntervalsOfItsCount() throws {
    let imported = try Imported(FormatSamples.source(.table), as: .table)
    let samples = imported.batch.accelerations
    #expect(samples.z == [9.80665, 9.80665] && samples.x == [0, -4.903325])
    #expect(
      samples.timestamps.map(\.nanoseconds)
        == [1_714_564_800_250_000_000, 1_714_564_800_270_000_000])
    #expect(imported.batch.rotationRates.z == [3, 3])
    #expect(imported.batch.pressures.hectopascals == [1_005])
    #expect(imported.batch.fixes.count == 1 && imported.batch.fixes[0].speed == nil)
    #expect(imported.report.dropped == [.notANumber: 1])
  }

  @Test func androSensorHasSemicolonsMillisecondsAndKilometresPerHour() throws {
    let text = """
      sep=;
      ACCELEROMETER X (m/s²);ACCELEROMETER Y (m/s²);ACCELEROMETER Z (m/s²);GYROSCOPE X (rad/s);\
      GYROSCOPE Y (rad/s);GYROSCOPE Z (rad/s);ATMOSPHERIC PRESSURE (hPa);LOCATION Latitude : ;\
      LOCATION Longitude : ;LOCATION Altitude ( m);LOCATION Speed ( Kmh);LOCATION Accuracy ( m);\
      Time since start in ms ;YYYY-MO-DD HH-MI-SS_SSS
      0,5;0;9,81;0,1;0,2;0,3;1000,5;48,5;-11,25;500;36;5;20;2014-05-10 15:23:45:123
      1;0;9,81;0,1;0,2;0,3;1000,5;48,5;-11,25;500;36;5;40;2014-05-10 15:23:45:143
      """
    let imported = try source(["walk.csv": text]).imported(detectedAs: .table)
    // 2014-05-10T15:23:45.123Z
    #expect(imported.seconds == [1_399_735_425.123, 1_399_735_425.143])
    #expect(imported.batch.accelerations.x == [0.5, 1])
    #expect(imported.batch.fixes.map(\.speed) == [10])
    #expect(imported.batch.pressures.hectopascals == [1_000.5])
    #expect(imported.batch.rotationRates.y == [0.2, 0.2])
  }

  @Test(arguments: [("0.5", 0.5), ("01:02.5", 62.5), ("10:00:01.25", 36_001.25)])
  func physicsToolboxCountsSecondsOrTellsTheTimeOfDay(time: String, seconds: Double) throws {
    let imported = try source(["g.csv": "time,gFx,gFy,gFz,TgF\n\(time),0,0,1,1\n"]).imported(
      detectedAs: .table)
    #expect(imported.seconds == [seconds] && imported.batch.accelerations.z == [9.80665])
  }

  @Test func sensorRecordHasAFilePerSensor() throws {
    let header = "Timestamp,Milliseconds,X,Y,Z\n"
    let imported = try source([
      "Accelerometer.csv": header + "2019-03-01 10:00:00,0,0,0,9.81\n"
        + "2019-03-01 10:00:00,20,0,1,9.81\n",
      "Gyroscope.csv": header + "2019-03-01 10:00:00,0,9,9,9\n",
    ]).imported(detectedAs: .table)
    #expect(imported.seconds == [1_551_434_400, 1_551_434_400.02])
    #expect(imported.batch.accelerations.y == [0, 1])
    #expect(imported.report.notes.contains { $0.contains("Gyroscope.csv, another sensor") })
  }

  @Test func theOlderTablesOfSensorLoggerAreRecognised() throws {
    let imported = try source([
      "Accelerometer.csv": "time,z,y,x\n1000000000,0.5,0,0\n",
      "Gravity.csv": "time,z,y,x\n1000000000,9,0,0\n",
      "Location.csv": "", "Metadata.csv": "platform\nandroid\n",
    ]).imported(detectedAs: .sensorlogger)
    #expect(imported.batch.accelerations.z == [9.5])
    #expect(imported.report.notes.contains { $0.hasSuffix("Location.csv is empty: no fixes") })
  }

  // MARK: What cannot be used

  @Test func clocksWithoutACommonTimeAreNoted() throws {
    let imported = try source([
      "Accelerometer.csv": Self.acceleration + "1,0,0,9.81\n2,0,0,9.81\n",
      "Location.csv": "Time (s),Latitude (°),Longitude (°)\n5000,48,11\n",
    ]).imported(as: .phyphox)
    #expect(
      imported.report.notes.contains(
        "in: accelerations from 1.0 s to 2.0 s and fixes from 5000.0 s to 5000.0 s: their clocks "
          + "differ"))
  }

  @Test func accelerationsWithoutGravityAreRefusedByName() throws {
    let header = Self.acceleration.replacing("Acceleration", with: "Linear Acceleration")
    let error = recordingError {
      _ = try source(["Linear.csv": header + "1,0,0,0.1\n"]).imported(as: .phyphox)
    }
    #expect(error.map { "\($0)".contains("no file has the gravity") } ?? false)
  }

  // MARK: Google's history

  @Test func googlesRecordsAreFixes() throws {
    let text = """
      {"locations":[
      {"latitudeE7":481370000,"longitudeE7":-115750000,"accuracy":12,"velocity":3,"heading":90,
      "altitude":500,"verticalAccuracy":4,"timestamp":"2024-05-01T12:00:00.500Z","source":"WIFI",
      "activity":[{"activity":[{"type":"STILL","confidence":100}]}]},
      {"latitudeE7":481380000,"longitudeE7":4179217296,"timestampMs":"1714564801000"},
      {"latitudeE7":481380000,"longitudeE7":1},{"timestampMs":"1714564802000"}]}
      """
    let imported = try source(["Records.json": text]).imported(detectedAs: .google)
    let fixes = imported.batch.fixes
    #expect(fixes.map(\.timestamp.seconds) == [1_714_564_800.5, 1_714_564_801])
    #expect(
      fixes.map(\.latitude) == [48.137, 48.138] && fixes.map(\.longitude) == [-11.575, -11.575])
    #expect(fixes[0].horizontalAccuracy == 12 && fixes[0].speed == 3 && fixes[0].course == 90)
    #expect(imported.report.dropped == [.noTime: 1, .noPosition: 1])
  }

  @Test func googlesMonthsHaveJourneysVisitsAndConfirmedLabels() throws {
    let imported = try Imported(FormatSamples.source(.google), as: .google)
    let noon = 1_714_564_800.0
    #expect(
      imported.batch.fixes.map { $0.timestamp.seconds - noon } == [0, 300, 600, 600, 3_600])
    #expect(imported.batch.fixes.map(\.longitude) == [-11.125, -11.1, -11.1, -11.1, -11.1])
    #expect(imported.labels == ["metro \(noon) \(noon + 600)"])
    #expect(imported.report.notes == ["activities that were not confirmed, and are no labels: 1"])
  }

  @Test func googlesPhonesWritePointsAsText() throws {
    let android = """
      {"semanticSegments":[
      {"startTime":"2024-05-01T14:00:00.000+02:00","endTime":"2024-05-01T16:00:00.000+02:00",
      "timelinePath":[{"point":"48.85°, -2.35°","time":"2024-05-01T14:10:00.000+02:00"}]},
      {"startTime":"2024-05-01T14:00:00.000+02:00","endTime":"2024-05-01T14:20:00.000+02:00",
      "activity":{"start":{"latLng":"48.8°, -2.3°"},"end":{"latLng":"48.9°, -2.4°"},
      "topCandidate":{"type":"CYCLING"}}},{"timelineMemory":{}}],
      "rawSignals":[{"position":{"LatLng":"48.86°, -2.36°","accuracyMeters":9,
      "altitudeMeters":35,"speedMetersPerSecond":4,"timestamp":"2024-05-01T14:12:00.000+02:00"}},
      {"wifiScan":{}}]}
      """
    let imported = try source(["Timeline.json": android]).imported(detectedAs: .google)
    let noon = 1_714_564_800.0
    #expect(imported.batch.fixes.map { $0.timestamp.seconds - noon } == [0, 600, 720, 1_200])
    #expect(imported.batch.fixes.map(\.latitude) == [48.8, 48.85, 48.86, 48.9])
    #expect(imported.batch.fixes.map(\.horizontalAccuracy) == [nil, nil, 9, nil])
    #expect(imported.report.dropped == [.otherKind: 2] && imported.report.outOfOrder == 0)

    let apple = """
      [{"startTime":"2024-05-01T12:00:00Z","endTime":"2024-05-01T12:30:00Z","activity":
      {"start":"geo:48.1,11.5","end":"geo:48.2,11.6","topCandidate":{"type":"walking"}}},
      {"startTime":"2024-05-01T12:30:00Z","endTime":"2024-05-01T13:00:00Z","visit":
      {"topCandidate":{"placeLocation":"geo:48.2,11.6"}}},
      {"startTime":"2024-05-01T12:00:00Z","endTime":"2024-05-01T14:00:00Z","timelinePath":
      [{"point":"geo:48.15,11.55","durationMinutesOffsetFromStartTime":"12"},{"point":"nowhere"}]}]
      """
    let second = try source(["location-history.json": apple]).imported(detectedAs: .google)
    #expect(
      second.batch.fixes.map { $0.timestamp.seconds - noon } == [0, 720, 1_800, 1_800, 3_600])
    #expect(second.report.dropped == [.noPosition: 1])
  }

  @Test func rotationRatesAloneAreRefusedRatherThanLost() throws {
    let input = try folder.write(
      "{\"t\":[1,2],\"gx\":[1,2],\"gy\":[1,2],\"gz\":[1,2]}\n", to: "gyroscope.ndjson")
    for (output, format) in [("out", RecordingFormat.csv), ("out.gpx", .gpx)] {
      let path = folder.path(output)
      let error = recordingError {
        _ = try Conversion.run(input: input, output: path, to: format)
      }
      #expect(error.map { "\($0)".contains("nothing of it can be written as") } ?? false)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func whatAFormDoesNotHoldIsCounted() throws {
    let lines = """
      {"recording":"r","subject":"s","gyroscope":true}
      {"t":[1,2],"ax":[0,0],"ay":[0,0],"az":[9,9]}
      {"t":[0.1,0.2,0.3,1.5,3],"gx":[1,2,3,4,5],"gy":[1,2,3,4,5],"gz":[1,2,3,4,5]}
      {"fixes":[{"t":1,"lat":48,"lon":11}]}

      """
    let input = try folder.write(lines, to: "walk.ndjson")
    let table = try Conversion.run(input: input, output: folder.path("out"))
    #expect(
      table.notes == [
        "not written: 3 rotation rates; a row holds one, beside its acceleration"
      ])
    let track = try Conversion.run(input: input, output: folder.path("out.gpx"))
    #expect(
      track.notes == ["not written: 2 accelerations, 5 rotation rates; the form holds fixes"])
  }
}
