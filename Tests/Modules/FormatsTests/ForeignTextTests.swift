import Foundation
import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// Files in other encodings, in archives of archives, and with an end that is missing.
@Suite struct ForeignTextTests {
  private let folder = ScratchFolder()

  private static let noon = 1_714_564_800.0

  private static func gpx(_ points: Int) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n<gpx><trk><name>Zürich 🚲</name><trkseg>\n"
      + (0..<points).map { index in
        let minute = String(format: "%02d", index)
        return "<trkpt lat=\"48\" lon=\"11\"><time>2024-05-01T12:\(minute):00Z</time></trkpt>\n"
      }.joined() + "</trkseg></trk></gpx>\n"
  }

  private static func utf16(_ text: String, isBigEndian: Bool = false) -> [UInt8] {
    let units = [0xFEFF] + Array(text.utf16)
    return units.flatMap { unit in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return isBigEndian ? [high, low] : [low, high]
    }
  }

  private func fixes(_ path: String) throws -> [LocationFix] {
    try RecordingSource(path: path).whole().batch.fixes
  }

  // MARK: Encodings

  /// Longer than a buffer, with a character of two units at every place of it.
  @Test(arguments: [false, true]) func tablesInUTF16AreRead(isBigEndian: Bool) throws {
    let rows = (0..<5_000).map {
      "\(1_700_000_000 + $0)\t50.5\t8.25\t\(String(repeating: "é", count: $0 % 7))🚲\n"
    }
    let text = "t\tlat\tlon\tnote\n" + rows.joined()
    let path = try folder.write(Self.utf16(text, isBigEndian: isBigEndian), to: "own.tsv")
    let found = try fixes(path)
    #expect(found.count == 5_000 && found.allSatisfy { $0.latitude == 50.5 })
    let tidy = try folder.write(
      Self.utf16("t,lat,lon\n1,50,8\n", isBigEndian: isBigEndian), to: "day.gps.csv")
    #expect(try fixes(tidy).count == 1)
  }

  @Test func xmlAndJSONInUTF16AreRead() throws {
    #expect(try fixes(folder.write(Self.utf16(Self.gpx(9)), to: "a.gpx")).count == 9)
    let json = "{\"locations\":[{\"latitudeE7\":1,\"longitudeE7\":1,\"timestampMs\":\"1000\"}]}"
    #expect(try fixes(folder.write(Self.utf16(json), to: "Records.json")).count == 1)
    // Cut within a character.
    let cut = Self.utf16("t,lat,lon\n1,50,8\n2,50,8\n🚲").dropLast()
    #expect(throws: RecordingError.self) { try fixes(folder.write(cut, to: "cut.gps.csv")) }
  }

  @Test(arguments: [[], [0xFF], [0xFF, 0xFE], [0xFE, 0xFF, 0x00], [0x31]] as [[UInt8]])
  func fewBytesAreNoText(bytes: [UInt8]) throws {
    let path = try folder.write(bytes, to: "a.csv")
    #expect(throws: RecordingError.self) { try fixes(path) }
  }

  // MARK: Archives

  @Test func archivesInAnArchiveAreUnpacked() throws {
    var inner = ZipFile()
    inner.add("walk.gps.csv", Array("t,lat,lon\n1,50,8\n2,50,8\n".utf8))
    var outer = ZipFile()
    outer.add("export/monday.zip", inner.file)
    outer.add("export/notes.pdf", [1, 2, 3])
    #expect(try fixes(folder.write(outer.file, to: "export.zip")).count == 2)
    // What is in an archive of an archive of an archive is left where it is.
    var outermost = ZipFile()
    outermost.add("outer.zip", outer.file)
    #expect(throws: RecordingError.self) {
      try fixes(folder.write(outermost.file, to: "outermost.zip"))
    }
  }

  // MARK: Missing ends

  @Test func aTrackWithoutItsEndIsReadUpToThere() throws {
    let whole = Self.gpx(9).replacing("UTF-16", with: "UTF-8")
    let start = try #require(whole.range(of: "</time>")).upperBound
    for length in stride(
      from: whole.distance(from: whole.startIndex, to: start), to: whole.count, by: 7)
    {
      let text = String(whole.prefix(length))
      let points = text.components(separatedBy: "</trkpt>").count - 1
      guard points > 0 else { continue }
      let found = try Imported(text, named: "a.gpx", as: .gpx)
      #expect(found.batch.fixes.count == points, "\(length)")
      let isTold = found.report.notes.contains { $0.contains("what is whole was read") }
      #expect(isTold == !text.hasSuffix("</gpx>"), "\(length)")
    }
    // Without a point there is nothing to read.
    #expect(throws: RecordingError.self) {
      try Imported(String(whole.prefix(120)), named: "a.gpx", as: .gpx)
    }
    // What is wrong in the middle is no missing end.
    #expect(throws: RecordingError.self) {
      try Imported(
        whole.replacing("12:05:00Z</time>", with: "12:05:00Z</tim>"), named: "a.gpx", as: .gpx)
    }
  }

  @Test func tracksOfOtherFormsWithoutTheirEndAreRead() throws {
    let kml = """
      <kml><Document><Placemark><gx:Track xmlns:gx="x"><when>2024-05-01T12:00:00Z</when>
      <gx:coord>11 48 0</gx:coord><when>2024-05-01T12:01:00Z</when><gx:coord>11 48
      """
    let track = try Imported(kml, named: "a.kml", as: .kml)
    #expect(track.batch.fixes.count == 1)
    #expect(track.report.notes.contains { $0.contains("what is whole was read") })
  }

  // MARK: GeoJSON

  @Test func linesWithTimesAreTracks() throws {
    let text = """
      {"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"LineString",
      "coordinates":[[11,48,500],[11,48.1],[11,48.2]]},"properties":{"coordTimes":
      ["2024-05-01T12:00:00Z","2024-05-01T12:01:00Z"]}},
      {"type":"Feature","geometry":{"type":"MultiLineString","coordinates":[[[11,49]],[[11,49.1]]]},
      "properties":{"coordinateProperties":{"times":[["2024-05-01T13:00:00Z"],[1714568460]]}}},
      {"type":"Feature","geometry":{"type":"Point","coordinates":[11,50]},"properties":
      {"datetime":"2024-05-01T14:00:00Z"}}]}
      """
    let found = try Imported(text, named: "a.geojson", as: .geojson)
    #expect(
      found.batch.fixes.map { $0.timestamp.seconds - Self.noon } == [0, 60, 3_600, 3_660, 7_200])
    #expect(found.batch.fixes.map(\.altitude) == [500, nil, nil, nil, nil])
    #expect(found.report.dropped == [.noTime: 1])
  }
}

