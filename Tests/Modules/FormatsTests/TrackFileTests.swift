import Foundation
import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// FIT against another implementation, and TCX and KML.
@Suite struct TrackFileTests {
  /// 2024-05-01T12:00:00Z.
  private let noon = 1_714_564_800.0

  private func fit(_ bytes: [UInt8]) throws(RecordingError) -> Imported {
    try Imported(bytes, named: "a.fit", as: .fit)
  }

  // MARK: FIT

  @Test(arguments: FormatSamples.fitFiles.keys.sorted())
  func fitRecordsAreThoseOfFitdecode(name: String) throws {
    let imported = try fit(try #require(FormatSamples.fitFiles[name]))
    let expected = FormatSamples.goldenFIT.filter { $0[0] == "record" && $0[1] == name }.map {
      row in
      LocationFix(
        timestamp: Timestamp(seconds: Double(row[2]) ?? .nan) ?? Timestamp(nanoseconds: 0),
        latitude: Double(row[3]) ?? .nan, longitude: Double(row[4]) ?? .nan,
        altitude: Double(row[5]), horizontalAccuracy: Double(row[7]), speed: Double(row[6]))
    }
    // An altitude or a speed that the record lacks may be that of a record within a second.
    var fixes = imported.batch.fixes
    for (index, fix) in zip(fixes.indices, expected) {
      if fix.altitude == nil { fixes[index].altitude = nil }
      if fix.speed == nil { fixes[index].speed = nil }
    }
    #expect(!expected.isEmpty && fixes == expected)
    let rows = FormatSamples.goldenFIT.filter { $0[1] == name }
    guard !rows.contains(where: { $0[0] == "timer" }) else { return }
    let sessions = rows.filter { $0[0] == "session" }
    #expect(
      sessions.isEmpty
        || imported.labels == sessions.map { "\($0[4]) \($0[2]).0 \($0[3]).0" })
  }

  @Test func fitSessionsAreLabelsWithoutThePausesOfTheTimer() throws {
    let run = try fit(try #require(FormatSamples.fitFiles["run"]))
    #expect(
      run.labels == [
        "running \(noon) \(noon + 3)", "running \(noon + 60) \(noon + 63)",
      ] as [String])
    // A record with the heart rate only.
    #expect(run.report.dropped == [.otherKind: 1] && run.recordings.map(\.name) == ["a"])
    let ride = try fit(try #require(FormatSamples.fitFiles["ride"]))
    #expect(ride.labels == ["cycling \(noon) \(noon + 20)"])
    // The sport of the whole file, without a session.
    let walk = try fit(try #require(FormatSamples.fitFiles["developer"]))
    #expect(walk.labels == ["walking \(noon) \(noon + 2)"])
    // Without a session the laps tell; those of one sport are one stretch, a swim is none.
    let laps = try fit(try #require(FormatSamples.fitFiles["laps"]))
    #expect(
      laps.labels == [
        "running \(noon) \(noon + 19.5)", "cycling \(noon + 20) \(noon + 29.5)",
      ] as [String])
    let chained = try fit(try #require(FormatSamples.fitFiles["chained"]))
    #expect(chained.recordings.map(\.name) == ["a", "a_2"])
    #expect(chained.labels == run.labels + ride.labels)
  }

  /// Before its first point it is rejected; behind one, what is whole is read.
  @Test func fitThatIsCutIsReadUpToThere() throws {
    for name in ["run", "ride", "compressed"] {
      let bytes = try #require(FormatSamples.fitFiles[name])
      for count in 0..<bytes.count {
        var notes: [String]?
        let error = recordingError { notes = try fit(Array(bytes.prefix(count))).report.notes }
        switch error {
        case nil:
          #expect(notes?.contains { $0.hasPrefix("a.fit: byte \(count + 1): ") } == true)
        case .empty? where count == 0: break
        case .malformed(_, "byte \(count + 1)", _, "the end of the file")?: break
        default: Issue.record("\(name) \(count): \(String(describing: error))")
        }
      }
    }
  }

  @Test func everyWrongBitOfFITIsFound() throws {
    let bytes = try #require(FormatSamples.fitFiles["run"])
    for bit in 0..<bytes.count * 8 {
      var wrong = bytes
      wrong[bit / 8] ^= 1 << UInt8(bit % 8)
      var notes: [String] = []
      let found = defect { notes = try fit(wrong).report.notes }
      if notes.contains(where: { $0.hasPrefix("a.fit: byte ") }) { continue }
      // A last byte that says that there is no checksum of the header is one bit away, too.
      #expect(
        found?.path == "a.fit" && found?.place.hasPrefix("byte ") == true, "bit \(bit)")
    }
  }

  @Test func bytesAfterFITAreNoted() throws {
    let run = try #require(FormatSamples.fitFiles["run"])
    let imported = try fit(run + [0, 0, 0])
    #expect(imported.report.fixes == 7)
    #expect(
      imported.report.notes.contains(
        "a.fit: what follows byte \(run.count + 1) is no FIT, and is left out"))
  }

  @Test func messagesOfFITWithRightChecksumsAreAnImporter() {
    for (name, file) in FormatSamples.fitFiles where name != "chained" {
      let messages = Array(file.dropFirst(Int(file[0])).dropLast(2))
      #expect(
        checkImporter(
          .fit, ["a.fit": messages], mutations: TestLength.runs(3_000, long: 30_000),
          through: sealedFIT) == [], "\(name)")
    }
  }

