import Foundation
import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// Shapes of files that programs write besides those that their descriptions show.
@Suite struct ForeignShapeTests {
  private func source(_ files: [String: String]) -> ImportSource {
    ImportSource(name: "in", files: files.mapValues { Array($0.utf8) })
  }

  private static let acceleration =
    "Time (s),Acceleration x (m/s^2),Acceleration y (m/s^2),Acceleration z (m/s^2)\n"
  private static let meta = "event,experiment time,system time\nSTART,0,1714564800\n"

  // MARK: Folders

  @Test func foldersOfOneInputAreRecordingsOfTheirOwn() throws {
    let imported = try Imported(
      source([
        "monday/Accelerometer.csv": Self.acceleration + "1,0,0,9.81\n",
        "monday/meta/time.csv": Self.meta,
        "tuesday/Accelerometer.csv": Self.acceleration + "2,0,0,9.5\n",
        "tuesday/notes/meta/time.csv": Self.meta,
      ]), as: .phyphox)
    #expect(imported.recordings.map(\.name) == ["monday", "tuesday"])
    // The clock of another folder is not borrowed.
    #expect(imported.seconds == [1_714_564_801, 2])
    #expect(imported.report.notes.contains("2 folders: a recording each"))
  }

  @Test func phonesOfOneArchiveAreNotMixed() throws {
    let header = "time,seconds_elapsed,z,y,x\n"
    let imported = try Imported(
      source([
        "android/TotalAcceleration.csv": header + "1000000000,0,9.5,0,0\n",
        "android/Metadata.csv": "platform\nandroid\n",
        "iphone/TotalAcceleration.csv": header + "9000000000,0,-9.25,0,0\n",
        "iphone/Gyroscope.csv": header + "9000000000,0,3,2,1\n",
        "iphone/Metadata.csv": "platform\nios\n",
      ]), as: .sensorlogger)
    #expect(imported.recordings.map(\.name) == ["android", "iphone"])
    #expect(imported.recordings.map(\.hasGyroscope) == [false, true])
    #expect(imported.batch.accelerations.z == [9.5, 9.25])
  }

  @Test func aFolderInAFolderIsTheOneRecording() throws {
    let imported = try Imported(
      source([
        "export/walk/Accelerometer.csv": Self.acceleration + "1,0,0,9.81\n",
        "export/walk/meta/time.csv": Self.meta,
      ]), as: .phyphox)
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
    let imported = try Imported(source(["all.csv": text]), as: .phyphox)
    #expect(imported.seconds == [0, 0.1, 0.2])
    #expect(imported.batch.rotationRates.timestamps.map(\.seconds) == [0.001, 0.101])
    #expect(imported.batch.rotationRates.z == [0.3, 0.6])
    #expect(imported.batch.pressures.timestamps.map(\.seconds) == [0.5])
    #expect(imported.report.droppedCount == 0 && imported.report.read == 6)
    #expect(imported.recordings.first?.hasGyroscope == true)
  }

  @Test func unitsInTheHeaderAreConverted() throws {
    let imported = try Imported(
      source([
        "a.csv": "Time (s),Acceleration x (g),Acceleration y (g),Acceleration z (g)\n0,0,0,1\n",
        "b.csv": "Time (s),Gyroscope x (deg/s),Gyroscope y (deg/s),Gyroscope z (deg/s)\n"
          + "0,180,0,-90\n",
      ]), as: .phyphox)
    #expect(imported.batch.accelerations.z == [9.80665])
    #expect(abs(imported.batch.rotationRates.x[0] - .pi) < 1e-6)
    #expect(abs(imported.batch.rotationRates.z[0] + .pi / 2) < 1e-6)
  }

  @Test(arguments: ["accuracy", "accuracy_horizontal", "horizontalAccuracy"])
  func accuraciesAreReadByTheirOtherNames(name: String) throws {
    let imported = try Imported(
      source([
        "Location.csv": "time,seconds_elapsed,latitude,longitude,\(name)\n1000000000,0,48,11,7.5\n"
      ]), as: .sensorlogger)
    #expect(imported.batch.fixes.map(\.horizontalAccuracy) == [7.5])
  }

