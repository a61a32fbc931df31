import Foundation
import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// Exports of services and apps that hold several recordings.
@Suite struct ExportTests {
  /// 2024-05-01T12:00:00Z.
  private let noon = 1_714_564_800.0

  // MARK: OwnTracks

  @Test func ownTracksHasKilometresPerHourAndOnlyLocationsAreFixes() throws {
    let imported = try Imported(FormatSamples.source(.owntracks), as: .owntracks)
    let fixes = imported.batch.fixes
    #expect(
      fixes.first
        == LocationFix(
          timestamp: Timestamp(nanoseconds: 1_714_564_800_000_000_000), latitude: 48.5,
          longitude: -11.25, altitude: 500, horizontalAccuracy: 8, verticalAccuracy: 3,
          speed: 10, course: 270))
    #expect(fixes.count == 2 && fixes.last?.verticalAccuracy == nil && fixes.last?.speed == nil)
    #expect(imported.report.dropped == [.otherKind: 2, .noTime: 1])
    #expect(
      imported.report.firstDefect
        == .malformed(
          path: "sample", place: "line 5", expected: "seconds since 1970 under tst",
          found: "none"))
  }

  @Test func monthsOfADeviceAreOneRecording() throws {
    func line(_ second: Int) -> String {
      "2024-05-01T12:00:00Z\t*\t{\"_type\":\"location\",\"tst\":\(second),\"lat\":1,\"lon\":2}\r\n"
    }
    let imported = try source([
      "rec/jane/phone/2024-04.rec": line(100), "rec/jane/phone/2024-05.rec": line(200),
      "rec/joe/phone/2024-05.rec": line(300),
    ]).imported(detectedAs: .owntracks)
    #expect(imported.recordings.map(\.name) == ["jane_phone", "joe_phone"])
    #expect(imported.recordings.map(\.subject) == ["jane", "joe"])
    #expect(imported.batch.fixes.map(\.timestamp.seconds) == [100, 200, 300])
  }

  @Test(arguments: ["[#,#,#]", "{\"count\":3,\"data\":[#,#,#],\"status\":200}", "#\n#\n#\n"])
  func ownTracksMessagesOfJSONAreReadInEachForm(form: String) throws {
    let messages = [
      "{\"_type\":\"location\",\"topic\":\"owntracks/jane/a\",\"tst\":1,\"lat\":1,\"lon\":1}",
      "{\"_type\":\"lwt\",\"tst\":1}",
      "{\"_type\":\"location\",\"topic\":\"owntracks/jane/b\",\"tst\":2,\"lat\":1,\"lon\":1}",
    ]
    let parts = form.split(separator: "#", omittingEmptySubsequences: false)
    let text = zip(parts, messages + [""]).map { String($0) + $1 }.joined()
    let imported = try source(["a.json": text]).imported(detectedAs: .owntracks)
    #expect(imported.recordings.map(\.name) == ["in", "in_jane_b"])
    #expect(imported.recordings.map(\.subject) == ["jane", "jane"])
    #expect(imported.batch.fixes.map(\.timestamp.seconds) == [1, 2])
    #expect(imported.report.dropped == [.otherKind: 1] && imported.report.read == 3)
  }

  @Test func encryptedMessagesAreTheErrorWhenThereIsNothingElse() {
    let text = "2024-05-01T12:00:00Z\t*\t{\"_type\":\"encrypted\",\"data\":\"abc\"}\n"
    #expect(
      recordingError { _ = try Imported(text, named: "a.rec", as: .owntracks) }
        == .malformed(
          path: "a.rec", place: "line 1", expected: "messages that are decrypted",
          found: "an encrypted one"))
  }

  // MARK: Dawarich

  @Test func dawarichHasSecondsAndNumbersAsText() throws {
    let imported = try Imported(FormatSamples.source(.dawarich), as: .dawarich)
    let fixes = imported.batch.fixes
    #expect(
      fixes == [
        LocationFix(
          timestamp: Timestamp(nanoseconds: 1_714_564_800_000_000_000), latitude: 48.5,
          longitude: -11.25, altitude: 500, horizontalAccuracy: 8, verticalAccuracy: 3, speed: 2.5),
        LocationFix(
          timestamp: Timestamp(nanoseconds: 1_714_564_801_000_000_000), latitude: 48.6,
          longitude: -11.25, horizontalAccuracy: 9, course: 90.5, courseAccuracy: 4),
      ])
    #expect(imported.report.dropped == [.noTime: 1])
  }

  // MARK: Strava

  @Test func stravasActivitiesAreRecordingsWithTheTypesOfTheTable() throws {
    let imported = try Imported(FormatSamples.source(.strava), as: .strava)
    #expect(imported.recordings.map(\.name) == ["1", "2", "2_2", "3", "6"])
    #expect(Set(imported.recordings.map(\.subject)) == ["sample"])
    let labels = imported.labels.map { String($0.split(separator: " ")[0]) }
    #expect(labels == ["cycling", "walking", "walking", "walking", "walking"])
    #expect(imported.labels.first == "cycling \(noon) \(noon + 600)")
    let notes = imported.report.notes
    for note in [
      "activities without a file, left out: 1", "activities whose file is not there, left out: 1",
      "files with a defect, from there on, left out: 1",
    ] {
      #expect(notes.contains(note), "\(notes)")
    }
    #expect(notes.contains { $0.contains("sample/activities/6.gpx") })
  }

  @Test func compressedFilesOfAStravaArchiveAreRead() throws {
    let folder = ScratchFolder()
    func compressed(_ bytes: [UInt8]) throws -> [UInt8] {
      let output = try CompressedOutput(path: folder.path("packed.gz"))
      try output.write(bytes)
      try output.close()
      return [UInt8](try folder.data("packed.gz"))
    }
    // Above the size from which the parser reads a file itself.
    let long = FormatSamples.strava["activities/1.gpx"]?.replacing(
      "<trkseg>",
      with: "<trkseg>" + String(repeating: "<!-- a comment of a file -->\n", count: 50_000))
    var zip = ZipFile()
    zip.add(
      "activities.csv",
      Array(
        """
        \u{FEFF}Aktivitäts-ID,Aktivitätsart,Dateiname
        7,Lauf,activities/7.fit.gz
        8,Lauf,activities/8.tcx.gz
        9,Radfahrt,activities/9.gpx.gz
        """.utf8))
    zip.add("activities/7.fit.gz", try compressed(try #require(FormatSamples.fitFiles["run"])))
    zip.add("activities/8.tcx.gz", try compressed(Array(FormatSamples.tcx.utf8)))
    zip.add("activities/9.gpx.gz", try compressed(Array(try #require(long).utf8)))
    zip.add("media/1.jpg", [1])
    let source = try ImportSource(path: try folder.write(zip.file, to: "export_1.zip"))
    #expect(try RecordingFormat(detecting: source) == .strava)
    let imported = try Imported(source, as: .strava)
    #expect(imported.recordings.map(\.name) == ["7", "8", "8_2", "9"])
    #expect(Set(imported.recordings.map(\.subject)) == ["export_1"])
    #expect(imported.report.fixes == 7 + 5 + 2)
    // The types of another language are unknown: what the files say.
    #expect(imported.labels.allSatisfy { $0.hasPrefix("running ") } && imported.labels.count == 5)
  }

  @Test func activitiesOfSeveralFormatsWithoutATableAreRead() throws {
    let files = [
      "a.fit": try #require(FormatSamples.fitFiles["ride"]),
      "b.tcx": FormatSamples.tcx.utf8.map { $0 },
    ]
    let source = ImportSource(name: "activities", files: files)
    #expect(try RecordingFormat(detecting: source) == .strava)
    let imported = try Imported(source, as: .strava)
    #expect(imported.recordings.map(\.name) == ["a", "b", "b_2"])
    #expect(
      imported.labels.map { String($0.prefix(7)) } == ["cycling", "running", "running", "running"])
  }

  // MARK: Apple's Health

  @Test func workoutsOfAppleHealthLabelTheirRoutesWithoutPauses() throws {
    let imported = try Imported(FormatSamples.source(.appleHealth), as: .appleHealth)
    #expect(imported.recordings.map(\.name) == ["route_2024-05-01", "route_2024-05-02"])
    #expect(Set(imported.recordings.map(\.subject)) == ["sample"])
    let day = 86_400.0
    #expect(
      imported.labels == [
        "running \(noon) \(noon + 180)", "running \(noon + 240) \(noon + 600)",
        "cycling \(noon + day + 300) \(noon + day + 600)",
      ] as [String])
    #expect(
      imported.report.notes == [
        "for comparison only, several devices count the same: 500 steps in 2 records of steps"
      ])
  }

  @Test(arguments: ["<HealthData", "<!DOCTYPE HealthData [", "<!-- a", "<HealthData a='"])
  func recordsOfAppleHealthThatAreCutDoNotTakeTheRoutes(text: String) throws {
    var files = FormatSamples.appleHealth
    files["apple_health_export/export.xml"] = text
    let imported = try Imported(source(files), as: .appleHealth)
    #expect(imported.report.fixes == 4 && imported.labels.isEmpty)
    #expect(imported.report.notes.contains { $0.contains("the end of the file") })
  }

  @Test func recordsOfAppleHealthWithoutRoutesAreRefused() throws {
    let text = try #require(FormatSamples.appleHealth["apple_health_export/export.xml"])
    let files = source(["Export.xml": text])
    #expect(try RecordingFormat(detecting: files) == .appleHealth)
    let error = recordingError { _ = try Imported(files, as: .appleHealth) }
    #expect(error.map { "\($0)".contains("expected workout-routes/*.gpx") } ?? false)
  }

  // MARK: Sensor Logger

  private static let motion = """
    time,seconds_elapsed,rotationRateX,rotationRateY,rotationRateZ,gravityX,gravityY,gravityZ,\
    accelerationX,accelerationY,accelerationZ,quaternionW
    1000000000,0,0.1,0.2,0.3,0,0,-1,0.5,0,0,1

    """

  @Test(arguments: [("false", -9.806_65, 9.806_65), ("true", 1.0, -1.0)])
  func aWatchIsARecordingOfItsOwn(standardised: String, scale: Double, z: Double) throws {
    let imported = try source([
      "WristMotion.csv": Self.motion,
      "WatchLocation.csv": "time,seconds_elapsed,latitude,longitude,course,courseAccuracy\n"
        + "1000000000,0,48.5,-11.25,90,5\n",
      "WatchBarometer.csv":
        "time,seconds_elapsed,relativeAltitude,pressure\n1000000000,0,0,100.5\n",
      "TotalAcceleration.csv": "time,seconds_elapsed,z,y,x\n2000000000,1,9.5,0,0\n",
      "Metadata.csv": "platform,device id,standardisation\nios,abc,\(standardised)\n",
    ]).imported(detectedAs: .sensorlogger)
    #expect(imported.recordings.map(\.name) == ["in", "in_watch"])
    #expect(imported.recordings.map(\.hasGyroscope) == [false, true])
    #expect(imported.seconds == [2, 1])
    #expect(abs(Double(imported.batch.accelerations.x[1]) - 0.5 * scale) < 1e-6)
    #expect(abs(Double(imported.batch.accelerations.z[1]) - z) < 1e-6)
    #expect(imported.batch.rotationRates.y == [0.2])
    #expect(imported.batch.pressures.hectopascals == [1_005])
    #expect(imported.batch.fixes.map(\.courseAccuracy) == [5])
  }

  @Test func theFileOfAWatchAloneIsRead() throws {
    let imported = try source(["WristMotion.csv": Self.motion]).imported(as: .sensorlogger)
    #expect(imported.recordings.map(\.name) == ["in_watch"])
    #expect(abs(imported.batch.accelerations.z[0] - 9.806_65) < 1e-6)
    #expect(imported.report.notes.contains { $0.contains("taken to be in g") })
  }

  @Test(arguments: [("ios", Float(-1)), ("android", 1)])
  func sensorLoggersJSONHasTheSensorsOfOneRecording(platform: String, sign: Float) throws {
    let imported = try source([
      "walk.json": """
      [{"sensor":"Metadata","platform":"\(platform)","device id":"abc","standardisation":"false"},
      {"sensor":"Gravity","time":"1000000000","seconds_elapsed":"0","z":"9.5","y":"0","x":"0"},
      {"sensor":"Accelerometer","time":"1000000000","seconds_elapsed":"0","z":"0.25","x":"1","y":"0"},
      {"sensor":"Gyroscope","time":"1500000000","seconds_elapsed":"0.5","z":"3","x":"1","y":"2"},
      {"sensor":"Accelerometer","time":"soon","seconds_elapsed":"0","z":"0.25","x":"1","y":"0"},
      {"sensor":"Microphone","time":"1000000000","seconds_elapsed":"0","dBFS":"-60"},
      {"sensor":"Location","time":"1000000000","seconds_elapsed":"0","latitude":"48.5",
      "longitude":"-11.25","bearing":"-1","speed":"1.5","horizontalAccuracy":"5"}]
      """
    ]).imported(detectedAs: .sensorlogger)
    #expect(imported.batch.accelerations.z == [9.75 * sign])
    #expect(imported.batch.accelerations.x == [sign])
    #expect(imported.batch.rotationRates.z == [3])
    #expect(imported.batch.fixes.map(\.speed) == [1.5])
    #expect(imported.recordings.map(\.subject) == ["abc"])
    #expect(imported.report.dropped == [.noTime: 1])
    #expect(imported.report.notes == ["measurements of Microphone, left out: 1"])
  }
}