  /// Some watches write the altitude and the speed in records beside those of the positions.
  @Test func valuesInRecordsOfTheirOwnBelongToThePointBesideThem() throws {
    // Records of time, latitude and longitude; and of time, altitude and speed.
    let definitions: [UInt8] =
      [0x40, 0, 0, 20, 0, 3, 253, 4, 0x86, 0, 4, 0x85, 1, 4, 0x85]
      + [0x41, 0, 0, 20, 0, 3, 253, 4, 0x86, 2, 2, 0x84, 6, 2, 0x84]
    func point(_ second: Int) -> [UInt8] {
      [0] + little(1_083_499_200 + second, 4) + little(1 << 29, 4) + little(1 << 27, 4)
    }
    func values(_ second: Int, _ altitude: Int, _ speed: Int) -> [UInt8] {
      [1] + little(1_083_499_200 + second, 4) + little((altitude + 500) * 5, 2)
        + little(speed * 1_000, 2)
    }
    let found = try fit(
      sealedFIT(
        definitions + values(0, 400, 1) + point(0) + point(10) + values(10, 410, 2)
          + values(20, 420, 3) + point(25)))
    #expect(found.batch.fixes.map(\.altitude) == [400, 410, nil])
    #expect(found.batch.fixes.map(\.speed) == [1, 2, nil])
    #expect(found.report.dropped == [.otherKind: 3])
  }

  @Test func messagesWithoutADefinitionAreRejectedWithTheirPosition() throws {
    #expect(
      recordingError { _ = try fit(sealedFIT([0x05, 1, 2])) }
        == .malformed(
          path: "a.fit", place: "byte 15",
          expected: "a message whose type 5 was defined", found: "no definition before it"))
    // A field that is longer than what is left of the messages.
    #expect(
      recordingError { _ = try fit(sealedFIT([0x40, 0, 0, 20, 0, 1, 0, 255, 0x0D, 0x00, 1])) }
        == .malformed(
          path: "a.fit", place: "byte 26",
          expected: "the end of a message before that of all", found: "more fields"))
  }

  @Test func anActivityWithoutPositionsIsRefusedAsSuch() {
    // A record of a time alone.
    let message: [UInt8] = [0x40, 0, 0, 20, 0, 1, 253, 4, 0x86, 0x00, 0, 0, 0, 0x40]
    let error = recordingError { _ = try fit(sealedFIT(message)) }
    #expect(error.map { "\($0)".contains("recorded without satellites") } ?? false)
  }

  @Test func pointsThatAreNowhereAreNotLabelled() throws {
    let text = FormatSamples.tcx.replacing("<LatitudeDegrees>48", with: "<LatitudeDegrees>948")
    let error = recordingError { _ = try Imported(text, named: "a.tcx", as: .tcx) }
    #expect(error != nil)
  }

  @Test func moreMessagesOfFITThanAnActivityHasAreRefused() {
    let head: [UInt8] = [12, 0x20, 0, 0, 1, 0, 0, 8] + Array(".FIT".utf8)
    let error = recordingError { _ = try fit(head) }
    #expect(
      error
        == .refused(path: "a.fit", reason: "messages of 134217729 bytes, more than 134217728"))
  }

  // MARK: TCX

  @Test func tcxActivitiesAreRecordingsAndTracksEndAtPauses() throws {
    let imported = try Imported(FormatSamples.source(.tcx), as: .tcx)
    #expect(imported.recordings.map(\.name) == ["sample", "sample_2"])
    let fixes = imported.batch.fixes
    #expect(fixes.map(\.timestamp.seconds) == [0, 10, 60, 120, 3_600].map { noon + $0 })
    #expect(
      fixes.first
        == LocationFix(
          timestamp: fixes[0].timestamp, latitude: 48.5, longitude: -11.25, altitude: 500.5,
          speed: 2.5))
    #expect(fixes[2].latitude == 48.7)
    #expect(
      imported.labels == [
        "running \(noon) \(noon + 10)", "running \(noon + 60) \(noon + 60)",
        "running \(noon + 120) \(noon + 120)",
      ] as [String])
    #expect(imported.report.dropped == [.otherKind: 2, .noTime: 1])
    #expect(imported.report.notes == ["further positions of a point, left out: 1"])
  }

  // MARK: KML

  @Test func kmlTracksAndPointsWithTimesAreRead() throws {
    let imported = try Imported(FormatSamples.source(.kml), as: .kml)
    let fixes = imported.batch.fixes
    #expect(fixes.map(\.timestamp.seconds) == [0, 1.5, 2, 60].map { noon + $0 })
    #expect(fixes.map(\.latitude) == [48.5, 48.6, 48.7, 48.8])
    #expect(fixes.map(\.altitude) == [500.5, 501, nil, 7])
    #expect(imported.report.dropped == [.noPosition: 2, .otherKind: 2])
  }

  @Test func linesWithoutTimesAreTheErrorWhenThereIsNothingElse() throws {
    let text = """
      <kml><Document><Placemark>
      <LineString><coordinates>1,2 3,4</coordinates></LineString></Placemark></Document></kml>
      """
    #expect(
      recordingError { _ = try Imported(text, named: "a.kml", as: .kml) }
        == .malformed(
          path: "a.kml", place: "line 2",
          expected: "a gx:Track, or Points with a TimeStamp, or a TimeSpan",
          found: "a LineString, which has no times"))
  }

  @Test func kmzIsReadAsTheArchiveThatItIs() throws {
    let folder = ScratchFolder()
    var zip = ZipFile()
    zip.add("doc.kml", Array(FormatSamples.kml.utf8))
    zip.add("images/pin.png", [1, 2, 3])
    let source = try ImportSource(path: try folder.write(zip.file, to: "walk.kmz"))
    #expect(try RecordingFormat(detecting: source) == .kml)
    let imported = try Imported(source, as: .kml)
    #expect(imported.recordings.map(\.name) == ["walk"] && imported.report.fixes == 4)
  }
}