  @Test(arguments: ["hAcc", "hacc", "ns:accuracy", "horizontalAccuracy"])
  func accuraciesOfGPXAreReadByTheirOtherNames(name: String) throws {
    let text = """
      <gpx xmlns:ns="x"><trk><trkseg><trkpt lat="48" lon="11"><time>2024-05-01T12:00:00Z</time>\
      <extensions><\(name)>7.5</\(name)></extensions></trkpt></trkseg></trk></gpx>
      """
    let imported = try Imported(source(["a.gpx": text]), as: .gpx)
    #expect(imported.batch.fixes.map(\.horizontalAccuracy) == [7.5])
  }

  @Test func theOlderTablesOfSensorLoggerAreRecognised() throws {
    let files = source([
      "Accelerometer.csv": "time,z,y,x\n1000000000,0.5,0,0\n",
      "Gravity.csv": "time,z,y,x\n1000000000,9,0,0\n",
      "Location.csv": "", "Metadata.csv": "platform\nandroid\n",
    ])
    #expect(try RecordingFormat(detecting: files) == .sensorlogger)
    let imported = try Imported(files, as: .sensorlogger)
    #expect(imported.batch.accelerations.z == [9.5])
    #expect(imported.report.notes.contains { $0.hasSuffix("Location.csv is empty: no fixes") })
  }

  // MARK: What cannot be used

  @Test func clocksWithoutACommonTimeAreNoted() throws {
    let imported = try Imported(
      source([
        "Accelerometer.csv": Self.acceleration + "1,0,0,9.81\n2,0,0,9.81\n",
        "Location.csv": "Time (s),Latitude (°),Longitude (°)\n5000,48,11\n",
      ]), as: .phyphox)
    #expect(
      imported.report.notes.contains(
        "in: accelerations from 1.0 s to 2.0 s and fixes from 5000.0 s to 5000.0 s: their clocks "
          + "differ"))
  }

  @Test func accelerationsWithoutGravityAreRefusedByName() throws {
    let header = Self.acceleration.replacing("Acceleration", with: "Linear Acceleration")
    let error = recordingError {
      _ = try Imported(source(["Linear.csv": header + "1,0,0,0.1\n"]), as: .phyphox)
    }
    #expect(error.map { "\($0)".contains("no file has the gravity") } ?? false)
  }

  @Test func googlesHistoryIsNotTakenForAnotherForm() {
    let text = "{\"locations\":[{\"latitudeE7\":481370000,\"longitudeE7\":115750000}]}"
    let error = recordingError {
      _ = try RecordingFormat(detecting: source(["Records.json": text]))
    }
    #expect(error != nil)
  }

  @Test func rotationRatesAloneAreRefusedRatherThanLost() throws {
    let folder = try ScratchFolder()
    let input = "\(folder.path)/gyroscope.ndjson"
    try Data("{\"t\":[1,2],\"gx\":[1,2],\"gy\":[1,2],\"gz\":[1,2]}\n".utf8).write(
      to: URL(fileURLWithPath: input))
    for (output, format) in [("out", RecordingFormat.csv), ("out.gpx", .gpx)] {
      let path = "\(folder.path)/\(output)"
      let error = recordingError {
        _ = try Conversion(input: input, output: path, to: format).run()
      }
      #expect(error.map { "\($0)".contains("nothing of it can be written as") } ?? false)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func whatAFormDoesNotHoldIsCounted() throws {
    let folder = try ScratchFolder()
    let input = "\(folder.path)/walk.ndjson"
    let lines = """
      {"recording":"r","subject":"s","gyroscope":true}
      {"t":[1,2],"ax":[0,0],"ay":[0,0],"az":[9,9]}
      {"t":[0.1,0.2,0.3,1.5,3],"gx":[1,2,3,4,5],"gy":[1,2,3,4,5],"gz":[1,2,3,4,5]}
      {"fixes":[{"t":1,"lat":48,"lon":11}]}

      """
    try Data(lines.utf8).write(to: URL(fileURLWithPath: input))
    let table = try Conversion(input: input, output: "\(folder.path)/out").run()
    #expect(
      table.notes == [
        "not written: 3 rotation rates; a row holds one, beside its acceleration"
      ])
    let track = try Conversion(input: input, output: "\(folder.path)/out.gpx").run()
    #expect(
      track.notes == ["not written: 2 accelerations, 5 rotation rates; the form holds fixes"])
  }
}
