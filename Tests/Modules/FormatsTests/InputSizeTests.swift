import Foundation
import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import Testing

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