@Suite struct CalendarTimeTests {
  @Test func everySupportedNotationOfATimeIsParsed() {
    let expected = 1_714_564_800_000_000_000
    for text in [
      "2024-05-01T12:00:00Z", "20240501T120000Z", "2024-05-01T14:00:00+02:00",
      "2024-05-01T14:00:00+0200", "20240501T070000-0500", "2024-05-01 12:00:00",
      "2024/05/01 12:00:00", "2024-05-01T12:00Z", "2024-05-01t12:00:00.000z",
      "2024-05-01T12:00:00+00",
    ] {
      #expect(CalendarTime.timestamp(text)?.time.nanoseconds == Int64(expected), "\(text)")
    }
    #expect(CalendarTime.timestamp("2024-05-01T12:00:00")?.hasZone == false)
    #expect(
      CalendarTime.timestamp("2024-05-01T12:00:00.123456789123Z")?.time.nanoseconds
        == Int64(expected + 123_456_789))
  }

  @Test(arguments: [
    "", "2024", "2024-13-01T00:00:00Z", "2023-02-29T00:00:00Z", "1900-02-29",
    "2024-05-01T24:00:00Z",
    "2024-05-01T12:60:00Z", "2024-05-01T12:00:00.Z", "2024-05-01T12:00:00ZZ", "+024-05-01",
    "2024-05-01T12:00:00+2", "٢٠٢٤-05-01T12:00:00Z", "9999-01-01T00:00:00Z", "0001-01-01",
  ])
  func invalidDatesGiveNil(text: String) {
    #expect(CalendarTime.timestamp(text) == nil)
  }

  @Test func formattedTimesAreParsedBackAndAgreeWithFoundation() throws {
    var generator = SplitMix64(seed: 8)
    let formatter = ISO8601DateFormatter()
    for _ in 0..<2000 {
      let time = Timestamp(
        nanoseconds: Int64.random(in: -2_000_000_000...4_000_000_000, using: &generator)
          * 1_000_000_000 + Int64.random(in: 0..<1_000_000_000, using: &generator))
      let text = CalendarTime.text(time)
      #expect(CalendarTime.timestamp(text)?.time == time)
      let whole = text.prefix(19) + "Z"
      let date = try #require(formatter.date(from: String(whole)))
      #expect(
        Int64(date.timeIntervalSince1970) == Int64((Double(time.nanoseconds) / 1e9).rounded(.down)))
    }
  }
}
